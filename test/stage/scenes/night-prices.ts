import { openShop, type Shop } from './booking.ts'
import type { Reply, TestGateway } from '../harness.ts'
import { expectOk } from '../story.ts'
import { isRecord } from '../../../src/http/validation/validate.ts'

/** One night of a guarded hotel: pushes of its prices, and what is stored and held of them. */

export type Fields = Record<string, unknown>
export const recordsOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isRecord) : [])

export const day = '2027-04-10'
/** Totals by number of adults; null clears. */
export type Guests = Readonly<Record<number, number | null>>

let shops = 0
/** DBL with BAR at 100.00 a unit in April 2027. */
export async function openGuarded(gateway: TestGateway, rules?: Fields[], more: Fields = {}): Promise<Shop> {
  const shop = await openShop(gateway, `models ${++shops}`)
  if (rules) expectOk(await shop.supplier.post('/push/guard', { rules, ...more }))
  return shop
}

export function send({ supplier }: Shop, line: Fields, more: Fields): Promise<Reply> {
  return supplier.post('/push/ari', {
    hotelId: 'H1',
    ari: [{ roomId: 'DBL', date: day, rates: [{ rateId: 'BAR', ...line }] }],
    ...more,
  })
}

export function unit(shop: Shop, price: number | null, more: Fields = {}): Promise<Reply> {
  return send(shop, { price }, { pricingModel: 'unit', ...more })
}

export function guest(shop: Shop, totals: Guests, more: Fields = {}): Promise<Reply> {
  const lines = Object.entries(totals).map(([guests, amount]) => ({
    guests: Number(guests),
    ageCategory: 'adult',
    amount,
  }))
  return send(shop, { prices: lines }, { pricingModel: 'guest', ...more })
}

/** What is stored: the price of the unit, or those by adults. */
export async function prices({ supplier }: Shop): Promise<unknown> {
  const { body } = expectOk(
    await supplier.post('/push/getAri', { hotelId: 'H1', startDate: day, endDate: day }),
  )
  const rate = recordsOf(recordsOf(body['ari'])[0]?.['rates']).find(({ rateId }) => rateId === 'BAR')
  const lines = recordsOf(rate?.['prices'])
  if (rate?.['pricingModel'] === 'unit' || lines[0]?.['guests'] === undefined) return lines[0]?.['amount']
  return Object.fromEntries(lines.map(({ guests, amount }) => [guests, amount]))
}

export const statusOf = (reply: Reply): unknown => recordsOf(reply.body['results'])[0]?.['status']

export function holdIdsOf(reply: Reply): unknown[] {
  return recordsOf(recordsOf(reply.body['results'])[0]?.['holds']).map(({ holdId }) => holdId)
}

export function finish({ supplier }: Shop, how: 'release' | 'discard', reply: Reply): Promise<Reply> {
  return supplier.post(`/push/guard/${how}`, { hotelId: 'H1', holdIds: holdIdsOf(reply) })
}

export async function openHolds({ supplier }: Shop): Promise<number> {
  return recordsOf(expectOk(await supplier.post('/push/guard/holds', { hotelId: 'H1' })).body['holds']).length
}

export const floor = (action: string): Fields[] => [{ kind: 'priceFloor', amount: 70, action }]
export const drop: Fields[] = [{ kind: 'priceDrop', percent: 30, action: 'hold' }]
