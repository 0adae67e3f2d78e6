import { counted } from '../../base/counted.ts'
import {
  firstDay,
  formatNight,
  parseNight,
  weekdayOf,
  weekdays,
  type DayNumber,
} from '../../base/calendar.ts'
import { fromMinor, minorText } from '../../base/money.ts'
import { unset } from '../blocks/block-codec.ts'
import type { HotelCatalog } from '../catalog/catalog.ts'
import {
  fieldNumber,
  guestBucket,
  isGuestPriceField,
  isPriceField,
  type AgeCategory,
  type FieldValue,
} from '../fields.ts'
import { countNights, type MonthNights } from '../blocks/month.ts'
import type { PlannedItem, RowChange } from './plan.ts'
import type { ReadableItem } from './readable.ts'
import { datesReadMax, readingsMax, type Reading, type Scope } from '../readings-contract.ts'
import {
  pushedRestrictions,
  restrictions,
  type PushedRestriction,
  type RestrictedStay,
  type Restriction,
} from '../restrictions.ts'
import { namesOf } from '../catalog/row-names.ts'

/**
 * Readings of the planned items of a push: what each field means, as a sentence and as data. The sentences
 * follow from the table of restrictions; `proofs/models/readings.proof.ts` reads them back.
 */
export type Readings = { byItem: ReadonlyMap<number, readonly Reading[]>; unlisted: number }

type Names = ReturnType<typeof namesOf> & { currency: string }

export function readingsOf(
  items: readonly (ReadableItem | undefined)[],
  planned: readonly PlannedItem[],
  catalog: HotelCatalog,
): Readings {
  const names = { ...namesOf(catalog), currency: catalog.currency }
  const byItem = new Map<number, readonly Reading[]>()
  let room = readingsMax
  let unlisted = 0
  for (const [index, { rows }] of planned.entries()) {
    const [first] = rows
    const item = items[index]
    if (!first || !item) continue
    const nights = room > 0 ? nightsOf(item, first.months) : undefined
    const readings: Reading[] = []
    for (const row of rows) {
      for (const toRead of fieldsToRead(row)) {
        if (nights && room-- > 0) readings.push(readingOf(row, toRead, nights, names))
        else unlisted++
      }
    }
    if (readings.length > 0) byItem.set(index, readings)
  }
  return { byItem, unlisted }
}

/** The nights of an item in words. `weekdays` is empty if it means every night of its range. */
type Nights = { count: number; dates: string[]; range: string; weekdays: string }

function nightsOf(item: ReadableItem, months: readonly MonthNights[]): Nights {
  const from = parseNight(item.date ?? item.startDate ?? '') ?? 0
  const to = parseNight(item.date ?? item.endDate ?? '') ?? 0
  const dates: string[] = []
  const seen = new Set<number>()
  let count = 0
  for (const { month, mask } of months) {
    count += countNights(mask)
    for (let rest = mask; rest !== 0 && (seen.size < 7 || dates.length < datesReadMax); rest &= rest - 1) {
      const day = firstDay(month) + 31 - Math.clz32(rest & -rest)
      seen.add(weekdayOf(day))
      if (dates.length < datesReadMax) dates.push(formatNight(day))
    }
  }
  const names = weekdays
    .filter((_, day) => seen.has(day))
    .map((name) => name[0] + name.slice(1).toLowerCase())
  const isEvery = count === to - from + 1
  return { count, dates, range: rangeText(from, to), weekdays: isEvery ? '' : `, ${listed(names)} only` }
}

const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `15 Apr 2027`, `15–20 Apr 2027`, `15 Apr–15 May 2027` or `15 Dec 2027–15 Jan 2028`. */
function rangeText(from: DayNumber, to: DayNumber): string {
  const first = datePartsOf(from)
  const last = datePartsOf(to)
  const end = last.join(' ')
  if (from === to) return end
  const differing = first[2] === last[2] ? (first[1] === last[1] ? 1 : 2) : 3
  return `${first.slice(0, differing).join(' ')}–${end}`
}

/** Day, month and year. */
function datePartsOf(night: DayNumber): string[] {
  const [year = '', month, day] = formatNight(night).split('-')
  return [String(Number(day)), monthNames[Number(month) - 1] ?? '', year]
}

function listed(names: readonly string[]): string {
  const [last = '', ...others] = names.toReversed()
  return others.length === 0 ? last : `${others.toReversed().join(', ')} and ${last}`
}

const otherPrices = 'otherPrices'
type FieldToRead = FieldValue | typeof otherPrices

/**
 * The fields of a row that get a sentence. A price takes the place of the other model's prices without a
 * sentence about that.
 */
function fieldsToRead({ sets, guestPricesKept, pricingModel }: RowChange): FieldToRead[] {
  const clearsOthers = guestPricesKept !== undefined && pricingModel !== 'unit'
  const impliesUnit = clearsOthers || pricingModel === 'guest'
  const fields: FieldToRead[] = sets.filter(
    ({ field, value }) => !(impliesUnit && field === fieldNumber.unitPrice && value === unset),
  )
  return clearsOthers ? [...fields, otherPrices] : fields
}

function readingOf(row: RowChange, toRead: FieldToRead, nights: Nights, names: Names): Reading {
  const { roomNo, rateNo } = row
  const roomId = names.roomCode(roomNo)
  const rate = rateNo === 0 ? {} : { rateId: names.rateCode(rateNo) }
  const { effect, ...meaning } = meaningOf(row, toRead, nights.count, names)
  const subject = [codeText(roomId), ...(rate.rateId === undefined ? [] : [codeText(rate.rateId)])].join(
    ' / ',
  )
  const days = meaning.scope === 'departure' ? 'day' : 'night'
  const when = `${nights.range.includes('–') ? `${days}s` : days} ${nights.range}${nights.weekdays}`
  const many = nights.range.includes('–') ? ` (${counted(nights.count, days)})` : ''
  return {
    text: `${subject}, ${when}${many}: ${effect}`,
    roomId,
    ...rate,
    ...meaning,
    nights: nights.count,
    dates: nights.dates,
  }
}

/** Codes are written as they are where a reader can't mistake where they end. */
function codeText(code: string): string {
  return /^[\w.-]+$/.test(code) ? code : JSON.stringify(code)
}

type Meaning = Pick<Reading, 'field' | 'guests' | 'ageCategory' | 'value' | 'scope'> & { effect: string }

function meaningOf(row: RowChange, toRead: FieldToRead, nights: number, names: Names): Meaning {
  if (toRead === otherPrices) {
    const effect = row.pricingModel === undefined ? 'no prices' : 'no other prices'
    return { field: otherPrices, value: null, scope: 'night', effect }
  }
  const { field, value } = toRead
  if (field === fieldNumber.inventory) return inventoryMeaning(row, value)
  if (isPriceField(field)) return priceMeaning(toRead, names)
  const name = pushedRestrictions.find((one) => fieldNumber[one] === field)
  if (name === undefined) throw new Error(`field ${field} can't be pushed`)
  return restrictionMeaning(name, value, nights)
}

function inventoryMeaning({ rateNo }: RowChange, value: number): Meaning {
  const isRooms = rateNo === 0
  const meaning = { field: 'inventory', scope: 'night' } as const
  if (value === unset)
    return { ...meaning, value: null, effect: isRooms ? 'no inventory' : 'no inventory of its own' }
  const units = `${counted(value, 'unit')} to sell`
  const effect = isRooms ? `${units}, shared by the room's rates` : `${units} at this rate`
  return { ...meaning, value, effect }
}

const guestNames: Readonly<Record<AgeCategory, readonly [one: string, many: string]>> = {
  adult: ['adult', 'adults'],
  child: ['child', 'children'],
  infant: ['infant', 'infants'],
}

function priceMeaning({ field, value }: FieldValue, { minorDigits, currency }: Names): Meaning {
  const bucket = isGuestPriceField(field) ? guestBucket(field) : undefined
  const isSet = value !== unset
  const price = {
    field: 'price',
    scope: 'night',
    value: isSet ? fromMinor(value, minorDigits) : null,
  } as const
  const amount = `${minorText(value, minorDigits)} ${currency} a night`
  if (!bucket)
    return { ...price, effect: isSet ? `the unit costs ${amount}, whoever stays` : 'no price for the unit' }
  const { guests, ageCategory } = bucket
  const who = counted(guests, ...guestNames[ageCategory])
  const verb = `${ageCategory === 'adult' ? 'pay' : 'add'}${guests === 1 ? 's' : ''}`
  const effect = isSet ? `${who} ${verb} ${amount} in total` : `no price for ${who}`
  return { ...price, guests, ageCategory, effect }
}

const guestsBy: Readonly<Record<Restriction['tests'], (these: string, any: string) => string>> = {
  arrival: (these) => `guests arriving on ${these}`,
  departure: (these) => `guests departing on ${these}`,
  nights: (_, any) => `guests staying on ${any}`,
}

const forbiddenBy: Readonly<Record<Restriction['tests'], (these: string, any: string) => string>> = {
  arrival: (these) => `no stay may begin on ${these}`,
  departure: (these) => `no stay may end on ${these}`,
  nights: (_, any) => `no stay may include ${any}`,
}

const measured: Readonly<Record<keyof RestrictedStay, (bound: string, count: number) => string>> = {
  length: (bound, count) => `stay ${bound} ${counted(count, 'night')}`,
  advanceDays: (bound, count) => `book ${bound} ${counted(count, 'day')} ahead`,
}

const others: Readonly<Record<Restriction['tests'], string>> = {
  arrival: '; stays passing through are not affected',
  departure: '; stays passing through are not affected',
  nights: ', whenever they arrive',
}

function restrictionMeaning(name: PushedRestriction, value: number, nights: number): Meaning {
  const restriction: Restriction = restrictions[name]
  const { tests, kind, label } = restriction
  const named = label.slice(0, 1).toLowerCase() + label.slice(1)
  const isSwitch = kind === 'switch'
  const scope: Scope = tests === 'nights' ? (isSwitch ? 'night' : 'through') : tests
  const unit = tests === 'departure' ? 'day' : 'night'
  const these = nights === 1 ? `this ${unit}` : `these ${unit}s`
  const any = nights === 1 ? `this ${unit}` : `any of these ${unit}s`
  if (value === unset)
    return {
      field: name,
      scope,
      value: isSwitch ? false : null,
      effect: `${isSwitch ? 'not' : 'no'} ${named}`,
    }
  if (restriction.kind === 'switch') {
    const through = tests === 'nights' ? '' : others[tests]
    return {
      field: name,
      scope,
      value: true,
      effect: `${named}, ${forbiddenBy[tests](these, any)}${through}`,
    }
  }
  const bound = restriction.kind === 'min' ? 'at least' : 'at most'
  const stays = measured[restriction.compares](bound, value)
  return { field: name, scope, value, effect: `${guestsBy[tests](these, any)} ${stays}${others[tests]}` }
}
