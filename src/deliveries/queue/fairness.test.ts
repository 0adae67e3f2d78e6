import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  book,
  deliveriesOf,
  namedIn,
  startDeliveryTest,
  until,
  type DeliveryTest,
} from '../../../test/stage/scenes/deliveries.ts'
import { httpAnswer, startReceiver, type Receiver } from '../../../test/stage/servers/receiver.ts'
import { expectOk } from '../../../test/stage/story.ts'

/** Many hotels behind one URL, as with channel managers: a hanging hotel must not block the others. */

let stage: DeliveryTest
let receiver: Receiver
/** Reservations whose calls hang. */
const hanging = new Set<number>()
/** Reservations named in the calls, in order of arrival. */
const arrived: number[] = []

before(async () => {
  stage = await startDeliveryTest({ systemTime: true })
  receiver = await startReceiver((socket, call) => {
    const ids = namedIn(call).map((name) => Number(name.split('.')[0]))
    arrived.push(...ids)
    if (!ids.some((id) => hanging.has(id))) socket.write(httpAnswer(200, '{}'))
  })
  stage.worker()
})
after(async () => {
  await stage.stop()
  await receiver.close()
})

const idsOf = (booked: readonly { reservationId: number }[]): number[] =>
  booked.map(({ reservationId }) => reservationId)

test('with 50 reservations of a hotel hanging, fresh ones of the same URL are called, of its other hotels and its own', async () => {
  const supplier = await stage.supplierAt('channel', `http://127.0.0.1:${receiver.port}/book`)
  const other = await hotelOf(supplier, 'H2')
  const next = await book(stage.gateway, supplier, { count: 50 })
  for (const id of idsOf(next)) hanging.add(id)
  await until('one hangs', () => idsOf(next).some((id) => arrived.includes(id)))
  const fresh = [
    ...(await book(stage.gateway, { ...supplier, hotelId: other })),
    ...(await book(stage.gateway, supplier)),
  ]
  await until('the fresh ones are delivered', () => areDelivered(idsOf(fresh)))
  assert.equal(await areDelivered(idsOf(next)), false)
})

test('at an endpoint that hangs completely each hotel gets its turn, however many reservations of another are waiting', async () => {
  const supplier = await stage.supplierAt('turns', `http://127.0.0.1:${receiver.port}/turns`)
  const others = [await hotelOf(supplier, 'H2'), await hotelOf(supplier, 'H3')]
  const many = idsOf(await book(stage.gateway, supplier, { count: 400 }))
  for (const id of many) hanging.add(id)
  await until('one hangs', () => many.some((id) => arrived.includes(id)))
  const few: number[] = []
  for (const hotelId of others)
    few.push(...idsOf(await book(stage.gateway, { ...supplier, hotelId }, { count: 3 })))
  for (const id of few) hanging.add(id)
  await until('those of the others are called', () => few.every((id) => arrived.includes(id)))
  const called = new Set(arrived.filter((id) => many.includes(id)))
  assert.ok(called.size < many.length, `${called.size} of ${many.length} came first`)
})

async function hotelOf(
  supplier: Awaited<ReturnType<DeliveryTest['supplierAt']>>,
  code: string,
): Promise<number> {
  expectOk(
    await supplier.post('/push/hotels', [
      { hotelId: code, hotelName: code, currency: 'USD', isAvailable: true, minChildAge: 2, maxChildAge: 12 },
    ]),
  )
  const { rows } = await stage.gateway.db.query<{ id: number }>(
    'select id from hotel where supplier_id = $1 and code = $2',
    [supplier.supplierId, code],
  )
  return rows[0]?.id ?? assert.fail('the hotel was not stored')
}

async function areDelivered(ids: readonly number[]): Promise<boolean> {
  const all = await Promise.all(ids.map((id) => deliveriesOf(stage.gateway, id)))
  return all.every((one) => one.at(-1)?.status === 'delivered')
}
