import type { Parameters } from '../postgres/parameters.ts'
import type { PushKind, PushOutcome } from './contract.ts'

/** The filters of push lists, with the condition of each on a row of the log. */
export type PushFilters = {
  supplierId?: number | undefined
  hotelId?: number | undefined
  requestId?: string | undefined
  kind?: PushKind | undefined
  outcome?: PushOutcome | undefined
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

const conditions: { readonly [Name in keyof Required<PushFilters>]: (value: string) => string } = {
  supplierId: (id) => `supplier_id = ${id}::int`,
  hotelId: (id) => `(${namesAlone(id)} or ${namesAmongOthers(id)})`,
  requestId: (id) => `request_id = ${id}`,
  kind: (kind) => `kind = ${kind}`,
  outcome: (outcome) => `outcome = ${outcome}`,
  status: (status) => `status = ${status}::int`,
  problem: (type) => `(${hasProblem(type)} or ${hasWarning(type)})`,
  sinceMs: (ms) => `at >= instant(${ms})`,
  untilMs: (ms) => `at < instant(${ms})`,
  beforeId: (id) => `id < ${id}::bigint`,
  afterId: (id) => `id > ${id}::bigint`,
}

/** A push is of one hotel or of several, never both; each case has its own index. */
export const namesAlone = (hotelId: string): string => `hotel_id = ${hotelId}::int`
export const namesAmongOthers = (hotelId: string): string => `hotel_ids @> array[${hotelId}::int]`

export const hasProblem = (type: string): string => `problems -> 'types' ? ${type}`
export const hasWarning = (type: string): string => `warnings -> 'types' ? ${type}`

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
    return value === undefined ? [] : [condition(parameters.add(value))]
  })
}
