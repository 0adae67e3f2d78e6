import { sqlIsoMillis, numberArray, type Queryable } from '../../postgres/postgres.ts'
import { packBlockKey, type BlockKey } from '../blocks/store.ts'
import { guardLimits, type HoldExample, type Reason } from './contract.ts'
import type { HoldEnder, HoldState, ListedHold } from './holds-contract.ts'
import { countCells } from './held-parts.ts'
import { packParts, unpackParts } from './hold-codec.ts'
import type { Hold } from './open-holds.ts'

type HoldRow = Omit<Hold, 'parts' | 'state'> & { parts: Buffer; state: HoldState }

const holdColumns = `id, hotel_id as "hotelId", key_id as "keyId", sequence, currency_revision as "currencyRevision", reason,
  request_id as "requestId", epoch_ms(expires_at) as "expiresAtMs", on_expiry as "onExpiry", examples, parts, state`

/** The open holds of a hotel with parts in one of the blocks. The hotel must be locked. */
export async function selectHoldsOfBlocks(
  connection: Queryable,
  hotelId: number,
  keys: Iterable<Omit<BlockKey, 'hotelId'>>,
): Promise<Hold[]> {
  const { rows } = await connection.query<HoldRow>({
    name: 'select-holds-of-blocks',
    text: `select ${holdColumns} from hold
      where hotel_id = $1 and state = 'open' and blocks && $2::bigint[] order by at, id for no key update`,
    values: [hotelId, numberArray([...keys].map(packBlockKey))],
  })
  return rows.map(holdOf)
}

/** Holds of a hotel in any state, locked. */
export async function lockHolds(
  connection: Queryable,
  hotelId: number,
  ids: readonly string[],
): Promise<Hold[]> {
  const { rows } = await connection.query<HoldRow>(
    `select ${holdColumns} from hold where hotel_id = $1 and id = any($2::uuid[]) order by at, id for no key update`,
    [hotelId, ids],
  )
  return rows.map(holdOf)
}

/** The open holds of one push, locked: they are stored at the time at which it is logged. */
export async function lockHoldsOfPush(
  connection: Queryable,
  hotelId: number,
  { requestId, atMs }: { requestId: string; atMs: number },
): Promise<Hold[]> {
  const { rows } = await connection.query<HoldRow>(
    `select ${holdColumns} from hold
     where hotel_id = $1 and state = 'open' and request_id = $2 and epoch_ms(at) = $3 order by id for no key update`,
    [hotelId, requestId, atMs],
  )
  return rows.map(holdOf)
}

/** The oldest open holds of a hotel, locked: one more than a request may release, if there are. */
export async function lockOpenHolds(
  connection: Queryable,
  hotelId: number,
  accountMs: number,
): Promise<Hold[]> {
  const { rows } = await connection.query<HoldRow>(
    `select ${holdColumns} from hold
     where hotel_id = $1 and state = 'open' and (on_expiry = 'apply' or expires_at > instant($2))
     order by at, id limit ${guardLimits.holdsPerRequestMax + 1} for no key update`,
    [hotelId, accountMs],
  )
  return rows.map(holdOf)
}

function holdOf(row: HoldRow): Hold {
  return { ...row, parts: row.state === 'open' ? unpackParts(row.parts) : [] }
}

/** Stores holds that a group of pushes added or changed. Their hotels must be locked. */
export async function writeHolds(
  connection: Queryable,
  { added, changed }: { added: readonly Hold[]; changed: readonly Hold[] },
  nowMs: number,
): Promise<void> {
  await Promise.all([
    added.length > 0 && insertHolds(connection, added, nowMs),
    changed.length > 0 && updateHolds(connection, changed, nowMs),
  ])
}

async function insertHolds(connection: Queryable, holds: readonly Hold[], nowMs: number): Promise<void> {
  const rows = holds.map((hold) => ({
    ...columnsOf(hold, nowMs),
    hotel_id: hold.hotelId,
    key_id: hold.keyId,
    request_id: hold.requestId,
    reason: hold.reason,
    expires_ms: hold.expiresAtMs,
    on_expiry: hold.onExpiry,
    sequence: hold.sequence,
    currency_revision: hold.currencyRevision,
    examples: hold.examples,
  }))
  await connection.query(
    `insert into hold (id, hotel_id, key_id, request_id, reason, at, expires_at, on_expiry, sequence, currency_revision,
       cells, blocks, parts, examples, state, resolved_at, resolved_by)
     select id, hotel_id, key_id, request_id, reason, instant($2), instant(expires_ms), on_expiry, sequence,
       currency_revision, cells, blocks, decode(parts, 'base64'), examples, state, instant(resolved_ms), resolved_by
     from jsonb_to_recordset($1::jsonb) as added (id uuid, hotel_id int, key_id int, request_id text, reason text,
       expires_ms float8, on_expiry text, sequence bigint, currency_revision bigint, cells int, blocks bigint[],
       parts text, examples jsonb, state text, resolved_ms float8, resolved_by text)`,
    [JSON.stringify(rows), nowMs],
  )
  await connection.query(
    `update hold set state = 'discarded', resolved_at = instant($2), resolved_by = 'limit'
     where id in (
       select old.id from unnest($1::int[]) as full_hotel (id) cross join lateral (
         select id from hold where hotel_id = full_hotel.id and state = 'open'
         order by at desc, id desc offset ${guardLimits.openHoldsMax}
       ) as old
     )`,
    [numberArray([...new Set(holds.map(({ hotelId }) => hotelId))]), nowMs],
  )
}

async function updateHolds(connection: Queryable, holds: readonly Hold[], nowMs: number): Promise<void> {
  await connection.query(
    `update hold set cells = changed.cells, blocks = changed.blocks, parts = decode(changed.parts, 'base64'),
       state = changed.state, resolved_at = instant(changed.resolved_ms), resolved_by = changed.resolved_by
     from jsonb_to_recordset($1::jsonb) as changed (id uuid, cells int, blocks bigint[], parts text, state text,
       resolved_ms float8, resolved_by text)
     where hold.id = changed.id and hold.state = 'open'`,
    [JSON.stringify(holds.map((hold) => columnsOf(hold, nowMs)))],
  )
}

function columnsOf({ id, parts, state, resolvedBy }: Hold, nowMs: number) {
  return {
    id,
    cells: countCells(parts),
    blocks: [...new Set(parts.map(packBlockKey))],
    parts: packParts(parts).toString('base64'),
    state,
    resolved_ms: state === 'open' ? null : nowMs,
    resolved_by: state === 'open' ? null : (resolvedBy ?? 'push'),
  }
}

export type HoldQuery = {
  supplierId: number
  hotelId: number | undefined
  state: HoldState
  /** Before this one; undefined for the newest. */
  before: { atUs: string; id: string } | undefined
  limit: number
}

type ListedRow = Omit<ListedHold, 'holdId' | 'rule'> & {
  id: string
  reason: Reason
  atUs: string
  examples: HoldExample[]
}

/** The states as stored among which holds in a state are: those that are over may not be closed yet. */
export function storedStates(state: HoldState): HoldState[] {
  return state === 'expired' ? ['open', 'expired'] : [state]
}

/** Newest first. What is discarded at its end counts as expired from then on. */
export async function selectHolds(db: Queryable, query: HoldQuery, nowMs: number): Promise<ListedRow[]> {
  const { supplierId, hotelId, state, before, limit } = query
  const { rows } = await db.query<ListedRow>(
    `select listed.id, code as "hotelId", reason, cells, request_id as "requestId", ${sqlIsoMillis('at')} as at,
       ${sqlIsoMillis('expires_at')} as "expiresAt", on_expiry as "onExpiry", $5::text as state,
       ${sqlIsoMillis('resolved_at')} as "resolvedAt", resolved_by as "resolvedBy", examples,
       floor(extract(epoch from at) * 1000000)::text as "atUs"
     from unnest($8::text[]) as stored (state) cross join lateral (
       select hold.*, hotel.code from hold join hotel on hotel.id = hold.hotel_id
       where hold.state = stored.state and hotel.supplier_id = $1 and ($2::int is null or hotel.id = $2)
         and ($3::text is null or (hold.at, hold.id)
           < (timestamptz 'epoch' + $3::int8 * interval '1 microsecond', $4::uuid))
         and case when ${isHoldOver('$6')} then 'expired' else hold.state end = $5
       order by hold.at desc, hold.id desc limit $7
     ) as listed
     order by listed.at desc, listed.id desc limit $7`,
    [
      supplierId,
      hotelId ?? null,
      before?.atUs ?? null,
      before?.id ?? null,
      state,
      nowMs,
      limit,
      storedStates(state),
    ],
  )
  return rows
}

/** By the clock of the account: the watch has not closed it yet. */
export const isHoldOver = (now: string): string =>
  `hold.state = 'open' and on_expiry = 'discard' and expires_at <= instant(${now}::float8 + hotel.clock_ahead_ms)`

/** Those of the holds that are open. The hotel must be locked. */
export async function discardOpenHolds(
  connection: Queryable,
  hotelId: number,
  { ids, by, nowMs }: { ids: readonly string[]; by: HoldEnder; nowMs: number },
): Promise<void> {
  await connection.query(
    `update hold set state = 'discarded', resolved_at = instant($3), resolved_by = $4
     where hotel_id = $1 and id = any($2::uuid[]) and state = 'open'`,
    [hotelId, ids, nowMs, by],
  )
}
