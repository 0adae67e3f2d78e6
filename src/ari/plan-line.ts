import { shown, type Problem } from '../http/rejected.ts'
import { unset } from './block-codec.ts'
import type { HotelCatalog } from './catalog.ts'
import { fieldNumber, rateFields, type FieldValue } from './fields.ts'
import type { ariItem, rateLine } from './item-contract.ts'
import type { MonthNights } from './month.ts'
import { planPrices, type LinePlace, type PlannedPrices } from './plan-prices.ts'
import { foundUnknown, type Listing, type PlannedItem, type RowChange } from './planned.ts'
import { pushedRestrictions } from './restrictions.ts'
import type { ItemFaults, Place, ReadableItem, ReadableLine, ReadablePush } from './readable.ts'

/** What an item is judged by. */
export type ItemContext = Place & {
  body: ReadablePush
  faults: ItemFaults | undefined
  /** Absent: the hotel is unknown. */
  catalog: HotelCatalog | undefined
  /** The hotel's date. */
  today: number | undefined
  listing: Listing
}

/** What each rate line of an item is judged by; without `roomNo` the room is not known. */
export type LineContext = {
  context: ItemContext
  item: ReadableItem
  roomNo: number | undefined
  months: readonly MonthNights[]
}

/** What a rate line changes; undefined when it sets nothing, or when its room-rate is not known. */
export function planLine(
  line: ReadableLine,
  place: LinePlace,
  lineContext: LineContext,
  planned: PlannedItem,
): RowChange | undefined {
  const { roomNo, months } = lineContext
  const { catalog, body, listing } = lineContext.context
  const { rateId } = line
  const rateNo = rateId === undefined ? undefined : catalog?.rateNoByCode.get(rateId)
  const product =
    roomNo === undefined || rateNo === undefined ? undefined : catalog?.productOf(roomNo, rateNo)
  if (catalog && rateId !== undefined && !product && (rateNo === undefined || roomNo !== undefined))
    foundUnknown(planned, listing, () => rateNotFound(rateId, `${place.path}/rateId`, rateNo !== undefined))
  const prices = planPrices(
    line,
    { place, model: modelOf(line, place, lineContext), product, catalog, listing },
    planned,
  )
  if (roomNo === undefined || rateNo === undefined || !product) return undefined
  const sets = [...plainValues(line, place.flat !== undefined), ...prices.sets]
  const overlay = body.mode === 'overlay'
  if (overlay) {
    const sent = new Set(sets.map(({ field }) => field))
    for (const field of rateFields) if (!sent.has(field)) sets.push({ field, value: unset })
  }
  if (sets.length === 0 && !prices.clearsOthers) return undefined
  const guestPricesKept = overlay || prices.clearsOthers ? keptOf(prices) : undefined
  return { roomNo, rateNo, months, sets, guestPricesKept, pricingModel: prices.model }
}

/** The nearest model that is stated; undefined where that can't be read. */
function modelOf(line: ReadableLine, { path, wrong }: Place, { item, context }: LineContext) {
  if (line.pricingModel !== undefined || wrong?.has(`${path}/pricingModel`)) return line.pricingModel
  if (item.pricingModel !== undefined || wrong?.has(`${context.path}/pricingModel`)) return item.pricingModel
  return context.body.pricingModel
}

function keptOf(prices: PlannedPrices): ReadonlySet<number> {
  return new Set(prices.sets.map(({ field }) => field))
}

/** In the flat form `inventory` is the room's. */
function plainValues(line: ReadableLine, isFlat: boolean): FieldValue[] {
  const sets: FieldValue[] = []
  if (line.inventory !== undefined && !isFlat)
    sets.push({ field: fieldNumber.inventory, value: line.inventory ?? unset })
  for (const name of pushedRestrictions) {
    const value = line[name]
    // false and 0 restrict nothing, which is held as nothing.
    if (value !== undefined) sets.push({ field: fieldNumber[name], value: Number(value) || unset })
  }
  return sets
}

const ignoredListedMax = 5

/** A misspelt member is ignored like any unknown one, so somebody must say that nothing was left. */
export function nothingSent(part: object, shape: typeof ariItem | typeof rateLine, path: string): Problem {
  const ignored = Object.keys(part).filter((name) => !Object.hasOwn(shape.properties, name))
  const named = ignored.slice(0, ignoredListedMax).map((name) => name.slice(0, 40).toWellFormed())
  return {
    type: 'NOTHING_SENT',
    message: 'Nothing is set: no value was sent',
    path,
    hint:
      named.length > 0
        ? `Not known and ignored: ${named.join(', ')}`
        : 'Send inventory, closed, prices or a restriction; what is absent stays as it is',
  }
}

function rateNotFound(rateId: string, path: string, soldWithOtherRooms: boolean): Problem {
  const hint = soldWithOtherRooms
    ? 'The rate exists, but not with this room: push the pair with POST /push/products first'
    : 'Push the rate with POST /push/products first'
  return { type: 'RATE_NOT_FOUND', message: 'RateID not found', path, value: shown(rateId), hint }
}
