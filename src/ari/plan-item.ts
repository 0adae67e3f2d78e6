import { formatNight, parseNight } from '../platform/calendar.ts'
import { shown, type Problem } from '../platform/rejected.ts'
import type { HotelCatalog } from './catalog.ts'
import { daysAheadMax, type AriItem } from './item-contract.ts'
import { restrictionFields } from './fields.ts'
import { everyWeekday, nightsBetween, weekdayMask, type MonthNights } from './month.ts'

type NightsContext = { item: AriItem; path: string; catalog: HotelCatalog; today: number }

/** The nights an item names, by month; none when something is wrong with them. */
export function itemNights(
  { item, path, catalog, today }: NightsContext,
  problems: Problem[],
): MonthNights[] {
  const single = item.date !== undefined
  if (single && (item.startDate !== undefined || item.endDate !== undefined)) {
    problems.push({
      type: 'AMBIGUOUS_DATES',
      message: 'date cannot be sent together with startDate or endDate',
      path: `${path}/date`,
      value: item.date,
    })
    return []
  }
  const startText = item.date ?? item.startDate
  const endText = item.date ?? item.endDate
  if (startText === undefined || endText === undefined) {
    const missing = startText === undefined ? 'startDate' : 'endDate'
    const hint = 'Send startDate with endDate, or date for one night'
    problems.push({ type: 'REQUIRED', message: `${missing} is required`, path: `${path}/${missing}`, hint })
    return []
  }
  const start = parseNight(startText) ?? 0
  const end = parseNight(endText) ?? 0
  const startPath = `${path}/${single ? 'date' : 'startDate'}`
  const endPath = `${path}/${single ? 'date' : 'endDate'}`
  if (start > end) {
    problems.push({
      type: 'DATES_REVERSED',
      message: 'startDate must not be later than endDate',
      path: startPath,
      value: startText,
      hint: 'Both dates are included',
    })
    return []
  }
  if (start < today - 1) {
    const hint = `It is ${formatNight(today)} in ${catalog.timeZone}; yesterday's night is the earliest`
    problems.push({
      type: 'DATE_IN_PAST',
      message: `${single ? 'date' : 'startDate'} must not be earlier than yesterday`,
      path: startPath,
      value: startText,
      hint,
    })
  }
  if (end > today + daysAheadMax) {
    const hint = `The last night that can be pushed today is ${formatNight(today + daysAheadMax)}`
    problems.push({
      type: 'DATE_TOO_FAR',
      message: `${single ? 'date' : 'endDate'} must be at most ${daysAheadMax} days ahead`,
      path: endPath,
      value: endText,
      hint,
    })
  }
  if (problems.length > 0) return []
  const months = nightsBetween(start, end, item.daysOfWeek ? weekdayMask(item.daysOfWeek) : everyWeekday)
  if (months.length === 0) {
    const hint = `No ${item.daysOfWeek?.join(', ')} lies between ${startText} and ${endText}`
    problems.push({
      type: 'NO_NIGHTS',
      message: 'daysOfWeek leaves no night of the range',
      path: `${path}/daysOfWeek`,
      value: shown(item.daysOfWeek?.join()),
      hint,
    })
  }
  return months
}

/** The two forms of an item may not be mixed, and what belongs to a rate needs its rateId: nothing is dropped silently. */
export function checkForms(item: AriItem, path: string, problems: Problem[]): void {
  const { rates, rateId } = item
  if (rates !== undefined && rateId !== undefined) {
    problems.push({
      type: 'AMBIGUOUS_ITEM',
      message: 'rateId and rates cannot both be sent in one item',
      path: `${path}/rateId`,
      value: shown(rateId),
      hint: 'Use rates with several lines, or the flat form with rateId',
    })
    return
  }
  const ofRate = rateId === undefined ? rateMembers.filter((name) => item[name] !== undefined) : []
  const [first] = ofRate
  if (first === undefined) return
  if (rates === undefined) {
    const hint = `${ofRate.join(', ')}: of a rate; send its rateId`
    problems.push({ type: 'RATE_ID_REQUIRED', message: 'rateId is required', path: `${path}/rateId`, hint })
    return
  }
  for (const name of ofRate) {
    const message = `${name} cannot be sent beside rates`
    problems.push({
      type: 'AMBIGUOUS_ITEM',
      message,
      path: `${path}/${name}`,
      hint: 'Send it in each of the rates',
    })
  }
}

/** Members of an item that mean nothing without a rate. */
const rateMembers = [
  ...(['prices', 'price', 'amount', 'closedToArrival', 'closedToDeparture'] as const),
  ...restrictionFields,
] as const
