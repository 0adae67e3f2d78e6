import { hourMs, minuteMs } from '../base/calendar.ts'
import { numberArray, type Queryable } from '../postgres/postgres.ts'
import { secretsOverlap, type webhookKinds } from './contract.ts'
import { Rejected } from '../http/rejected.ts'
import { newSigningSecret } from '../outbound/signature.ts'
import { keyNotFound } from '../keys/manage.ts'

export type WebhookKind = (typeof webhookKinds)[number]

const columnOf = { availability: 'availability_webhook', pushbook: 'pushbook_webhook' } as const

/** A supplier's URL and the secrets for calling it; several during a rotation. */
export type Callback = { keyId: number; url: string; secrets: readonly string[] }

export type SavedWebhook = { isChanged: boolean; isSecretNew: boolean; callback: Callback }

/** Saves the URL to the key's row, and the secret if the row has none. */
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
  const [row] = rows
  if (!row) throw new Error(`key ${keyId} called but is not there`)
  const { rows: saved } = await connection.query<Callback>(
    // Registering the same URL again changes nothing, except that the key becomes the last to register.
    `update api_key k set ${column} = $2, signing_secret = coalesce(signing_secret, $3),
       signing_secret_at = case when signing_secret is null then instant($4) else signing_secret_at end,
       ${column}_at = instant($4)
     where id = $1 returning ${callbackColumns(column, '$4')}`,
    [keyId, href, signingSecret, nowMs],
  )
  const [callback] = saved
  if (!callback) throw new Error(`key ${keyId} is gone although it was locked`)
  return { isChanged: row.before !== href, isSecretNew: !row.hasSecret, callback }
}

type WebhookColumn = (typeof columnOf)[WebhookKind]

/** Columns of api_key as k; `now` is the parameter with the current time. */
function callbackColumns(column: WebhookColumn, now: string): string {
  return `k.id as "keyId", k.${column} as url, array_remove(array[k.signing_secret,
    case when k.signing_secret_previous_until > instant(${now})
      then k.signing_secret_previous end,
    case when k.signing_secret_older_until > instant(${now})
      then k.signing_secret_older end], null) as secrets`
}

/**
 * The URL to call for a hotel: that of the key which last pushed the hotel itself, if the key is valid and
 * has a URL; otherwise the last one registered on any valid key of the supplier. Undefined if there is none.
 */
export async function selectCallback(
  db: Queryable,
  hotelId: number,
  kind: WebhookKind,
  nowMs: number,
): Promise<Callback | undefined> {
  return (await selectCallbacks(db, [hotelId], kind, nowMs)).get(hotelId)
}

/** Every URL registered on a valid key, of either kind, each once. */
export async function selectCalledUrls(db: Queryable, nowMs: number): Promise<string[]> {
  const { rows } = await db.query<{ url: string }>(
    `select distinct url from api_key k cross join lateral unnest(array[k.availability_webhook, k.pushbook_webhook]) as url
     where url is not null and k.revoked_at is null and (k.expires_at is null or k.expires_at > instant($1)) order by url`,
    [nowMs],
  )
  return rows.map(({ url }) => url)
}

/** The same for many hotels at once; hotels without a URL are absent. */
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

/** Selects which of a hotel's keys counts. */
export function callbackRule(column: WebhookColumn, now: string): string {
  return `k.supplier_id = hotel.supplier_id and k.${column} is not null and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > instant(${now}))
    order by k.id is not distinct from hotel.key_id desc, k.${column}_at desc nulls last, k.id desc
    limit 1`
}

/** Whether a supplier has any URL: if so, each of its hotels has one. */
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

/** The URLs of one kind on valid keys of these suppliers. */
export async function selectUrlsOfSuppliers(
  db: Queryable,
  supplierIds: readonly number[],
  kind: WebhookKind,
  nowMs: number,
): Promise<{ supplierId: number; url: string }[]> {
  const { rows } = await db.query<{ supplierId: number; url: string }>(
    `select supplier_id as "supplierId", ${columnOf[kind]} as url from api_key
     where supplier_id = any($1::int[]) and ${columnOf[kind]} is not null and revoked_at is null
       and (expires_at is null or expires_at > instant($2))`,
    [numberArray(supplierIds), nowMs],
  )
  return rows
}

/** The URL of the key itself, whichever hotels it pushed. */
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

/** What waited for a URL waits this long for a sign that its endpoint has the secret. */
const unprovenForMs = 5 * minuteMs
/** So long a refusal of our signature is taken for an endpoint that doesn't have the secret or the URL yet. */
const settlingForMs = hourMs

/** Of these keys, those whose new secret no answered call has proven. */
export async function selectUnprovenKeys(
  db: Queryable,
  keyIds: readonly number[],
  nowMs: number,
): Promise<Set<number>> {
  const { rows } = await db.query<{ id: number }>(
    `select id from api_key where id = any($1::int[]) and signing_secret_proven_at is null
       and signing_secret_at > instant($2)`,
    [numberArray(keyIds), nowMs - unprovenForMs],
  )
  return new Set(rows.map(({ id }) => id))
}

/** A signed call, other than the ping of a registration, was answered with 2xx. */
export async function noteProvenSecret(db: Queryable, keyId: number, nowMs: number): Promise<void> {
  await db.query(
    `update api_key set signing_secret_proven_at = instant($2)
     where id = $1 and signing_secret_at is not null and signing_secret_proven_at is null`,
    [keyId, nowMs],
  )
}

/** Whether the key's secret or its URL for reservations is so new that its endpoint may not know it yet. */
export async function isSettling(db: Queryable, keyId: number, nowMs: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from api_key where id = $1 and greatest(signing_secret_at, pushbook_webhook_at) > instant($2)`,
    [keyId, nowMs - settlingForMs],
  )
  return rowCount === 1
}

/** Removes the URL from the key's row; the secret stays for the next one. Returns whether there was one. */
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

type RegisteredWebhooks = Record<WebhookKind, string | null> & { hasSigningSecret: boolean }

export async function selectWebhooks(db: Queryable, keyId: number): Promise<RegisteredWebhooks> {
  const { rows } = await db.query<RegisteredWebhooks>(
    `select availability_webhook as availability, pushbook_webhook as pushbook,
       signing_secret is not null as "hasSigningSecret"
     from api_key where id = $1`,
    [keyId],
  )
  const [row] = rows
  if (!row) throw new Error(`key ${keyId} called but is not there`)
  return row
}

/** Refuses a rotation that would end a secret before its time. */
export function overlapping(leftMs: number): Rejected {
  return new Rejected(409, secretsOverlap, {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(leftMs / 1_000))) },
  })
}

/**
 * Gives a key another secret for signing calls of its URLs. During the overlap both sign, so that the
 * supplier can switch at any time. One that had been replaced before goes on signing until the end of its own
 * overlap, but not beyond this one: a supplier to whom the answer to a rotation was lost repeats it. While two that were
 * replaced still sign, it is refused, unless nothing is to overlap.
 */
export async function rotateSigningSecret(
  db: Queryable,
  keyId: number,
  { nowMs, oldUntilMs }: { nowMs: number; oldUntilMs: number },
): Promise<{ signingSecret: string }> {
  const signingSecret = newSigningSecret()
  const { rowCount } = await db.query(
    `update api_key set signing_secret = $2, signing_secret_previous = signing_secret,
       signing_secret_previous_until = instant($3), signing_secret_older = signing_secret_previous,
       signing_secret_older_until = least(signing_secret_previous_until, instant($3)),
       signing_secret_at = instant($4), signing_secret_proven_at = null
     where id = $1 and signing_secret is not null
       and (instant($3) <= instant($4) or signing_secret_older is null or signing_secret_older_until <= instant($4))`,
    [keyId, signingSecret, oldUntilMs, nowMs],
  )
  if (rowCount === 1) return { signingSecret }
  const { rows } = await db.query<{ hasSecret: boolean; olderUntilMs: number | null }>(
    `select signing_secret is not null as "hasSecret", epoch_ms(signing_secret_older_until) as "olderUntilMs"
     from api_key where id = $1`,
    [keyId],
  )
  const [key] = rows
  if (!key) throw keyNotFound(keyId)
  if (key.hasSecret) throw overlapping((key.olderUntilMs ?? nowMs) - nowMs)
  throw new Rejected(409, {
    type: 'NO_SIGNING_SECRET',
    message: `Key ${keyId} has no signing secret`,
    hint: 'A key gets one when its first webhook is registered',
  })
}
