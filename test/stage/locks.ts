import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Database, Queryable } from '../../src/postgres/postgres.ts'
import { transaction } from '../../src/postgres/transaction.ts'
import { minutes } from './pace.ts'

const waitedForMs = minutes(2)

/** Resolves once this many statements wait for locks of other transactions. */
export async function untilWaiting(db: Database, count: () => number): Promise<void> {
  const lastMs = performance.now() + waitedForMs
  for (let waiting = 0; waiting < count(); await wait(5)) {
    if (performance.now() > lastMs) throw new Error(`${waiting} of ${count()} wait for the lock`)
    const { rows } = await db.query<{ waiting: number }>(
      `select count(*)::int as waiting from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    waiting = rows[0]?.waiting ?? 0
  }
}

/** Calls that truly compete: all of them wait for the lock before the first one gets it. */
export async function meetingAtLock<Answer>(
  db: Database,
  lock: (connection: Queryable) => Promise<unknown>,
  calls: readonly (() => Promise<Answer>)[],
): Promise<Answer[]> {
  const meeting = await transaction(db, async (connection) => {
    await lock(connection)
    const answers = Promise.all(calls.map((call) => call()))
    await untilWaiting(db, () => calls.length)
    return { answers }
  })
  return meeting.answers
}

/**
 * The same, but they get the lock in the order given: each begins once all calls before it wait or have
 * ended.
 */
export async function meetingInLine<Answer>(
  db: Database,
  lock: (connection: Queryable) => Promise<unknown>,
  calls: readonly (() => Promise<Answer>)[],
): Promise<Answer[]> {
  const meeting = await transaction(db, async (connection) => {
    await lock(connection)
    const answers: Promise<Answer>[] = []
    const underWay = new Set<Promise<Answer>>()
    for (const call of calls) {
      const answer = call().finally(() => underWay.delete(answer))
      answers.push(answer)
      underWay.add(answer)
      await untilWaiting(db, () => underWay.size)
    }
    return { answers: Promise.all(answers) }
  })
  return meeting.answers
}

/** Locks the row of a hotel, as a transaction that doesn't end would. */
export async function holdHotel(
  context: TestContext,
  db: Database,
  hotelId: string,
  supplier: { name: string },
): Promise<() => Promise<void>> {
  const holder = new pg.Client(db.address)
  await holder.connect()
  await holder.query('begin')
  const { rowCount } = await holder.query(
    'select from hotel h join supplier s on s.id = h.supplier_id where h.code = $1 and s.name = $2 for update of h',
    [hotelId, supplier.name],
  )
  assert.equal(rowCount, 1)
  const letGo = () => holder.end()
  context.after(letGo)
  return letGo
}
