import { instantOf } from '../../base/calendar.ts'
import { Parameters } from '../../postgres/connections/queryable.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import type { PushKind, PushOutcome } from '../../push-log/contract.ts'
import {
  conditionsOf,
  hasId,
  hasProblem,
  hasWarning,
  isNoted,
  isRefused,
  namesAlone,
  namesAmongOthers,
  newestFirst,
  refusedOutcomes,
  type PushFilters,
  statusOfRow,
  summaryOfRow,
} from '../../push-log/conditions.ts'
import { isInRange, rangeValues, readBack, readNewest } from '../../push-log/bodies/day-ranges.ts'
import { requestIdOfRow } from '../../push-log/request-ids.ts'
import type { PushListed } from './contract.ts'
import type { NamedPush } from '../hotels/contract.ts'

/** The SQL of the push log of all suppliers. Rows are indexed by supplier, hotel and request id, not by id alone. */

export type LoggedPush = PushListed & { atMs: number }
type Row = Omit<LoggedPush, 'at'>

const entryColumns = `id, at, supplier_id, ${requestIdOfRow} as request_id, kind, hotel_id, hotel_ids, hotel_code, outcome,
  ${summaryOfRow('problems')} as problems, ${statusOfRow} as status,
  revision, cells_changed, duration_ms, body_bytes, key_id`

/** Columns of log rows as `entry`, with names for people. */
const listed = `entry.id as "pushId", epoch_ms(entry.at) as "atMs",
  entry.request_id as "requestId", entry.supplier_id as "supplierId", supplier.name as supplier, entry.kind,
  entry.hotel_id as "hotelId", coalesce(entry.hotel_code, hotel.code) as "hotelCode", hotel.name as "hotelName",
  coalesce(cardinality(entry.hotel_ids), 0) as hotels, entry.outcome, entry.problems, entry.status, entry.revision,
  entry.cells_changed as "cellsChanged", entry.duration_ms as "durationMs", entry.body_bytes as "bodyBytes",
  entry.key_id as "keyId", api_key.channel_manager as "channelManager"`
const named = `join supplier on supplier.id = entry.supplier_id left join hotel on hotel.id = entry.hotel_id
  left join api_key on api_key.id = entry.key_id`

function pushOf(row: Row): LoggedPush {
  return { ...row, at: instantOf(row.atMs) }
}

const idOf = ({ pushId }: { pushId: number }): number => pushId

/** Newest first, of all days in the given range. */
export function selectLoggedPushesBack(
  db: Queryable,
  search: PushFilters,
  limit: number,
): Promise<LoggedPush[]> {
  const { sinceMs: firstMs = -Infinity, untilMs: lastMs = Infinity } = search
  return readNewest<LoggedPush>(db, { limit, idOf, beforeMs: lastMs }, async (range) => {
    const [sinceMs, untilMs] = [Math.max(range.fromMs, firstMs), Math.min(range.toMs, lastMs)]
    if (sinceMs >= untilMs) return []
    const instants = { sinceMs: finite(sinceMs), untilMs: finite(untilMs) }
    return selectLoggedPushes(db, { ...search, ...instants }, limit)
  })
}

function finite(ms: number): number | undefined {
  return Number.isFinite(ms) ? ms : undefined
}

/** Newest first, within the given range: few days, because each is planned and locked. */
export async function selectLoggedPushes(
  db: Queryable,
  search: PushFilters,
  limit: number,
): Promise<LoggedPush[]> {
  const parameters = new Parameters()
  const most = `limit ${parameters.add(limit)}`
  const found = waysTo(search, parameters).map(
    ({ from, conditions }) => `(select way.* from ${from} (
      select ${entryColumns} from push_log where ${conditions.join(' and ')} order by ${newestFirst} ${most}
    ) as way order by id desc ${most})`,
  )
  // Unnamed, so that it is planned with the actual values and reads only the requested days.
  const { rows } = await db.query<Row>(
    `select ${listed} from (select * from (${found.join(' union all ')}) as way order by id desc ${most}) as entry
     ${named} order by entry.id desc`,
    parameters.values,
  )
  return rows.map(pushOf)
}

/** How rows are found, by an index that fits; `from`: once for each row of it. */
type Way = { from: string; conditions: string[] }

/** No row is found by two ways. */
function waysTo({ problem, ...others }: PushFilters, parameters: Parameters): Way[] {
  const places = placesOf({ problem, ...others }, parameters)
  const types = problem === undefined ? [[]] : typeConditions(parameters.add(problem))
  const common = conditionsOf(others, parameters)
  if (isOfRefused(others)) common.push(isRefused)
  return places.flatMap(({ from, conditions }) =>
    types.map((type) => ({ from, conditions: [...conditions, ...type, ...common] })),
  )
}

/** Every other answer than 200 is to a refused push. */
function isOfRefused({ outcome, status }: PushFilters): boolean {
  return (
    (outcome !== undefined && refusedOutcomes.includes(outcome)) || (status !== undefined && status !== 200)
  )
}

/** By the type of a problem, or of a warning; what has it as both is found by its problem. */
const typeConditions = (type: string): string[][] => [
  [isNoted, 'problems is not null', hasProblem(type)],
  [isNoted, 'warnings is not null', hasWarning(type), `(problems is null or not ${hasProblem(type)})`],
]

const everywhere: Way = { from: '', conditions: [] }
/** Each has an index in the order of numbers; for all together there is one of refused pushes only. */
const bySupplier: Way = { from: 'supplier cross join lateral', conditions: ['supplier_id = supplier.id'] }
/** The same index, read once for all suppliers: of few numbers, each of which is read. */
const ofAllSuppliers: Way = { from: '', conditions: ['supplier_id = any(array(select id from supplier))'] }

function placesOf(
  { requestId, hotelId, supplierId, problem, afterId, outcome, status }: PushFilters,
  parameters: Parameters,
): Way[] {
  if (requestId !== undefined) return [everywhere]
  if (hotelId !== undefined) {
    const hotel = parameters.add(hotelId)
    return [namesAlone(hotel), namesAmongOthers(hotel)].map((names) => ({ from: '', conditions: [names] }))
  }
  // A type has an index of its own; among the last numbers it isn't worth it.
  const isByType = problem !== undefined && afterId === undefined
  if (supplierId !== undefined || isByType || isOfRefused({ outcome, status })) return [everywhere]
  return [afterId === undefined ? bySupplier : ofAllSuppliers]
}

/** The id after the newest one. */
export async function selectNextPushId(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ id: number }>('select last_value + 1 as id from push_log_id_seq')
  return rows[0]?.id ?? 1
}

/** One push by its id, through the indexes of all suppliers. */
export async function selectOptionalPush(db: Queryable, pushId: number): Promise<LoggedPush | undefined> {
  const [row] = await readBack(
    db,
    async (range) => {
      const { rows } = await db.query<Row>(
        `select ${listed} from supplier as owner cross join lateral (
           select ${entryColumns} from push_log
           where supplier_id = owner.id and ${hasId('$1')} and ${isInRange('$2', '$3')} offset 0
         ) as entry ${named}`,
        [pushId, ...rangeValues(range)],
      )
      return rows
    },
    (rows) => rows.length > 0,
  )
  return row && pushOf(row)
}

/** The newest push of each kind for a hotel with one of the outcomes; kinds without one are left out. */
export async function selectNewestOfKinds(
  db: Queryable,
  hotelId: number,
  kinds: readonly PushKind[],
  outcomes: readonly PushOutcome[],
): Promise<LoggedPush[]> {
  const newest = (condition: string): string => `
    select ${entryColumns} from push_log where ${condition} and kind = wanted.kind and outcome = any($3::push_outcome[])
      and ${isInRange('$4', '$5')}
    order by ${newestFirst} limit 1`
  const lacking = new Set(kinds)
  const rows = await readBack(
    db,
    async (range) => {
      const { rows: read } = await db.query<Row>(
        `select ${listed} from unnest($2::push_kind[]) as wanted (kind) cross join lateral (
           select * from (
             (${newest('hotel_id = $1')}) union all (${newest('hotel_ids @> array[$1::int]')})
           ) as way order by id desc limit 1
         ) as entry ${named}`,
        [hotelId, [...lacking], outcomes, ...rangeValues(range)],
      )
      for (const { kind } of read) lacking.delete(kind)
      return read
    },
    () => lacking.size === 0,
  )
  return rows.map(pushOf)
}

/** The newest push of a key that registered a URL of this kind. */
export async function selectOptionalRegistration(
  db: Queryable,
  { supplierId, keyId, kind }: { supplierId: number; keyId: number; kind: PushKind },
): Promise<LoggedPush | undefined> {
  const [row] = await readBack(
    db,
    async (range) => {
      const { rows } = await db.query<Row>(
        `select ${listed} from (
           select ${entryColumns} from push_log
           where supplier_id = $1 and kind = $3 and key_id = $2 and outcome in ('applied', 'unchanged')
             and ${isInRange('$4', '$5')}
           order by ${newestFirst} limit 1
         ) as entry ${named}`,
        [supplierId, keyId, kind, ...rangeValues(range)],
      )
      return rows
    },
    (rows) => rows.length > 0,
  )
  return row && pushOf(row)
}

/** A push as shown in lists. */
export function listedPush({ atMs: _atMs, ...push }: LoggedPush): PushListed {
  return push
}

/** A reference to a push. */
export function namedPush({ pushId, requestId, at, outcome }: LoggedPush): NamedPush {
  return { pushId, requestId, at, outcome }
}
