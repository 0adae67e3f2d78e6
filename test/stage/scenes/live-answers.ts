import { after } from 'node:test'
import { client, gatewayForTests, type Reply, type TestClient, type TestGateway } from '../harness.ts'
import { minutes, until } from '../pace.ts'
import { httpAnswer, startReceiver } from '../servers/receiver.ts'
import { expectOk } from '../story.ts'
import { openShop, type Shop } from './booking.ts'
import { asPushed } from './price-checks.ts'

/** A shop whose supplier answers price checks with what the test tells it, and the next guest's search. */

export type Fields = Record<string, unknown>

/** Members of the answer that differ from what was pushed; a number: an error status. */
export type Says = Fields | number

export type LiveShop = Shop & {
  name: string
  /** What the supplier answers from now on; `before` runs before each answer. */
  says: (says: Says, before?: () => Promise<unknown>) => void
  /** How often it was asked. */
  asked: () => number
  check: (more?: Fields, by?: TestClient) => Promise<Reply>
  /** The offers of a search, by room and rate. */
  offers: (more?: Fields, by?: TestClient) => Promise<Record<string, Fields>>
  /** Until a search no longer offers the stay. */
  untilForgone: (more?: Fields, by?: TestClient) => Promise<void>
}

export const twoNights = { checkin: '2027-04-20', checkout: '2027-04-22' }
export const soldOut = { inventory: 0 }

export function gatewayForLiveAnswers(): Promise<TestGateway> {
  return gatewayForTests({
    allowPrivate: true,
    resolve: async () => ['127.0.0.1'],
    outbound: { reach: (vetted) => vetted },
    checkBudgetMs: minutes(1),
  })
}

export async function liveShop(gateway: TestGateway, name: string): Promise<LiveShop> {
  const shop = await openShop(gateway, name, { inventory: 5 })
  let now: Says = {}
  let first = async (): Promise<unknown> => undefined
  const answer = (body: Buffer): string => {
    const { roomId, rateId, checkin, checkout } = JSON.parse(body.toString())
    if (typeof now === 'number') return httpAnswer(now, '{}')
    const nights = (Date.parse(checkout) - Date.parse(checkin)) / 86_400_000
    const each = (amount: number): number[] => Array.from({ length: nights || 1 }, () => amount)
    const price = rateId === 'NRF' ? { net: 80, gross: 88 } : { net: 100, gross: 110 }
    const pushed = { amountBeforeTax: each(price.net), amountAfterTax: each(price.gross) }
    const roomRate = { ...asPushed, roomId, rateId, ...pushed, ...now }
    return httpAnswer(200, JSON.stringify({ roomRate }))
  }
  const receiver = await startReceiver(
    (socket, { body }) => void first().then(() => socket.write(answer(body))),
  )
  after(() => receiver.close())
  const webhook = `http://pms.example.com:${receiver.port}/check`
  expectOk(await shop.supplier.post('/push/webhook/availability', { webhook }))
  receiver.calls.length = 0
  const hotel = { supplier: name, hotelId: 'H1' }
  const offers: LiveShop['offers'] = async (more = {}, by = shop.platform) => {
    const asked = { hotels: [hotel], ...twoNights, rooms: [{ adults: 2 }], ...more }
    const { body } = expectOk(await by.post('/booking/offers', asked))
    const found: Fields[] = Object(body['hotels'])[0].offers
    return Object.fromEntries(
      found.map((offer) => [`${String(offer['roomId'])}/${String(offer['rateId'])}`, offer]),
    )
  }
  return {
    ...shop,
    name,
    says: (says, before = async () => undefined) => {
      now = says
      first = before
    },
    asked: () => receiver.calls.length,
    check: async (more = {}, by = shop.platform) =>
      expectOk(
        await by.post('/booking/priceCheck', {
          hotel,
          ...twoNights,
          roomId: 'DBL',
          rateId: 'BAR',
          adultCount: 2,
          ...more,
        }),
      ),
    offers,
    untilForgone: (more, by) => until(async () => !('DBL/BAR' in (await offers(more, by)))),
  }
}

/** The platform at another process of the service. */
export async function platformAt(gateway: TestGateway, other: TestGateway): Promise<TestClient> {
  return client(other.url, { authorization: `Bearer ${await gateway.token('platform')}` })
}
