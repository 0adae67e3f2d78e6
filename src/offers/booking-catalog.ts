import { scopesOf, taxesColumn, type StoredTax } from '../taxes/store.ts'
import { prepareTaxes, taxesFor, type RoomRateTaxes } from '../taxes/room-rate-taxes.ts'
import type { CancelPolicy } from '../products/cancel-policy-contract.ts'
import { platformRateId, platformRoomId, roomRateKey } from '../products/store.ts'
import { minorDigits } from '../reference/currencies.ts'

/** Everything that can be sold in a hotel, except the values of its nights; valid for one version. */
export type BookingCatalog = {
  hotelId: number
  version: number
  supplier: string
  hotelCode: string
  currency: string
  minorDigits: number
  isAvailable: boolean
  minChildAge: number
  maxChildAge: number
  timeZone: string
  aheadMs: number
  /** By rising key. */
  roomRates: readonly BookableRoomRate[]
  /** Approximate memory use. */
  bytes: number
}

export type BookableRoomRate = {
  /** `roomRateKey`. */
  key: number
  roomNo: number
  rateNo: number
  room: Named
  rate: Named
  isAvailable: boolean
  maxOccupancy: number
  maxAdult: number | null
  maxChild: number | null
  mealPlan: string | null
  /** The model of the last pushed prices. */
  pricingModel: 'unit' | 'guest' | null
  /** Room-rates with the same policies share one object. */
  policies: readonly CancelPolicy[]
  taxes: RoomRateTaxes
  /** The members of an offer that don't depend on the stay, as JSON without the closing brace. */
  head: string
}

export type Named = { code: string; name: string; platformId: string }

/** A hotel's catalog as one JSON value; `hotel` is the row of the hotel. */
export const bookingCatalogColumn = `json_build_object(
  'supplier', (select name from supplier where supplier.id = hotel.supplier_id),
  'hotelCode', hotel.code, 'currency', hotel.currency, 'isAvailable', hotel.is_available,
  'minChildAge', hotel.min_child_age, 'maxChildAge', hotel.max_child_age, 'timeZone', hotel.time_zone,
  'aheadMs', hotel.clock_ahead_ms,
  'rooms', (select coalesce(json_agg(json_build_array(room_no, code, name)), '[]') from room where hotel_id = hotel.id),
  'rates', (select coalesce(json_agg(json_build_array(rate_no, code, name)), '[]') from rate where hotel_id = hotel.id),
  'roomRates', (select coalesce(json_agg(json_build_array(room_no, rate_no, is_available, max_occupancy, max_adult,
      max_child, meal_plan, pricing_model, cancel_policies::text) order by room_no, rate_no), '[]')
    from room_rate where hotel_id = hotel.id),
  'taxes', ${taxesColumn('hotel.id')})`

export type BookingCatalogRow = Pick<
  BookingCatalog,
  | 'supplier'
  | 'hotelCode'
  | 'currency'
  | 'isAvailable'
  | 'minChildAge'
  | 'maxChildAge'
  | 'timeZone'
  | 'aheadMs'
> & {
  rooms: [number, string, string][]
  rates: [number, string, string][]
  roomRates: [
    number,
    number,
    boolean,
    number,
    number | null,
    number | null,
    string | null,
    'unit' | 'guest' | null,
    string,
  ][]
  taxes: StoredTax[]
}

/** Approximate memory of each part besides its texts. */
const hotelBytes = 2_000
const namedBytes = 200
const roomRateBytes = 250
const taxBytes = 1_000

export function bookingCatalogOf(hotelId: number, version: number, row: BookingCatalogRow): BookingCatalog {
  const { rooms, rates, roomRates, taxes, ...hotel } = row
  const digits = minorDigits(hotel.currency) ?? 2
  const roomByNo = new Map(
    rooms.map(([no, code, name]) => [no, { code, name, platformId: platformRoomId(hotelId, no) }]),
  )
  const rateByNo = new Map(
    rates.map(([no, code, name]) => [no, { code, name, platformId: platformRateId(hotelId, no) }]),
  )
  const hotelTaxes = prepareTaxes(scopesOf(taxes), digits)
  const policiesByText = new Map<string, readonly CancelPolicy[]>()
  const policiesOf = (text: string): readonly CancelPolicy[] => {
    const known = policiesByText.get(text)
    if (known) return known
    // oxlint-disable-next-line typescript/no-unsafe-assignment -- The boundary: accept-products.ts wrote them as checked.
    const policies: CancelPolicy[] = JSON.parse(text)
    policiesByText.set(text, policies)
    return policies
  }
  const sold = roomRates.flatMap(
    ([
      roomNo,
      rateNo,
      isAvailable,
      maxOccupancy,
      maxAdult,
      maxChild,
      mealPlan,
      pricingModel,
      policies,
    ]): BookableRoomRate[] => {
      const [room, rate] = [roomByNo.get(roomNo), rateByNo.get(rateNo)]
      if (!room || !rate) return []
      return [
        {
          key: roomRateKey(roomNo, rateNo),
          roomNo,
          rateNo,
          room,
          rate,
          isAvailable,
          maxOccupancy,
          maxAdult,
          maxChild,
          mealPlan,
          pricingModel,
          policies: policiesOf(policies),
          taxes: taxesFor(hotelTaxes, roomNo, rateNo),
          head: headOf(room, rate, mealPlan),
        },
      ]
    },
  )
  let bytes = hotelBytes + taxes.length * taxBytes + (roomByNo.size + rateByNo.size) * namedBytes
  for (const { head } of sold) bytes += roomRateBytes + head.length
  // Parsed objects take several times the memory of their text.
  for (const text of policiesByText.keys()) bytes += text.length * 5
  return { hotelId, version, ...hotel, minorDigits: digits, roomRates: sold, bytes }
}

function headOf(room: Named, rate: Named, mealPlan: string | null): string {
  const members = {
    roomId: room.code,
    platformRoomId: room.platformId,
    roomName: room.name,
    rateId: rate.code,
    platformRateId: rate.platformId,
    rateName: rate.name,
    mealPlan,
  }
  return JSON.stringify(members).slice(0, -1)
}

/** The room-rate with these numbers; undefined when the pair was never pushed. */
export function roomRateOf({ roomRates }: BookingCatalog, key: number): BookableRoomRate | undefined {
  let [low, high] = [0, roomRates.length - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const found = roomRates[middle]
    if (!found || found.key === key) return found
    if (found.key < key) low = middle + 1
    else high = middle - 1
  }
  return undefined
}
