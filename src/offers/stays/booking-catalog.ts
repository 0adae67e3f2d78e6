import { scopesOf, taxesColumn, type StoredTax } from '../../taxes/store.ts'
import { prepareTaxes, taxesFor, type RoomRateTaxes } from '../../taxes/room-rate-taxes.ts'
import { noPolicies, preparePolicies, type Policies } from '../../products/policies/arrival-terms.ts'
import type { CancelPolicy } from '../../products/policies/contract.ts'
import { platformRateId, platformRoomId, roomRateKey } from '../../products/store.ts'
import type { AddedCancelCodes } from '../../reference/cancel-codes.ts'
import { minorDigits } from '../../reference/currencies.ts'
import { addedCancelCodesColumn } from '../../reference/store.ts'

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
  /** The JSON that it was made of. */
  json: string
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
  maxInfant: number | null
  mealPlan: string | null
  /** The model of the last pushed prices. */
  pricingModel: 'unit' | 'guest' | null
  /** Room-rates with the same policies share one object. */
  policies: Policies
  taxes: RoomRateTaxes
  /** The members of an offer that don't depend on the stay, as JSON without the closing brace. */
  head: string
}

export type Named = { code: string; name: string; platformId: string }

/**
 * A hotel's catalog as JSON; `hotel` is the row of the hotel. Each list of policies is there once, and
 * room-rates have its position.
 */
export const bookingCatalogColumn = `json_build_object(
  'supplier', (select name from supplier where supplier.id = hotel.supplier_id),
  'hotelCode', hotel.code, 'currency', hotel.currency, 'isAvailable', hotel.is_available,
  'minChildAge', hotel.min_child_age, 'maxChildAge', hotel.max_child_age, 'timeZone', hotel.time_zone,
  'aheadMs', hotel.clock_ahead_ms,
  'rooms', (select coalesce(json_agg(json_build_array(room_no, code, name)), '[]') from room where hotel_id = hotel.id),
  'rates', (select coalesce(json_agg(json_build_array(rate_no, code, name)), '[]') from rate where hotel_id = hotel.id),
  'policies', (select coalesce(json_agg(cancel_policies order by cancel_policies), '[]')
    from (select distinct cancel_policies from room_rate where hotel_id = hotel.id) as policies),
  'roomRates', (select coalesce(json_agg(json_build_array(room_no, rate_no, is_available, max_occupancy, max_adult,
      max_child, max_infant, meal_plan, pricing_model, position) order by room_no, rate_no), '[]')
    from (select *, dense_rank() over (order by cancel_policies) - 1 as position
      from room_rate where hotel_id = hotel.id) as room_rate),
  'taxes', ${taxesColumn('hotel.id')}, 'cancelCodes', ${addedCancelCodesColumn})::text`

type BookingCatalogRow = Pick<
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
    number | null,
    string | null,
    'unit' | 'guest' | null,
    number,
  ][]
  policies: (readonly CancelPolicy[])[]
  taxes: StoredTax[]
  cancelCodes: AddedCancelCodes
}

/** Memory of a hotel, as measured: that of a room-rate besides its head, and the rest by the length of the JSON. */
const roomRateBytes = 250
const objectsPerJson = 2

export function bookingCatalogOf(hotelId: number, version: number, json: string): BookingCatalog {
  // oxlint-disable-next-line typescript/no-unsafe-assignment -- The boundary: `bookingCatalogColumn` made it.
  const row: BookingCatalogRow = JSON.parse(json)
  const { rooms, rates, roomRates, policies: lists, taxes, cancelCodes, ...hotel } = row
  const digits = minorDigits(hotel.currency) ?? 2
  const roomByNo = new Map(
    rooms.map(([no, code, name]) => [no, { code, name, platformId: platformRoomId(hotelId, no) }]),
  )
  const rateByNo = new Map(
    rates.map(([no, code, name]) => [no, { code, name, platformId: platformRateId(hotelId, no) }]),
  )
  const hotelTaxes = prepareTaxes(scopesOf(taxes), digits)
  const policies = lists.map((list) => preparePolicies(list, cancelCodes, digits))
  const sold = roomRates.flatMap(
    ([
      roomNo,
      rateNo,
      isAvailable,
      maxOccupancy,
      maxAdult,
      maxChild,
      maxInfant,
      mealPlan,
      pricingModel,
      policiesAt,
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
          maxInfant,
          mealPlan,
          pricingModel,
          policies: policies[policiesAt] ?? noPolicies,
          taxes: taxesFor(hotelTaxes, roomNo, rateNo),
          head: headOf(room, rate, mealPlan),
        },
      ]
    },
  )
  let bytes = json.length * (1 + objectsPerJson)
  for (const { head } of sold) bytes += roomRateBytes + head.length
  return { hotelId, version, ...hotel, minorDigits: digits, roomRates: sold, json, bytes }
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
