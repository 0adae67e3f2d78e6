import assert from 'node:assert/strict'
import { test } from 'node:test'
import { book, deliveriesOf, startDeliveryTest, until } from '../../../test/stage/scenes/deliveries.ts'
import type { Reply } from '../../../test/stage/harness.ts'
import { httpAnswer, startReceiver } from '../../../test/stage/servers/receiver.ts'

test('a stop of the service ends a push on demand with an answer, and a remaining process sends the reservation', async () => {
  const stage = await startDeliveryTest()
  let isSlow = false
  const receiver = await startReceiver((socket) => {
    if (!isSlow) socket.write(httpAnswer(200, '{}'))
  })
  try {
    const supplier = await stage.supplierAt('stopped', `http://127.0.0.1:${receiver.port}/book`)
    const booked = await book(stage.gateway, supplier, { count: 2 })
    const [first, delivered] = booked.map(({ reservationId }) => reservationId)
    assert.ok(first && delivered)
    const pushed = (reservationId: number): Promise<Reply> =>
      supplier.post('/push/webhook/booking', { hotelId: 'H1', reservation_id: String(reservationId) })
    await pushed(delivered)
    isSlow = true
    receiver.calls.length = 0
    const [one, again, behind] = [pushed(first), pushed(delivered), pushed(first)]
    await until('both are on their way', () => receiver.calls.length === 2)
    stage.gateway.app.drain()
    const replies = await Promise.all([one, again, behind])
    assert.deepEqual(
      replies.map(({ status, body, headers }) => [status, body['message'], headers.get('retry-after')]),
      Array(3).fill([503, 'The service is shutting down', '2']),
    )
    const standings = async (id: number): Promise<unknown[]> =>
      (await deliveriesOf(stage.gateway, id)).map(({ status, dueInMs }) => [
        status,
        status === 'queued' ? dueInMs : 0,
      ])
    assert.deepEqual(
      [await standings(first), await standings(delivered)],
      [
        [['queued', 0]],
        [
          ['delivered', 0],
          ['queued', 0],
        ],
      ],
    )
    isSlow = false
    stage.worker()
    await until('both are delivered', async () =>
      [await standings(first), await standings(delivered)]
        .flat()
        .every((row) => [row].flat()[0] === 'delivered'),
    )
  } finally {
    await stage.stop()
    await receiver.close()
  }
})
