import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openDatabase } from '../../src/postgres/postgres.ts'
import { idOf, openShop, pushNights, unitsLeft, type Shop } from '../../test/stage/scenes/booking.ts'
import { gatewayForTests, type Reply } from '../../test/stage/harness.ts'

/**
 * Bookings while statements are cancelled and the service's connections ended all the time, at any point of a
 * transaction: each booking that is repeated until confirmed exists exactly once, and no connection is left
 * over.
 */

const callers = 6
const bookingsEach = 60
const unitsPushed = 900

const gateway = await gatewayForTests()
const shops = [await openShop(gateway), await openShop(gateway, 'Beta')]
for (const { supplier } of shops) await pushNights(supplier, { inventory: unitsPushed })

test('bookings survive cancelled statements and ended connections, each once', async () => {
  const storm = startStorm()
  const answers = new Map<number, number>()
  const ids = await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      const made: string[] = []
      for (let count = 0; count < bookingsEach; count++)
        made.push(idOf(await bookUntilConfirmed(shopOf(caller), `${caller}-${count}`, answers)))
      return made
    }),
  )
  const disturbances = await storm.stop()
  const confirmed = ids.flat()
  assert.ok(disturbances > 50, `${disturbances} statements and connections were hit`)
  assert.ok((answers.get(503) ?? 0) > 10, 'the storm was felt')
  assert.deepEqual(new Set(answers.keys()), new Set([201, 503]))
  assert.equal(new Set(confirmed).size, callers * bookingsEach)
  assert.equal(await countOf('reservation'), confirmed.length)
  assert.equal(
    await countOf(
      'reservation where not exists (select from delivery where reservation_id = reservation.id)',
    ),
    0,
  )
  const left = await Promise.all(['Acme', 'Beta'].map((name) => unitsLeft(gateway, name)))
  const taken = left.map(([first = 0]) => unitsPushed - first)
  assert.deepEqual(taken, [confirmed.length / 2, confirmed.length / 2])
})

test('afterwards every connection of the service is of use, and none is left within a transaction', async () => {
  const replies = await Promise.all(
    Array.from({ length: 40 }, (_, index) => shopOf(index).book({}, { 'idempotency-key': `after-${index}` })),
  )
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201]))
  const idle = `pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`
  assert.equal(await countOf(idle), 0)
})

function shopOf(index: number): Shop {
  const shop = shops[index % shops.length]
  if (!shop) throw new Error('there are two shops')
  return shop
}

async function bookUntilConfirmed(shop: Shop, key: string, answers: Map<number, number>): Promise<Reply> {
  for (;;) {
    const reply = await shop.book({}, { 'idempotency-key': key })
    answers.set(reply.status, (answers.get(reply.status) ?? 0) + 1)
    if (reply.status === 201) return reply
    assert.equal(reply.status, 503, reply.text)
  }
}

async function countOf(rows: string): Promise<number> {
  const { rows: counted } = await gateway.db.query<{ count: number }>(
    `select count(*)::int as count from ${rows}`,
  )
  return counted[0]?.count ?? 0
}

/** Hits busy connections: cancels two statements for every connection it ends. */
function startStorm(): { stop: () => Promise<number> } {
  const db = openDatabase(gateway.db.address, { warn: () => {} }, { connectionsMax: 1 })
  const over = new AbortController()
  let count = 0
  const hit = async (how: 'cancel' | 'terminate'): Promise<void> => {
    const { rowCount } = await db.query(
      `select pg_${how}_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and application_name = 'ari-gateway'
         and (state = 'active' or state like 'idle in%')
       order by random() limit 1`,
    )
    count += rowCount ?? 0
  }
  const blowing = (async () => {
    for (let turn = 0; !over.signal.aborted; turn++) {
      await wait(Math.random() * 12)
      await hit(turn % 3 === 0 ? 'terminate' : 'cancel')
    }
  })()
  return {
    stop: async () => {
      over.abort()
      await blowing
      await db.close()
      return count
    },
  }
}
