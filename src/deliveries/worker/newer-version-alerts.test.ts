import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bookingBody, expectStatus, idOf, openShop, room } from '../../../test/stage/scenes/booking.ts'
import {
  callWithinMs,
  deliveriesOf,
  startDeliveryTest,
  until,
  type DeliveryTest,
} from '../../../test/stage/scenes/deliveries.ts'
import { httpAnswer, startReceiver, type Receiver } from '../../../test/stage/servers/receiver.ts'
import { expectOk } from '../../../test/stage/story.ts'
import { openLog } from '../../base/log.ts'
import { telemetry } from '../../base/telemetry.ts'
import { raiseAlerts } from './watch.ts'

/**
 * A reservation that is modified while a call with its older version is in progress: the half hour after which
 * its delivery is reported counts from its booking unless that call arrives, and it is reported once.
 */

const minuteMs = 60_000

let stage: DeliveryTest
const receivers: Receiver[] = []
before(async () => {
  stage = await startDeliveryTest()
  stage.worker()
})
after(async () => {
  await stage.stop()
  for (const receiver of receivers) await receiver.close()
})

function later(ms: number): void {
  stage.gateway.clock.set(new Date(stage.gateway.clock.now() + ms).toISOString())
}

async function untilPassedOn(id: string): Promise<void> {
  await until('the newer version takes the place of the older one', async () => {
    const { rows } = await stage.gateway.db.query(
      `select from delivery as newer join delivery as older using (reservation_id)
       where reservation_id = $1 and older.version = 1 and newer.version = 2 and older.status = 'superseded'
         and newer.undelivered_since = older.undelivered_since`,
      [id],
    )
    return rows.length === 1
  })
}

const standings = async (id: string): Promise<string[]> =>
  (await deliveriesOf(stage.gateway, Number(id))).map(({ status }) => status)

/** The reservation's alerts, after a check for those that are due. */
async function reported(id: string): Promise<string[]> {
  const { db, clock } = stage.gateway
  await raiseAlerts({ db, clock, log: openLog('fatal'), telemetry: telemetry() })
  const { rows } = await db.query<{ reason: string }>(
    'select reason from delivery_alert where reservation_id = $1',
    [id],
  )
  return rows.map(({ reason }) => reason)
}

/** A check passes over a delivery that the worker has locked at that moment. */
async function untilReported(id: string): Promise<void> {
  await until('it is reported', async () => (await reported(id)).length > 0)
  assert.deepEqual(await reported(id), ['undelivered'])
}

/**
 * A reservation whose first attempt failed. So many minutes later its next attempt was in progress when the
 * reservation was modified.
 */
async function modifiedWhileSent(
  name: string,
  minutesLater: number,
): Promise<{ id: string; answer: (status: number) => void }> {
  const held: ((status: number) => void)[] = []
  let isHeld = false
  const receiver = await startReceiver((socket) => {
    const answer = (status: number): void => void socket.write(httpAnswer(status, '{}'))
    if (isHeld) held.push(answer)
    else answer(500)
  })
  receivers.push(receiver)
  const { supplier, platform, book } = await openShop(stage.gateway, name)
  const webhook = `http://127.0.0.1:${receiver.port}/book`
  expectOk(await supplier.post('/push/webhook/pushbook', { webhook }))
  const id = idOf(await book())
  await until('the first attempt failed', async () => {
    const [one] = await deliveriesOf(stage.gateway, Number(id))
    return one?.status === 'queued' && one.attempts === 1
  })
  isHeld = true
  later(minutesLater * minuteMs)
  await until('the next is in progress', () => held.length === 1)
  if (minutesLater > 30) await untilReported(id)
  const guest = { firstName: 'Grace', lastName: 'Hopper' }
  const body = bookingBody(name, { rooms: [room({ guest })] })
  expectStatus(await platform.put(`/booking/reservations/${id}`, body), 200)
  assert.deepEqual(await standings(id), ['sending', 'queued'])
  return { id, answer: (status) => held[0]?.(status) }
}

test('a reservation that was modified while an attempt was in progress, which failed, is reported half an hour after its booking', async () => {
  const { id, answer } = await modifiedWhileSent('in time', 29)
  answer(500)
  await untilPassedOn(id)
  later(2 * minuteMs)
  await untilReported(id)
  later(60 * minuteMs)
  assert.deepEqual(await reported(id), ['undelivered'])
})

test('and not once more when it had been reported before', async () => {
  const { id, answer } = await modifiedWhileSent('once', 31)
  answer(500)
  await untilPassedOn(id)
  later(60 * minuteMs)
  assert.deepEqual(await reported(id), ['undelivered'])
})

test('nor when the process that made the attempt was lost', async () => {
  const { id } = await modifiedWhileSent('lost', 31)
  // Its lease ends.
  later(2 * callWithinMs + minuteMs)
  await untilPassedOn(id)
  later(60 * minuteMs)
  assert.deepEqual(await reported(id), ['undelivered'])
})

test('when the attempt arrived, the half hour counts from the modification', async () => {
  const { id, answer } = await modifiedWhileSent('arrived', 29)
  answer(200)
  await until('the older version is delivered', async () => (await standings(id))[0] === 'delivered')
  later(2 * minuteMs)
  assert.deepEqual(await reported(id), [])
  later(29 * minuteMs)
  await untilReported(id)
})
