import type { Queryable } from '../postgres/postgres.ts'
import type { PushEntry, PushKind, PushOutcome } from './contract.ts'

export type PushFilter = {
  /** The hotel's id. */
  hotel: number | undefined
  sinceMs: number | undefined
  untilMs: number | undefined
  kind: PushKind | undefined
  outcome: PushOutcome | undefined
  /** Type of a problem. */
  problem: string | undefined
  /** Only rows before this one. */
  beforeId: number | undefined
}

export type PushRow = PushEntry & { id: number }
type Row = Omit<PushRow, 'at'> & { atMs: number }

const entryColumns = `id, epoch_ms(at) as "atMs", request_id as "requestId", kind,
  hotel_code as "hotelId", outcome, problems, warnings, status, revision, cells_changed as "cellsChanged", duration_ms as "durationMs",
  body_bytes as "bodyBytes", key_id as "keyId"`

/** Of which these are made. */
const rawColumns = `id, at, request_id, kind, hotel_code, outcome, problems, warnings, status, revision, cells_changed,
  duration_ms, body_bytes, key_id`

/** Every other answer than 200 is to such a push. */
const isRefused = `outcome in ('partial', 'rejected', 'dryRun')`
const refusedOutcomes: readonly PushOutcome[] = ['partial', 'rejected', 'dryRun']

function entryOf({ atMs, ...row }: Row): PushRow {
  return { ...row, at: new Date(Math.round(atMs)).toISOString() }
}

/** `searchedToId`: where a search that finds little was given up; there may be more before this row. */
export type PushesFound = { pushes: PushRow[]; searchedToId: number | undefined }

/** Rows that one search looks at, a statement each: what it looks for may be in none of millions. */
const rowsLookedAt = [1_000, 5_000, 5_000]
/** Rows get their numbers a moment before or after their instants. */
const edgeMs = 60_000
const dayMs = 86_400_000

/**
 * Pushes of a supplier, newest first. In order of id, which only rises: of the pushes committed before the first page
 * was read, none is missed and none comes twice, whatever comes in meanwhile.
 */
export async function selectPushes(
  db: Queryable,
  supplierId: number,
  filter: PushFilter,
  limit: number,
): Promise<PushesFound> {
  const pushes: PushRow[] = []
  let { beforeId } = filter
  for (const rows of rowsLookedAt) {
    const { found, cut } = await lookAt(db, supplierId, { ...filter, beforeId }, rows, limit - pushes.length)
    pushes.push(...found)
    const isOver = cut === undefined || cut.atMs < (filter.sinceMs ?? 0) - edgeMs
    if (isOver || pushes.length >= limit) return { pushes, searchedToId: undefined }
    beforeId = cut.id
  }
  return { pushes, searchedToId: beforeId }
}

type Cut = { id: number; atMs: number }

/** What is meant among the next rows; the cut is the last of them, behind which there are more. */
async function lookAt(
  db: Queryable,
  supplierId: number,
  filter: PushFilter,
  rowsMax: number,
  limit: number,
): Promise<{ found: PushRow[]; cut: Cut | undefined }> {
  const { beforeId, sinceMs, untilMs, kind, outcome, problem, hotel } = filter
  // Apart, because each has an index of its own; a push is of one hotel or of several, never both.
  const ways = hotel === undefined ? ['true'] : ['hotel_id = $12', 'hotel_ids @> array[$12::int]']
  const looked = ways.map(
    (way, index) => `looked${index} as materialized (
      select ${rawColumns}, at >= coalesce(instant($3), '-infinity')
        and at < coalesce(instant($4), 'infinity')
        and ($5::text is null or kind = $5) and ($6::text is null or outcome = $6)
        and ($7::text is null or coalesce(problems -> 'types' ? $7, false)
          or coalesce(warnings -> 'types' ? $7, false)) as is_meant
      from push_log
      where supplier_id = $1 and ${way} and ${indexed(filter)} and ($2::bigint is null or id < $2)
        -- Whole days, so that only theirs are read, and each row that is read counts.
        and at >= coalesce(instant($9), '-infinity')
        and at < coalesce(instant($10), 'infinity')
      order by id desc limit $11)`,
  )
  const names = ways.map((_way, index) => `looked${index}`)
  const cuts = names.map((name) => `(select id, at from ${name} offset $11 - 1 limit 1)`)
  const meant = names.map((name) => `select * from ${name} where is_meant`)
  const text = `with ${looked.join(', ')},
    cut as (select id, at from (${cuts.join(' union all ')}) as each order by id desc limit 1)
    select cut.id as "cutId", epoch_ms(cut.at) as "cutAtMs", meant.*
    from (select) as once left join cut on true
    left join lateral (
      select ${entryColumns} from (${meant.join(' union all ')}) as each where cut.id is null or id >= cut.id
      order by id desc limit $8
    ) as meant on true order by meant.id desc`
  const parameters = [
    supplierId,
    beforeId ?? null,
    sinceMs ?? null,
    untilMs ?? null,
    kind ?? null,
    outcome ?? null,
    problem ?? null,
    limit,
    sinceMs === undefined ? null : Math.floor(sinceMs / dayMs) * dayMs,
    untilMs === undefined ? null : Math.ceil(untilMs / dayMs) * dayMs,
    rowsMax,
  ]
  // Not named: planned anew with the values at hand, so that only the days asked for are looked at.
  const { rows } = await db.query<Looked>(text, hotel === undefined ? parameters : [...parameters, hotel])
  const { cutId = null, cutAtMs } = rows[0] ?? {}
  return {
    found: rows.flatMap(({ cutId: _id, cutAtMs: _at, ...row }) =>
      row.id === null ? [] : [entryOf({ ...row, id: row.id })],
    ),
    cut: cutId === null ? undefined : { id: cutId, atMs: cutAtMs ?? 0 },
  }
}

type Looked = Omit<Row, 'id'> & {
  id: number | null
  cutId: number | null
  cutAtMs: number | null
}

/** Rows that can be meant, as far as an index in the order of numbers has them alone. */
function indexed({ kind, outcome, problem }: PushFilter): string {
  // A push with a problem was refused at least in part; one of any outcome may have warnings.
  if (problem !== undefined) return `(${isRefused} or warnings is not null)`
  if (outcome !== undefined && refusedOutcomes.includes(outcome)) return isRefused
  return kind === undefined || kind === 'ari' ? 'true' : `kind = $5 and kind <> 'ari'`
}

/** Ids of a supplier's hotels by code; unknown codes are left out. */
export async function selectHotelIds(
  db: Queryable,
  supplierId: number,
  hotelCodes: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await db.query<{ id: number; code: string }>(
    'select id, code from hotel where supplier_id = $1 and code = any($2::text[])',
    [supplierId, hotelCodes],
  )
  return new Map(rows.map(({ id, code }) => [code, id]))
}

/** A supplier's pushes with one request id, newest first. */
export async function selectPushesByRequest(
  db: Queryable,
  supplierId: number,
  requestId: string,
  limit: number,
): Promise<PushRow[]> {
  const { rows } = await db.query<Row>(
    `select ${entryColumns} from push_log where supplier_id = $1 and request_id = $2 order by id desc limit $3`,
    [supplierId, requestId, limit],
  )
  return rows.map(entryOf)
}

export type KeptBytes = { bodyEncoding: string; body: Buffer | null; answerEncoding: string; answer: Buffer }

/** What a push held; undefined when its day was dropped meanwhile. */
export async function selectOptionalBytes(db: Queryable, push: PushRow): Promise<KeptBytes | undefined> {
  const { rows } = await db.query<KeptBytes>(
    `select body_encoding as "bodyEncoding", body, answer_encoding as "answerEncoding", answer from push_log
     where id = $1 and request_id = $2 and at between $3::timestamptz and $3::timestamptz + interval '1 ms'`,
    [push.id, push.requestId, push.at],
  )
  return rows[0]
}

/** A push that changed something, by which it is found again. */
export type AppliedPush = {
  id: number
  supplierId: number
  /** Absent for a push of several hotels. */
  hotelId: number | null
  revision: number | null
  requestId: string
  at: string
  bodyBytes: number
  keyId: number | null
}

const appliedColumns = `id, supplier_id as "supplierId", hotel_id as "hotelId", revision, request_id as "requestId", epoch_ms(at) as "atMs",
  body_bytes as "bodyBytes", key_id as "keyId"`
type AppliedRow = Omit<AppliedPush, 'at'> & { atMs: number }

function appliedOf({ atMs, ...row }: AppliedRow): AppliedPush {
  return { ...row, at: new Date(Math.round(atMs)).toISOString() }
}

/** The ARI pushes that made revisions of hotels; those whose day was dropped are absent. */
export async function selectAppliedPushes(
  db: Queryable,
  made: readonly { hotelId: number; revision: number }[],
): Promise<AppliedPush[]> {
  if (made.length === 0) return []
  const { rows } = await db.query<AppliedRow>(
    // Later pushes that changed nothing carry the revision too. The hotels alone besides: they have an index.
    `select distinct on (hotel_id, revision) ${appliedColumns} from push_log
     where hotel_id = any($1::int[]) and (hotel_id, revision) in (select * from unnest($1::int[], $2::bigint[]))
       and kind = 'ari' and cells_changed > 0
     order by hotel_id, revision, id`,
    [made.map(({ hotelId }) => hotelId), made.map(({ revision }) => revision)],
  )
  return rows.map(appliedOf)
}

/** Of each hotel, the newest pushes of a kind that changed something of it, newest first. */
export async function selectNewestPushes(
  db: Queryable,
  hotelIds: readonly number[],
  kind: PushKind,
  limitEach: number,
): Promise<Map<number, AppliedPush[]>> {
  const newest = new Map<number, AppliedPush[]>(hotelIds.map((hotelId) => [hotelId, []]))
  if (hotelIds.length === 0) return newest
  const ofHotel = (condition: string): string => `
    select ${appliedColumns} from push_log where ${condition} and kind = $2 and outcome = 'applied'
    order by id desc limit $3`
  const { rows } = await db.query<AppliedRow & { askedId: number }>(
    `select asked.id as "askedId", newest.* from unnest($1::int[]) as asked (id)
     cross join lateral (
       select * from (
         (${ofHotel('hotel_id = asked.id')}) union all (${ofHotel('hotel_ids @> array[asked.id]')})
       ) as pushed order by id desc limit $3
     ) as newest`,
    [hotelIds, kind, limitEach],
  )
  for (const { askedId, ...row } of rows) newest.get(askedId)?.push(appliedOf(row))
  return newest
}

/** The newest pushes of one hotel's nights, whatever became of them, newest first; the platform's stop-sells among them. */
export async function selectNightPushes(
  db: Queryable,
  hotelId: number,
  { beforeId, limit }: { beforeId: number | undefined; limit: number },
): Promise<(AppliedPush & { kind: string; outcome: PushOutcome; cellsChanged: number })[]> {
  const { rows } = await db.query<AppliedRow & { kind: string; outcome: PushOutcome; cellsChanged: number }>(
    `select ${appliedColumns}, kind, outcome, cells_changed as "cellsChanged" from push_log
     where hotel_id = $1 and kind in ('ari', 'stopSell') and ($2::bigint is null or id < $2)
     order by id desc limit $3`,
    [hotelId, beforeId ?? null, limit],
  )
  return rows.map(({ kind, outcome, cellsChanged, ...row }) => ({
    ...appliedOf(row),
    kind,
    outcome,
    cellsChanged,
  }))
}

/** The bodies of pushes found before. */
export async function selectPushBodies(
  db: Queryable,
  pushes: readonly AppliedPush[],
): Promise<{ id: number; bodyEncoding: string; body: Buffer | null }[]> {
  if (pushes.length === 0) return []
  const { rows } = await db.query<{ id: number; bodyEncoding: string; body: Buffer | null }>(
    // By supplier and request id, which have an index.
    `select id, body_encoding as "bodyEncoding", body from push_log
     where supplier_id = any($1::int[]) and request_id = any($2::text[]) and id = any($3::bigint[])`,
    [
      pushes.map(({ supplierId }) => supplierId),
      pushes.map(({ requestId }) => requestId),
      pushes.map(({ id }) => id),
    ],
  )
  return rows
}
