import assert from 'node:assert/strict'
import { client, type Reply, type TestClient, type TestGateway, type TestSupplier } from '../harness.ts'
import { expectOk, pushStoryHotel, untilTaken } from '../story.ts'

/** The story's hotel on sale in April 2027, and the platform that books it. */

export type Shop = { supplier: TestSupplier; platform: TestClient; book: Booking }

export type Booking = (more?: Record<string, unknown>, headers?: Record<string, string>) => Promise<Reply>

/** DBL at 100.00 with BAR and 80.00 with NRF, two units, with 10 % VAT on top. */
export async function openShop(gateway: TestGateway, name = 'Acme', ari = {}): Promise<Shop> {
  const supplier = await gateway.supplier(name)
  const setUp = untilTaken(supplier)
  await pushStoryHotel(setUp)
  expectOk(await setUp.post('/push/taxes', { hotelId: 'H1', taxes: [vat] }))
  await pushNights(setUp, ari)
  const platform = await platformOf(gateway)
  return { supplier, platform, book: bookingBy(platform, name) }
}

export async function platformOf(gateway: TestGateway): Promise<TestClient> {
  return client(gateway.url, { authorization: `Bearer ${await gateway.token('platform')}` })
}

export const vat = {
  type: 'VAT',
  valueType: '%',
  value: 10,
  appliedOn: 'net',
  appliedPer: 'per_room_per_night',
  included: false,
  payNow: true,
}

export async function pushNights(supplier: TestSupplier, more: Record<string, unknown> = {}): Promise<void> {
  const item = {
    roomId: 'DBL',
    startDate: '2027-04-01',
    endDate: '2027-04-30',
    inventory: 2,
    rates: [
      { rateId: 'BAR', price: 100 },
      { rateId: 'NRF', price: 80 },
    ],
    ...more,
  }
  expectOk(await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari: [item] }))
}

/** The same nights of BAR with a price for each number of adults. */
export async function pushGuestNights(
  supplier: TestSupplier,
  amounts: readonly number[],
  more: Record<string, unknown> = {},
): Promise<void> {
  const prices = amounts.map((amount, index) => ({ guests: index + 1, ageCategory: 'adult', amount }))
  const { rate = {}, ...ofRoom } = more
  const item = {
    roomId: 'DBL',
    startDate: '2027-04-01',
    endDate: '2027-04-30',
    ...ofRoom,
    rates: [{ rateId: 'BAR', prices, ...Object(rate) }],
  }
  expectOk(await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'guest', ari: [item] }))
}

export const ada = { firstName: 'Ada', lastName: 'Lovelace' }

export function room(more: Record<string, unknown> = {}): Record<string, unknown> {
  return { roomId: 'DBL', rateId: 'BAR', adults: 2, childAges: [], guest: ada, ...more }
}

/** Two nights for one room, by default. */
export function bookingBody(supplier: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    hotel: { supplier, hotelId: 'H1' },
    checkin: '2027-04-20',
    checkout: '2027-04-22',
    rooms: [room()],
    customer: ada,
    payment: { type: 'Channel Collect' },
    ...more,
  }
}

export function bookingBy(platform: TestClient, supplier: string): Booking {
  return (more = {}, headers = {}) =>
    platform.post('/booking/reservations', bookingBody(supplier, more), headers)
}

/** Sends a change with what its dry run asks the guest for. */
export async function changeAsAsked(
  platform: TestClient,
  id: string,
  body: Record<string, unknown>,
): Promise<Reply> {
  const path = `/booking/reservations/${id}`
  const dry = expectOk(await platform.put(path, { ...body, dryRun: true }))
  return platform.put(path, { ...body, ...Object(dry.body['asks']) })
}

export function expectStatus(reply: Reply, status: number): Reply {
  assert.equal(reply.status, status, reply.text)
  return reply
}

/** Returns the refusal of a booking, and asserts that it left reservations and inventory unchanged. */
export async function expectRefusal(
  gateway: TestGateway,
  ask: () => Promise<Reply>,
  status = 409,
): Promise<Reply> {
  const stored = async () => [await versionsStored(gateway), await unitsLeft(gateway)]
  const before = await stored()
  const reply = expectStatus(await ask(), status)
  assert.deepEqual(await stored(), before)
  return reply
}

async function versionsStored({ db }: TestGateway): Promise<number> {
  const { rows } = await db.query<{ count: number }>('select count(*)::int as count from reservation_version')
  return rows[0]?.count ?? 0
}

/** The delivery of what was just booked, where the supplier has no URL. */
export const notSent = {
  status: 'queued',
  since: '2027-03-01T12:00:00.000Z',
  attempts: 0,
  nextAttemptAt: null,
  error: 'no_url',
}

/** The id of a booking, which must have succeeded. */
export function idOf(reply: Reply): string {
  return String(expectStatus(reply, 201).body['reservationId'])
}

/** The units that a supplier's DBL has left on three nights from 20 April. */
export async function unitsLeft(gateway: TestGateway, supplier = 'Acme'): Promise<number[]> {
  const { rows } = await gateway.db.query<{ inventory: number }>(
    `select inventory::int from ari_night join hotel on hotel.id = hotel_id
       join supplier on supplier.id = hotel.supplier_id
     where supplier.name = $1 and rate_no = 0 and night between '2027-04-20' and '2027-04-22' order by night`,
    [supplier],
  )
  return rows.map(({ inventory }) => inventory)
}
