import assert from 'node:assert/strict'
import type { TestClient, TestGateway, TestSupplier } from '../harness.ts'
import { platformOf } from '../scenes/booking.ts'
import { expectOk, product, storyHotel } from '../story.ts'
import { bodyOf } from '../sale/asks.ts'
import { amountText } from '../sale/exact.ts'
import { NaiveHotel } from './naive-hotel.ts'
import type { Tax } from '../sale/price.ts'
import { withoutRooms } from '../sale/claims.ts'
import { booked } from '../sale/sale.ts'
import type { AskedRoom, State } from '../sale/state.ts'
import { cancelDue, readDue, readShown, readTerms, shown } from '../sale/shown.ts'
import { datesOf, type Stay } from '../sale/stays.ts'
import { pushedPolicies, type Charge, type Policy } from '../sale/terms.ts'

/** Hotels in three zones, with a rate for each listed code, and guests who book, look and cancel around each deadline. */

/** Each changes its clocks while these stays can be cancelled; the last one by half an hour. */
const places = [
  { zone: 'America/New_York', currency: 'USD' },
  { zone: 'Europe/Paris', currency: 'KWD' },
  { zone: 'Australia/Lord_Howe', currency: 'JPY' },
]
const stays: readonly Stay[] = [
  { checkin: '2027-03-14', checkout: '2027-03-15' },
  { checkin: '2027-03-29', checkout: '2027-04-01' },
  { checkin: '2027-04-07', checkout: '2027-04-09' },
  { checkin: '2027-05-31', checkout: '2027-06-07' },
  { checkin: '2027-11-01', checkout: '2027-11-03' },
  { checkin: '2027-11-08', checkout: '2027-11-12' },
]
const roomsAtOnce = 9
const guest = { firstName: 'Ada', lastName: 'Lovelace' }
const aroundMs = [-1_000, 0, 1_000]

/** What a code means, by its name. */
export function meaningOf(code: string): Policy {
  const [, days = '0', charged] = /^FLEX(\d*)(FS|HALF|)$/.exec(code) ?? []
  if (charged !== undefined) {
    const charge: Charge = charged === 'FS' ? 'stay' : charged === 'HALF' ? { percent: 50 } : { nights: 1 }
    const deadline = { unit: 'D', value: Number(days), time: '18:00' } as const
    return { code, penalties: [{ deadline, charge }] }
  }
  const always: Readonly<Record<string, Charge>> = {
    NRF: 'stay',
    PNR50: { percent: 50 },
    PNR1N: { nights: 1 },
  }
  const charge = always[code]
  if (charge !== undefined) return { code, penalties: [{ charge }] }
  if (code === 'FREE') return { code, penalties: [] }
  if (code === 'CUSTOM') return { code, penalties: undefined }
  throw new RangeError(`nobody knows what ${code} means`)
}

const taxes: readonly Tax[] = [
  tax({ type: 'VAT', value: '12.5', included: true }),
  tax({ type: 'LOCAL_TAX', value: '3.3', included: true }),
  tax({ type: 'GOV_TAX', value: '4.75' }),
  tax({
    type: 'CITY_TAX',
    valueType: 'fixed',
    value: '2',
    appliedPer: 'per_person_per_night',
    payNow: false,
  }),
  tax({ type: 'OTHER_TAX', valueType: 'fixed', value: '15', appliedPer: 'per_room_per_stay' }),
]
function tax(more: Partial<Tax> & Pick<Tax, 'type' | 'value'>): Tax {
  const usual = {
    valueType: '%',
    appliedOn: 'net',
    appliedPer: 'per_room_per_night',
    included: false,
  } as const
  return { ...usual, payNow: true, ...more }
}

type Sale = { hotel: NaiveHotel; id: string; state: State }

export class ListedTerms {
  readonly #gateway: TestGateway
  readonly #supplier: TestSupplier
  readonly #platform: TestClient
  readonly #sales: Sale[] = []
  readonly counted = { offers: 0, bookings: 0, instants: 0, quotes: 0, cancelled: 0 }

  private constructor(gateway: TestGateway, supplier: TestSupplier, platform: TestClient) {
    this.#gateway = gateway
    this.#supplier = supplier
    this.#platform = platform
  }

  static async open(gateway: TestGateway): Promise<ListedTerms> {
    const supplier = await gateway.supplier('Listed', { requestsPerMinute: 0 })
    return new ListedTerms(gateway, supplier, await platformOf(gateway))
  }

  /** The list, each of whose codes has the penalties that its name says. */
  async codes(): Promise<string[]> {
    const { cancelCodes } = expectOk(await this.#supplier.get('/push/reference')).body
    return [cancelCodes].flat().map((one) => {
      const { code, cancelPenalties } = Object(one)
      const [pushed] = pushedPolicies({ ...meaningOf(code), penalties: meaningOf(code).penalties ?? [] })
      const exact = JSON.parse(JSON.stringify(cancelPenalties), (name, value: unknown) =>
        // The full stay is 100 % of it.
        name === 'percent' && value === 100 ? undefined : value,
      )
      assert.deepEqual(exact, Object(pushed).cancelPenalties, `the penalties of ${code}`)
      return code
    })
  }

  /** Each code is a rate that has nothing but the code. */
  async openHotels(codes: readonly string[]): Promise<void> {
    for (const [number, { zone, currency }] of places.entries()) {
      const hotelId = `H${number + 1}`
      const hotel = new NaiveHotel(hotelId, zone, currency)
      expectOk(await this.#supplier.post('/push/hotels', [storyHotel({ hotelId, timezone: zone, currency })]))
      const products = codes.map((code) => product('DBL', code, { cancelPolicies: [{ code }] }))
      expectOk(await this.#supplier.post('/push/products', { hotelId, products }))
      hotel.taxes = taxes
      expectOk(await this.#supplier.post('/push/taxes', { hotelId, taxes }))
      const ari = stays.flatMap(datesOf).map((date, index) => {
        const minor = 90 * 10 ** hotel.digits + index * 1_237
        for (const rateId of codes) hotel.setPrice({ roomId: 'DBL', rateId }, date, minor)
        const price = amountText(minor, hotel.digits)
        return { roomId: 'DBL', date, inventory: 99, rates: codes.map((rateId) => ({ rateId, price })) }
      })
      expectOk(await this.#supplier.post('/push/ari', { hotelId, pricingModel: 'unit', ari }))
      for (const code of codes) hotel.setPolicy({ roomId: 'DBL', rateId: code }, meaningOf(code))
      for (const stay of stays) await this.#sell(hotel, stay, codes)
    }
  }

  async #sell(hotel: NaiveHotel, stay: Stay, codes: readonly string[]): Promise<void> {
    const named = { supplier: this.#supplier.name, hotelId: hotel.hotelId }
    const asked = { hotels: [named], ...stay, rooms: [{ adults: 2, childAges: [] }] }
    const { hotels } = expectOk(await this.#platform.post('/booking/offers', asked)).body
    const offers = [Object(hotels)[0].offers].flat()
    for (let first = 0; first < codes.length; first += roomsAtOnce) {
      const rooms = codes
        .slice(first, first + roomsAtOnce)
        .map((rateId): AskedRoom => ({ roomId: 'DBL', rateId, adults: 2, childAges: [], guest }))
      const nowMs = this.#gateway.clock.now()
      const state = booked({ ...stay, rooms }, { hotel, nowMs })
      const body = bodyOf(named, { ...stay, rooms })
      const reply = await this.#platform.post('/booking/reservations', body)
      assert.equal(reply.status, 201, reply.text)
      const id = String(reply.body['reservationId'])
      this.#sales.push({ hotel, id, state })
      this.counted.bookings++
      const expected = shown(id, state, nowMs)
      assert.deepEqual(readShown(reply.body['reservation']), expected, `${hotel.zone} ${stay.checkin}`)
      for (const room of expected.rooms) {
        const offer = offers.find(({ rateId }) => rateId === room.rateId)
        const { cancellation, freeUntil, penalties } = readTerms(offer)
        assert.deepEqual(
          [penalties, cancellation, freeUntil],
          [room.penalties, room.cancellation, room.freeUntil],
          `the offer of ${room.rateId} in ${hotel.zone} on ${stay.checkin}`,
        )
        this.counted.offers++
      }
    }
  }

  /** A second before, at and after each deadline: what is quoted and shown, and what is charged to who cancels. */
  async passDeadlines(): Promise<void> {
    const instants = this.#sales.flatMap((sale) =>
      sale.state.rooms.flatMap(({ number, steps = [] }) =>
        steps
          .filter(({ fromMs }) => fromMs > this.#gateway.clock.now())
          .flatMap(({ fromMs }) => aroundMs.map((by) => ({ sale, number, by, atMs: fromMs + by }))),
      ),
    )
    const inOrder = instants.toSorted((one, other) => one.atMs - other.atMs)
    for (const { sale, number, by, atMs } of inOrder) {
      this.#gateway.clock.set(new Date(atMs).toISOString())
      this.counted.instants++
      await this.#look(sale)
      // Rooms are cancelled in turn before, at and after their deadlines.
      if (sale.state.rooms.length > 1 && aroundMs[number % aroundMs.length] === by)
        await this.#cancel(sale, number)
    }
  }

  async #look({ hotel, id, state }: Sale): Promise<void> {
    const nowMs = this.#gateway.clock.now()
    const at = `${hotel.zone}, arrival ${state.checkin}, at ${new Date(nowMs).toISOString()}`
    const quote = expectOk(await this.#platform.get(`/booking/reservations/${id}/cancellation`)).body
    assert.deepEqual(readDue(quote['penalty']), cancelDue(id, state, nowMs), at)
    const { reservation } = expectOk(await this.#platform.get(`/booking/reservations/${id}`)).body
    assert.deepEqual(readShown(reservation), shown(id, state, nowMs), at)
    this.counted.quotes++
  }

  async #cancel(sale: Sale, number: number): Promise<void> {
    const { id, state, hotel } = sale
    if (!state.rooms.some((room) => room.number === number)) return
    const nowMs = this.#gateway.clock.now()
    const due = cancelDue(id, state, nowMs, [number])
    const body = { rooms: [`${id}-${number}`], expectedPenalty: due?.amount ?? null }
    const reply = expectOk(await this.#platform.post(`/booking/reservations/${id}/cancel`, body))
    const { code } = state.rooms.find((room) => room.number === number)?.policy ?? {}
    const at = `${code} in ${hotel.zone}, arrival ${state.checkin}, at ${new Date(nowMs).toISOString()}`
    assert.deepEqual(readDue(reply.body['penalty']), due, at)
    sale.state = withoutRooms(state, [number], nowMs)
    this.counted.cancelled++
  }
}
