import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  book,
  callWithinMs,
  namedIn,
  startDeliveryTest,
  until,
  type DeliveryTest,
} from '../../../test/stage/scenes/deliveries.ts'
import { httpAnswer, startReceiver, type Receiver } from '../../../test/stage/servers/receiver.ts'
import type { Database } from '../../postgres/postgres.ts'
import { DeliverySlots, type Slot } from './slots.ts'

/** Deliveries claimed ahead for an endpoint that answers quickly, and then hangs. */

let stage: DeliveryTest
let receiver: Receiver
/** Reservations named in the calls, in order of arrival. */
let arrived: number[] = []
let answered = 0
let slots: HangingSlots

/**
 * On any machine each answer counts as quick, and the endpoint hangs as soon as more deliveries wait for their turn
 * than may begin by the answers that are on their way: each ends a call, and may raise the room by one.
 */
class HangingSlots extends DeliverySlots {
  hangs = false
  #leftAnswered = 0
  readonly #taken = new Set<Slot>()

  override take(...args: Parameters<DeliverySlots['take']>): Slot {
    const slot = super.take(...args)
    this.#taken.add(slot)
    const waiting = this.#taken.size - this.underWay()
    if (waiting > 2 * (answered - this.#leftAnswered)) this.hangs = true
    return slot
  }

  override leave(slot: Slot, sign: 'good' | 'bad' | 'none', nowMs: number): void {
    this.#taken.delete(slot)
    if (sign === 'good') this.#leftAnswered++
    super.leave(slot, sign, sign === 'good' ? slot.startedMs : nowMs)
  }
}

before(async () => {
  stage = await startDeliveryTest({ systemTime: true })
  receiver = await startReceiver((socket, call) => {
    const named = namedIn(call)
    arrived.push(...named.map((name) => Number(name.split('.')[0])))
    if (slots.hangs) return
    // Not those of the test call when the URL is registered.
    answered += named.length
    socket.write(httpAnswer(200, '{}'))
  })
})
beforeEach(() => {
  arrived = []
  answered = 0
  slots = new HangingSlots()
})
after(async () => {
  await stage.stop()
  await receiver.close()
})

async function bookMany(name: string): Promise<number[]> {
  const supplier = await stage.supplierAt(name, `http://127.0.0.1:${receiver.port}/${name}`)
  const booked = await book(stage.gateway, supplier, { count: 600 })
  return booked.map(({ reservationId }) => reservationId)
}

test('when the endpoint begins to hang, they are given back without an attempt', async () => {
  const many = await bookMany('quick')
  const worker = stage.worker({ slots, callWithinMs })
  await until('some hang', () => arrived.length > answered)
  await until('no other is claimed', async () => {
    const { rows } = await stage.gateway.db.query<{ attempts: number }>(
      'select sum(attempts)::int as attempts from delivery where reservation_id = any($1)',
      [many],
    )
    return rows[0]?.attempts === arrived.length
  })
  await worker.close()
  const { rows } = await stage.gateway.db.query<{ id: string }>(
    'select reservation_id as id from delivery_attempt join delivery on delivery.id = delivery_id where reservation_id = any($1)',
    [many],
  )
  assert.deepEqual(
    rows.filter(({ id }) => !arrived.includes(Number(id))),
    [],
  )
})

test('if the database takes none of them back, the calls that hang still count', async () => {
  await bookMany('away')
  let refused = 0
  const db = withoutReaddress(stage.gateway.db, () => refused++)
  const worker = stage.worker({ db, slots, callWithinMs })
  await until('some are refused, and some hang', () => refused > 0 && arrived.length > answered)
  for (let look = 0; look < 100; look++) {
    await wait(10)
    const hanging = arrived.length - answered
    assert.ok(hanging > 0 && slots.underWay() >= hanging, `${slots.underWay()} of ${hanging} count`)
  }
  await worker.close()
})

function withoutReaddress(db: Database, onRefused: () => void): Database {
  return new Proxy(db, {
    get: (target, name, receiverOf) => {
      if (name !== 'query') return Reflect.get(target, name, receiverOf)
      return (query: { name?: string }, ...rest: unknown[]) => {
        if (query.name !== 'readdress-deliveries')
          return Reflect.apply(Reflect.get(target, name), target, [query, ...rest])
        onRefused()
        return Promise.reject(new Error('the database is away'))
      }
    },
  })
}
