import { parseNight, weekdays, type DayNumber } from '../base/calendar.ts'
import { toMinor } from '../base/money.ts'
import { shown, type Problem } from '../http/rejected.ts'
import type { ConstraintError } from '../http/route.ts'
import { guestsMaxOf, type GuestsMax, type RoomRate } from '../products/store.ts'
import { unset } from './block-codec.ts'
import type { HotelCatalog } from './catalog.ts'
import { fieldNumber, guestPriceField, type FieldValue } from './fields.ts'
import { daysAheadMax, itemFaults, type PricingModel } from './item-contract.ts'
import { nightsBetween, weekdayMask, type MonthNights } from './month.ts'
import { isSent, type Place, type ReadableItem, type ReadableLine, type ReadablePrice } from './readable.ts'
import { pushedRestrictions } from './restrictions.ts'

/**
 * Judges the parts of an item: its dates, its form, the prices of a rate line. Each function returns the
 * value that it reads and the faults that it finds. A rule is skipped if it needs a value that is unreadable
 * or unknown.
 */

/** Builds the full problem. A push may have millions of faults, but its answer lists only a few of them. */
export type Fault = () => Problem

const none: readonly never[] = []

export function problemAt({ type, message, hint }: ConstraintError, path: string, value?: unknown): Problem {
  return { type, message, path, value: shown(value), ...(hint === undefined ? {} : { hint }) }
}

/** A known hotel and its current date. */
export type HotelToday = { catalog: HotelCatalog; today: DayNumber }

/** The nights that an item names, by month; empty if its dates are invalid. */
export function itemNights(
  item: ReadableItem,
  place: Place,
  hotel: HotelToday | undefined,
): { months: readonly MonthNights[]; faults: readonly Fault[] } {
  const { path } = place
  const isSingle = isSent(item, 'date', place)
  if (isSingle && (isSent(item, 'startDate', place) || isSent(item, 'endDate', place)))
    return {
      months: none,
      faults: [() => problemAt(itemFaults.ambiguousDates, `${path}/date`, item.date)],
    }
  const start = namedDate(item, isSingle ? 'date' : 'startDate')
  const end = isSingle ? start : namedDate(item, 'endDate')
  if (!start || !end) {
    const missing = (['startDate', 'endDate'] as const).find((name) => !isSent(item, name, place))
    const faults: Fault[] = []
    if (!isSingle && missing)
      faults.push(() => problemAt(itemFaults.dateMissing(missing), `${path}/${missing}`))
    // A single readable date is judged alone.
    const alone = start ?? end
    return { months: none, faults: alone ? [...faults, ...boundFaults(alone, alone, path, hotel)] : faults }
  }
  if (start.day > end.day) {
    const reversed = () => problemAt(itemFaults.datesReversed, `${path}/startDate`, start.text)
    return { months: none, faults: [reversed, ...boundFaults(end, start, path, hotel)] }
  }
  const faults = boundFaults(start, end, path, hotel)
  // A range of a week or more contains every weekday, so no other fault is possible.
  if ((!hotel || faults.length > 0) && end.day - start.day >= 6) return { months: none, faults }
  const { daysOfWeek } = item
  const days = daysOfWeek && areReadable(daysOfWeek) ? daysOfWeek : weekdays
  const months = nightsBetween(start.day, end.day, weekdayMask(days))
  if (months.length > 0) return { months, faults }
  const empty = () =>
    problemAt(itemFaults.noNights(days, start.text, end.text), `${path}/daysOfWeek`, days.join())
  return { months, faults: [...faults, empty] }
}

type NamedDate = { name: 'date' | 'startDate' | 'endDate'; text: string; day: DayNumber }

function namedDate(item: ReadableItem, name: NamedDate['name']): NamedDate | undefined {
  const text = item[name]
  return text === undefined ? undefined : { name, text, day: parseNight(text) ?? 0 }
}

function areReadable<Value>(values: readonly (Value | undefined)[]): values is readonly Value[] {
  return !values.includes(undefined)
}

/** Faults of dates that can't be pushed today. `first` is not later than `last`. */
function boundFaults(
  first: NamedDate,
  last: NamedDate,
  path: string,
  hotel: HotelToday | undefined,
): readonly Fault[] {
  if (!hotel) return none
  const { today, catalog } = hotel
  const isPast = first.day < today - 1
  const isFar = last.day > today + daysAheadMax
  if (!isPast && !isFar) return none
  const past = () =>
    problemAt(itemFaults.dateInPast(first.name, today, catalog.timeZone), `${path}/${first.name}`, first.text)
  const far = () => problemAt(itemFaults.dateTooFar(last.name, today), `${path}/${last.name}`, last.text)
  return [...(isPast ? [past] : none), ...(isFar ? [far] : none)]
}

/** An item can't mix the two forms, and members of a rate need its rateId: nothing is dropped silently. */
export function formFaults(item: ReadableItem, place: Place): readonly Fault[] {
  const { path } = place
  const isFlat = isSent(item, 'rateId', place)
  const hasRates = isSent(item, 'rates', place)
  if (isFlat && hasRates) return [() => problemAt(itemFaults.bothForms, `${path}/rateId`, item.rateId)]
  if (isFlat) return none
  const ofRate = rateMembers.filter((name) => isSent(item, name, place))
  if (ofRate.length === 0) return none
  if (!hasRates) return [() => problemAt(itemFaults.rateIdMissing(ofRate), `${path}/rateId`)]
  return ofRate.map((name) => () => problemAt(itemFaults.besideRates(name), `${path}/${name}`))
}

/** Members of an item that have no meaning without a rate. */
const rateMembers = [
  ...(['prices', 'price', 'amount'] as const),
  ...pushedRestrictions.filter((name) => name !== 'closed'),
] as const

/** Price members that exist only in the flat form. */
type FlatPrice = Pick<ReadableItem, 'amount' | 'guests' | 'ageCategory'>

/** The location of a rate line. If the item itself is the line, `flat` is the item. */
export type LinePlace = Place & { flat: FlatPrice | undefined }

/** The members of a line that state prices. */
export function pricesSent(line: ReadableLine, place: LinePlace): ('prices' | 'price' | 'amount')[] {
  const { flat } = place
  const sent: ('prices' | 'price' | 'amount')[] = []
  if (isSent(line, 'prices', place)) sent.push('prices')
  if (isSent(line, 'price', place)) sent.push('price')
  if (flat && isSent(flat, 'amount', place)) sent.push('amount')
  return sent
}

type LinePrices = {
  sets: readonly FieldValue[]
  /** Whether guest prices that `sets` doesn't name are cleared too. */
  clearsOthers: boolean
  /** The model of the price that is set. */
  model: PricingModel | undefined
  faults: readonly Fault[]
  warnings: readonly Problem[]
}

const noPrices: LinePrices = {
  sets: none,
  clearsOthers: false,
  model: undefined,
  faults: none,
  warnings: none,
}

/** `product` and `catalog` are absent if they are unknown. */
type PriceContext = {
  model: PricingModel | undefined
  product: RoomRate | undefined
  catalog: HotelCatalog | undefined
}

/**
 * The prices of a rate line. A price in one model replaces prices in the other model on the same nights;
 * `prices: null` (or `price: null`) clears the prices of both.
 */
export function linePrices(line: ReadableLine, place: LinePlace, context: PriceContext): LinePrices {
  const { path, flat } = place
  const sent = pricesSent(line, place)
  if (sent.length === 0) return noPrices
  const isAmbiguous = sent.length > 1
  if (!isAmbiguous && clearsAll(line, place))
    return { ...noPrices, sets: [{ field: fieldNumber.unitPrice, value: unset }], clearsOthers: true }
  const sheet: Sheet = {
    path,
    wrong: place.wrong,
    // It is unclear which member counts, so only the amounts can be judged.
    model: isAmbiguous ? undefined : context.model,
    guestsMax: context.product && guestsMaxOf(context.product),
    catalog: context.catalog,
    sets: [],
    fields: new Set(),
    faults: isAmbiguous ? [() => problemAt(itemFaults.ambiguousPrice(sent), `${path}/${sent[1]}`)] : [],
  }
  for (const [index, price] of (line.prices ?? []).entries()) if (price) readPrice(price, index, sheet)
  const { guests, ageCategory, amount } = flat ?? {}
  if (sent.includes('price')) readPrice({ guests, ageCategory, amount: line.price }, 'price', sheet)
  if (sent.includes('amount')) readPrice({ guests, ageCategory, amount }, 'amount', sheet)
  const { model, sets, faults } = sheet
  const warnings =
    model === 'unit' && namesGuests(line, flat) ? [problemAt(itemFaults.guestsIgnored, path)] : none
  if (faults.length > 0) return { ...noPrices, faults, warnings }
  const setsValue = sets.some(({ value }) => value !== unset)
  if (model === 'guest' && setsValue) sets.push({ field: fieldNumber.unitPrice, value: unset })
  const clearsOthers = model === 'unit' && setsValue
  return { sets, clearsOthers, model: setsValue ? model : undefined, faults, warnings }
}

function clearsAll(line: ReadableLine, place: LinePlace): boolean {
  const { flat } = place
  if (line.prices === null) return true
  if (line.price !== null && flat?.amount !== null) return false
  return !flat || !(isSent(flat, 'guests', place) || isSent(flat, 'ageCategory', place))
}

function namesGuests(line: ReadableLine, flat: FlatPrice | undefined): boolean {
  const isNamed = (price: ReadablePrice | undefined) =>
    price?.guests !== undefined || price?.ageCategory !== undefined
  return isNamed(flat) || (line.prices ?? []).some(isNamed)
}

/** The prices read so far, and the context in which they are judged. */
type Sheet = Place & {
  model: PricingModel | undefined
  guestsMax: GuestsMax | undefined
  catalog: HotelCatalog | undefined
  sets: FieldValue[]
  fields: Set<number>
  faults: Fault[]
}

/** The location of a price in its line: an index in `prices`, or the member with the amount. */
type PriceAt = number | 'price' | 'amount'

function priceAt(path: string, at: PriceAt): string {
  return typeof at === 'number' ? `${path}/prices/${at}` : path
}

/** Reads a price and adds it to the sheet. */
function readPrice(price: ReadablePrice, at: PriceAt, sheet: Sheet): void {
  const { path, model, sets, fields, faults } = sheet
  const field = model === 'guest' ? guestField(price, at, sheet) : model && fieldNumber.unitPrice
  const value = minorOf(price, at, sheet)
  if (field === undefined) return
  if (fields.has(field)) faults.push(() => problemAt(itemFaults.duplicatePrice(model), priceAt(path, at)))
  fields.add(field)
  sets.push({ field, value: value ?? unset })
}

function guestField(price: ReadablePrice, at: PriceAt, { path, wrong, guestsMax, faults }: Sheet) {
  const { guests, ageCategory } = price
  if (guests === undefined || ageCategory === undefined) {
    const place = { path: priceAt(path, at), wrong }
    for (const name of ['guests', 'ageCategory'] as const)
      if (!isSent(price, name, place))
        faults.push(() => problemAt(itemFaults.guestsMissing(name), `${place.path}/${name}`))
    return undefined
  }
  const most = guestsMax?.[ageCategory] ?? Infinity
  if (guests > most) {
    const beyond = itemFaults.beyondOccupancy
    faults.push(() => problemAt(beyond(most, ageCategory), `${priceAt(path, at)}/guests`, guests))
  }
  return guestPriceField(ageCategory, guests)
}

/** The amount in minor units; `unset` for null. Only children and infants may be free. */
function minorOf(
  { amount, ageCategory }: ReadablePrice,
  at: PriceAt,
  { path, model, catalog, faults }: Sheet,
): number | undefined {
  if (amount === undefined) return undefined
  if (amount === null) return unset
  // Without the hotel's currency only the sign can be judged.
  const minor = catalog ? toMinor(amount, catalog.minorDigits) : Math.sign(Number(amount))
  const mayBeFree = model !== 'unit' && ageCategory !== 'adult'
  if (minor !== undefined && (minor > 0 || (minor === 0 && mayBeFree))) return minor
  faults.push(() => {
    const wrong =
      minor === undefined
        ? itemFaults.amountTooFine(catalog?.minorDigits, catalog?.currency)
        : itemFaults.amountTooLow(mayBeFree)
    return problemAt(wrong, typeof at === 'number' ? `${path}/prices/${at}/amount` : `${path}/${at}`, amount)
  })
  return undefined
}
