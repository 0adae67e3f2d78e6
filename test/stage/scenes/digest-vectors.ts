import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { StoredNight } from '../../../packages/client/src/digest.ts'
import type { TestClient } from '../harness.ts'
import { expectOk, product, storyHotel } from '../story.ts'

/** The vectors of the guide “Finding differences”. */

export type Texts = { inv: string; res: string; pri: string }
type Vector = {
  title: string
  nights: StoredNight[]
  lines: Texts[]
  months: (Texts & { month: string })[]
  products: Texts[]
  hotel: Texts
}

export const samples = resolve(import.meta.dirname, '../../../docs/samples')
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- A file of our own; wrong content fails the tests.
export const vectors = JSON.parse(readFileSync(join(samples, 'ari-digest-vectors.json'), 'utf8')) as Vector[]

export function whatIsSet(entry: object): object {
  return Object.fromEntries(Object.entries(entry).filter(([, text]) => text !== ''))
}

export function hasDigests(entry: object): boolean {
  return 'inv' in entry || 'res' in entry || 'pri' in entry
}

/** As sorted texts: programs of other languages list in another order. */
export function inOrder(entries: readonly object[]): string[] {
  return entries.map((entry) => JSON.stringify(entry, Object.keys(entry).sort())).sort()
}

/** With products for all of the nights. */
export async function openHotel(
  supplier: TestClient,
  hotelId: string,
  nights: readonly StoredNight[],
): Promise<void> {
  expectOk(await supplier.post('/push/hotels', [storyHotel({ hotelId })]))
  const occupancy = { maxOccupancy: 20, maxAdult: 20, maxChild: 20 }
  const names = new Map([['DBL BAR', { roomId: 'DBL', rateId: 'BAR' }]])
  for (const { roomId, rateId = 'BAR' } of nights) names.set(`${roomId} ${rateId}`, { roomId, rateId })
  const products = [...names.values()].map(({ roomId, rateId }) => product(roomId, rateId, { occupancy }))
  expectOk(await supplier.post('/push/products', { hotelId, products }))
}
