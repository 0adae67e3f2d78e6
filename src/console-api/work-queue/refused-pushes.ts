import { hourMs, instantOf } from '../../base/calendar.ts'
import type { Evidence } from '../../findings/contract.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { isRefused, newestFirst } from '../../push-log/conditions.ts'
import { requestIdOfRow } from '../../push-log/request-ids.ts'
import { workLimits, type RefusedError } from './contract.ts'
import type { Work } from './store.ts'

/** Refused pushes as work: one piece for each supplier, with its errors. */

const { ofSource, refusedRead, refusedMin, refusedHours } = workLimits
const requestIdsShown = 3

/** Refused pushes of a supplier with the same outcome and the same types of errors. */
type Alike = {
  supplierId: number
  supplier: string
  outcome: string
  /** That of the first error first; null: the push has no errors in the log. */
  types: string[] | null
  pushes: number
  /** Null: no hotel was found. */
  hotelIds: (number | null)[]
  /** The newest pushes first, with their request ids. */
  ids: number[]
  requestIds: string[]
  /** The first error's, of the newest push. */
  message: string | null
  firstMs: number
  lastMs: number
}

/** Suppliers with the most refused pushes first. */
export async function selectRefusedWork(db: Queryable, nowMs: number): Promise<Work[]> {
  const bySupplier = Map.groupBy(await selectAlike(db, nowMs), ({ supplierId }) => supplierId)
  return [...bySupplier.values()]
    .map(workOf)
    .filter(({ count }) => count >= refusedMin)
    .sort((left, right) => right.count - left.count)
    .slice(0, ofSource + 1)
}

/** Grouped as they are read, so that thousands for a few reasons are a few rows, whose errors are then taken apart. */
async function selectAlike(db: Queryable, nowMs: number): Promise<Alike[]> {
  const newest = (column: string): string =>
    `(array_agg(${column} order by newest.id desc))[1:${requestIdsShown}]`
  const { rows } = await db.query<Alike>(
    // Unnamed, so that it is planned with the actual instants and reads only the days between them.
    `select supplier.id as "supplierId", name as supplier, outcome, problems -> 1 as types, count(*)::int as pushes,
       array_agg(hotel_id) as "hotelIds", ${newest('newest.id::float8')} as ids, ${newest('request_id')} as "requestIds",
       (array_agg(problems order by newest.id desc))[1] ->> 2 as message,
       epoch_ms(min(at)) as "firstMs", epoch_ms(max(at)) as "lastMs"
     from supplier cross join lateral (
       select id, at, hotel_id, outcome, problems, ${requestIdOfRow} as request_id from push_log
       where supplier_id = supplier.id and ${isRefused} and outcome <> 'dryRun' and at > instant($1) and at <= instant($2)
       order by ${newestFirst} limit $3
     ) as newest
     group by supplier.id, outcome, types`,
    [nowMs - refusedHours * hourMs, nowMs, refusedRead],
  )
  return rows
}

function workOf(alike: readonly Alike[]): Work {
  const [first] = alike
  if (!first) throw new Error('a group has a member')
  const lastMs = Math.max(...alike.map((one) => one.lastMs))
  const types = new Set(alike.flatMap((one) => one.types ?? []))
  const [mostOften] = [...Map.groupBy(alike, ({ outcome }) => outcome).values()].sort(
    (left, right) => pushesOf(right) - pushesOf(left),
  )
  return {
    key: `refused:${first.supplierId}`,
    kind: 'push.error',
    severity: 'warning',
    supplierId: first.supplierId,
    supplier: first.supplier,
    hotelId: null,
    hotelName: null,
    count: pushesOf(alike),
    since: instantOf(Math.min(...alike.map((one) => one.firstMs))),
    subject: '',
    errors: [...types]
      .map((type) => errorOf(type, alike))
      .sort((left, right) => right.pushes - left.pushes || left.type.localeCompare(right.type)),
    evidence: {
      hotels: hotelsOf(alike),
      outcome: mostOften?.[0]?.outcome ?? '',
      lastAt: instantOf(lastMs),
    } satisfies Evidence,
    newestMs: lastMs,
  }
}

function errorOf(type: string, alike: readonly Alike[]): RefusedError {
  const having = alike.filter(({ types }) => types?.includes(type))
  const newest = having
    .flatMap(({ ids, requestIds }) => ids.map((id, index) => ({ id, requestId: requestIds[index] ?? '' })))
    .sort((left, right) => right.id - left.id)
  const told = having
    .toSorted((left, right) => right.lastMs - left.lastMs)
    .find(({ types }) => types?.[0] === type)
  return {
    type,
    pushes: pushesOf(having),
    hotels: hotelsOf(having),
    message: told?.message ?? null,
    requestIds: newest.slice(0, requestIdsShown).map(({ requestId }) => requestId),
  }
}

function pushesOf(alike: readonly Alike[]): number {
  return alike.reduce((sum, { pushes }) => sum + pushes, 0)
}

function hotelsOf(alike: readonly Alike[]): number {
  return new Set(alike.flatMap(({ hotelIds }) => hotelIds.filter((id) => id !== null))).size
}
