import type { TFunction } from 'i18next'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import {
  isClosure,
  type RateRestriction,
  rateRestrictions,
  type Restriction,
  type RestrictionName,
  restrictions,
} from '../../../../../src/ari/restrictions.ts'
import type { HoldExample } from '../../../../../src/ari/guard/contract.ts'
import type { Calendar } from '../../../../../src/console-api/calendar/contract.ts'
import type {
  ExplainedRule,
  ExplainedStay,
} from '../../../../../src/console-api/calendar/explain-contract.ts'
import { dateText, timeText } from '../../../parts/values/time.tsx'
import { dateOf, dayOf } from '../grid/days.ts'
import {
  type Cell,
  type CellContext,
  cellOf,
  type CellReason,
  type CellWords,
  cellReasons,
  type Money,
  priceText,
  type Row,
} from '../grid/rows.ts'

/** Placeholder for a number: translating for every cell would take longer than rendering it. */
const placeholder = '\u0000'

export function useCellWords(calendar: Calendar, context: CellContext): CellWords {
  const { t } = useTranslation()
  return useMemo(() => wordsOf(t, calendar, context), [t, calendar, context])
}

export function wordsOf(t: TFunction, { hotel }: { hotel: Money }, context: CellContext): CellWords {
  const reasonTexts = new Map(cellReasons.map((reason) => [reason, t(`calendar.reasons.${reason}`)]))
  const restrictionTexts = new Map(
    rateRestrictions.map((name) => [name, restrictionText(t, name, placeholder)]),
  )
  const units = t('calendar.cell.units', { value: placeholder })
  const [noUnits, notSellable] = [t('calendar.cell.noUnits'), t('calendar.cell.notSellable')]
  const dates = new Map<number, string>()
  const dateAt = (night: number): string => {
    const known = dates.get(night) ?? dateText(dateOf(context.from + night))
    dates.set(night, known)
    return known
  }
  const reason = (name: CellReason): string => reasonTexts.get(name) ?? name
  const restriction = (name: RateRestriction, value: number): string =>
    (restrictionTexts.get(name) ?? name).replace(placeholder, String(value))
  const partlyText = ({ unsold, reasons }: NonNullable<Cell['partly']>): string =>
    t('calendar.many.partly', { count: unsold, reasons: reasons.map(reason).join(', ') })
  const parts = (cell: Cell, row: Row): string[] => [
    ...(cell.price === undefined
      ? []
      : [`${hotel.currency} ${priceText(cell.price, hotel.minorDigits, false)}`]),
    ...(cell.partly === undefined ? [] : [partlyText(cell.partly)]),
    ...(cell.units === undefined
      ? row.kind === 'room'
        ? [noUnits]
        : []
      : [units.replace(placeholder, String(cell.units))]),
    ...cell.restricted.map(({ name, value }) => restriction(name, value)),
    ...(cell.reasons.length > 0 ? [`${notSellable}: ${cell.reasons.map(reason).join(', ')}`] : []),
  ]
  return {
    reason,
    restriction,
    cell: (row, night, withRow) => {
      const cell = cellOf(row, night, context)
      const name = nameOf(row)
      return [...(withRow ? [name] : []), dateAt(night), ...parts(cell, row)].join(' · ')
    },
  }
}

function nameOf(row: Row): string {
  if (row.kind === 'hotel') return row.hotel.name
  return row.kind === 'room' ? row.room.name : `${row.room.name}, ${row.rate.name}`
}

/** The rules of a stay in words. */

type Rule = ExplainedRule['rule']
type OtherRule = Exclude<Rule, RestrictionName>
type Party = { adults: number; childAges: readonly number[] }

const listFormat = new Intl.ListFormat('en-GB', { type: 'conjunction' })

/** `1 adult, 2 children aged 5 and 9`. */
export function partyText(t: TFunction, { adults, childAges }: Party): string {
  const ages = listFormat.format(childAges.map(String))
  return [
    t('calendar.guests.adult', { count: adults }),
    ...(childAges.length === 0 ? [] : [t('calendar.guests.childOf', { count: childAges.length, ages })]),
  ].join(', ')
}

/** Why a rule forbids the stay. */
export function forbidText(t: TFunction, rule: ExplainedRule, party: Party): string {
  const { rule: name, pushAgain, dates } = rule
  if (pushAgain !== undefined)
    return t('calendar.forbids.former', { dates: datesText(dates), what: pushAgain.join('; ') })
  return isRestriction(name) ? restrictionForbids(t, name, rule) : forbids[name](t, rule, party)
}

/** The label of a rule. */
export function ruleLabel(t: TFunction, name: Rule): string {
  return isRestriction(name) ? restrictions[name].label : t(`calendar.rules.${name}`)
}

/** A value of a night: `Units`, `Price for 2 adults`, `Closed`. */
export function fieldText(
  t: TFunction,
  { field, guests, ageCategory }: Pick<HoldExample, 'field' | 'guests' | 'ageCategory'>,
): string {
  if (field === 'price' && ageCategory !== undefined)
    return t(`calendar.prices.${ageCategory}`, { count: guests ?? 0 })
  return field === 'price' || field === 'inventory'
    ? t(`calendar.fields.${field}`)
    : restrictions[field].label
}

/** A restriction of a cell: `at least 3 nights on arrival`. */
export function restrictionText(t: TFunction, name: RestrictionName, value: string | number): string {
  const restriction: Restriction = restrictions[name]
  if (restriction.kind === 'switch') return restriction.label.toLowerCase()
  return limits[restriction.compares].limit(t, restriction, value)
}

function restrictionForbids(t: TFunction, name: RestrictionName, rule: ExplainedRule): string {
  const dates = datesText(rule.dates)
  if (isClosure(name)) return t(`calendar.forbids.${name}.${rule.of ?? 'rate'}`, { dates })
  const restriction: Restriction = restrictions[name]
  if (restriction.kind === 'switch') return t('calendar.forbids.switch', { label: restriction.label, dates })
  return limits[restriction.compares].forbids(t, restriction, numbersOf(rule))
}

type Limit = Extract<Restriction, { kind: 'min' | 'max' }>
type LimitTexts = {
  limit: (t: TFunction, of: Limit, value: string | number) => string
  forbids: (t: TFunction, of: Limit, numbers: ReturnType<typeof numbersOf>) => string
  held: (t: TFunction, count: number) => string
}

/** How a limit is said, by what it compares. */
const limits: Readonly<Record<Limit['compares'], LimitTexts>> = {
  length: {
    limit: (t, { kind, tests }, value) => t(`calendar.limits.${kind}Nights.${tests}`, { value }),
    forbids: (t, { kind, tests }, numbers) => t(`calendar.forbids.${kind}Nights.${tests}`, numbers),
    held: (t, count) => t('calendar.explain.nights', { count }),
  },
  advanceDays: {
    limit: (t, { kind }, value) => t(`calendar.limits.${kind}Days`, { value }),
    forbids: (t, { kind }, numbers) => t(`calendar.forbids.${kind}Days`, numbers),
    held: (t, count) => t('calendar.holds.days', { count }),
  },
}

function isRestriction(name: Rule): name is RestrictionName {
  return name in restrictions
}

type Forbids = (t: TFunction, rule: ExplainedRule, party: Party) => string

const forbids: Readonly<Record<OtherRule, Forbids>> = {
  hotelAvailable: (t) => t('calendar.forbids.hotelAvailable'),
  productAvailable: (t) => t('calendar.forbids.productAvailable'),
  arrivalDate: (t, { held, asked }) =>
    t('calendar.forbids.arrivalDate', { asked: dateText(String(asked)), held: dateText(String(held)) }),
  occupancy: (t, { held, asked }, party) =>
    t('calendar.forbids.occupancy', { limits: limitsText(t, held), party: countedText(t, party, asked) }),
  inventory: (t, { held, of = 'room', dates }) =>
    t(held === null ? 'calendar.forbids.unpushed' : `calendar.forbids.inventory.${of}`, {
      dates: datesText(dates),
    }),
  price: (t, { missing, dates }) =>
    missing === undefined
      ? t('calendar.forbids.price', { dates: datesText(dates) })
      : t('calendar.forbids.priceFor', { what: missingText(t, missing), dates: datesText(dates) }),
  taxes: (t, { dates }) => t('calendar.forbids.taxes', { dates: datesText(dates) }),
  // Fails by what must be pushed again only.
  cancelPolicy: (t) => t('calendar.rules.cancelPolicy'),
  total: (t) => t('calendar.forbids.total'),
  liveSoldOut: (t, { held }) =>
    t('calendar.forbids.liveSoldOut', { at: timeText(String(memberOf(held, 'at'))) }),
}

/** The value with which a rule passes. */
export function heldText(t: TFunction, rule: ExplainedRule, currency: string): string {
  const { rule: name } = rule
  if (!isRestriction(name)) return holds[name](t, rule, currency)
  const restriction: Restriction = restrictions[name]
  if (restriction.kind === 'switch') return yesOrNo(t, rule, currency)
  if (rule.held === null) return t('calendar.holds.nothing')
  return limits[restriction.compares].held(t, numberIn(rule.held))
}

type Holds = (t: TFunction, rule: ExplainedRule, currency: string) => string
const yesOrNo: Holds = (t, { held }) => t(held === true ? 'calendar.holds.yes' : 'calendar.holds.no')

const holds: Readonly<Record<OtherRule, Holds>> = {
  hotelAvailable: yesOrNo,
  productAvailable: yesOrNo,
  arrivalDate: (_t, { asked }) => dateText(String(asked)),
  occupancy: (t, { held }) => t('calendar.holds.occupancy', { limits: limitsText(t, held) }),
  inventory: (t, { held }) => t('calendar.holds.units', { count: numberIn(held) }),
  price: (_t, { held }, currency) => `${String(held)} ${currency}`,
  taxes: (t) => t('calendar.holds.taxes'),
  // Listed only where they fail.
  cancelPolicy: (t) => t('calendar.rules.cancelPolicy'),
  total: (t) => t('calendar.rules.total'),
  liveSoldOut: (t) => t('calendar.rules.liveSoldOut'),
}

/** The change that makes the stay bookable: `3 nights instead of 2, arrival on Thu, 17 Dec 2026`. */
export function nearestText(
  t: TFunction,
  nearest: NonNullable<ExplainedStay['nearest']>,
  asked: { checkin: string; checkout: string },
): string {
  const [count, before] = [nightsOf(nearest), nightsOf(asked)]
  return [
    ...(count === before ? [] : [t('calendar.explain.otherNights', { count, asked: before })]),
    ...(nearest.checkin === asked.checkin
      ? []
      : [t('calendar.explain.otherArrival', { date: dateText(nearest.checkin) })]),
  ].join(', ')
}

function nightsOf({ checkin, checkout }: { checkin: string; checkout: string }): number {
  return (dayOf(checkout) ?? 0) - (dayOf(checkin) ?? 0)
}

function numbersOf({ held, asked, dates }: ExplainedRule): { count: number; asked: number; dates: string } {
  return { count: numberIn(held), asked: numberIn(asked), dates: datesText(dates) }
}

function numberIn(value: unknown): number {
  return typeof value === 'number' ? value : 0
}

/** The party, and how it is counted if the hotel's ages of children change that. */
function countedText(t: TFunction, party: Party, asked: unknown): string {
  const text = partyText(t, party)
  const count = (name: string): number => numberIn(memberOf(asked, name))
  const [adults, children, infants] = [count('adults'), count('children'), count('infants')]
  if (adults === party.adults && infants === 0) return text
  const counted = [
    t('calendar.guests.adult', { count: adults }),
    ...(children === 0 ? [] : [t('calendar.guests.child', { count: children })]),
    ...(infants === 0 ? [] : [t('calendar.guests.infant', { count: infants })]),
  ]
  return t('calendar.guests.counted', { party: text, counted: counted.join(', ') })
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** `3 guests, 2 adults`. */
function limitsText(t: TFunction, held: unknown): string {
  const of = (name: string): unknown => memberOf(held, name)
  const [guests, adults] = [of('maxOccupancy'), of('maxAdult')]
  const [children, infants] = [of('maxChild'), of('maxInfant')]
  return [
    t('calendar.guests.any', { count: numberIn(guests) }),
    ...(typeof adults === 'number' ? [t('calendar.guests.adult', { count: adults })] : []),
    ...(typeof children === 'number' ? [t('calendar.guests.child', { count: children })] : []),
    ...(typeof infants === 'number' ? [t('calendar.guests.infant', { count: infants })] : []),
  ].join(', ')
}

function missingText(
  t: TFunction,
  { ageCategory, guests: count }: NonNullable<ExplainedRule['missing']>,
): string {
  if (ageCategory === 'adult') return t('calendar.guests.adult', { count })
  return ageCategory === 'child'
    ? t('calendar.guests.child', { count })
    : t('calendar.guests.infant', { count })
}

/** Dates, with consecutive ones as ranges. */
function datesText(dates: readonly string[]): string {
  const ranges: { first: string; last: string }[] = []
  for (const date of dates) {
    const last = ranges.at(-1)
    if (last && date === dateOf((dayOf(last.last) ?? 0) + 1)) last.last = date
    else ranges.push({ first: date, last: date })
  }
  return ranges
    .map(({ first, last }) => (first === last ? dateText(first) : `${dateText(first)} – ${dateText(last)}`))
    .join('; ')
}
