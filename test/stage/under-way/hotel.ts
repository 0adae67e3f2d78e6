import assert from 'node:assert/strict'
import { after } from 'node:test'
import { setAccount } from '../../../src/keys/suppliers.ts'
import {
  client,
  gatewayForTests,
  type Reply,
  type TestClient,
  type TestGateway,
  type TestSupplier,
} from '../harness.ts'
import { minutes } from '../pace.ts'
import { bookingBody, expectStatus, idOf, room, vat } from '../scenes/booking.ts'
import { cursorOfNow } from '../scenes/changes.ts'
import { httpAnswer, startReceiver, type Receiver } from '../servers/receiver.ts'
import { expectOk, product, storyHotel } from '../story.ts'

/**
 * A hotel in Paris on 1 March 2027 with everything under way at once: prices for guests in April under a sequence, a push
 * that can be undone, a price that the guard holds, a booking under its Idempotency-Key with a card, whose delivery waits,
 * prices from which the supplier's own ones differ.
 */

export type Fields = Record<string, unknown>

export type UnderWay = {
  gateway: TestGateway
  supplier: TestSupplier
  platform: TestClient
  /** Its URLs: reservations are answered 500, price checks as `live` says. */
  receiver: Receiver
  live: { answer: (request: Fields) => Promise<[status: number, body: unknown]> }
  /** Of the booking. */
  reservationId: string
  booked: Reply
  /** The revision of the push that can be undone. */
  mistake: number
  holdId: string
  /** Of the change feed, after all that. */
  cursor: string
}

export const april = { startDate: '2027-04-01', endDate: '2027-04-30' }
export const family = room({ adults: 2, childAges: [5] })
export const flexible = {
  code: 'FLEX',
  cancelPenalties: [
    {
      cancelDeadline: { offsetTimeUnit: 'D', offsetTimeValue: 2, deadline: '18:00' },
      penaltyCharge: { chargeBase: 'NightBase', nights: 1 },
    },
  ],
}
export const card = {
  holderName: 'Ada Lovelace',
  type: 'VI',
  number: '4111111111111111',
  expiry: '01/2030',
}

export function gatewayUnderWay(): Promise<TestGateway> {
  return gatewayForTests({
    vaultKey: Buffer.alloc(32, 7),
    allowPrivate: true,
    resolve: async () => ['127.0.0.1'],
    outbound: { reach: (vetted) => vetted },
    checkBudgetMs: minutes(1),
    callWithinMs: minutes(1),
  })
}

export async function pushHotel({ supplier }: Pick<UnderWay, 'supplier'>, more: Fields = {}): Promise<Reply> {
  return expectOk(await supplier.post('/push/hotels', [storyHotel(more)]))
}

export async function pushProduct(
  { supplier }: Pick<UnderWay, 'supplier'>,
  more: Fields = {},
): Promise<Reply> {
  const products = [product('DBL', 'BAR', { cancelPolicies: [flexible], ...more })]
  return expectOk(await supplier.post('/push/products', { hotelId: 'H1', products }))
}

export async function pushTaxes({ supplier }: Pick<UnderWay, 'supplier'>, taxes: unknown[]): Promise<Reply> {
  return expectOk(await supplier.post('/push/taxes', { hotelId: 'H1', taxes }))
}

export function pushAri(
  { supplier }: Pick<UnderWay, 'supplier'>,
  item: Fields,
  more: Fields = {},
  headers: Record<string, string> = {},
): Promise<Reply> {
  const body = { hotelId: 'H1', pricingModel: 'guest', ari: [{ roomId: 'DBL', ...item }], ...more }
  return supplier.post('/push/ari', body, headers)
}

export const adults = (guests: number, amount: number | null): Fields => ({
  ageCategory: 'adult',
  guests,
  amount,
})
export const guestPrices = [adults(1, 90), adults(2, 110), { ageCategory: 'child', guests: 1, amount: 15 }]
export const bar = (...prices: Fields[]): Fields => ({ rates: [{ rateId: 'BAR', prices }] })

/** The first push, and its key: a repeat gets its answer. */
export const firstKey = { 'idempotency-key': 'first' }
export const pushFirst = (way: Pick<UnderWay, 'supplier'>): Promise<Reply> =>
  pushAri(
    way,
    { ...april, inventory: 20, rates: [{ rateId: 'BAR', minLengthStay: 2, prices: guestPrices }] },
    { sequence: 10 },
    firstKey,
  )

export const bookOnce = ({ supplier, platform }: Pick<UnderWay, 'supplier' | 'platform'>): Promise<Reply> =>
  platform.post('/booking/reservations', bodyOf(supplier, { payment: { type: 'Hotel Collect', card } }), {
    'idempotency-key': `book-${supplier.name}`,
  })

export function bodyOf(supplier: TestSupplier, more: Fields = {}): Fields {
  return bookingBody(supplier.name, { rooms: [family], payment: { type: 'Hotel Collect' }, ...more })
}

let hotels = 0

export async function underWay(gateway: TestGateway): Promise<UnderWay> {
  const supplier = await gateway.supplier(`UnderWay-${++hotels}`, { requestsPerMinute: 0 })
  await pushHotel({ supplier })
  await pushProduct({ supplier })
  await pushTaxes({ supplier }, [vat])
  expectOk(await pushFirst({ supplier }))
  const wrong = { date: '2027-04-25', ...bar(adults(2, 111)) }
  const mistake = Number(expectOk(await pushAri({ supplier }, wrong, { sequence: 11 })).body['revision'])
  const rules = [{ kind: 'priceDrop', percent: 30, action: 'hold' }]
  expectOk(await supplier.post('/push/guard', { hotelId: 'H1', rules }))
  const held = await pushAri({ supplier }, { date: '2027-04-26', ...bar(adults(2, 11)) }, { sequence: 12 })
  const [{ holds }] = Object(expectStatus(held, 207).body['results'])
  await setAccount(gateway.db, supplier.name, { deliversCards: true, onFailure: 'use_stored' })

  const live: UnderWay['live'] = { answer: async () => [404, {}] }
  const receiver = await startReceiver((socket, { line, body }) => {
    const answer = line.includes('/check')
      ? live.answer(JSON.parse(body.toString()))
      : Promise.resolve<[number, unknown]>([500, {}])
    void answer.then(([status, sent]) => socket.write(httpAnswer(status, JSON.stringify(sent))))
  })
  after(() => receiver.close())
  const url = `http://pms.example.com:${receiver.port}`
  expectOk(await supplier.post('/push/webhook/pushbook', { webhook: `${url}/book` }))
  expectOk(await supplier.post('/push/webhook/availability', { webhook: `${url}/check` }))

  const platform = client(gateway.url, { authorization: `Bearer ${await gateway.token('platform')}` })
  await checkThreeNights({ supplier, platform, live })
  const booked = await bookOnce({ supplier, platform })
  const reservationId = idOf(booked)
  const holdId = String(holds[0].holdId)
  const cursor = await cursorOfNow(gateway, platform)
  return { gateway, supplier, platform, receiver, live, reservationId, booked, mistake, holdId, cursor }
}

/** The supplier's own price is 20.00 a night more. */
async function checkThreeNights({
  supplier,
  platform,
  live,
}: Pick<UnderWay, 'supplier' | 'platform' | 'live'>): Promise<void> {
  const silent = live.answer
  const [amountBeforeTax, amountAfterTax] = [130, 141].map((amount) => [amount, amount, amount])
  const roomRate = {
    roomId: 'DBL',
    rateId: 'BAR',
    currency: 'USD',
    inventory: 9,
    amountBeforeTax,
    amountAfterTax,
  }
  live.answer = async () => [200, { roomRate }]
  const nights = { checkin: '2027-04-10', checkout: '2027-04-13', roomCount: 1, adultCount: 2, childAges: [] }
  const reply = await platform.post('/booking/priceCheck', {
    hotel: { supplier: supplier.name, hotelId: 'H1' },
    roomId: 'DBL',
    rateId: 'BAR',
    ...nights,
  })
  assert.equal(expectOk(reply).body['outcome'], 'price_changed')
  live.answer = silent
}
