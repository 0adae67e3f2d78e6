import pg from 'pg'
import { StoreSilent } from './connection.ts'
import { StoreChanged } from './store-epoch.ts'

/** The errors of PostgreSQL, and their consequences for callers. */

/** Human-readable reasons why nothing can be committed. */
export const storeProblems = {
  silent: 'the store does not answer',
  noCommit: 'the store answers reads but does not finish a commit: is its synchronous standby running?',
  readOnly: 'the store is read-only: it is a standby, or was set to read-only',
  full: 'the disk of the store is full',
  busy: 'the store does not finish a write in time',
  away: 'the store is not available',
} as const

/** PostgreSQL's code of an error, or the system's; otherwise ''. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** 25P02: an earlier statement of the same transaction failed. */
export function isConsequence(error: unknown): boolean {
  return codeOf(error) === '25P02'
}

/** 40001 serialization failure, 40P01 deadlock: PostgreSQL asks the client to try again. */
export function isTransient(error: unknown): boolean {
  const code = codeOf(error)
  return code === '40001' || code === '40P01'
}

/** PostgreSQL was not called, or the transaction was not committed: nothing was done. */
export class StoreUnavailable extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'StoreUnavailable'
  }
}

/** A commit was sent and not answered: either the whole transaction was done, or nothing. */
export class OutcomeUnknown extends Error {
  constructor(cause: unknown) {
    super('a commit was not answered', { cause })
    this.name = 'OutcomeUnknown'
  }
}

/** The outcome of a transaction whose commit failed: PostgreSQL's own errors mean that it was rolled back. */
export function commitFailure(error: unknown): unknown {
  return error instanceof pg.DatabaseError || !isUnavailable(error) ? error : new OutcomeUnknown(error)
}

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])
/**
 * 08 connection, 53 out of resources, 57P operator intervention, 58 system error (disk), 25006 read-only
 * standby.
 */
const unavailableClasses = /^(?:08|53|57P|58|25006|57014|XX001)/
const driverMessages =
  /connection terminated|timeout exceeded when trying to connect|timeout expired|not replicated|not queryable|client was closed|connection error/i

const ownErrors = [StoreUnavailable, OutcomeUnknown, StoreSilent, StoreChanged]

/** Whether PostgreSQL could not be reached or could not work, so that the caller should try again later. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (ownErrors.some((ours) => error instanceof ours)) return true
  if (error instanceof AggregateError) return error.errors.some(isUnavailable)
  const code = codeOf(error)
  return (
    networkCodes.has(code) ||
    isMissingSocket(error) ||
    unavailableClasses.test(code) ||
    (code === '' && driverMessages.test(error.message))
  )
}

/** The same code of a file that is not there has nothing to do with PostgreSQL. */
function isMissingSocket(error: Error): boolean {
  return codeOf(error) === 'ENOENT' && 'syscall' in error && error.syscall === 'connect'
}
