/**
 * Reads the sentences of readings back, without any code of src/: into an item of a push that means the same, and into
 * the data that the reading states besides its sentence.
 */

import { limitNames, naiveRestrictions, switchNames, type NaiveRestriction } from './naive-restrictions.ts'

export type ReadItem = Record<string, unknown> & { roomId: string }
export type ReadBack = { item: ReadItem; data: Record<string, unknown>; clearsPrices: boolean }

const code = String.raw`[\w.-]+|"(?:[^"\\]|\\.)*"`
const sentence = new RegExp(
  String.raw`^(?<room>${code})(?: / (?<rate>${code}))?, (?<unit>night|day)s? (?<range>[^:,(]+?)(?:, (?<days>[A-Za-z, ]+) only)?(?: \((?<count>\d+) \w+\))?: (?<effect>.*)$`,
)

export function readBack(text: string): ReadBack {
  const { room, rate, unit, range, days, count, effect } = sentence.exec(text)?.groups ?? {}
  if (room === undefined || range === undefined || effect === undefined) throw new Error(`not read: ${text}`)
  const { startDate, endDate } = datesOf(range)
  const daysOfWeek = days?.split(/, | and /).map((day) => day.toUpperCase())
  const meaning = meaningOf(effect, rate === undefined)
  const isDay = meaning.scope === 'departure'
  if ((unit === 'day') !== isDay) throw new Error(`${text} speaks of ${unit}s`)
  const roomId = codeOf(room)
  const nights = nightsOf(startDate, endDate, daysOfWeek)
  if (count !== undefined && Number(count) !== nights.length) throw new Error(`${text}: ${nights.length}`)
  const rateId = rate === undefined ? {} : { rateId: codeOf(rate) }
  const { sent, ...data } = meaning
  const dated = { roomId, startDate, endDate, ...(daysOfWeek ? { daysOfWeek } : {}) }
  return {
    item: rate === undefined ? { ...dated, ...sent } : { ...dated, rates: [{ ...rateId, ...sent }] },
    data: { text, roomId, ...rateId, ...data, nights: nights.length, dates: nights.slice(0, 5) },
    clearsPrices: data.field === 'otherPrices',
  }
}

function codeOf(text: string): string {
  return text.startsWith('"') ? String(JSON.parse(text)) : text
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function datesOf(range: string): { startDate: string; endDate: string } {
  const [first = '', last = first] = range.split('–').map((part) => part.split(' '))
  const whole = [...first, ...last.slice(first.length)]
  return { startDate: dateOf(whole), endDate: dateOf([...last]) }
}

function dateOf([day = '', month = '', year = '']: string[]): string {
  const number = months.indexOf(month) + 1
  return `${year}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`
}

const dayMs = 86_400_000

function nightsOf(startDate: string, endDate: string, daysOfWeek: string[] | undefined): string[] {
  const nights: string[] = []
  for (let at = Date.parse(startDate); at <= Date.parse(endDate); at += dayMs) {
    const date = new Date(at)
    const day = date.toLocaleDateString('en', { weekday: 'short', timeZone: 'UTC' }).toUpperCase()
    if (!daysOfWeek || daysOfWeek.includes(day)) nights.push(date.toISOString().slice(0, 10))
  }
  return nights
}

type Meaning = {
  field: string
  guests?: number
  ageCategory?: string
  value: number | boolean | null
  scope: string
  sent: Record<string, unknown>
}

type Form = [form: RegExp, field: string, scope: string, set?: boolean]
type At = (typeof naiveRestrictions)[NaiveRestriction]['at']

const passing = '; stays passing through are not affected'
const forbidden: Readonly<Record<At, string>> = {
  nights: 'no stay may include (?:any of these nights|this night)',
  arrival: `no stay may begin on (?:these nights|this night)${passing}`,
  departure: `no stay may end on (?:these days|this day)${passing}`,
}
const switches: Form[] = switchNames.flatMap((name): Form[] => {
  const { at, title } = naiveRestrictions[name]
  const scope = at === 'nights' ? 'night' : at
  return [
    [new RegExp(`^${title}, ${forbidden[at]}$`), name, scope, true],
    [new RegExp(`^not ${title}$`), name, scope, false],
  ]
})

const guestsBy: Readonly<Record<At, string>> = {
  nights: 'guests staying on (?:any of these nights|this night)',
  arrival: 'guests arriving on (?:these nights|this night)',
  departure: 'guests departing on (?:these days|this day)',
}
const limits: Form[] = limitNames.flatMap((name): Form[] => {
  const { at, kind, of, title } = naiveRestrictions[name]
  const scope = at === 'nights' ? 'through' : at
  const bound = `${kind === 'min' ? 'at least' : 'at most'} (\\d+)`
  const what = of === 'length' ? `stay ${bound} nights?` : `book ${bound} days? ahead`
  const others = at === 'nights' ? ', whenever they arrive' : passing
  return [
    [new RegExp(`^${guestsBy[at]} ${what}${others}$`), name, scope],
    [new RegExp(`^no ${title}$`), name, scope],
  ]
})

function meaningOf(effect: string, isRoom: boolean): Meaning {
  for (const [form, field, scope, value = false] of switches)
    if (form.test(effect)) return { field, scope, value, sent: { [field]: value } }
  for (const [form, field, scope] of limits) {
    const match = form.exec(effect)
    if (!match) continue
    const value = match[1] === undefined ? null : Number(match[1])
    return { field, scope, value, sent: { [field]: value } }
  }
  return inventoryOf(effect, isRoom) ?? priceOf(effect)
}

function inventoryOf(effect: string, isRoom: boolean): Meaning | undefined {
  const set = isRoom
    ? /^(\d+) units? to sell, shared by the room's rates$/
    : /^(\d+) units? to sell at this rate$/
  const match = set.exec(effect)
  if (!match && effect !== (isRoom ? 'no inventory' : 'no inventory of its own')) return undefined
  const inventory = match ? Number(match[1]) : null
  return { field: 'inventory', scope: 'night', value: inventory, sent: { inventory } }
}

const categories: Readonly<Record<string, string>> = {
  adult: 'adult',
  adults: 'adult',
  child: 'child',
  children: 'child',
  infant: 'infant',
  infants: 'infant',
}

function priceOf(effect: string): Meaning {
  if (effect === 'no prices' || effect === 'no other prices')
    return {
      field: 'otherPrices',
      scope: 'night',
      value: null,
      sent: { pricingModel: 'guest', prices: null },
    }
  const unit = /^(?:the unit costs ([\d.]+) [A-Z]{3} a night, whoever stays|no price for the unit)$/.exec(
    effect,
  )
  if (unit) {
    const sent = { pricingModel: 'unit', prices: [{ amount: unit[1] ?? null }] }
    return { field: 'price', scope: 'night', value: valueOf(unit[1]), sent }
  }
  const guest =
    /^(?:(?<count>\d+) (?<who>\w+) (?:pay|add)s? (?<amount>[\d.]+) [A-Z]{3} a night in total|no price for (?<none>\d+) (?<whose>\w+))$/.exec(
      effect,
    )
  const { count, who, amount, none, whose } = guest?.groups ?? {}
  const ageCategory = categories[who ?? whose ?? '']
  if (!guest || ageCategory === undefined) throw new Error(`not read: ${effect}`)
  const guests = Number(count ?? none)
  const sent = { pricingModel: 'guest', prices: [{ guests, ageCategory, amount: amount ?? null }] }
  return { field: 'price', scope: 'night', value: valueOf(amount), guests, ageCategory, sent }
}

function valueOf(amount: string | undefined): number | null {
  return amount === undefined ? null : Number(amount)
}
