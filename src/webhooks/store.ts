import { numberArray, type Queryable } from '../postgres/postgres.ts'
import type { webhookKinds } from './ping-contract.ts'

export type WebhookKind = (typeof webhookKinds)[number]

const columnOf = { availability: 'availability_webhook', pushbook: 'pushbook_webhook' } as const

/** Where and with which secrets a supplier is called; two secrets during a rotation. */
export type Callback = { keyId: number; url: string; secrets: readonly string[] }

export type SavedWebhook = { isChanged: boolean; isSecretNew: boolean; callback: Callback }

/** Puts the URL on the key's record, and the secret if the record has none. */
export async function saveWebhook(
  connection: Queryable,
  keyId: number,
  {
    kind,
    href,
    signingSecret,
    nowMs,
  }: { kind: WebhookKind; href: string; signingSecret: string; nowMs: number },
): Promise<SavedWebhook> {
  const column = columnOf[kind]
  const { rows } = await connection.query<{ before: string | null; hasSecret: boolean }>(
    `select ${column} as before, signing_secret is not null as "hasSecret" from api_key where id = $1 for update`,
    [keyId],
  )
  const [held] = rows
  if (!held) throw new Error(`key ${keyId} called but is not there`)
  const { rows: saved } = await connection.query<Callback>(
    // The same URL again is no change, but the key becomes the one that registered last.
    `update api_key k set ${column} = $2, signing_secret = coalesce(signing_secret, $3),
       ${column}_at = instant($4)
     where id = $1 returning ${callbackColumns(column, '$4')}`,
    [keyId, href, signingSecret, nowMs],
  )
  const [callback] = saved
  if (!callback) throw new Error(`key ${keyId} is gone although it was locked`)
  return { isChanged: held.before !== href, isSecretNew: !held.hasSecret, callback }
}

type WebhookColumn = (typeof columnOf)[WebhookKind]

/** Of api_key as k; the parameter is the instant. */
function callbackColumns(column: WebhookColumn, now: string): string {
  return `k.id as "keyId", k.${column} as url, array_remove(array[k.signing_secret,
    case when k.signing_secret_previous_until > instant(${now})
      then k.signing_secret_previous end], null) as secrets`
}

/**
 * Whose URL is called for a hotel: that of the key which last pushed the hotel itself, while the key is valid and has
 * one; else the one that was registered last on any valid key of the supplier. Undefined: nowhere to call.
 */
export async function selectCallback(
  db: Queryable,
  hotelId: number,
  kind: WebhookKind,
  nowMs: number,
): Promise<Callback | undefined> {
  return (await selectCallbacks(db, [hotelId], kind, nowMs)).get(hotelId)
}

/** The same for many hotels at once; those that have nowhere to call are missing. */
export async function selectCallbacks(
  db: Queryable,
  hotelIds: readonly number[],
  kind: WebhookKind,
  nowMs: number,
): Promise<Map<number, Callback>> {
  const column = columnOf[kind]
  const { rows } = await db.query<Callback & { hotelId: number }>({
    name: `select-callbacks-${kind}`,
    text: `
      select hotel.id as "hotelId", callback.* from hotel cross join lateral (
        select ${callbackColumns(column, '$2')} from api_key k where ${callbackRule(column, '$2')}
      ) as callback
      where hotel.id = any($1::int[])`,
    values: [numberArray(hotelIds), nowMs],
  })
  return new Map(rows.map(({ hotelId, ...callback }) => [hotelId, callback]))
}

/** Of the keys of a hotel: the one that counts. */
function callbackRule(column: WebhookColumn, now: string): string {
  return `k.supplier_id = hotel.supplier_id and k.${column} is not null and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > instant(${now}))
    order by k.id is not distinct from hotel.key_id desc, k.${column}_at desc nulls last, k.id desc
    limit 1`
}

/** Whether there is a URL for a supplier's hotels: then there is one for each of them. */
export async function hasCallback(
  db: Queryable,
  supplierId: number,
  kind: WebhookKind,
  nowMs: number,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from api_key where supplier_id = $1 and ${columnOf[kind]} is not null and revoked_at is null
       and (expires_at is null or expires_at > instant($2)) limit 1`,
    [supplierId, nowMs],
  )
  return rowCount === 1
}

/** The URL of the key itself, whatever hotels it pushed. */
export async function selectCallbackOfKey(
  db: Queryable,
  keyId: number,
  kind: WebhookKind,
  nowMs: number,
): Promise<Callback | undefined> {
  const column = columnOf[kind]
  const { rows } = await db.query<Callback>(
    `select ${callbackColumns(column, '$2')} from api_key k where k.id = $1 and k.${column} is not null`,
    [keyId, nowMs],
  )
  return rows[0]
}

/** Takes the URL off the key's record; the secret stays for the next one. Whether there was one. */
export async function removeWebhook(
  connection: Queryable,
  keyId: number,
  kind: WebhookKind,
): Promise<boolean> {
  const column = columnOf[kind]
  const { rowCount } = await connection.query(
    `update api_key set ${column} = null where id = $1 and ${column} is not null`,
    [keyId],
  )
  return rowCount === 1
}

export type HeldWebhooks = Record<WebhookKind, string | null> & { hasSigningSecret: boolean }

export async function selectWebhooks(db: Queryable, keyId: number): Promise<HeldWebhooks> {
  const { rows } = await db.query<HeldWebhooks>(
    `select availability_webhook as availability, pushbook_webhook as pushbook,
       signing_secret is not null as "hasSigningSecret"
     from api_key where id = $1`,
    [keyId],
  )
  const [held] = rows
  if (!held) throw new Error(`key ${keyId} called but is not there`)
  return held
}
