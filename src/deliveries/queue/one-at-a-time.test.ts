import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  book,
  deliveriesOf,
  namedIn,
  startDeliveryTest,
  until,
  type DeliveryTest,
} from '../../../test/stage/scenes/deliveries.ts'
import {
  httpAnswer,
  startReceiver,
  type Behaviour,
  type Receiver,
} from '../../../test/stage/servers/receiver.ts'
import { DeliverySlots, type Slot } from './slots.ts'

/** No reservation is sent twice at once: neither by one process, nor by a second one when the first one is late. */

let stage: DeliveryTest
const receivers: Receiver[] = []
before(async () => {
  stage = await startDeliveryTest()
})
after(() => stage.stop())
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close()
})

async function receiving(behave?: Behaviour): Promise<Receiver & { url: string }> {
  const receiver = await startReceiver(behave)
  receivers.push(receiver)
  return { ...receiver, url: `http://127.0.0.1:${receiver.port}/book` }
}

const statusesOf = async (reservationId: number): Promise<string[]> =>
  (await deliveriesOf(stage.gateway, reservationId)).map(({ status }) => status)

test('a version that waits for an older one, which is being sent, holds up no other reservation', async () => {
  const held: (() => void)[] = []
  const receiver = await receiving((socket, call) => {
    const answer = (): void => void socket.write(httpAnswer(200, '{}'))
    if (held.length === 0 && namedIn(call).length > 0) held.push(answer)
    else answer()
  })
  const supplier = await stage.supplierAt('versions', receiver.url)
  const worker = stage.worker()
  const [{ reservationId } = { reservationId: 0 }] = await book(stage.gateway, supplier)
  await until('the first version is on its way', () => held.length === 1)
  await book(stage.gateway, supplier, { reservationId })
  const others = await book(stage.gateway, supplier, { count: 3 })
  await until('the others are delivered', async () => {
    const all = await Promise.all(others.map((other) => statusesOf(other.reservationId)))
    return all.every(([status]) => status === 'delivered')
  })
  assert.deepEqual(await statusesOf(reservationId), ['sending', 'queued'])
  held[0]?.()
  await until('both versions are delivered', async () =>
    (await statusesOf(reservationId)).every((status) => status === 'delivered'),
  )
  await worker.close()
})

test('a call that could not begin within half of its time is not made: its lease would end before it', async () => {
  const callWithinMs = 50
  let waits = 0
  class LateSlots extends DeliverySlots {
    override async mayBegin(slot: Slot): Promise<boolean> {
      const mayBegin = await super.mayBegin(slot)
      await wait(callWithinMs)
      waits++
      return mayBegin
    }
  }
  const receiver = await receiving()
  const supplier = await stage.supplierAt('late', receiver.url)
  const calls = receiver.calls.length
  const [{ reservationId } = { reservationId: 0 }] = await book(stage.gateway, supplier)
  const worker = stage.worker({ slots: new LateSlots(), callWithinMs })
  await until('it was claimed three times, or called', () => waits >= 3 || receiver.calls.length > calls)
  await worker.close()
  assert.equal(receiver.calls.length, calls)
  const [delivery] = await deliveriesOf(stage.gateway, reservationId)
  assert.deepEqual([delivery?.status, delivery?.attempts], ['queued', 0])
})
