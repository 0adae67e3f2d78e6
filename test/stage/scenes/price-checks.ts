import { after } from 'node:test'
import {
  client,
  gatewayForTests,
  type Reply,
  type TestClient,
  type TestGateway,
  type TestSupplier,
} from '../harness.ts'
import { nightAhead } from '../nights.ts'
import { minutes } from '../pace.ts'
import { httpAnswer, startReceiver, type Behaviour, type Receiver } from '../servers/receiver.ts'
import { expectOk, pushStoryHotel } from '../story.ts'

/** Suppliers whose URL answers price checks, and the platform that asks for them. */

export type LiveRoomRate = Record<string, unknown>

/** The pushed price: 100.00 a night, plus 10 %. */
export const asPushed: LiveRoomRate = {
  roomId: 'DBL',
  rateId: 'BAR',
  currency: 'USD',
  inventory: 5,
  amountBeforeTax: [100, 100],
  amountAfterTax: [110, 110],
}

export const answering =
  (roomRate: LiveRoomRate, afterMs = 0): Behaviour =>
  (socket) =>
    void setTimeout(() => socket.write(httpAnswer(200, JSON.stringify({ roomRate }))), afterMs)
export type CheckedSupplier = { supplier: TestSupplier; receiver: Receiver; signingSecret: string }

export type PriceCheckStage = {
  platform: TestClient
  /** A supplier with H1, DBL/BAR at 100 a night plus 10 % VAT, five units, and a URL that behaves as given. */
  supplierWith: (behave: Behaviour | undefined) => Promise<CheckedSupplier>
  check: (supplier: TestSupplier, more?: Record<string, unknown>, by?: TestClient) => Promise<Reply>
  /** Closed after the tests. */
  receivers: Receiver[]
}

/** A service that calls receivers on this machine by its own clock, and waits for them as long as a busy one needs. */
export function gatewayForPriceChecks(): Promise<TestGateway> {
  return gatewayForTests({
    allowPrivate: true,
    systemTime: true,
    resolve: async () => ['127.0.0.1'],
    outbound: { reach: (vetted) => vetted },
    checkBudgetMs: minutes(1),
  })
}

export async function priceCheckStage(gateway: TestGateway): Promise<PriceCheckStage> {
  const platform = client(gateway.url, { authorization: `Bearer ${await gateway.token('platform')}` })
  const receivers: Receiver[] = []
  after(async () => {
    for (const receiver of receivers) await receiver.close()
  })
  let suppliers = 0
  return {
    platform,
    receivers,
    supplierWith: async (behave) => {
      const supplier = await gateway.supplier(`Checked ${++suppliers}`)
      await pushStoryHotel(supplier)
      const vat = {
        type: 'VAT',
        valueType: '%',
        value: 10,
        appliedOn: 'net',
        appliedPer: 'per_room_per_night',
      }
      expectOk(
        await supplier.post('/push/taxes', {
          hotelId: 'H1',
          taxes: [{ ...vat, included: false, payNow: true }],
        }),
      )
      await pushPrice(supplier, 100)
      const receiver = await startReceiver(behave)
      receivers.push(receiver)
      const url = `http://pms.example.com:${receiver.port}/check`
      const saved =
        behave && expectOk(await supplier.post('/push/webhook/availability', { webhook: url })).body
      // Drop the ping of the registration.
      receiver.calls.length = 0
      return { supplier, receiver, signingSecret: String(saved?.['signingSecret']) }
    },
    check: (supplier, more = {}, by = platform) =>
      by.post('/booking/priceCheck', {
        hotel: { supplier: supplier.name, hotelId: 'H1' },
        ...stay,
        ...more,
      }),
  }
}

export async function pushPrice(supplier: TestSupplier, price: number, requestId = 'prices'): Promise<void> {
  const nights = { startDate: nightAhead(1), endDate: nightAhead(30) }
  const ari = [{ roomId: 'DBL', ...nights, inventory: 5, rates: [{ rateId: 'BAR', price }] }]
  expectOk(
    await supplier.post(
      '/push/ari',
      { hotelId: 'H1', pricingModel: 'unit', ari },
      { 'x-request-id': requestId },
    ),
  )
}

export const stay = {
  roomId: 'DBL',
  rateId: 'BAR',
  checkin: nightAhead(20),
  checkout: nightAhead(22),
  roomCount: 1,
  adultCount: 2,
  childAges: [5],
}

/** The members of an answer that don't differ between runs. */
export function outcomeOf({ body }: Reply): unknown {
  const { outcome, bookable, difference, failure } = Object(body)
  return { outcome, bookable, difference, failed: failure?.reason }
}
