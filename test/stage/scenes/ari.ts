import assert from 'node:assert/strict'
import type { Reply, TestClient, TestGateway, TestSupplier } from '../harness.ts'
import { expectOk, pushStoryHotel } from '../story.ts'

/** Pushes ARI for the story's hotel, and reads it back. */

let suppliers = 0

/** A new supplier with the story's hotel. */
export async function storySupplier(
  gateway: TestGateway,
  hotel: Record<string, unknown> = {},
): Promise<TestSupplier> {
  const supplier = await gateway.supplier(`supplier ${++suppliers}`)
  await pushStoryHotel(supplier, hotel)
  return supplier
}

export type Fields = Record<string, unknown>

/** Pushes items for H1 in the guest model; `more` overrides members. */
export function push(
  supplier: TestClient,
  ari: Fields | Fields[],
  more: Fields = {},
  headers: Record<string, string> = {},
): Promise<Reply> {
  return supplier.post(
    '/push/ari',
    { hotelId: 'H1', pricingModel: 'guest', ari: [ari].flat(), ...more },
    headers,
  )
}

export const adult = (guests: number, amount: unknown): Fields => ({ ageCategory: 'adult', guests, amount })
export const child = (guests: number, amount: unknown): Fields => ({ ageCategory: 'child', guests, amount })
export const bar = (line: Fields): Fields[] => [{ rateId: 'BAR', ...line }]
export const night = (date: string, item: Fields): Fields => ({ roomId: 'DBL', date, ...item })
export const nights = (startDate: string, endDate: string, item: Fields): Fields => ({
  roomId: 'DBL',
  startDate,
  endDate,
  ...item,
})

/** Each item as "status cells". */
export function outcomesOf({ body }: Reply): string[] {
  assert.ok(Array.isArray(body['results']), JSON.stringify(body))
  return body['results'].map(({ status, cellsChanged }) => `${status} ${cellsChanged}`)
}

export async function readAri(
  supplier: TestClient,
  startDate = '2027-04-01',
  endDate = '2027-04-30',
): Promise<unknown> {
  return expectOk(await supplier.post('/push/getAri', { hotelId: 'H1', startDate, endDate })).body['ari']
}

/** Every row that a push could write, with the version that PostgreSQL gives it at each write. */
