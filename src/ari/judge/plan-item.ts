import { parseNight, weekdays, type DayNumber } from '../../base/calendar.ts'
import { toMinor } from '../../base/money.ts'
import { problemAt, type Problem } from '../../http/rejected.ts'
import { guestsMaxOf, type GuestsMax, type RoomRate } from '../../products/store.ts'
import { unset } from '../blocks/block-codec.ts'
import type { HotelCatalog } from '../catalog/catalog.ts'
import { fieldNumber, guestPriceField, type FieldValue } from '../fields.ts'
import { daysAheadMax, itemErrors, type ariItem, type PricingModel, type rateLine } from '../item-contract.ts'
import { nightsBetween, weekdayMask, type MonthNights } from '../blocks/month.ts'
import {
  isSent,
  type Location,
  type ReadableItem,
  type ReadableLine,
  type ReadablePrice,
} from './readable.ts'
import { pushedRestrictions } from '../restrictions.ts'

/**
 * Judges the parts of an item: its dates, its form, the prices of a rate line. Each function returns the
 * value that it reads and the problems that it finds. A rule is skipped if it needs a value that is unreadable
 * or unknown.
 */

/** Builds the full problem. A push may have millions of problems, but its answer lists only a few of them. */
export type DeferredProblem = () => Problem

const none: readonly never[] = []

/** A known hotel and its current date. */
export type HotelToday = { catalog: HotelCatalog; today: DayNumber }

/** The nights that an item names, by month; empty if its dates are invalid. */
export function itemNights(
  item: ReadableItem,
  location: Location,
  hotel: HotelToday | undefined,
): { months: readonly MonthNights[]; problems: readonly DeferredProblem[] } {
  const { path } = location
  const isSingle = isSent(item, 'date', location)
  if (isSingle && (isSent(item, 'startDate', location) || isSent(item, 'endDate', location)))
    return {
      months: none,
      problems: [() => problemAt(itemErrors.ambiguousDates, `${path}/date`, item.date)],
    }
  const start = namedDate(item, isSingle ? 'date' : 'startDate')
  const end = isSingle ? start : namedDate(item, 'endDate')
  if (!start || !end) {
    const missing = (['startDate', 'endDate'] as const).find((name) => !isSent(item, name, location))
    const problems: DeferredProblem[] = []
    if (!isSingle && missing)
      problems.push(() => problemAt(itemErrors.dateMissing(missing), `${path}/${missing}`))
    // A single readable date is judged alone.
    const alone = start ?? end
    return {
      months: none,
      problems: alone ? [...problems, ...boundProblems(alone, alone, path, hotel)] : problems,
    }
  }
  if (start.day > end.day) {
    const reversed = () => problemAt(itemErrors.datesReversed, `${path}/startDate`, start.text)
    return { months: none, problems: [reversed, ...boundProblems(end, start, path, hotel)] }
  }
  const problems = boundProblems(start, end, path, hotel)
  // A range of a week or more contains every weekday, so no other fault is possible.
  if ((!hotel || problems.length > 0) && end.day - start.day >= 6) return { months: none, problems }
  const { daysOfWeek } = item
  const days = daysOfWeek && areReadable(daysOfWeek) ? daysOfWeek : weekdays
  const months = nightsBetween(start.day, end.day, weekdayMask(days))
  if (months.length > 0) return { months, problems }
  const empty = () =>
    problemAt(itemErrors.noNights(days, start.text, end.text), `${path}/daysOfWeek`, days.join())
  return { months, problems: [...problems, empty] }
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
function boundProblems(
  first: NamedDate,
  last: NamedDate,
  path: string,
  hotel: HotelToday | undefined,
): readonly DeferredProblem[] {
  if (!hotel) return none
  const { today, catalog } = hotel
  const isPast = first.day < today - 1
  const isFar = last.day > today + daysAheadMax
  if (!isPast && !isFar) return none
  const past = () =>
    problemAt(itemErrors.dateInPast(first.name, today, catalog.timeZone), `${path}/${first.name}`, first.text)
  const far = () => problemAt(itemErrors.dateTooFar(last.name, today), `${path}/${last.name}`, last.text)
  return [...(isPast ? [past] : none), ...(isFar ? [far] : none)]
}

/** An item can't mix the two forms, and members of a rate need its rateId: nothing is dropped silently. */
export function formProblems(item: ReadableItem, location: Location): readonly DeferredProblem[] {
  const { path } = location
  const isFlat = isSent(item, 'rateId', location)
  const hasRates = isSent(item, 'rates', location)
  if (isFlat && hasRates) return [() => problemAt(itemErrors.bothForms, `${path}/rateId`, item.rateId)]
  if (isFlat) return none
  const ofRate = rateMembers.filter((name) => isSent(item, name, location))
  if (ofRate.length === 0) return none
  if (!hasRates) return [() => problemAt(itemErrors.rateIdMissing(ofRate), `${path}/rateId`)]
  return ofRate.map((name) => () => problemAt(itemErrors.besideRates(name), `${path}/${name}`))
}

/** Members of an item that have no meaning without a rate. */
const rateMembers = [
  ...(['prices', 'price', 'amount'] as const),
  ...pushedRestrictions.filter((name) => name !== 'closed'),
] as const

/** Price members that exist only in the flat form. */
type FlatPrice = Pick<ReadableItem, 'amount' | 'guests' | 'ageCategory'>

/** The location of a rate line. If the item itself is the line, `flat` is the item. */
export type LineLocation = Location & { flat: FlatPrice | undefined }

/** The members of a line that state prices. */
export function pricesSent(line: ReadableLine, location: LineLocation): ('prices' | 'price' | 'amount')[] {
  const { flat } = location
  const sent: ('prices' | 'price' | 'amount')[] = []
  if (isSent(line, 'prices', location)) sent.push('prices')
  if (isSent(line, 'price', location)) sent.push('price')
  if (flat && isSent(flat, 'amount', location)) sent.push('amount')
  return sent
}

type LinePrices = {
  sets: readonly FieldValue[]
  /** Whether guest prices that `sets` doesn't name are cleared too. */
  clearsOthers: boolean
  /** The model of the price that is set. */
  model: PricingModel | undefined
  problems: readonly DeferredProblem[]
  warnings: readonly Problem[]
}

const noPrices: LinePrices = {
  sets: none,
  clearsOthers: false,
  model: undefined,
  problems: none,
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
 * `prices: null`, `price: null` and `prices: [{ amount: null }]` clear the prices of both.
 */
export function linePrices(line: ReadableLine, location: LineLocation, context: PriceContext): LinePrices {
  const { path, flat } = location
  const sent = pricesSent(line, location)
  if (sent.length === 0) return noPrices
  const isAmbiguous = sent.length > 1
  if (!isAmbiguous && clearsAll(line, location))
    return { ...noPrices, sets: [{ field: fieldNumber.unitPrice, value: unset }], clearsOthers: true }
  const sheet: Sheet = {
    path,
    unreadable: location.unreadable,
    // It is unclear which member counts, so only the amounts can be judged.
    model: isAmbiguous ? undefined : context.model,
    guestsMax: context.product && guestsMaxOf(context.product),
    catalog: context.catalog,
    sets: [],
    fields: new Set(),
    problems: isAmbiguous ? [() => problemAt(itemErrors.ambiguousPrice(sent), `${path}/${sent[1]}`)] : [],
  }
  for (const [index, price] of (line.prices ?? []).entries()) if (price) readPrice(price, index, sheet)
  const { guests, ageCategory, amount } = flat ?? {}
  if (sent.includes('price')) readPrice({ guests, ageCategory, amount: line.price }, 'price', sheet)
  if (sent.includes('amount')) readPrice({ guests, ageCategory, amount }, 'amount', sheet)
  const { model, sets, problems } = sheet
  const warnings =
    model === 'unit' && namesGuests(line, flat) ? [problemAt(itemErrors.guestsIgnored, path)] : none
  if (problems.length > 0) return { ...noPrices, problems, warnings }
  const setsValue = sets.some(({ value }) => value !== unset)
  if (model === 'guest' && setsValue) sets.push({ field: fieldNumber.unitPrice, value: unset })
  const clearsOthers = model === 'unit' && setsValue
  return { sets, clearsOthers, model: setsValue ? model : undefined, problems, warnings }
}

function clearsAll(line: ReadableLine, { path, unreadable, flat }: LineLocation): boolean {
  if (line.prices === null) return true
  const [only, ...others] = line.prices ?? []
  if (only)
    return (
      others.length === 0 && only.amount === null && !namesParty(only, { path: priceAt(path, 0), unreadable })
    )
  if (line.price !== null && flat?.amount !== null) return false
  return !flat || !namesParty(flat, { path, unreadable })
}

function namesParty(price: ReadablePrice, location: Location): boolean {
  return isSent(price, 'guests', location) || isSent(price, 'ageCategory', location)
}

function namesGuests(line: ReadableLine, flat: FlatPrice | undefined): boolean {
  const isNamed = (price: ReadablePrice | undefined) =>
    price?.guests !== undefined || price?.ageCategory !== undefined
  return isNamed(flat) || (line.prices ?? []).some(isNamed)
}

/** The prices read so far, and the context in which they are judged. */
type Sheet = Location & {
  model: PricingModel | undefined
  guestsMax: GuestsMax | undefined
  catalog: HotelCatalog | undefined
  sets: FieldValue[]
  fields: Set<number>
  problems: DeferredProblem[]
}

/** The location of a price in its line: an index in `prices`, or the member with the amount. */
type PriceAt = number | 'price' | 'amount'

function priceAt(path: string, at: PriceAt): string {
  return typeof at === 'number' ? `${path}/prices/${at}` : path
}

/** Reads a price and adds it to the sheet. */
function readPrice(price: ReadablePrice, at: PriceAt, sheet: Sheet): void {
  const { path, model, sets, fields, problems } = sheet
  const field = model === 'guest' ? guestField(price, at, sheet) : model && fieldNumber.unitPrice
  const value = minorOf(price, at, sheet)
  if (field === undefined) return
  if (fields.has(field)) problems.push(() => problemAt(itemErrors.duplicatePrice(model), priceAt(path, at)))
  fields.add(field)
  sets.push({ field, value: value ?? unset })
}

function guestField(price: ReadablePrice, at: PriceAt, { path, unreadable, guestsMax, problems }: Sheet) {
  const { guests, ageCategory } = price
  if (guests === undefined || ageCategory === undefined) {
    const location = { path: priceAt(path, at), unreadable }
    for (const name of ['guests', 'ageCategory'] as const)
      if (!isSent(price, name, location))
        problems.push(() => problemAt(itemErrors.guestsMissing(name), `${location.path}/${name}`))
    return undefined
  }
  const most = guestsMax?.[ageCategory] ?? Infinity
  if (guests > most) {
    const beyond = itemErrors.beyondOccupancy
    problems.push(() => problemAt(beyond(most, ageCategory), `${priceAt(path, at)}/guests`, guests))
  }
  return guestPriceField(ageCategory, guests)
}

/** The amount in minor units; `unset` for null. Only children and infants may be free. */
function minorOf(
  { amount, ageCategory }: ReadablePrice,
  at: PriceAt,
  { path, model, catalog, problems }: Sheet,
): number | undefined {
  if (amount === undefined) return undefined
  if (amount === null) return unset
  // Without the hotel's currency only the sign can be judged.
  const minor = catalog ? toMinor(amount, catalog.minorDigits) : Math.sign(Number(amount))
  const mayBeFree = model !== 'unit' && ageCategory !== 'adult'
  if (minor !== undefined && (minor > 0 || (minor === 0 && mayBeFree))) return minor
  problems.push(() => {
    const error =
      minor === undefined && catalog
        ? itemErrors.amountNotStorable(amount, catalog)
        : itemErrors.amountTooLow(mayBeFree)
    return problemAt(error, typeof at === 'number' ? `${path}/prices/${at}/amount` : `${path}/${at}`, amount)
  })
  return undefined
}

const ignoredListedMax = 5

/** A misspelt member is ignored like any unknown member, so the answer must say that nothing was set. */
export function nothingSent(part: object, shape: typeof ariItem | typeof rateLine, path: string): Problem {
  const ignored = Object.keys(part).filter((name) => !Object.hasOwn(shape.properties, name))
  const named = ignored.slice(0, ignoredListedMax).map((name) => name.slice(0, 40).toWellFormed())
  return problemAt(itemErrors.nothingSent(named), path)
}
