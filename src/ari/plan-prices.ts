import { shown, type Problem } from '../platform/rejected.ts'
import { toMinor } from '../platform/money.ts'
import { unset } from './block-codec.ts'
import type { RoomRate } from '../products/store.ts'
import type { HotelCatalog } from './catalog.ts'
import type { PriceLine, PricingModel } from './item-contract.ts'
import { fieldNumber, guestPriceField, type AgeCategory, type FieldValue } from './fields.ts'

export type PlannedPrices = {
  sets: FieldValue[]
  /** Whether every guest price that `sets` doesn't name is cleared too. */
  clearsOthers: boolean
  /** The model whose price is set. */
  model: PricingModel | undefined
}

type PricedLine = {
  prices?: PriceLine[] | null | undefined
  price?: number | string | null | undefined
  amount?: number | string | null | undefined
  guests?: number | undefined
  ageCategory?: AgeCategory | undefined
}

type PriceContext = {
  model: PricingModel | undefined
  product: RoomRate
  catalog: HotelCatalog
  path: string
}

const nothing: PlannedPrices = { sets: [], clearsOthers: false, model: undefined }

/** Whether a line says anything of prices. */
export function sendsPrice(line: PricedLine): boolean {
  return line.prices !== undefined || line.price !== undefined || line.amount !== undefined
}

/**
 * The prices of a rate line. A price in one model takes the place of those in the other on the same nights;
 * `prices: null` (or `price: null`) clears those of both.
 */
export function planPrices(
  line: PricedLine,
  context: PriceContext,
  { problems, warnings }: { problems: Problem[]; warnings: Problem[] },
): PlannedPrices {
  if (!sendsPrice(line)) return nothing
  const { model, path } = context
  const before = problems.length
  const lines = listed(line, path, problems)
  if (lines === null)
    return { sets: [{ field: fieldNumber.unitPrice, value: unset }], clearsOthers: true, model: undefined }
  if (
    model === 'unit' &&
    lines.some(({ price }) => price.guests !== undefined || price.ageCategory !== undefined)
  ) {
    warnings.push(guestFieldsIgnored(path))
  }
  const valueByField = new Map<number, number>()
  for (const { price, at } of lines) {
    const field = model === 'guest' ? guestField(price, at, context.product, problems) : fieldNumber.unitPrice
    const value = amountOf(
      price,
      `${at}${'amountName' in price ? `/${price.amountName}` : '/amount'}`,
      context,
      problems,
    )
    if (field === undefined || value === undefined) continue
    if (valueByField.has(field)) problems.push(duplicatePrice(at, model))
    valueByField.set(field, value)
  }
  if (problems.length > before) return nothing
  const sets = [...valueByField].map(([field, value]) => ({ field, value }))
  const setsValue = sets.some(({ value }) => value !== unset)
  if (model === 'guest' && setsValue) sets.push({ field: fieldNumber.unitPrice, value: unset })
  return { sets, clearsOthers: model === 'unit' && setsValue, model: setsValue ? model : undefined }
}

type Listed = { price: PriceLine & { amountName?: string }; at: string }

/** The price lines, whichever way they were written; null where all are to be cleared. */
function listed(line: PricedLine, path: string, problems: Problem[]): Listed[] | null {
  const written = (['prices', 'price', 'amount'] as const).filter((name) => line[name] !== undefined)
  if (written.length > 1) {
    const message = `${written.join(' and ')} cannot be sent together`
    problems.push({
      type: 'AMBIGUOUS_PRICE',
      message,
      path: `${path}/${written[1]}`,
      hint: 'State each price once',
    })
    return []
  }
  if (line.prices === null) return null
  if (line.prices) return line.prices.map((price, index) => ({ price, at: `${path}/prices/${index}` }))
  const name = line.price === undefined ? 'amount' : 'price'
  const amount = line[name]
  if (amount === undefined) return []
  const bucket = {
    ...(line.guests === undefined ? {} : { guests: line.guests }),
    ...(line.ageCategory === undefined ? {} : { ageCategory: line.ageCategory }),
  }
  if (amount === null && Object.keys(bucket).length === 0) return null
  return [{ price: { ...bucket, amount, amountName: name }, at: path }]
}

function guestField(
  price: PriceLine,
  at: string,
  product: RoomRate,
  problems: Problem[],
): number | undefined {
  const { guests, ageCategory } = price
  const hint = 'Each line of the guest model states guests and ageCategory'
  if (guests === undefined)
    problems.push({
      type: 'REQUIRED',
      message: 'guests is required when pricingModel is guest',
      path: `${at}/guests`,
      hint,
    })
  if (ageCategory === undefined)
    problems.push({
      type: 'REQUIRED',
      message: 'ageCategory is required when pricingModel is guest',
      path: `${at}/ageCategory`,
      hint,
    })
  if (guests === undefined || ageCategory === undefined) return undefined
  const most = mostGuests(product, ageCategory)
  if (guests <= most) return guestPriceField(ageCategory, guests)
  problems.push({
    type: 'OCCUPANCY_EXCEEDED',
    message: `guests exceeds the product's occupancy`,
    path: `${at}/guests`,
    value: guests,
    hint: `The product takes at most ${most} of category ${ageCategory}`,
  })
  return undefined
}

function mostGuests(product: RoomRate, category: AgeCategory): number {
  const own = { adult: product.maxAdult, child: product.maxChild, infant: undefined }[category]
  return Math.min(own ?? product.maxOccupancy, product.maxOccupancy)
}

/** Minor units; `unset` for null. Adults and units cost something, children and infants may be free. */
function amountOf(
  price: PriceLine,
  path: string,
  { model, catalog }: PriceContext,
  problems: Problem[],
): number | undefined {
  if (price.amount === null) return unset
  const minor = toMinor(price.amount, catalog.minorDigits)
  if (minor === undefined) {
    const digits = catalog.minorDigits
    const message = `Amount must have at most ${digits} decimals in ${catalog.currency}`
    problems.push({
      type: 'INVALID_AMOUNT',
      message,
      path,
      value: shown(price.amount),
      hint: 'Amounts are never rounded; the largest has 10 digits before the decimals',
    })
    return undefined
  }
  const mayBeFree = model === 'guest' && price.ageCategory !== 'adult' && price.ageCategory !== undefined
  if (minor > 0 || (minor === 0 && mayBeFree)) return minor
  const message = mayBeFree
    ? 'Amount must be greater than or equal to zero'
    : 'Amount must be greater than zero'
  problems.push({
    type: 'INVALID_AMOUNT',
    message,
    path,
    value: shown(price.amount),
    hint: 'Use closed or inventory 0 to stop the sale, null to clear the price',
  })
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
