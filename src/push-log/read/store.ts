import { dayMs } from '../../base/calendar.ts'
import { Parameters } from '../../postgres/connections/queryable.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import type { Archive } from '../bodies/archive.ts'
import { bodyColumns, readBodies, type BodySource } from '../bodies/bodies.ts'
import type { PushEntry, PushKind, PushOutcome } from '../contract.ts'
import {
  conditionsOf,
  hasOneOfIds,
  isBeforeId,
  isNoted,
  isRefused,
  namesAlone,
  namesAmongOthers,
  newestFirst,
  type PushFilters,
  refusedOutcomes,
  statusOfRow,
  summaryOfRow,
} from '../conditions.ts'
import { isInRange, rangesOf, rangeValues, readBack, readNewest } from '../bodies/day-ranges.ts'
import { hasOneOfRequestIds, hasRequestId, requestIdLists, requestIdOfRow } from '../request-ids.ts'

export type PushRow = PushEntry & { id: number }
type Row = Omit<PushRow, 'at'> & { atMs: number }

const entryColumns = `id, epoch_ms(at) as "atMs", ${requestIdOfRow} as "requestId", kind,
  hotel_code as "hotelId", outcome,
  ${summaryOfRow('problems')} as problems, ${summaryOfRow('warnings')} as warnings, ${statusOfRow} as status, revision, cells_changed as "cellsChanged", duration_ms as "durationMs",
  body_bytes as "bodyBytes", key_id as "keyId"`

/** The columns from which entryColumns are computed. */
const rawColumns = `id, at, request_uuid, request_text, kind, hotel_code, outcome, problems, warnings, status, revision, cells_changed,
  duration_ms, body_bytes, key_id`

function entryOf({ atMs, ...row }: Row): PushRow {
  return { ...row, at: new Date(Math.round(atMs)).toISOString() }
}

/** Consecutive days (UTC) as day numbers, `to` excluded; -Infinity and Infinity mean no bound. */
export type Days = { from: number; to: number }

/** `count`: number of scanned rows. `last` is absent if there were none, or if more matches may follow. */
export type SearchedPushes = {
  pushes: PushRow[]
  last: { id: number; atMs: number; count: number } | undefined
}

/**
 * The matching rows among the next rows of some days, newest first, in order of id, which only rises. Every
 * scanned row counts, because the target may be in none of millions. Each way to the rows is an index ordered
 * by id.
 */
export async function searchPushes(
  db: Queryable,
  supplierId: number,
  filters: Omit<PushFilters, 'supplierId'>,
  days: Days,
  { rowsMax, limit }: { rowsMax: number; limit: number },
): Promise<SearchedPushes> {
  const { hotelId, beforeId, ...criteria } = filters
  const parameters = new Parameters()
  // Whole days, so that only these are planned and read.
  const range = conditionsOf({ sinceMs: startMs(days.from), untilMs: startMs(days.to), beforeId }, parameters)
  const matches = ['true', ...conditionsOf(criteria, parameters)].join(' and ')
  const alone = narrowed(filters, parameters)
  const ways =
    hotelId === undefined
      ? [[`supplier_id = ${parameters.add(supplierId)}`, ...alone]]
      : waysToHotel(parameters.add(hotelId), alone)
  const rows = parameters.add(rowsMax)
  const scans = ways.map(
    (way) => `(select ${rawColumns}, ${matches} as is_match from push_log
      where ${[...way, ...range].join(' and ')} order by ${newestFirst} limit ${rows})`,
  )
  // Not a named statement: planned for the actual values, so that only the requested days are scanned.
  const { rows: read } = await db.query<ScannedRow>(
    `select ${entryColumns}, is_match as "isMatch", number, is_last as "isLast" from (
       select *, row_number() over newest as number, lead(id) over newest is null as is_last
       from (select * from (${scans.join(' union all ')}) as way order by id desc limit ${rows}) as scans
       window newest as (order by id desc)
     ) as scans where is_match or is_last order by id desc limit ${parameters.add(limit)}`,
    parameters.values,
  )
  const last = read.find(({ isLast }) => isLast)
  return {
    pushes: read
      .filter(({ isMatch }) => isMatch)
      .map(({ isMatch: _is, isLast: _last, number: _n, ...row }) => entryOf(row)),
    last: last && { id: last.id, atMs: last.atMs, count: last.number },
  }
}

type ScannedRow = Row & { isMatch: boolean | null; isLast: boolean; number: number }

function startMs(day: number): number | undefined {
  return Number.isFinite(day) ? day * dayMs : undefined
}

/** Restricts the scan to rows that can match, if an index ordered by id contains exactly those. */
function narrowed({ hotelId, kind, outcome, problem }: PushFilters, parameters: Parameters): string[] {
  if (problem !== undefined) return [isNoted]
  if (hotelId === undefined && outcome !== undefined && refusedOutcomes.includes(outcome)) return [isRefused]
  return kind === undefined || kind === 'ari' ? [] : [`kind = ${parameters.add(kind)}`, "kind <> 'ari'"]
}

/** A push has one hotel or several. These indexes aren't ordered by id: all rows of the days are read. */
const waysToHotel = (hotelId: string, alone: readonly string[]): string[][] => [
  [namesAlone(hotelId), ...alone],
  [namesAmongOthers(hotelId)],
]

/** A supplier's pushes with one request id, newest first. */
export async function selectPushesByRequest(
  db: Queryable,
  supplierId: number,
  requestId: string,
  limit: number,
): Promise<PushRow[]> {
  const rows = await readNewest<Row>(db, { limit, idOf: ({ id }) => id }, async (range) => {
    const read = await db.query<Row>(
      `select ${entryColumns} from push_log
       where supplier_id = $1 and ${hasRequestId(requestId, '$2')} and ${isInRange('$4', '$5')}
       order by ${newestFirst} limit $3`,
      [supplierId, requestId, limit, ...rangeValues(range)],
    )
    return read.rows
  })
  return rows.map(entryOf)
}

/** A push that changed something, with the values that identify it. */
export type AppliedPush = {
  id: number
  supplierId: number
  /** Absent for a push with several hotels. */
  hotelId: number | null
  revision: number | null
  requestId: string
  at: string
  bodyBytes: number
  keyId: number | null
}

const appliedColumns = `id, supplier_id as "supplierId", hotel_id as "hotelId", revision, ${requestIdOfRow} as "requestId", epoch_ms(at) as "atMs",
  body_bytes as "bodyBytes", key_id as "keyId"`
type AppliedRow = Omit<AppliedPush, 'at'> & { atMs: number }

function appliedOf({ atMs, ...row }: AppliedRow): AppliedPush {
  return { ...row, at: new Date(Math.round(atMs)).toISOString() }
}

/** The pushes of ARI, and undos of them, that created revisions of hotels; those whose day was dropped are absent. */
export async function selectAppliedPushes(
  db: Queryable,
  made: readonly { hotelId: number; revision: number }[],
): Promise<AppliedPush[]> {
  if (made.length === 0) return []
  const wanted = new Set(made.map(({ hotelId, revision }) => `${hotelId}/${revision}`))
  const rows = await readBack<AppliedRow>(
    db,
    async (range) => {
      const read = await db.query<AppliedRow>(
        // Later pushes without changes carry the revision too. The extra condition on hotels alone can use an
        // index.
        `select distinct on (hotel_id, revision) ${appliedColumns} from push_log
         where hotel_id = any($1::int[]) and (hotel_id, revision) in (select * from unnest($1::int[], $2::bigint[]))
           and kind in ('ari', 'undo', 'release') and cells_changed > 0 and ${isInRange('$3', '$4')}
         order by hotel_id, revision, id`,
        [made.map(({ hotelId }) => hotelId), made.map(({ revision }) => revision), ...rangeValues(range)],
      )
      return read.rows
    },
    (found) => found.length >= wanted.size,
  )
  return rows.map(appliedOf)
}

/** For each hotel, the newest pushes of a kind that changed it, newest first. */
export async function selectNewestPushes(
  db: Queryable,
  hotelIds: readonly number[],
  kind: PushKind,
  limitEach: number,
): Promise<Map<number, AppliedPush[]>> {
  const newest = new Map<number, AppliedPush[]>(hotelIds.map((hotelId) => [hotelId, []]))
  if (hotelIds.length === 0) return newest
  const ofHotel = (condition: string): string => `
    select ${appliedColumns} from push_log
    where ${condition} and kind = $2 and outcome = 'applied' and ${isInRange('$4', '$5')}
    order by ${newestFirst} limit $3`
  await readBack(
    db,
    async (range) => {
      const lacking = [...newest]
        .filter(([, pushes]) => pushes.length < limitEach)
        .map(([hotelId]) => hotelId)
      const { rows } = await db.query<AppliedRow & { requestedId: number }>(
        `select requested.id as "requestedId", newest.* from unnest($1::int[]) as requested (id)
         cross join lateral (
           select * from (
             (${ofHotel('hotel_id = requested.id')}) union all (${ofHotel('hotel_ids @> array[requested.id]')})
           ) as pushed order by id desc limit $3
         ) as newest`,
        [lacking, kind, limitEach, ...rangeValues(range)],
      )
      for (const { requestedId, ...row } of rows) {
        const pushes = newest.get(requestedId)
        if (pushes && pushes.length < limitEach) pushes.push(appliedOf(row))
      }
      return rows
    },
    () => [...newest.values()].every((pushes) => pushes.length >= limitEach),
  )
  return newest
}

type NightPush = AppliedPush & {
  kind: string
  outcome: PushOutcome
  cellsChanged: number
  /** Of an undo, whose body names no nights: the values that it replaced. */
  replaced: Buffer | null
}

/** The newest pushes of a hotel's nights, whatever their outcome, newest first; includes stop-sells. */
export async function selectNightPushes(
  db: Queryable,
  hotelId: number,
  { before, limit }: { before: Pick<AppliedPush, 'id' | 'at'> | undefined; limit: number },
): Promise<NightPush[]> {
  const page = {
    limit,
    idOf: ({ id }: { id: number }) => id,
    beforeMs: before && Date.parse(before.at),
  }
  type NightRow = AppliedRow & Pick<NightPush, 'kind' | 'outcome' | 'cellsChanged' | 'replaced'>
  const rows = await readNewest<NightRow>(db, page, async (range) => {
    const read = await db.query<NightRow>(
      `select ${appliedColumns}, kind, outcome, cells_changed as "cellsChanged",
         case kind when 'undo' then before end as replaced from push_log
       where hotel_id = $1 and kind in ('ari', 'stopSell', 'release', 'undo') and ($2::bigint is null or ${isBeforeId('$2')})
         and ${isInRange('$4', '$5')}
       order by ${newestFirst} limit $3`,
      [hotelId, before?.id ?? null, limit, ...rangeValues(range)],
    )
    return read.rows
  })
  return rows.map(({ kind, outcome, cellsChanged, replaced, ...row }) => {
    const rest = { kind, outcome, cellsChanged, replaced }
    return { ...appliedOf(row), ...rest }
  })
}

/** The bodies of the given pushes by id; those whose day was dropped are absent, and without `archive` those in it. */
export async function readBodiesOfPushes(
  db: Queryable,
  pushes: readonly AppliedPush[],
  archive?: Archive,
): Promise<ReadonlyMap<number, Buffer>> {
  const rows: (BodySource & { id: number })[] = []
  // A moment more at both ends, because instants of pushes are rounded to milliseconds.
  const instants = pushes.map(({ at }) => Date.parse(at)).flatMap((ms) => [ms - 1, ms + 1])
  for (const range of rangesOf(instants)) {
    const read = await db.query<BodySource & { id: number }>(
      // By request id, which has an index, and by group, because a client may send one request id with all of its pushes.
      `select id, ${bodyColumns} from push_log
       where ${hasOneOfRequestIds('$1', '$2')} and supplier_id = any($3::int[]) and ${hasOneOfIds('$4')}
         and ${isInRange('$5', '$6')}`,
      [
        ...requestIdLists(pushes.map(({ requestId }) => requestId)),
        pushes.map(({ supplierId }) => supplierId),
        pushes.map(({ id }) => id),
        ...rangeValues(range),
      ],
    )
    rows.push(...read.rows)
  }
  const bodies = await readBodies(db, rows, archive)
  return new Map(
    rows.flatMap(({ id }, index): [number, Buffer][] => {
      const body = bodies[index]
      return body ? [[id, body]] : []
    }),
  )
}
