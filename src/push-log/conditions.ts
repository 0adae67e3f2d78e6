import type { Parameters } from '../postgres/connections/queryable.ts'
import type { PushKind, PushOutcome } from './contract.ts'
import { hasRequestId } from './request-ids.ts'

/** Conditions on rows of the push log, their order, and columns that are stored shorter than they are read. */

/** Nearly all answers are 200, which is stored as null. */
export const statusOfRow = 'coalesce(status, 200)'

/** Summaries are stored without the names of their members. */
export function summaryOfRow(column: 'problems' | 'warnings'): string {
  const members = `'count', ${column} -> 0, 'types', ${column} -> 1, 'message', ${column} -> 2`
  return `case when ${column} is not null then jsonb_build_object(${members}) end`
}

/**
 * The order of the log's indexes, with that of the rows under one key of them: a page is read by the index, one group of ids
 * after the other, until it is full.
 */
export const newestFirst = '(id >> 14) desc, id desc'

/** The filters of push lists, with the condition of each on a row of the log. */
export type PushFilters = {
  supplierId?: number | undefined
  hotelId?: number | undefined
  requestId?: string | undefined
  kind?: PushKind | undefined
  outcome?: PushOutcome | undefined
  isDryRun?: boolean | undefined
  /** HTTP status of the answer. */
  status?: number | undefined
  /** Type of a problem or of a warning. */
  problem?: string | undefined
  sinceMs?: number | undefined
  /** Exclusive. */
  untilMs?: number | undefined
  /** Only rows before this one. */
  beforeId?: number | undefined
  /** Only rows after this one. */
  afterId?: number | undefined
}

const conditions: {
  readonly [Name in keyof Required<PushFilters>]: (parameter: string, value: unknown) => string
} = {
  supplierId: (id) => `supplier_id = ${id}::int`,
  hotelId: (id) => `(${namesAlone(id)} or ${namesAmongOthers(id)})`,
  requestId: (id, value) => hasRequestId(String(value), id),
  kind: (kind) => `kind = ${kind}`,
  outcome: (outcome) => `outcome = ${outcome}`,
  isDryRun: (is) => `(outcome = 'dryRun') = ${is}::boolean`,
  status: (status) => `${statusOfRow} = ${status}::int`,
  problem: (type) => `(${hasProblem(type)} or ${hasWarning(type)})`,
  sinceMs: (ms) => `at >= instant(${ms})`,
  untilMs: (ms) => `at < instant(${ms})`,
  beforeId: isBeforeId,
  afterId: (id) => `(id > ${id}::bigint and id >> 14 >= ${id}::bigint >> 14)`,
}

/** With the key of the indexes, so that they begin there. */
export function isBeforeId(id: string): string {
  return `(id < ${id}::bigint and id >> 14 <= ${id}::bigint >> 14)`
}

/** One row by its id; the group of ids is in the indexes by supplier, by hotel and by request id. */
export const hasId = (id: string): string => `(id = ${id}::bigint and id >> 14 = ${id}::bigint >> 14)`
export const hasOneOfIds = (ids: string): string =>
  `(id = any(${ids}::bigint[]) and id >> 14 = any(array(select wanted >> 14 from unnest(${ids}::bigint[]) as wanted)))`

/** A push is of one hotel or of several, never both; each case has its own index. */
export const namesAlone = (hotelId: string): string => `hotel_id = ${hotelId}::int`
export const namesAmongOthers = (hotelId: string): string => `hotel_ids @> array[${hotelId}::int]`

export const hasProblem = (type: string): string => `problems -> 1 ? ${type}`
export const hasWarning = (type: string): string => `warnings -> 1 ? ${type}`

/**
 * Each of these conditions has an index, so statements must repeat it literally. Every answer other than 200
 * is to a refused push.
 */
export const refusedOutcomes: readonly PushOutcome[] = ['partial', 'rejected', 'dryRun']
export const isRefused = `outcome in ('partial', 'rejected', 'dryRun')`
export const isNoted = 'coalesce(problems, warnings) is not null'

/** The conditions of the filters that are set. */
export function conditionsOf(filters: PushFilters, parameters: Parameters): string[] {
  const given = new Map<string, unknown>(Object.entries(filters))
  return Object.entries(conditions).flatMap(([name, condition]) => {
    const value = given.get(name)
    return value === undefined ? [] : [condition(parameters.add(value), value)]
  })
}
