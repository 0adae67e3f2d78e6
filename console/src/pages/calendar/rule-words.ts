import type { TFunction } from 'i18next'
import type { ExplainedRule, ExplainedStay } from '../../../../src/console/calendar/contract.ts'
import { dateText } from '../../parts/time-text.ts'
import { dateOf, dayOf } from './days.ts'

/** What the rules of a stay say, in words for people. */

type Rule = ExplainedRule['rule']
type Party = { adults: number; childAges: readonly number[] }

const listFormat = new Intl.ListFormat('en-GB', { type: 'conjunction' })

/** `1 adult, 2 children of 5 and 9`. */
export function partyText(t: TFunction, { adults, childAges }: Party): string {
  const ages = listFormat.format(childAges.map(String))
  return [
    t('calendar.guests.adult', { count: adults }),
    ...(childAges.length === 0 ? [] : [t('calendar.guests.childOf', { count: childAges.length, ages })]),
  ].join(', ')
}

/** Why a rule forbids the stay. */
export function forbidText(t: TFunction, rule: ExplainedRule, party: Party): string {
  return forbids[rule.rule](t, rule, party)
}

type Forbids = (t: TFunction, rule: ExplainedRule, party: Party) => string

const forbids: Readonly<Record<Rule, Forbids>> = {
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
  closed: (t, { of = 'rate', dates }) => t(`calendar.forbids.closed.${of}`, { dates: datesText(dates) }),
  stopSell: (t, { of = 'rate', dates }) => t(`calendar.forbids.stopSell.${of}`, { dates: datesText(dates) }),
  closedToArrival: (t, { dates }) => t('calendar.forbids.closedToArrival', { dates: datesText(dates) }),
  closedToDeparture: (t, { dates }) => t('calendar.forbids.closedToDeparture', { dates: datesText(dates) }),
  minStayArrival: (t, rule) => t('calendar.forbids.minStayArrival', numbersOf(rule)),
  maxStayArrival: (t, rule) => t('calendar.forbids.maxStayArrival', numbersOf(rule)),
  minLengthStay: (t, rule) => t('calendar.forbids.minLengthStay', numbersOf(rule)),
  maxLengthStay: (t, rule) => t('calendar.forbids.maxLengthStay', numbersOf(rule)),
  minAdvanceDays: (t, rule) => t('calendar.forbids.minAdvanceDays', numbersOf(rule)),
  maxAdvanceDays: (t, rule) => t('calendar.forbids.maxAdvanceDays', numbersOf(rule)),
  taxes: (t, { dates }) => t('calendar.forbids.taxes', { dates: datesText(dates) }),
}

/** What is held where a rule lets the stay pass. */
export function heldText(t: TFunction, rule: ExplainedRule, currency: string): string {
  return holds[rule.rule](t, rule, currency)
}

type Holds = (t: TFunction, rule: ExplainedRule, currency: string) => string
const yesOrNo: Holds = (t, { held }) => t(held === true ? 'calendar.holds.yes' : 'calendar.holds.no')
const nights: Holds = (t, { held }) =>
  held === null ? t('calendar.holds.nothing') : t('calendar.explain.nights', { count: numberIn(held) })
const daysAhead: Holds = (t, { held }) =>
  held === null ? t('calendar.holds.nothing') : t('calendar.holds.days', { count: numberIn(held) })

const holds: Readonly<Record<Rule, Holds>> = {
  hotelAvailable: yesOrNo,
  productAvailable: yesOrNo,
  arrivalDate: (_t, { asked }) => dateText(String(asked)),
  occupancy: (t, { held }) => t('calendar.holds.occupancy', { limits: limitsText(t, held) }),
  inventory: (t, { held }) => t('calendar.holds.units', { count: numberIn(held) }),
  price: (_t, { held }, currency) => `${String(held)} ${currency}`,
  closed: yesOrNo,
  stopSell: yesOrNo,
  closedToArrival: yesOrNo,
  closedToDeparture: yesOrNo,
  minStayArrival: nights,
  maxStayArrival: nights,
  minLengthStay: nights,
  maxLengthStay: nights,
  minAdvanceDays: daysAhead,
  maxAdvanceDays: daysAhead,
  taxes: (t) => t('calendar.holds.taxes'),
}

/** What would have to change for the stay to be bookable: `3 nights instead of 2, arrival on Thu, 17 Dec 2026`. */
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

/** The party, and what it counts as where the hotel's ages of children make it another one. */
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
  const [guests, adults, children] = [of('maxOccupancy'), of('maxAdult'), of('maxChild')]
  return [
    t('calendar.guests.any', { count: numberIn(guests) }),
    ...(typeof adults === 'number' ? [t('calendar.guests.adult', { count: adults })] : []),
    ...(typeof children === 'number' ? [t('calendar.guests.child', { count: children })] : []),
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

/** Days that follow each other as one range. */
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
