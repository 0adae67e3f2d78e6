import type { Queryable } from '../platform/postgres.ts'
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

const entryColumns = `id, extract(epoch from at)::float8 * 1000 as "atMs", request_id as "requestId", kind,
  hotel_code as "hotelId", outcome, problems, warnings, status, revision, cells_changed as "cellsChanged", duration_ms as "durationMs",
  body_bytes as "bodyBytes", key_id as "keyId"`

/** Only such pushes have problems: two indexes are for them, one of them by type. */
const withProblem = `and outcome in ('partial', 'rejected', 'dryRun') and problems is not null and problems -> 'types' ? $7`
/** Pushes of every outcome have warnings; they have an index by type. A push that has both is found by its problem. */
const withWarning = `and warnings is not null and warnings -> 'types' ? $7
      and (problems is null or not problems -> 'types' ? $7)`

function entryOf({ atMs, ...row }: Row): PushRow {
  return { ...row, at: new Date(Math.round(atMs)).toISOString() }
}

/**
 * Pushes of a supplier, newest first. In order of id, which only rises: of the pushes committed before the first page
 * was read, none is missed and none comes twice, whatever comes in meanwhile.
 */
export async function selectPushes(
  db: Queryable,
  supplierId: number,
  filter: PushFilter,
  limit: number,
): Promise<PushRow[]> {
  const { beforeId, sinceMs, untilMs, kind, outcome, problem, hotel } = filter
  const newest = (condition: string, type: string): string => `
    select ${entryColumns} from push_log
    where supplier_id = $1 and ${condition}
      and ($2::bigint is null or id < $2)
      and at >= coalesce(to_timestamp($3::float8 / 1000), '-infinity')
      and at < coalesce(to_timestamp($4::float8 / 1000), 'infinity')
      and ($5::text is null or kind = $5)
      and ($6::text is null or outcome = $6)
      ${type}
    order by id desc limit $8`
  // Apart, because each has an index of its own; a push is of one hotel or of several, never both.
  const conditions = hotel === undefined ? ['true'] : ['hotel_id = $9', 'hotel_ids @> array[$9::int]']
  const types = problem === undefined ? ['and $7::text is null'] : [withProblem, withWarning]
  const ways = conditions.flatMap((condition) => types.map((type) => `(${newest(condition, type)})`))
  const text = `select * from (${ways.join(' union all ')}) as pushed order by id desc limit $8`
  const parameters = [
    supplierId,
    beforeId ?? null,
    sinceMs ?? null,
    untilMs ?? null,
    kind ?? null,
    outcome ?? null,
    problem ?? null,
    limit,
  ]
  // Not named: planned anew with the values at hand, so that only the days asked for are looked at.
  const { rows } = await db.query<Row>(text, hotel === undefined ? parameters : [...parameters, hotel])
  return rows.map(entryOf)
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

const appliedColumns = `id, supplier_id as "supplierId", hotel_id as "hotelId", revision, request_id as "requestId", extract(epoch from at)::float8 * 1000 as "atMs",
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

/** The newest pushes of a kind that changed something of a hotel, newest first. */
export async function selectNewestPushes(
  db: Queryable,
  hotelId: number,
  kind: PushKind,
  limit: number,
): Promise<AppliedPush[]> {
  const newest = (condition: string): string => `
    select ${appliedColumns} from push_log where ${condition} and kind = $2 and outcome = 'applied'
    order by id desc limit $3`
  const { rows } = await db.query<AppliedRow>(
    `select * from (
       (${newest('hotel_id = $1')}) union all (${newest('hotel_ids @> array[$1::int]')})
     ) as pushed order by id desc limit $3`,
    [hotelId, kind, limit],
  )
  return rows.map(appliedOf)
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
