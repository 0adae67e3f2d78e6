import { AsyncLocalStorage } from 'node:async_hooks'
import { Gate } from '../base/gate.ts'
import { codeOf } from './connections/store-errors.ts'
import { unhurriedConnectionsMax, type Database } from './postgres.ts'
import { readTransaction } from './transaction.ts'

/**
 * The database as a signed-in person of a supplier may use it. Every statement runs in a transaction with a lesser role,
 * to which row-level security shows the rows of one supplier alone: a statement that forgets its condition finds nothing
 * foreign. Role and supplier are set for the transaction only, so they outlive neither an error nor a pooler.
 */

/** The role has what the function grant_supplier_sessions grants, and nothing more. */
export const supplierRole = 'ari_supplier'

/**
 * Transactions of suppliers' people at the same time, whether they read or change something, so that the platform's own searches and chores find a connection
 * whatever they search for. Those that wait are no more than their requests in flight.
 */
const transactionsMax = {
  passing: 2,
  waiting: Infinity,
  inAll: { passing: unhurriedConnectionsMax - 1, keptForOthers: 1 },
}

const sessions = new AsyncLocalStorage<number>()

/** Runs the work of a request for the supplier of its session. */
export function asSupplier<Result>(supplierId: number, work: () => Promise<Result>): Promise<Result> {
  return sessions.run(supplierId, work)
}

/** Whether a statement failed because the database lacks the role, or its user may not take it. */
export function lacksRole(error: unknown): error is Error {
  const isAboutRole = error instanceof Error && error.message.includes(`role "${supplierRole}"`)
  return isAboutRole && ['22023', '42501'].includes(codeOf(error))
}

/** Takes the supplier from the session that it is used in; outside of one every statement fails. */
export function databaseOfSession({ unhurried }: Database): Database {
  const gate = new Gate(transactionsMax)
  const supplierOfSession = (): number => {
    const supplierId = sessions.getStore()
    if (supplierId === undefined || !Number.isSafeInteger(supplierId))
      throw new Error('a statement of a supplier session ran outside of one')
    return supplierId
  }
  const beginsWith = (): string =>
    `begin; set local role ${supplierRole}; set local ari.supplier = ${supplierOfSession()}`
  const inTurn = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const supplierId = supplierOfSession()
    await gate.enter(supplierId)
    try {
      return await work()
    } finally {
      gate.leave(supplierId)
    }
  }
  // Separate connections: those of the API's callers keep their plans, and wait for no search of people.
  const db: Database = {
    ...unhurried,
    beginsWith,
    inTurn,
    query: (query, values) => readTransaction(db, (connection) => connection.query(query, values)),
    pipelined: (start) => readTransaction(db, (connection) => connection.pipelined(() => start(connection))),
    connect: () => Promise.reject(new Error('a supplier session opens no connection of its own')),
    get signIn() {
      return db
    },
    get unhurried() {
      return db
    },
  }
  return db
}
