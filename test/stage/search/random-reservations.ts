import assert from 'node:assert/strict'
import { runHourly } from '../../../src/deliveries/worker/hourly-run.ts'
import type { TestClient, TestGateway, TestSupplier } from '../harness.ts'
import { Chance } from '../models/ari-operations.ts'
import { ada, changeAsAsked, expectStatus, idOf, platformOf, room, vat } from '../scenes/booking.ts'
import { expectOk, product, storyHotel } from '../story.ts'

/** Reservations of several suppliers and hotels in all states, made by the platform and the suppliers. */

export type Found = Record<string, unknown> & {
  reservationId: string
  platformHotelId: string
  supplier: string
  hotelId: string
  hotelName: string
  status: 'Confirm' | 'Cancel'
  checkin: string
  checkout: string
  currency: string
  rooms: unknown[]
  customer: { email?: string }
  total: { afterTax: string }
  penalty: { amount: string; unknown?: string[] } | null
  createdAt: string
  modifiedAt: string
  delivery: { status: string }
}

export type SearchedStore = { platform: TestClient; suppliers: TestSupplier[]; all: Found[]; chance: Chance }

export const emails = [
  'ada@guest.example',
  'Bo.Li@Guest.example',
  'carl@other.example',
  'nobody@guest.example',
]
const hotels = [
  { hotelId: 'H1', hotelName: 'Sea View', currency: 'USD' },
  { hotelId: 'H2', hotelName: 'Mill', currency: 'JPY', timezone: 'Asia/Tokyo' },
]
const firstDay = Date.parse('2027-04-01T00:00:00Z')
const dayMs = 86_400_000
const dateOf = (dayMsAt: number): string => new Date(dayMsAt).toISOString().slice(0, 10)

/** Books `count` reservations over ten days; some are changed, cancelled, acknowledged or given up. */
export async function randomReservations(
  gateway: TestGateway,
  { count, seed }: { count: number; seed: number },
): Promise<SearchedStore> {
  const chance = new Chance(seed)
  const platform = await platformOf(gateway)
  const suppliers: TestSupplier[] = []
  for (const name of ['Acme', 'Bay Hotels', 'Zeta']) suppliers.push(await supplierOf(gateway, name))
  const made: { id: string; supplier: TestSupplier; body: Record<string, unknown> }[] = []
  const bornMs = gateway.clock.now()
  for (let index = 0; index < count; index++) {
    gateway.clock.set(new Date(bornMs + Math.floor((index * 10 * dayMs) / count)).toISOString())
    const supplier = suppliers[chance.below(suppliers.length)] ?? assert.fail()
    const body = randomBody(chance, supplier.name)
    const booked = expectStatus(await platform.post('/booking/reservations', body), 201)
    made.push({ id: idOf(booked), supplier, body })
    const one = made[chance.below(made.length)]
    if (one) await happen(chance, platform, one)
  }
  await endDeliveries(gateway)
  const all: Found[] = []
  for (const { id } of made) {
    const { reservation } = expectOk(await platform.get(`/booking/reservations/${id}`)).body
    // The boundary: the answer of the service.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    all.unshift(reservation as Found)
  }
  return { platform, suppliers, all, chance }
}

async function supplierOf(gateway: TestGateway, name: string): Promise<TestSupplier> {
  const supplier = await gateway.supplier(name, { requestsPerMinute: 0 })
  for (const hotel of hotels) {
    const { hotelId } = hotel
    expectOk(await supplier.post('/push/hotels', [storyHotel(hotel)]))
    const cancelPenalties = [{ penaltyCharge: { chargeBase: 'FullStay', percent: 50 } }]
    const products = [
      product('DBL', 'BAR', { cancelPolicies: [{ code: 'HALF', cancelPenalties }] }),
      product('DBL', 'NRF'),
    ]
    expectOk(await supplier.post('/push/products', { hotelId, products }))
    expectOk(await supplier.post('/push/taxes', { hotelId, taxes: [vat] }))
    const rates = [
      { rateId: 'BAR', price: 101 },
      { rateId: 'NRF', price: 83 },
    ]
    const nights = { roomId: 'DBL', startDate: '2027-04-01', endDate: '2027-06-30', inventory: 9_999, rates }
    expectOk(await supplier.post('/push/ari', { hotelId, pricingModel: 'unit', ari: [nights] }))
  }
  return supplier
}

function randomBody(chance: Chance, supplier: string): Record<string, unknown> {
  const checkin = firstDay + chance.below(40) * dayMs
  const email = emails[chance.below(emails.length + 1)]
  const rooms = Array.from({ length: 1 + chance.below(3) }, () =>
    room({ rateId: chance.below(2) === 0 ? 'BAR' : 'NRF', adults: 1 + chance.below(2) }),
  )
  return {
    hotel: { supplier, hotelId: chance.below(2) === 0 ? 'H1' : 'H2' },
    checkin: dateOf(checkin),
    checkout: dateOf(checkin + (1 + chance.below(5)) * dayMs),
    rooms,
    customer: { ...ada, ...(email === undefined ? {} : { email }) },
    payment: { type: 'Channel Collect' },
  }
}

type Made = { id: string; supplier: TestSupplier; body: Record<string, unknown> }

/** Nothing, a change, a cancellation or an acknowledgement. */
async function happen(chance: Chance, platform: TestClient, { id, supplier, body }: Made): Promise<void> {
  const path = `/booking/reservations/${id}`
  const { reservation } = expectOk(await platform.get(path)).body
  const { status, version } = Object(reservation)
  const what = chance.below(4)
  if (what === 1 && status === 'Confirm') {
    const other = randomBody(chance, supplier.name)
    const changed = { ...other, hotel: body['hotel'] }
    expectOk(await changeAsAsked(platform, id, changed))
  }
  if (what === 2) expectOk(await platform.post(`${path}/cancel`, {}))
  if (what === 3) {
    const reservations = [{ reservation_id: id, reservation_version: String(version) }]
    expectOk(await supplier.post('/push/webhook/pushbook/ack', { reservations }))
  }
}

/** What nobody took for three days is given up; a process is about to send some of the rest. */
async function endDeliveries({ db, clock }: TestGateway): Promise<void> {
  await runHourly({ db, clock, vault: { openableKeyIds: () => [] } })
  await db.query(
    `update delivery set status = 'sending', attempts = 1, leased_until = to_timestamp($1::float8 / 1000) + interval '1 hour'
     where status = 'queued' and reservation_id % 3 = 0`,
    [clock.now()],
  )
}
