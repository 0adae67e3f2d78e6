import assert from 'node:assert/strict'
import { operatorOf, type OperatorCall } from '../scenes/calendar.ts'
import { platformOf } from '../scenes/booking.ts'
import { client, type Reply, type TestClient, type TestGateway } from '../harness.ts'
import { expectOk, product, storyHotel } from '../story.ts'
import { Chance, makeSequence, type HotelSpec, type Operation } from '../models/ari-operations.ts'
import { addDays } from '../models/naive-ari.ts'
import { undoPush } from './undos.ts'

/**
 * Random operations on small hotels, one after another over two processes. After each, the present ARI is read and
 * remembered; at the end all that was remembered is requested again as history.
 */

const supplierName = 'past'
const stepMs = 1_000
const pushesAtOnce = 4

export type Past = {
  gateway: TestGateway
  /** Two keys of the supplier, each at both processes: [process][key]. */
  clients: TestClient[][]
  platform: TestClient
  operator: OperatorCall
  /** Moves the clocks of both processes on. */
  tick: () => string
}

export async function openPast(gateway: TestGateway): Promise<Past> {
  const second = await gateway.second()
  const unlimited = { requestsPerMinute: 0 }
  const keys = [
    await gateway.supplier(supplierName, unlimited),
    await gateway.supplier(supplierName, unlimited),
  ]
  return {
    gateway,
    clients: [gateway, second].map(({ url }) =>
      keys.map(({ apiKey }) => client(url, { 'x-api-key': apiKey })),
    ),
    platform: await platformOf(gateway),
    operator: await operatorOf(gateway),
    tick: () => {
      const instant = new Date(gateway.clock.now() + stepMs).toISOString()
      gateway.clock.set(instant)
      second.clock.set(instant)
      return instant
    },
  }
}

export type Counted = {
  operations: number
  states: number
  bookings: number
  stops: number
  undos: number
  conflicts: number
}

/** What was read of a hotel at a moment. */
type State = { revision: number; currency: unknown; pricingModel: unknown; ari: unknown }
type Remembered = State & { time: string }

export async function proveRound(past: Past, seed: number): Promise<Counted> {
  const chance = new Chance(seed)
  const { hotels, operations } = makeSequence(seed, past.gateway.clock.now())
  const counted: Counted = { operations: 0, states: 0, bookings: 0, stops: 0, undos: 0, conflicts: 0 }
  const today = new Date(past.gateway.clock.now()).toISOString().slice(0, 10)
  const range = { startDate: addDays(today, -3), endDate: addDays(today, 762) }
  const remembered = hotels.map((): Remembered[] => [])
  const remember = async (): Promise<void> => {
    const time = past.tick()
    for (const [index, { hotelId }] of hotels.entries()) {
      const { body } = expectOk(await clientOf(past, chance).post('/push/getAri', { hotelId, ...range }))
      remembered[index]?.push({ ...stateOf(body), time })
    }
    past.tick()
  }
  const pushes = operations.filter(({ kind }) => kind === 'ari').slice(0, pushesAtOnce)
  await setUp(past, hotels, today)
  await remember()
  // Occupancy belongs to the products, which have no history.
  for (const operation of operations.filter(({ kind }) => kind !== 'products' && kind !== 'read')) {
    // Some at once, so that they are applied in one transaction.
    const others = operation.kind === 'ari' && chance.percent(15) ? pushes : []
    await Promise.all([operation, ...others].map((one) => send(past, hotels, one, chance)))
    await remember()
    counted.operations++
    const hotel = chance.of(hotels)
    const kind = chance.below(100)
    if (kind < 35) counted.bookings += await book(past, hotel, operation, chance)
    else if (kind < 45) counted.stops += (await stopSell(past, hotel, chance, today)).status === 200 ? 1 : 0
    else if (kind < 80) {
      const meanwhile = chance.percent(30) ? pushes.slice(0, 2) : []
      const { undos, conflicts } = await undoPush(
        clientOf(past, chance),
        { hotelId: hotel.hotelId, range },
        {
          chance,
          nowMs: past.gateway.clock.now(),
          meanwhile: () => Promise.all(meanwhile.map((one) => send(past, hotels, one, chance))),
        },
      )
      counted.undos += undos
      counted.conflicts += conflicts
    } else continue
    await remember()
    counted.operations++
  }
  for (const [index, { hotelId }] of hotels.entries())
    counted.states += await compare(past, chance, { hotelId, range, states: remembered[index] ?? [] })
  return counted
}

function stateOf({ revision, currency, pricingModel, ari }: Record<string, unknown>): State {
  return { revision: Number(revision), currency, pricingModel, ari }
}

export function clientOf({ clients }: Past, chance: Chance, keyNo = 0): TestClient {
  const found = chance.of(clients)[keyNo]
  if (!found) throw new RangeError('no such key')
  return found
}

async function setUp(past: Past, hotels: readonly HotelSpec[], today: string): Promise<void> {
  const supplier = past.clients[0]?.[0]
  if (!supplier) throw new RangeError('no client')
  expectOk(await supplier.post('/push/hotels', hotels.map(hotelBody)))
  for (const { hotelId, products } of hotels) {
    const pushed = products.map((one) => product(one.roomId, one.rateId, { occupancy: one.occupancy }))
    expectOk(await supplier.post('/push/products', { hotelId, products: pushed }))
    const ari = products.map(({ roomId, rateId }) => ({
      roomId,
      startDate: today,
      endDate: addDays(today, 740),
      inventory: 9,
      rates: [{ rateId, price: 100 }],
    }))
    expectOk(await supplier.post('/push/ari', { hotelId, pricingModel: 'unit', ari }))
  }
}

export function hotelBody({
  hotelId,
  currency,
  timeZone,
}: Pick<HotelSpec, 'hotelId' | 'currency' | 'timeZone'>) {
  return storyHotel({ hotelId, hotelName: hotelId, currency, timezone: timeZone })
}

async function send(
  past: Past,
  hotels: readonly HotelSpec[],
  operation: Operation,
  chance: Chance,
): Promise<void> {
  const hotelId = (index: number): string => hotels[index]?.hotelId ?? ''
  const post = async (keyNo: number, path: string, body: unknown): Promise<void> => {
    const reply = await clientOf(past, chance, keyNo).post(path, body)
    assert.ok(reply.status < 500, reply.text)
  }
  if (operation.kind === 'ari') await post(operation.keyNo, '/push/ari', operation.body)
  else if (operation.kind === 'taxes')
    await post(0, '/push/taxes', { hotelId: hotelId(operation.hotel), taxes: [] })
  else if (operation.kind === 'hotels') {
    // A currency changes now and then: history doesn't reach behind it.
    const keep = chance.percent(60)
    const sent = operation.hotels.map(({ hotel, currency, timeZone }) => ({
      hotelId: hotelId(hotel),
      currency: keep ? (hotels[hotel]?.currency ?? currency) : currency,
      timeZone,
    }))
    await post(0, '/push/hotels', sent.map(hotelBody))
  }
}

/** Books where something was pushed; many stays can't be booked. Returns how many reservations were made. */
async function book(
  past: Past,
  { hotelId, products }: HotelSpec,
  operation: Operation,
  chance: Chance,
): Promise<number> {
  const [item] = operation.kind === 'ari' ? operation.body.ari : []
  const near = item?.date ?? item?.startDate ?? ''
  if (!/^20\d\d-\d\d-\d\d$/.test(near) || Number.isNaN(Date.parse(near))) return 0
  const checkin = addDays(near, chance.below(4))
  const stay = { ...chance.of(products), checkin, checkout: addDays(checkin, 1 + chance.below(3)) }
  const reply = await bookStay(past.platform, hotelId, stay)
  if (reply.status !== 201) return 0
  if (chance.percent(30)) {
    const path = `/booking/reservations/${String(reply.body['reservationId'])}`
    expectOk(await past.platform.post(`${path}/cancel`, {}))
  }
  return 1
}

type Stay = { roomId: string; rateId: string; checkin: string; checkout: string }

/** One adult; many stays can't be booked. */
export async function bookStay(
  platform: TestClient,
  hotelId: string,
  { roomId, rateId, checkin, checkout }: Stay,
): Promise<Reply> {
  const guest = { firstName: 'Ada', lastName: 'Lovelace' }
  const reply = await platform.post('/booking/reservations', {
    hotel: { supplier: supplierName, hotelId },
    checkin,
    checkout,
    rooms: [{ roomId, rateId, adults: 1, childAges: [], guest }],
    customer: guest,
    payment: { type: 'Channel Collect' },
  })
  assert.ok(reply.status < 500, reply.text)
  return reply
}

/** Stops or resumes sales on random nights. */
export async function stopSell(
  past: Past,
  { hotelId, products }: HotelSpec,
  chance: Chance,
  today: string,
): Promise<Reply> {
  const { rows } = await past.gateway.db.query<{ id: number }>('select id from hotel where code = $1', [
    hotelId,
  ])
  const { roomId, rateId } = chance.of(products)
  const from = addDays(today, 1 + chance.below(40))
  const reply = await past.operator('POST', `/hotels/${rows[0]?.id}/stop-sell`, {
    action: chance.percent(70) ? 'stop' : 'open',
    reason: 'model',
    targets: [chance.percent(50) ? { roomId } : { roomId, rateId }],
    from,
    to: addDays(from, chance.below(30)),
  })
  assert.ok(reply.status < 500, reply.text)
  return reply
}

type Compared = {
  hotelId: string
  range: { startDate: string; endDate: string }
  states: readonly Remembered[]
}

/** Requests each remembered state as history. Returns how many different ones there were. */
async function compare(past: Past, chance: Chance, { hotelId, range, states }: Compared): Promise<number> {
  const read = (asOf: object) => clientOf(past, chance).post('/push/getAri', { hotelId, ...range, asOf })
  const oldest = states.findLast(
    ({ currency }, index) => index > 0 && states[index - 1]?.currency !== currency,
  )
  for (const { time, ...state } of states) {
    const where = `${hotelId}, revision ${state.revision}, ${time}`
    const byRevision = await read({ revision: state.revision })
    const byTime = await read({ time })
    if (oldest && state.revision < oldest.revision) {
      for (const { status, body } of [byRevision, byTime])
        assert.deepEqual([status, body['oldestRevision']], [410, oldest.revision], where)
      continue
    }
    assert.deepEqual(stateOf(expectOk(byRevision).body), state, where)
    assert.deepEqual(expectOk(byTime).body['ari'], state.ari, where)
  }
  return new Set(states.map(({ revision }) => revision)).size
}
