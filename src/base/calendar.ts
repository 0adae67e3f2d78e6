/**
 * Nights. A night is a day number (days since 1970-01-01) inside, `YYYY-MM-DD` outside; a month is
 * `year * 12 + month - 1`, so that it fits a smallint and neighbours differ by one.
 */

export type DayNumber = number
export type MonthNumber = number

const nightText = /^(2[01]\d\d)-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** The day number of a real date between 2000-01-01 and 2199-12-31; undefined for everything else. */
export function parseNight(text: string): DayNumber | undefined {
  const match = nightText.exec(text)
  if (!match) return undefined
  const month = Number(match[1]) * 12 + Number(match[2]) - 1
  const day = Number(match[3])
  return day > daysIn(month) ? undefined : firstDay(month) + day - 1
}

/** `YYYY-MM-DD` of a day number. */
export function formatNight(day: DayNumber): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}

/** `YYYY-MM`. */
export function formatMonth(month: MonthNumber): string {
  const year = Math.floor(month / 12)
  return `${year}-${String(month - 12 * year + 1).padStart(2, '0')}`
}

/** The day number of a month's first day. */
export function firstDay(month: MonthNumber): DayNumber {
  return Date.UTC(Math.floor(month / 12), month % 12, 1) / dayMs
}

export function monthOf(day: DayNumber): MonthNumber {
  const at = new Date(day * dayMs)
  return at.getUTCFullYear() * 12 + at.getUTCMonth()
}

const dayCounts = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const

export function daysIn(month: MonthNumber): number {
  const inYear = month % 12
  if (inYear !== 1) return dayCounts[inYear] ?? 31
  const year = Math.floor(month / 12)
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
}

export const weekdays = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const
export type Weekday = (typeof weekdays)[number]

/** 0 for Monday … 6 for Sunday; 1970-01-01 was a Thursday. */
export function weekdayOf(day: DayNumber): number {
  return (day + 3) % 7
}

type LocalDay = { day: DayNumber; fromMs: number; untilMs: number }
const localDays = new Map<string, LocalDay>()

/** The local date in a zone at an instant. */
export function dayIn(timeZone: string, epochMs: number): DayNumber {
  const known = localDays.get(timeZone)
  if (known && epochMs >= known.fromMs && epochMs < known.untilMs) return known.day
  const date = Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timeZone).toPlainDate()
  const found: LocalDay = {
    day: Date.UTC(date.year, date.month - 1, date.day) / dayMs,
    fromMs: date.toZonedDateTime(timeZone).epochMilliseconds,
    untilMs: date.add({ days: 1 }).toZonedDateTime(timeZone).epochMilliseconds,
  }
  // There are about 600 zones; names that are not zones never get here.
  localDays.set(timeZone, found)
  return found.day
}

/** An instant in UTC, to the millisecond, as the API writes it. */
export function instantOf(epochMs: number): string {
  return new Date(Math.round(epochMs)).toISOString()
}

/** The same in whole seconds. */
export function isoSeconds(epochMs: number): string {
  return new Date(epochMs).toISOString().replace(/\.\d{3}Z$/, 'Z')
}

export function optionalInstant(epochMs: number | null): string | null {
  return epochMs === null ? null : instantOf(epochMs)
}

export function isNight(value: unknown): value is string {
  return typeof value === 'string' && parseNight(value) !== undefined
}
