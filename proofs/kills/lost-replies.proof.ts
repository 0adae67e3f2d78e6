import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  book,
  namedIn,
  startDeliveryTest,
  type Booked,
  type DeliveryTest,
} from '../../test/stage/scenes/deliveries.ts'
import { httpAnswer, startReceiver } from '../../test/stage/servers/receiver.ts'
import { breakable, type Break } from '../../test/stage/deliveries/breaks.ts'

/**
 * Many of the deliveries get no answer: some calls are lost, others lose only the answer. None is lost for
 * good.
 */

const suppliers = 20
const replyLost = 0.3
const hourMs = 3_600_000
/** Deliveries due within this time of the next one are sent with it. */
const togetherMs = 60_000

type Outcome = { undelivered: number; lost: number; changed: number; calls: number; repeats: number }

async function deliverAll(perSupplier: number, broken?: Break): Promise<Outcome> {
  const stage = await startDeliveryTest()
  const bodiesById = new Map<string, Set<string>>()
  const taken = new Map<string, number>()
  let calls = 0
  const receiver = await startReceiver((socket, call) => {
    const [name] = namedIn(call)
    if (name === undefined) return socket.write(httpAnswer(200, '{}'))
    calls++
    const id = call.headers.get('webhook-id') ?? ''
    bodiesById.set(id, (bodiesById.get(id) ?? new Set()).add(call.body.toString()))
    const isLost = Math.random() < replyLost
    // Half of the failures happen before the supplier has the call.
    if (isLost && Math.random() < 0.5) return socket.destroy()
    for (const one of namedIn(call)) taken.set(one, (taken.get(one) ?? 0) + 1)
    return isLost ? socket.destroy() : socket.write(httpAnswer(200, '{}'))
  })
  try {
    const booked: Booked[] = []
    for (let index = 0; index < suppliers; index++) {
      const supplier = await stage.supplierAt(`S${index}`, `http://127.0.0.1:${receiver.port}/${index}`)
      booked.push(...(await book(stage.gateway, supplier, { count: perSupplier })))
    }
    stage.worker({ db: breakable(stage.gateway.db, broken) })
    await untilSettled(stage)
    const { rows } = await stage.gateway.db.query<{ undelivered: number }>(
      "select count(*)::int as undelivered from delivery where status <> 'delivered'",
    )
    const lost = booked.filter(({ reservationId, version }) => !taken.has(`${reservationId}.${version}`))
    return {
      undelivered: rows[0]?.undelivered ?? 0,
      lost: lost.length,
      changed: [...bodiesById.values()].filter(({ size }) => size > 1).length,
      calls,
      repeats: [...taken.values()].reduce((sum, times) => sum + times - 1, 0),
    }
  } finally {
    await stage.stop()
    await receiver.close()
  }
}

/**
 * Advances the clock to the next due time whenever nothing is in progress, until nothing is due any more.
 */
async function untilSettled({ gateway: { db, clock } }: DeliveryTest): Promise<void> {
  for (;;) {
    const { rows } = await db.query<{ busy: number; nextMs: number | null; waiting: number }>(
      `select count(*) filter (where status = 'sending' or due_at <= to_timestamp($1::float8 / 1000))::int as busy,
         (extract(epoch from min(due_at) filter (where due_at <> 'infinity')) * 1000)::float8 as "nextMs",
         count(*) filter (where due_at = 'infinity')::int as waiting
       from delivery where status in ('queued', 'sending')`,
      [clock.now()],
    )
    const [{ busy, nextMs, waiting } = { busy: 1, nextMs: null, waiting: 0 }] = rows
    if (busy === 0 && nextMs === null && waiting === 0) return
    if (busy === 0)
      clock.set(new Date(nextMs === null ? clock.now() + hourMs : nextMs + togetherMs).toISOString())
    await wait(50)
  }
}

test(`of 10,000 deliveries ${replyLost * 100} % get no answer: none is lost, and every repeat has the same id and body`, async (t) => {
  const { calls, repeats, ...wrong } = await deliverAll(10_000 / suppliers)
  assert.deepEqual(wrong, { undelivered: 0, lost: 0, changed: 0 })
  t.diagnostic(`${calls} calls, ${repeats} repeats`)
})

test('the comparison finds a worker that takes no answer for a good one', async () => {
  assert.ok((await deliverAll(20, 'no answer is enough')).lost > 0)
})
