import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setAccount } from '../../src/keys/suppliers.ts'
import type { DeliveryWorker } from '../../src/deliveries/worker/worker.ts'
import {
  changeAsAsked,
  bookingBody,
  idOf,
  openShop,
  expectStatus,
  type Shop,
} from '../stage/scenes/booking.ts'
import {
  book,
  callWithinMs,
  namedIn,
  startDeliveryTest,
  until,
  type DeliveryTest,
} from '../stage/scenes/deliveries.ts'
import { startGateway, type TestGateway } from '../stage/harness.ts'
import { minutes } from '../stage/pace.ts'
import { httpAnswer, startReceiver, type ReceivedCall, type Receiver } from '../stage/servers/receiver.ts'
import { expectOk } from '../stage/story.ts'

/** From the platform's booking to the supplier's endpoint, within one process. */

const card = {
  holderName: 'Zoë "Z" Quux',
  type: 'VI',
  number: '4111111111111111',
  expiry: '01/2030',
  cvv: '739',
}

let gateway: TestGateway
let shop: Shop
let receiver: Receiver
let worker: DeliveryWorker
/** Runs before each answer. */
let answering: (call: ReceivedCall) => Promise<void> = async () => {}
before(async () => {
  gateway = await startGateway({
    allowPrivate: true,
    outbound: { reach: (to) => to },
    vaultKey: Buffer.alloc(32, 7),
    callWithinMs,
  })
  shop = await openShop(gateway, 'Acme', { inventory: 9 })
  // It echoes the request, which must not be stored.
  receiver = await startReceiver(
    (socket, call) => void answering(call).then(() => socket.write(httpAnswer(200, call.body.toString()))),
  )
  const webhook = `http://127.0.0.1:${receiver.port}/reservations`
  expectOk(await shop.supplier.post('/push/webhook/pushbook', { webhook }))
  await setAccount(gateway.db, 'Acme', { deliversCards: true })
  receiver.calls.length = 0
  worker = gateway.app.startDeliveries()
})
after(async () => {
  await worker.close()
  await gateway.stop()
  await receiver.close()
})

function sentIn(call: ReceivedCall | undefined): Record<string, unknown> {
  return JSON.parse(call?.body.toString() ?? '{}').reservations.reservation[0]
}

test('a booking, its modification and its cancellation reach the supplier in order; the card goes with the first two, the CVV once, and neither anywhere else', async () => {
  const id = idOf(await shop.book({ payment: { type: 'Channel Collect', card } }))
  await until('the booking arrives', () => receiver.calls.length === 1)
  const isSettled = async (): Promise<boolean> => {
    const { rows } = await gateway.db.query("select from delivery where status <> 'delivered'")
    return rows.length === 0
  }
  await until('it is settled', isSettled)
  const modified = {
    ...bookingBody('Acme', { checkout: '2027-04-23', payment: { type: 'Channel Collect' } }),
  }
  expectOk(await changeAsAsked(shop.platform, id, modified))
  await until('the modification arrives', () => receiver.calls.length === 2)
  await until('it is settled', isSettled)
  expectStatus(await shop.platform.post(`/booking/reservations/${id}/cancel`, {}), 200)
  await until('the cancellation arrives', () => receiver.calls.length === 3)
  await until('it is settled', isSettled)
  assert.deepEqual(receiver.calls.flatMap(namedIn), [`${id}.1`, `${id}.2`, `${id}.3`])
  const cards = receiver.calls.map((call) => Object(sentIn(call)['paymentcarddetail']))
  assert.deepEqual(
    cards.map(({ CardNumber, cvv }) => [CardNumber, cvv]),
    [
      [card.number, card.cvv],
      [card.number, undefined],
      [undefined, undefined],
    ],
  )
  const retrieved = await shop.supplier.get('/push/webhook/pushbook/retrieve')
  const pushed = await shop.supplier.post('/push/webhook/booking', { hotelId: 'H1', reservation_id: id })
  assert.equal(Object(pushed.body['delivery'])['status'], 'delivered')
  const { rows: kept } = await gateway.db.query('select * from delivery_attempt')
  const elsewhere = [
    retrieved.text,
    pushed.text,
    receiver.calls[3]?.body.toString(),
    JSON.stringify(kept),
  ].join()
  assert.deepEqual(
    [card.number, '"739"', 'Quux'].filter((secret) => elsewhere.includes(secret)),
    [],
  )
  assert.equal(kept.length, 4)
  const { rows } = await gateway.db.query('select cvv, cvv_key from reservation_card')
  assert.deepEqual(rows, [{ cvv: null, cvv_key: null }])
})

const arrivesWithItsOwnCvv = (
  how: string,
  deliver: (id: string, answerNow: () => void) => Promise<unknown>,
) =>
  test(`a card that comes while the one before is on its way arrives with its CVV, when that one ${how}`, async () => {
    receiver.calls.length = 0
    const first = Promise.withResolvers<void>()
    answering = async (call) =>
      Object(sentIn(call))['reservation_version'] === '1' ? first.promise : undefined
    const payingBy = (more: object) => ({ payment: { type: 'Channel Collect', card: { ...card, ...more } } })
    const id = idOf(await shop.book(payingBy({})))
    await until('the booking is on its way', () => receiver.calls.length === 1)
    const another = payingBy({ number: '5555555555554444', type: 'MC', cvv: '481' })
    expectStatus(await shop.platform.put(`/booking/reservations/${id}`, bookingBody('Acme', another)), 200)
    await deliver(id, first.resolve)
    await until('the modification arrives', () => receiver.calls.length === 2)
    first.resolve()
    assert.deepEqual(
      receiver.calls
        .map((call) => Object(sentIn(call)['paymentcarddetail']))
        .map(({ CardNumber, cvv }) => [CardNumber, cvv]),
      [
        [card.number, card.cvv],
        ['5555555555554444', '481'],
      ],
    )
    await until('its CVV is gone', async () => {
      const { rows } = await gateway.db.query(
        'select from reservation_card where reservation_id = $1 and cvv is not null',
        [id],
      )
      return rows.length === 0
    })
  })
void arrivesWithItsOwnCvv('is accepted', async (_id, answerNow) => answerNow())
void arrivesWithItsOwnCvv('is acknowledged', async (id) =>
  expectOk(
    await shop.supplier.post('/push/webhook/pushbook/ack', {
      reservations: [{ reservation_id: id, reservation_version: '1' }],
    }),
  ),
)

test('a worker that stops claims nothing more, and lets calls finish', async () => {
  const stage: DeliveryTest = await startDeliveryTest()
  const answers: (() => void)[] = []
  const slow = await startReceiver((socket, call) => {
    const answer = () => socket.write(httpAnswer(200, '{}'))
    if (namedIn(call).length === 0) answer()
    else answers.push(answer)
  })
  try {
    const supplier = await stage.supplierAt('finishing', `http://127.0.0.1:${slow.port}/book`)
    // A claim in progress when the worker is told to stop may still find deliveries to the first one's URL.
    const other = await stage.supplierAt('late', `http://127.0.0.1:${slow.port}/late`)
    const stopping = stage.worker({ callsFinishWithinMs: minutes(2) })
    for (const { endpoint } of await book(stage.gateway, supplier, { count: 2 }))
      stopping.bell.ring({ endpoint })
    await until('both are under way', () => answers.length === 2)
    const closed = stopping.close()
    for (const { endpoint } of await book(stage.gateway, other)) stopping.bell.ring({ endpoint })
    for (const answer of answers) answer()
    await closed
    assert.deepEqual(await standings(stage), [
      { status: 'delivered', lane: 'first', retries: 0, isDue: false, outcome: 'accepted' },
      { status: 'delivered', lane: 'first', retries: 0, isDue: false, outcome: 'accepted' },
      { status: 'queued', lane: 'first', retries: 0, isDue: true, outcome: null },
    ])
    assert.deepEqual(slow.calls.map(namedIn).filter((named) => named.length > 0).length, 2)
  } finally {
    await stage.stop()
    await slow.close()
  }
})

test('a worker that stops gives up calls that take too long, and leaves them due at once', async () => {
  const stage: DeliveryTest = await startDeliveryTest()
  const silent = await startReceiver((socket, call) => {
    if (namedIn(call).length === 0) socket.write(httpAnswer(200, '{}'))
  })
  try {
    const supplier = await stage.supplierAt('stopping', `http://127.0.0.1:${silent.port}/book`)
    const stopping = stage.worker()
    for (const { endpoint } of await book(stage.gateway, supplier)) stopping.bell.ring({ endpoint })
    await until('it is under way', () => silent.calls.length === 2)
    await stopping.close()
    assert.deepEqual(await standings(stage), [
      { status: 'queued', lane: 'first', retries: 0, isDue: true, outcome: 'cancelled' },
    ])
  } finally {
    await stage.stop()
    await silent.close()
  }
})

/** The state of every delivery, with the outcomes of its calls. */
async function standings(stage: DeliveryTest): Promise<unknown[]> {
  const { rows } = await stage.gateway.db.query(
    `select status, lane, retries, (due_at <= to_timestamp($1::float8 / 1000)) as "isDue",
       (select outcome from delivery_attempt where delivery_id = delivery.id) as outcome
     from delivery order by status, attempts`,
    [stage.gateway.clock.now()],
  )
  return rows
}
