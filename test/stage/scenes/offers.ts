import { client, type Reply, type TestClient, type TestGateway, type TestSupplier } from '../harness.ts'
import { expectOk, pushStoryHotel } from '../story.ts'

/** Searches offers of the story's hotel. */

export type Fields = Record<string, unknown>

export const april = { startDate: '2027-04-01', endDate: '2027-04-30' }
export const adults2 = [{ ageCategory: 'adult', guests: 2, amount: 110 }]

export async function push(supplier: TestSupplier, ari: Fields[], more: Fields = {}): Promise<Reply> {
  return expectOk(await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'guest', ari, ...more }))
}

/** Five units of DBL in April, at 110 for two adults with BAR; NRF has no price. */
export async function pushApril(supplier: TestSupplier): Promise<void> {
  await push(supplier, [
    { roomId: 'DBL', ...april, inventory: 5, rates: [{ rateId: 'BAR', prices: adults2 }] },
  ])
}

export const threeNights = { checkin: '2027-04-20', checkout: '2027-04-23', rooms: [{ adults: 2 }] }

/** The parts of an answer that tests read; whole answers are compared as they are. */
export type Rule = Fields & { rule: string; pass: boolean; of?: string }
export type Unavailable = { rateId: string; rules: Rule[]; nearest?: Fields }
export type Offer = Fields & {
  rateId: string
  unitsLeft: number
  total: Fields
  cancelPolicy: Fields
  fees: unknown
  trace: unknown
}
export type Hotel = Fields & { platformHotelId: string; offers: Offer[]; unavailable: Unavailable[] }

export type OffersStage = {
  platform: TestClient
  /** A supplier with the hotel of most tests. */
  storySupplier: (hotel?: Fields) => Promise<TestSupplier>
  find: (supplier: TestSupplier, more?: Fields, caller?: TestClient) => Promise<Hotel>
  /** The rates on offer, with their total prices. */
  pricesOf: (supplier: TestSupplier, more?: Fields, caller?: TestClient) => Promise<Fields>
}

export async function offersStage(gateway: TestGateway): Promise<OffersStage> {
  const platform = client(gateway.url, { authorization: `Bearer ${await gateway.token('platform')}` })
  let suppliers = 0
  const find: OffersStage['find'] = async (supplier, more = {}, caller = platform) => {
    const hotels = [{ supplier: supplier.name, hotelId: 'H1' }]
    const reply = expectOk(await caller.post('/booking/offers', { hotels, ...threeNights, ...more }))
    return Object(reply.body)['hotels'][0]
  }
  return {
    platform,
    storySupplier: async (hotel = {}) => {
      const supplier = await gateway.supplier(`offers ${++suppliers}`)
      await pushStoryHotel(supplier, hotel)
      return supplier
    },
    find,
    pricesOf: async (supplier, more = {}, caller = platform) => {
      const { offers } = await find(supplier, more, caller)
      return Object.fromEntries(offers.map((offer) => [offer.rateId, offer.total.afterTax]))
    },
  }
}

export const vat = {
  type: 'VAT',
  valueType: '%',
  value: 10,
  appliedOn: 'net',
  appliedPer: 'per_room_per_night',
  included: true,
  payNow: true,
}
export const cityTax = {
  type: 'CITY_TAX',
  valueType: 'fixed',
  value: 2.5,
  appliedOn: 'net',
  appliedPer: 'per_person_per_night',
  included: false,
  payNow: false,
}
