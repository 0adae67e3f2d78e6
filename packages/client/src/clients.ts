import { platformOperations, supplierOperations, type PlatformCalls, type SupplierCalls } from './api.ts'
import { caller, type Caller, type ConnectOptions, type Input } from './call.ts'
import type { Operation, UploadOptions } from './operations.ts'
import { followChanges, type FollowedChanges, type FollowOptions } from './follow-changes.ts'

/** A supplier's side: every operation below /push. */
export type SupplierClient = SupplierCalls

/** The platform's side: every operation below /booking. */
export type BookingClient = PlatformCalls & {
  /**
   * Follows the changes from a cursor on, as they are made; ends when the signal aborts, or with an error
   * that a retry can't fix.
   */
  followChanges: (options: FollowOptions) => FollowedChanges
}

export function supplierClient({ apiKey, ...connect }: ConnectOptions & { apiKey: string }): SupplierClient {
  // The boundary: the table and the types of the calls are generated from one contract, and a test compares
  // them.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- See above.
  return callsOf(supplierOperations, caller(connect, { 'x-api-key': apiKey })) as SupplierCalls
}

export function bookingClient({ token, ...connect }: ConnectOptions & { token: string }): BookingClient {
  const send = caller(connect, { authorization: `Bearer ${token}` })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- As above.
  const calls = callsOf(platformOperations, send) as PlatformCalls
  return { ...calls, followChanges: (options) => followChanges(calls, options) }
}

function callsOf(operations: Readonly<Record<string, Operation>>, send: Caller): unknown {
  return Object.fromEntries(
    Object.values(operations).map((operation) => [operation.name, callOf(operation, send)]),
  )
}

function callOf(operation: Operation, send: Caller): (...parameters: unknown[]) => Promise<unknown> {
  return (...parameters) => {
    const input: Input = {}
    for (const [index, name] of operation.takes.entries()) input[name] = parameters[index]
    return send(operation, input, optionsIn(parameters[operation.takes.length]))
  }
}

function optionsIn(given: unknown): UploadOptions {
  return typeof given === 'object' && given !== null ? given : {}
}
