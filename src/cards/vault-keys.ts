import { sweep } from '../postgres/connections/queryable.ts'
import { sqlIsoSeconds, type Database, type Queryable } from '../postgres/postgres.ts'
import { transaction } from '../postgres/transaction.ts'
import type { SealedCard, Vault } from './vault.ts'

/** The vault keys of a store: the sealing key, the keys being phased out, and the cards under each. */

export type VaultKeyRow = { id: string; isCurrent: boolean; since: string; ageSeconds: number }

/** For cards that no available key opened. */
export const unknownKeyId = 'unknown'

export async function selectVaultKeys(db: Queryable): Promise<VaultKeyRow[]> {
  const { rows } = await db.query<VaultKeyRow>({
    name: 'select-vault-keys',
    text: `select id, is_current as "isCurrent", ${sqlIsoSeconds('since')} as since,
        extract(epoch from now() - since)::float8 as "ageSeconds"
      from vault_key order by is_current desc, since desc, id`,
  })
  return rows
}

/** Whether cards are stored that were sealed before keys had names. */
export async function hasUnnamedCards(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ has: boolean }>(
    'select exists (select from reservation_card where card is not null and key_id is null) as has',
  )
  return rows[0]?.has ?? false
}

/** Stored cards, by key; cards from before keys had names are counted under the empty text. */
export async function countCardsByKey(db: Queryable): Promise<Map<string, number>> {
  const { rows } = await db.query<{ keyId: string; cards: number }>(
    `select coalesce(key_id, '') as "keyId", count(*)::int as cards from reservation_card
     where card is not null group by key_id`,
  )
  return new Map(rows.map(({ keyId, cards }) => [keyId, cards]))
}

/** The same without the sealing key, which has almost all cards: a few index hops. */
export async function countOtherCards(db: Queryable, currentId: string): Promise<Map<string, number>> {
  const { rows } = await db.query<{ keyId: string; cards: number }>({
    name: 'count-cards-of-other-keys',
    text: `select coalesce(key_id, '') as "keyId", count(*)::int as cards from reservation_card
      where card is not null and (key_id < $1 or key_id > $1 or key_id is null) group by key_id`,
    values: [currentId],
  })
  return new Map(rows.map(({ keyId, cards }) => [keyId, cards]))
}

/** Newest first: any of them would reveal a wrong key. */
const cardsTriedMax = 100

/**
 * Makes the vault's present key the sealing key where that is permitted: either the store has no key yet and
 * this one opens the stored cards, or the vault also has the present sealing key, which it then replaces. One
 * process decides at a time.
 */
export async function takeOverStore(db: Database, vault: Vault): Promise<void> {
  await transaction(db, async (connection) => {
    await connection.query('lock table vault_key in share row exclusive mode')
    const rows = await selectVaultKeys(connection)
    const current = rows.find(({ isCurrent }) => isCurrent)
    const [presentId, ...previousIds] = vault.keyIds
    const mayTakeOver = current
      ? previousIds.includes(current.id)
      : (await opensNewestCards(connection, vault)) && rows.length === 0
    if (mayTakeOver) await makeCurrent(connection, presentId)
  })
}

export async function makeCurrent(connection: Queryable, id: string): Promise<void> {
  await connection.query('update vault_key set is_current = false where is_current and id <> $1', [id])
  await connection.query(
    `insert into vault_key (id, is_current, since) values ($1, true, now())
     on conflict (id) do update set is_current = true, since = now() where not vault_key.is_current`,
    [id],
  )
}

async function opensNewestCards(connection: Queryable, vault: Vault): Promise<boolean> {
  const cards = await selectCardsOfKey(connection, null, cardsTriedMax, 'desc')
  return cards.length === 0 || cards.some(({ id, sealed }) => vault.rewrap(String(id), sealed))
}

type CardRow = { id: number; sealed: SealedCard }

async function selectCardsOfKey(
  connection: Queryable,
  keyId: string | null,
  limit: number,
  order: 'asc' | 'desc' = 'asc',
): Promise<CardRow[]> {
  const { rows } = await connection.query<SealedCard & { id: number }>(
    `select reservation_id::float8 as id, key_id as "keyId", card_key as "cardKey", card, cvv_key as "cvvKey", cvv
     from reservation_card where card is not null and key_id is not distinct from $1
     order by reservation_id ${order} limit $2 for update skip locked`,
    [keyId, limit],
  )
  return rows.map(({ id, ...sealed }) => ({ id, sealed }))
}

const rewrappedAtOnce = 500

/**
 * Rewraps a batch of the cards that are under other keys of the vault, or under a key without a name. Cards
 * that none of them opens are moved to a name of their own. Returns how many cards it processed.
 */
export async function rewrapSome(db: Database, vault: Vault): Promise<number> {
  const [presentId, ...previousIds] = vault.keyIds
  for (const keyId of [...previousIds, null]) {
    const done = await transaction(db, async (connection) => {
      const cards = await selectCardsOfKey(connection, keyId, rewrappedAtOnce)
      const wrapped = cards.map(({ id, sealed }) => ({ id, sealed: vault.rewrap(String(id), sealed) }))
      const opened = wrapped.flatMap(({ id, sealed }) => (sealed ? [{ id, sealed }] : []))
      await connection.query(
        `update reservation_card set key_id = $1, card_key = again.card_key, cvv_key = again.cvv_key
         from unnest($2::int8[], $3::bytea[], $4::bytea[]) as again (id, card_key, cvv_key)
         where reservation_card.reservation_id = again.id`,
        [
          presentId,
          opened.map(({ id }) => id),
          opened.map(({ sealed }) => sealed.cardKey),
          opened.map(({ sealed }) => sealed.cvvKey),
        ],
      )
      const unopened = wrapped.flatMap(({ id, sealed }) => (sealed ? [] : [id]))
      if (unopened.length > 0) await markUnknown(connection, unopened)
      return cards.length
    })
    if (done > 0) return done
  }
  return 0
}

async function markUnknown(connection: Queryable, reservationIds: readonly number[]): Promise<void> {
  await connection.query(
    'insert into vault_key (id, is_current, since) values ($1, false, now()) on conflict do nothing',
    [unknownKeyId],
  )
  await connection.query('update reservation_card set key_id = $1 where reservation_id = any($2::int8[])', [
    unknownKeyId,
    reservationIds,
  ])
}

/**
 * For this long after a key change, processes that have only the previous key may still seal, so that all of
 * them can be restarted one by one.
 */
export const earlierKeySealsForMs = 15 * 60 * 1000

/**
 * Strikes out previous keys that have no cards left, once their time is over: from then on the table's
 * reference keeps every process from sealing with them, and they can be destroyed.
 */
export async function strikeOutKeys(db: Queryable): Promise<void> {
  await db.query(
    `delete from vault_key where not is_current
       and exists (select from vault_key as current
         where current.is_current and current.since < now() - make_interval(secs => $1))
       and not exists (select from reservation_card where key_id = vault_key.id and card is not null)`,
    [earlierKeySealsForMs / 1000],
  )
}

/**
 * Destroys the cards that no key of the vault opens (without a vault, all of them), and makes its present key
 * the sealing key. Returns how many.
 */
export async function forgetCards(db: Database, vault: Vault | undefined): Promise<number> {
  if (vault) {
    await makeCurrentAlone(db, vault.keyIds[0])
    while ((await rewrapSome(db, vault)) > 0);
  }
  const retainedIds = vault ? [vault.keyIds[0]] : []
  const destroyed = await sweep(
    db,
    `update reservation_card set key_id = null, card_key = null, card = null, cvv_key = null, cvv = null,
       cvv_until = null
     where reservation_id = any(array(
       select reservation_id from reservation_card
       where card is not null and (key_id is null or key_id <> all($1::text[])) limit $2))`,
    retainedIds,
    { batchesMax: Infinity },
  )
  await db.query('delete from vault_key where id <> all($1::text[])', [retainedIds])
  return destroyed
}

async function makeCurrentAlone(db: Database, id: string): Promise<void> {
  await transaction(db, async (connection) => {
    await connection.query('lock table vault_key in share row exclusive mode')
    await makeCurrent(connection, id)
  })
}
