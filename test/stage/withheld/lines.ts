import type { Value } from '../models/read-back-nights.ts'
import { addDays, type ItemSent, type LineSent, type PriceSent, type PushSent } from '../models/naive-ari.ts'
import { limitKept, limitNames, switchNames } from '../models/naive-restrictions.ts'

/** What pushes say, night by night, and the pushes that say it. By the contract, without any code of src/. */

export const roomId = 'DBL'
export const rateIds = ['BAR', 'NRF']
/** Of the products: up to 3 guests, of whom 2 may be adults, or children. */
const buckets = [1, 2]
  .flatMap((guests) => ['adult', 'child', 'infant'].map((category) => `${category}/${guests}`))
  .concat('infant/3')
export const adults = ['adult/1', 'adult/2']
/** Of adults and children. */
export const mostGuests = 3
export type Party = { adults: number; children: number; infants: number }
/** All that fit, with one adult at least. */
export const parties: readonly Party[] = [1, 2].flatMap((count) =>
  [0, 1, 2].flatMap((children) =>
    count + children > mostGuests
      ? []
      : [0, 1, 2, 3].map((infants) => ({ adults: count, children, infants })),
  ),
)

export type Model = 'unit' | 'guest'
/** The field of a price: `unit`, or as in `adult/2`. */
export type Prices = {
  /** Of the prices that are set; undefined: they are only cleared. */
  model: Model | undefined
  sets: ReadonlyMap<string, number | null>
  /** All guest prices but these are cleared; undefined: none is. */
  clearsBut: ReadonlySet<string> | undefined
}
/** What a push says of one night of a room-rate, or of the room (`rate` is empty). */
export type Line = {
  rate: string
  date: string
  fields: ReadonlyMap<string, Value | null>
  prices: Prices | undefined
}

export const isOfInfants = (field: string): boolean => field.startsWith('infant')
export const isSupplement = (field: string): boolean => isOfInfants(field) || field.startsWith('child')
export const isGuest = (field: string): boolean => field.includes('/')
export const isPrice = (field: string): boolean => field === 'unit' || isGuest(field)
export const modelOf = (field: string): Model => (isGuest(field) ? 'guest' : 'unit')

/** The lines of each item. */
export function linesOf({ pricingModel, mode, ari }: PushSent): Line[][] {
  return ari.map((item) => {
    const { inventory, closed } = item
    const room = fieldsOf({ inventory, ...(closed === undefined ? {} : { closed }) })
    const rates = (item.rates ?? []).map((line) => ({
      rate: line.rateId ?? '',
      ...(mode === 'overlay'
        ? overlaid(fieldsOf(line), pricesOf(line, pricingModel))
        : { fields: fieldsOf(line), prices: pricesOf(line, pricingModel) }),
    }))
    return nightsOf(item).flatMap((date) => [
      ...(room.size > 0 ? [{ rate: '', date, fields: room, prices: undefined }] : []),
      ...rates.map((line) => ({ ...line, date })),
    ])
  })
}

function nightsOf({ date, startDate = date ?? '', endDate = date ?? '' }: ItemSent): string[] {
  const nights: string[] = []
  for (let night = startDate; night <= endDate; night = addDays(night, 1)) nights.push(night)
  return nights
}

function fieldsOf(line: LineSent): Map<string, Value | null> {
  const fields = new Map<string, Value | null>()
  if (line.inventory !== undefined) fields.set('inventory', line.inventory)
  for (const name of switchNames) if (line[name] !== undefined) fields.set(name, line[name] === true || null)
  for (const name of limitNames) {
    const sent = line[name]
    if (sent === undefined) continue
    const kept = limitKept(name, sent)
    fields.set(name, kept === undefined ? null : Number(kept))
  }
  return fields
}

/** A mode that clears what a line doesn't name. */
function overlaid(fields: ReadonlyMap<string, Value | null>, prices: Prices | undefined) {
  const all = new Map(['inventory', ...switchNames, ...limitNames].map((name) => [name, null]))
  return {
    fields: new Map<string, Value | null>([...all, ...fields]),
    prices: {
      model: prices?.model,
      sets: new Map([['unit', null], ...(prices?.sets ?? [])]),
      clearsBut: new Set(prices?.sets.keys()),
    },
  }
}

function pricesOf(line: LineSent, pushed: string | undefined): Prices | undefined {
  const { price, prices } = line
  const [only, ...others] = prices ?? []
  const isSoleNull = only?.amount === null && others.length === 0 && only.guests === undefined
  if (price === null || prices === null || isSoleNull)
    return { model: undefined, sets: new Map([['unit', null]]), clearsBut: new Set() }
  const model = (line.pricingModel ?? pushed) === 'unit' ? 'unit' : 'guest'
  const sent: PriceSent[] = prices ?? (price === undefined ? [] : [{ amount: price }])
  if (sent.length === 0) return undefined
  const sets = new Map(
    sent.map(({ ageCategory, guests, amount }) => [
      model === 'unit' ? 'unit' : `${ageCategory}/${guests}`,
      amount === null ? null : Number(amount),
    ]),
  )
  if ([...sets.values()].every((amount) => amount === null))
    return { model: undefined, sets, clearsBut: undefined }
  if (model === 'unit') return { model, sets, clearsBut: new Set(['unit']) }
  return { model, sets: new Map([...sets, ['unit', null]]), clearsBut: undefined }
}

/** Every price that prices set or clear, whether there is one or not. */
export function pricedFields({ sets, clearsBut }: Prices): string[] {
  return [...new Set([...sets.keys(), ...(clearsBut ? buckets.filter((one) => !clearsBut.has(one)) : [])])]
}

/** What remains of prices without some of them. A night's price of the other model goes only for a new one. */
export function pricesWithout(prices: Prices, left: ReadonlySet<string>): Prices | undefined {
  if (left.size === 0) return prices
  const { model, sets, clearsBut } = prices
  const remaining = [...sets].filter(([field]) => !left.has(field))
  const setsAny = remaining.some(([, amount]) => amount !== null)
  if (model === 'unit') return setsAny ? prices : undefined
  const kept = model === 'guest' && !setsAny ? remaining.filter(([field]) => field !== 'unit') : remaining
  const cleared = clearsBut ? buckets.filter((field) => !clearsBut.has(field) && !left.has(field)) : []
  return {
    model: setsAny ? model : undefined,
    sets: new Map([...kept, ...cleared.map((field) => [field, null] as const)]),
    clearsBut: undefined,
  }
}

/** Items that say this and nothing else, in the mode `delta`. */
export function itemsOf({ rate, date, fields, prices }: Line): ItemSent[] {
  const plain = Object.fromEntries([...fields].map(([name, value]) => [name, value]))
  if (rate === '') return fields.size > 0 ? [{ roomId, date, ...plain }] : []
  const [first = {}, ...more] = prices ? formsOf(prices) : []
  const lines = [{ ...plain, ...first }, ...more].filter((line) => Object.keys(line).length > 0)
  return lines.map((line) => ({ roomId, date, rates: [{ rateId: rate, ...line }] }))
}

function formsOf({ model, sets, clearsBut }: Prices): LineSent[] {
  const unit = sets.get('unit')
  if (model === 'unit')
    return unit === null || unit === undefined ? [] : [{ pricingModel: 'unit', price: unit }]
  if (model === undefined && clearsBut?.size === 0) return [{ prices: null }]
  const guests = new Map([...sets].filter(([field]) => isGuest(field)))
  for (const field of clearsBut ? buckets : []) if (!guests.has(field)) guests.set(field, null)
  const forms: LineSent[] = []
  if (guests.size > 0)
    forms.push({
      pricingModel: 'guest',
      prices: [...guests].map(([field, amount]) => guestPrice(field, amount)),
    })
  // A sole null without guests would clear all prices; in the unit model guests are ignored.
  if (model === undefined && unit === null)
    forms.push({ pricingModel: 'unit', prices: [guestPrice('adult/1', null)] })
  return forms
}

function guestPrice(field: string, amount: number | null): PriceSent {
  const [category, guests] = field.split('/')
  const ageCategory = (['adult', 'child', 'infant'] as const).find((one) => one === category)
  if (!ageCategory) throw new RangeError(`no guest price: ${field}`)
  return { ageCategory, guests: Number(guests), amount }
}
