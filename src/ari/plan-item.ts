import { formatNight, parseNight } from '../base/calendar.ts'
import { shown } from '../http/rejected.ts'
import { daysAheadMax } from './item-contract.ts'
import { everyWeekday, nightsBetween, weekdayMask, type MonthNights } from './month.ts'
import type { ItemContext } from './plan-line.ts'
import { found, type PlannedItem } from './planned.ts'
import { pushedRestrictions } from './restrictions.ts'
import { isSent, type ReadableItem } from './readable.ts'

/** The nights an item names, by month; none when something is wrong with them. */
export function itemNights(
  item: ReadableItem,
  context: ItemContext,
  planned: PlannedItem,
): readonly MonthNights[] {
  const { path, listing } = context
  const isSingle = isSent(item, 'date', context)
  if (isSingle && (isSent(item, 'startDate', context) || isSent(item, 'endDate', context))) {
    found(planned, listing, () => ({
      type: 'AMBIGUOUS_DATES',
      message: 'date cannot be sent together with startDate or endDate',
      path: `${path}/date`,
      value: shown(item.date),
    }))
    return []
  }
  const startText = isSingle ? item.date : item.startDate
  const endText = isSingle ? item.date : item.endDate
  const start: NamedDate | undefined =
    startText === undefined
      ? undefined
      : { name: isSingle ? 'date' : 'startDate', text: startText, day: parseNight(startText) ?? 0 }
  const end: NamedDate | undefined =
    endText === undefined
      ? undefined
      : { name: isSingle ? 'date' : 'endDate', text: endText, day: parseNight(endText) ?? 0 }
  if (!start || !end) {
    if (!isSingle) checkBothSent(item, context, planned)
    // One that can be read is judged alone.
    const alone = start ?? end
    if (alone) checkBounds(alone, alone, context, planned)
    return []
  }
  if (start.day > end.day) {
    found(planned, listing, () => ({
      type: 'DATES_REVERSED',
      message: 'startDate must not be later than endDate',
      path: `${path}/startDate`,
      value: start.text,
      hint: 'Both dates are included',
    }))
    checkBounds(end, start, context, planned)
    return []
  }
  return nightsOf(item, { start, end }, context, planned)
}

type NamedDate = { name: 'date' | 'startDate' | 'endDate'; text: string; day: number }

function nightsOf(
  item: ReadableItem,
  { start, end }: { start: NamedDate; end: NamedDate },
  context: ItemContext,
  planned: PlannedItem,
): readonly MonthNights[] {
  const { daysOfWeek } = item
  const isWithin = checkBounds(start, end, context, planned)
  // Every weekday lies in a week, so there is nothing more to be found wrong.
  if (!isWithin && end.day - start.day >= 6) return []
  if (!daysOfWeek || !areReadable(daysOfWeek)) return nightsBetween(start.day, end.day, everyWeekday)
  const months = nightsBetween(start.day, end.day, weekdayMask(daysOfWeek))
  if (months.length === 0) {
    found(planned, context.listing, () => ({
      type: 'NO_NIGHTS',
      message: 'daysOfWeek leaves no night of the range',
      path: `${context.path}/daysOfWeek`,
      value: shown(daysOfWeek.join()),
      hint: `No ${daysOfWeek.join(', ')} lies between ${start.text} and ${end.text}`,
    }))
  }
  return months
}

function areReadable<Value>(values: readonly (Value | undefined)[]): values is readonly Value[] {
  return !values.includes(undefined)
}

/** Whether both dates may be pushed today; the first is not later than the last. */
function checkBounds(first: NamedDate, last: NamedDate, context: ItemContext, planned: PlannedItem): boolean {
  const { path, catalog, today, listing } = context
  if (today === undefined) return true
  const isPast = first.day < today - 1
  const isFar = last.day > today + daysAheadMax
  if (isPast) {
    found(planned, listing, () => ({
      type: 'DATE_IN_PAST',
      message: `${first.name} must not be earlier than yesterday`,
      path: `${path}/${first.name}`,
      value: first.text,
      hint: `It is ${formatNight(today)} in ${catalog?.timeZone}; yesterday's night is the earliest`,
    }))
  }
  if (isFar) {
    found(planned, listing, () => ({
      type: 'DATE_TOO_FAR',
      message: `${last.name} must be at most ${daysAheadMax} days ahead`,
      path: `${path}/${last.name}`,
      value: last.text,
      hint: `The last night that can be pushed today is ${formatNight(today + daysAheadMax)}`,
    }))
  }
  return !isPast && !isFar
}

function checkBothSent(item: ReadableItem, context: ItemContext, planned: PlannedItem): void {
  const missing = (['startDate', 'endDate'] as const).find((name) => !isSent(item, name, context))
  if (missing === undefined) return
  found(planned, context.listing, () => ({
    type: 'REQUIRED',
    message: `${missing} is required`,
    path: `${context.path}/${missing}`,
    hint: 'Send startDate with endDate, or date for one night',
  }))
}

/** The two forms of an item may not be mixed, and what belongs to a rate needs its rateId: nothing is dropped silently. */
export function checkForms(item: ReadableItem, context: ItemContext, planned: PlannedItem): void {
  const { path, listing } = context
  const isFlat = isSent(item, 'rateId', context)
  const hasRates = isSent(item, 'rates', context)
  if (isFlat && hasRates) {
    found(planned, listing, () => ({
      type: 'AMBIGUOUS_ITEM',
      message: 'rateId and rates cannot both be sent in one item',
      path: `${path}/rateId`,
      value: shown(item.rateId),
      hint: 'Use rates with several lines, or the flat form with rateId',
    }))
    return
  }
  const ofRate = isFlat ? [] : rateMembers.filter((name) => isSent(item, name, context))
  if (ofRate.length === 0) return
  if (!hasRates) {
    found(planned, listing, () => ({
      type: 'RATE_ID_REQUIRED',
      message: 'rateId is required',
      path: `${path}/rateId`,
      hint: `${ofRate.join(', ')}: of a rate; send its rateId`,
    }))
    return
  }
  for (const name of ofRate) {
    found(planned, listing, () => ({
      type: 'AMBIGUOUS_ITEM',
      message: `${name} cannot be sent beside rates`,
      path: `${path}/${name}`,
      hint: 'Send it in each of the rates',
    }))
  }
}

/** Members of an item that mean nothing without a rate. */
const rateMembers = [
  ...(['prices', 'price', 'amount'] as const),
  ...pushedRestrictions.filter((name) => name !== 'closed'),
] as const
