import { shown, type Problem } from '../http/rejected.ts'
import { toMinor } from '../base/money.ts'
import { guestsMaxOf, type GuestsMax } from '../products/occupancy.ts'
import type { RoomRate } from '../products/store.ts'
import { unset } from './block-codec.ts'
import type { HotelCatalog } from './catalog.ts'
import type { PricingModel } from './item-contract.ts'
import { fieldNumber, guestPriceField, type FieldValue } from './fields.ts'
import { found, problemsIn, type Listing, type PlannedItem } from './planned.ts'
import { isSent, type Place, type ReadableItem, type ReadableLine, type ReadablePrice } from './readable.ts'

export type PlannedPrices = {
  sets: FieldValue[]
  /** Whether every guest price that `sets` doesn't name is cleared too. */
  clearsOthers: boolean
  /** The model whose price is set. */
  model: PricingModel | undefined
}

/** What only an item in the flat form may say of its price. */
export type FlatPrice = Pick<ReadableItem, 'amount' | 'guests' | 'ageCategory'>

/** Where a line stands; `flat`: it is the item itself. */
export type LinePlace = Place & { flat: FlatPrice | undefined }

/** What a line's prices are judged by; rules whose ground is absent are not tried. */
type PriceContext = {
  place: LinePlace
  model: PricingModel | undefined
  product: RoomRate | undefined
  catalog: HotelCatalog | undefined
  listing: Listing
}

const nothing: PlannedPrices = { sets: [], clearsOthers: false, model: undefined }

/** Whether a line says anything of prices. */
export function sendsPrice(line: ReadableLine, flat: FlatPrice | undefined, place: Place): boolean {
  return (
    isSent(line, 'prices', place) ||
    isSent(line, 'price', place) ||
    (flat !== undefined && isSent(flat, 'amount', place))
  )
}

/**
 * The prices of a rate line. A price in one model takes the place of those in the other on the same nights;
 * `prices: null` (or `price: null`) clears those of both.
 */
export function planPrices(line: ReadableLine, context: PriceContext, planned: PlannedItem): PlannedPrices {
  const { place, product } = context
  const { flat } = place
  if (!sendsPrice(line, flat, place)) return nothing
  const before = problemsIn(planned)
  const isAmbiguous = checkOneForm(line, context, planned)
  if (!isAmbiguous && clearsAll(line, place))
    return { sets: [{ field: fieldNumber.unitPrice, value: unset }], clearsOthers: true, model: undefined }
  // Which of them counts is not known: only the amounts can be judged.
  const model = isAmbiguous ? undefined : context.model
  const sheet: Sheet = {
    context,
    model,
    guestsMax: model === 'guest' && product ? guestsMaxOf(product) : undefined,
    valueByField: new Map(),
  }
  for (const [index, price] of (line.prices ?? []).entries())
    if (price) planPrice(price, index, sheet, planned)
  const { guests, ageCategory } = flat ?? {}
  if (isSent(line, 'price', place))
    planPrice({ guests, ageCategory, amount: line.price }, 'price', sheet, planned)
  if (flat && isSent(flat, 'amount', place))
    planPrice({ guests, ageCategory, amount: flat.amount }, 'amount', sheet, planned)
  if (model === 'unit' && namesGuests(line, flat)) planned.warnings.push(guestFieldsIgnored(place.path))
  if (problemsIn(planned) > before) return nothing
  const sets = [...sheet.valueByField].map(([field, value]) => ({ field, value }))
  const setsValue = sets.some(({ value }) => value !== unset)
  if (model === 'guest' && setsValue) sets.push({ field: fieldNumber.unitPrice, value: unset })
  return { sets, clearsOthers: model === 'unit' && setsValue, model: setsValue ? model : undefined }
}

/** Tells when the prices were written in more than one way. */
function checkOneForm(line: ReadableLine, { place, listing }: PriceContext, planned: PlannedItem): boolean {
  const hasPrices = isSent(line, 'prices', place)
  const hasPrice = isSent(line, 'price', place)
  const hasAmount = place.flat !== undefined && isSent(place.flat, 'amount', place)
  if (Number(hasPrices) + Number(hasPrice) + Number(hasAmount) < 2) return false
  found(planned, listing, () => {
    const written = [
      ...(hasPrices ? ['prices'] : []),
      ...(hasPrice ? ['price'] : []),
      ...(hasAmount ? ['amount'] : []),
    ]
    return {
      type: 'AMBIGUOUS_PRICE',
      message: `${written.join(' and ')} cannot be sent together`,
      path: `${place.path}/${written[1]}`,
      hint: 'State each price once',
    }
  })
  return true
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

/** The prices of a line as they are read. */
type Sheet = {
  context: PriceContext
  model: PricingModel | undefined
  guestsMax: GuestsMax | undefined
  valueByField: Map<number, number>
}

/** Which price of the line: its index in `prices`, or the member that is the amount. */
type PriceAt = number | 'price' | 'amount'

function priceAt(path: string, at: PriceAt): string {
  return typeof at === 'number' ? `${path}/prices/${at}` : path
}

function amountAt(path: string, at: PriceAt): string {
  return typeof at === 'number' ? `${path}/prices/${at}/amount` : `${path}/${at}`
}

function planPrice(price: ReadablePrice, at: PriceAt, sheet: Sheet, planned: PlannedItem): void {
  const { model, valueByField } = sheet
  const { place, listing } = sheet.context
  const field = model === 'guest' ? guestField(price, at, sheet, planned) : unitField(model)
  const value = minorOf(price, at, sheet, planned)
  if (field === undefined) return
  if (valueByField.has(field)) found(planned, listing, () => duplicatePrice(priceAt(place.path, at), model))
  valueByField.set(field, value ?? unset)
}

function unitField(model: PricingModel | undefined): number | undefined {
  return model === undefined ? undefined : fieldNumber.unitPrice
}

function guestField(
  { guests, ageCategory }: ReadablePrice,
  at: PriceAt,
  { context: { place: line, listing }, guestsMax }: Sheet,
  planned: PlannedItem,
): number | undefined {
  if (guests === undefined || ageCategory === undefined) {
    const place = { path: priceAt(line.path, at), wrong: line.wrong }
    for (const name of ['guests', 'ageCategory'] as const) {
      if (isSent({ guests, ageCategory }, name, place)) continue
      found(planned, listing, () => ({
        type: 'REQUIRED',
        message: `${name} is required when pricingModel is guest`,
        path: `${place.path}/${name}`,
        hint: 'Each line of the guest model states guests and ageCategory',
      }))
    }
    return undefined
  }
  const most = guestsMax?.[ageCategory] ?? Infinity
  if (guests > most) {
    found(planned, listing, () => ({
      type: 'OCCUPANCY_EXCEEDED',
      message: `guests exceeds the product's occupancy`,
      path: `${priceAt(line.path, at)}/guests`,
      value: guests,
      hint: `The product takes at most ${most} of category ${ageCategory}`,
    }))
  }
  return guestPriceField(ageCategory, guests)
}

/** The amount in minor units, `unset` for null. Adults and units cost something, children and infants may be free. */
function minorOf(
  { amount, ageCategory }: ReadablePrice,
  at: PriceAt,
  { model, context: { place, catalog, listing } }: Sheet,
  planned: PlannedItem,
): number | undefined {
  if (amount === undefined) return undefined
  if (amount === null) return unset
  // Without the hotel's currency only the sign can be judged.
  const minor = catalog ? toMinor(amount, catalog.minorDigits) : Math.sign(Number(amount))
  if (minor === undefined) {
    found(planned, listing, () => ({
      type: 'INVALID_AMOUNT',
      message: `Amount must have at most ${catalog?.minorDigits} decimals in ${catalog?.currency}`,
      path: amountAt(place.path, at),
      value: shown(amount),
      hint: 'Amounts are never rounded; the largest has 10 digits before the decimals',
    }))
    return undefined
  }
  const mayBeFree = model !== 'unit' && ageCategory !== 'adult'
  if (minor > 0 || (minor === 0 && mayBeFree)) return minor
  found(planned, listing, () => ({
    type: 'INVALID_AMOUNT',
    message: mayBeFree ? 'Amount must be greater than or equal to zero' : 'Amount must be greater than zero',
    path: amountAt(place.path, at),
    value: shown(amount),
    hint: 'Use closed or inventory 0 to stop the sale, null to clear the price',
  }))
  return undefined
}

function duplicatePrice(at: string, model: PricingModel | undefined): Problem {
  const hint =
    model === 'guest' ? 'Send each ageCategory and guests once' : 'The unit model has one price a night'
  return { type: 'DUPLICATE_PRICE', message: 'The same price stands twice in one rate line', path: at, hint }
}

function guestFieldsIgnored(path: string): Problem {
  return {
    type: 'GUEST_FIELDS_IGNORED',
    message: 'guests and ageCategory mean nothing when pricingModel is unit',
    path,
    hint: 'The amount is for the room, whoever stays; send pricingModel guest for prices by number of guests',
  }
}
