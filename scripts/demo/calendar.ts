import type { GetAriAnswer, RateLine } from '../../packages/client/src/api.ts'
import type { Stored } from './first-day.ts'
import { line, paint, width } from './print.ts'

/** The stored data, drawn from the answer of getAri: the nights of two weeks, and the months of the year. */

type Night = { units?: number; closed?: boolean; rates: Map<string, RateLine> }
/** By room, then by date. */
type NightsByRow = Map<string, Map<string, Night>>

const labelColumns = 14
const cellColumns = 7

export function showCalendar({ answer, first, monday }: Stored): void {
  const nightsByRow = nightsOf(answer)
  const shownNights = width() >= labelColumns + 14 * cellColumns ? 14 : 7
  const dates = Array.from({ length: shownNights }, (_, index) => monday.add({ days: index }))
  const rule = paint('dim', `   ${'─'.repeat(labelColumns - 3 + shownNights * cellColumns)}`)

  line(paint('dim', `   Prices for two adults in ${answer.currency}`))
  line()
  line(
    row(
      '',
      dates.map((date) => weekend(date, date.toLocaleString('en', { weekday: 'short' }))),
    ),
  )
  line(
    row(
      month(monday),
      dates.map((date) => weekend(date, date.day === 1 ? month(date) : String(date.day))),
    ),
  )
  for (const [roomId, byDate] of nightsByRow) {
    const nights = dates.map((date) => byDate.get(String(date)))
    line(rule)
    line(row(`${paint('bold', roomId.padEnd(4))} units`, nights.map(unitsOf), roomId.length > 4 ? 0 : 10))
    for (const rateId of ratesOf(byDate)) {
      line(
        row(
          `     ${rateId}`,
          nights.map((night) => priceOf(night, rateId)),
        ),
      )
      const marks = nights.map((night) => marksOf(night, rateId))
      if (marks.some((mark) => mark.text !== '')) line(row('', marks))
    }
  }
  line(rule)
  legend()
  line()
  showYear(nightsByRow, first)
}

type Cell = { text: string; style?: Parameters<typeof paint>[0] }

function row(label: string, cells: readonly Cell[], labelLength = label.length): string {
  const padding = ' '.repeat(Math.max(0, labelColumns - 3 - labelLength))
  const drawn = cells.map(({ text, style }) => {
    const padded = text.padStart(cellColumns)
    return style === undefined ? padded : paint(style, padded)
  })
  return `   ${label}${padding}${drawn.join('')}`.trimEnd()
}

function month(date: Temporal.PlainDate): string {
  return date.toLocaleString('en', { month: 'short' })
}

function weekend(date: Temporal.PlainDate, text: string): Cell {
  return { text, style: date.dayOfWeek === 5 || date.dayOfWeek === 6 ? 'bold' : 'dim' }
}

function unitsOf(night: Night | undefined): Cell {
  if (night?.closed === true) return { text: '×', style: 'red' }
  if (night?.units === undefined) return { text: '·', style: 'dim' }
  return { text: String(night.units), style: night.units <= 1 ? 'yellow' : 'green' }
}

function priceOf(night: Night | undefined, rateId: string): Cell {
  const rate = night?.rates.get(rateId)
  if (night?.closed === true || rate?.closed === true) return { text: '×', style: 'red' }
  const amount = forTwo(rate)
  return amount === undefined
    ? { text: '·', style: 'dim' }
    : { text: Number.isInteger(amount) ? String(amount) : amount.toFixed(2) }
}

function forTwo(rate: RateLine | undefined): number | undefined {
  const price = rate?.prices?.find(({ ageCategory, guests }) => ageCategory === 'adult' && guests === 2)
  return price === undefined ? undefined : Number(price.amount)
}

function marksOf(night: Night | undefined, rateId: string): Cell {
  const rate = night?.rates.get(rateId)
  if (!rate || night?.closed === true || rate.closed === true) return { text: '' }
  const { closedToArrival, closedToDeparture, minAdvanceDays, minLengthStay } = rate
  const marks = [
    closedToArrival === true ? '↛' : '',
    closedToDeparture === true ? '↚' : '',
    minAdvanceDays === undefined ? '' : `-${minAdvanceDays}d`,
    minLengthStay === undefined ? '' : ` ${minLengthStay}+`,
  ].join('')
  return { text: marks, style: 'yellow' }
}

function legend(): void {
  const marks = [
    ['×', 'red', 'closed'],
    ['2+', 'yellow', 'nights at least'],
    ['-7d', 'yellow', 'days ahead at least'],
    ['↛', 'yellow', 'no arrival'],
    ['↚', 'yellow', 'no departure'],
  ] as const
  const parts = marks.map(([mark, style, meaning]) => ({
    columns: mark.length + 1 + meaning.length + 3,
    painted: `${paint(style, mark)} ${meaning}`,
  }))
  let columns = 0
  let drawn = '  '
  for (const part of parts) {
    if (columns + part.columns > width() - 3) {
      line(drawn)
      columns = 0
      drawn = '  '
    }
    columns += part.columns
    drawn += ` ${part.painted}  `
  }
  line(drawn.trimEnd())
}

const monthColumns = 5

/** The lowest and the highest price of each month, and its share of closed nights. */
function showYear(nightsByRow: NightsByRow, first: Temporal.PlainDate): void {
  const months = Array.from({ length: 12 }, (_, index) => first.toPlainYearMonth().add({ months: index }))
  const cells = (texts: readonly string[]) => texts.map((text) => text.padStart(monthColumns)).join('')
  line(paint('dim', '   The year: lowest and highest price of each month, closed nights'))
  line()
  line(
    paint(
      'dim',
      `   ${''.padEnd(labelColumns - 3)}${cells(months.map((one) => one.toPlainDate({ day: 1 }).toLocaleString('en', { month: 'short' })))}`,
    ),
  )
  for (const [roomId, byDate] of nightsByRow) {
    for (const rateId of ratesOf(byDate)) {
      const byMonth = months.map((one) => pricesIn(byDate, rateId, String(one)))
      const label = `${roomId} ${rateId}`.padEnd(labelColumns - 3)
      line(
        `   ${paint('bold', label)}${cells(byMonth.map((prices) => (prices.length > 0 ? rounded(Math.min(...prices)) : '×')))}`,
      )
      line(
        paint(
          'dim',
          `   ${''.padEnd(labelColumns - 3)}${cells(byMonth.map((prices) => (prices.length > 0 ? rounded(Math.max(...prices)) : '')))}`,
        ),
      )
    }
    const closed = months.map((one) => closedIn(byDate, String(one)))
    if (closed.some((nights) => nights > 0)) {
      const counts = cells(closed.map((nights) => (nights > 0 ? `${nights}×` : '')))
      line(`   ${''.padEnd(labelColumns - 3)}${paint('red', counts)}`)
    }
  }
}

function closedIn(byDate: ReadonlyMap<string, Night>, yearMonth: string): number {
  return [...byDate].filter(([date, { closed }]) => date.startsWith(yearMonth) && closed === true).length
}

function rounded(amount: number): string {
  return String(Math.round(amount))
}

function pricesIn(byDate: ReadonlyMap<string, Night>, rateId: string, yearMonth: string): number[] {
  return [...byDate].flatMap(([date, night]) => {
    const amount =
      date.startsWith(yearMonth) && night.closed !== true ? forTwo(night.rates.get(rateId)) : undefined
    return amount === undefined ? [] : [amount]
  })
}

function ratesOf(byDate: ReadonlyMap<string, Night>): string[] {
  return [...new Set([...byDate.values()].flatMap(({ rates }) => [...rates.keys()]))].sort()
}

/** The items of getAri, night by night. */
function nightsOf({ ari }: GetAriAnswer): NightsByRow {
  const nightsByRow: NightsByRow = new Map()
  for (const { roomId, startDate = '', endDate = '', daysOfWeek, inventory, closed, rates = [] } of ari) {
    const byDate = nightsByRow.get(roomId) ?? new Map<string, Night>()
    nightsByRow.set(roomId, byDate)
    const last = Temporal.PlainDate.from(endDate)
    for (
      let date = Temporal.PlainDate.from(startDate);
      Temporal.PlainDate.compare(date, last) <= 0;
      date = date.add({ days: 1 })
    ) {
      if (!isOn(daysOfWeek, date)) continue
      const night = byDate.get(String(date)) ?? { rates: new Map<string, RateLine>() }
      byDate.set(String(date), night)
      if (typeof inventory === 'number') night.units = inventory
      if (closed === true) night.closed = true
      for (const rate of rates) night.rates.set(rate.rateId, rate)
    }
  }
  return nightsByRow
}

const weekdays = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN']

function isOn(daysOfWeek: readonly string[] | undefined, date: Temporal.PlainDate): boolean {
  return daysOfWeek === undefined || daysOfWeek.includes(weekdays[date.dayOfWeek - 1] ?? '')
}
