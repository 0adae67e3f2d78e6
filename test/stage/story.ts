import assert from 'node:assert/strict'
import type { Reply, TestClient } from './harness.ts'
import { until } from './pace.ts'

/**
 * The same client, which pushes again while it is refused for the store's sake, as a starved store may: for a
 * test's setting, not for what it asserts.
 */
export function untilTaken<Client extends TestClient>(client: Client): Client {
  const post: TestClient['post'] = async (...call) => {
    let reply = await client.post(...call)
    await until(async () => reply.status !== 503 || (reply = await client.post(...call)).status !== 503)
    return reply
  }
  return { ...client, post }
}

/**
 * The hotel of most tests: H1 in Paris, sold in US dollars, room DBL with rates BAR and NRF, for up to 3
 * guests.
 */
export async function pushStoryHotel(
  supplier: TestClient,
  hotel: Record<string, unknown> = {},
): Promise<void> {
  expectOk(await supplier.post('/push/hotels', [storyHotel(hotel)]))
  const hotelId = hotel['hotelId'] ?? 'H1'
  expectOk(
    await supplier.post('/push/products', {
      hotelId,
      products: [product('DBL', 'BAR'), product('DBL', 'NRF')],
    }),
  )
}

export function storyHotel(more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    hotelId: 'H1',
    hotelName: 'Sea View',
    currency: 'USD',
    isAvailable: true,
    minChildAge: 2,
    maxChildAge: 12,
    timezone: 'Europe/Paris',
    ...more,
  }
}

export function product(
  roomId: string,
  rateId: string,
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    roomId,
    roomType: 'Double',
    rateId,
    roomName: `Room ${roomId}`,
    rateName: `Rate ${rateId}`,
    isAvailable: true,
    mealPlan: 'RO',
    occupancy: { maxOccupancy: 3, maxAdult: 2, maxChild: 2 },
    ...more,
  }
}

export function expectOk(reply: Reply): Reply {
  assert.equal(reply.status, 200, reply.text)
  return reply
}

/** The problems of an error answer as [path, type, message], the parts on which a supplier acts. */
export function problemsOf(reply: Reply): unknown[] {
  const errors = Array.isArray(reply.body['errors']) ? reply.body['errors'] : []
  return errors.map((error: Record<string, unknown>) => [error['path'], error['type'], error['message']])
}

const pagesMax = 1_000

/** All pages of a list, read one after another by their cursors. The path already has a query. */
export async function pagesOf(client: TestClient, path: string): Promise<Record<string, unknown>[]> {
  const pages: Record<string, unknown>[] = []
  let cursor = ''
  while (pages.length < pagesMax) {
    const { body } = expectOk(await client.get(`${path}${cursor}`))
    pages.push(body)
    const { nextCursor: next } = body
    if (next === null) return pages
    assert.ok(typeof next === 'string')
    cursor = `&cursor=${next}`
  }
  throw new Error(`${path} has no last page`)
}
