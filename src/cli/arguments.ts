import { InvalidArgumentError } from 'commander'
import { idMax } from '../http/calls/query.ts'
import { dayMs, parseNight } from '../base/calendar.ts'
import { isPercent } from '../keys/price-contract.ts'

/** Values on the command line, parsed strictly; an error becomes one line that names the option. */

export function integerBetween(range: { min: number; max: number }): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (value >= range.min && value <= range.max) return value
    throw new InvalidArgumentError(`It must be a whole number from ${range.min} to ${range.max}.`)
  }
}

export const id = integerBetween({ min: 1, max: idMax })

/** The parsers return words for "none", because commander turns null into ''. */
export function limit(range: { min: number; max: number }): (text: string) => number | 'default' {
  const number = integerBetween(range)
  return (text) => (text === 'default' ? text : number(text))
}

/** Kept as text, so that no digit is lost. */
export function percent(decimalsMax: number): (text: string) => string {
  return (text) => {
    if (isPercent(text, decimalsMax)) return text
    throw new InvalidArgumentError(`It must be a number from 0 to 100 with at most ${decimalsMax} decimals.`)
  }
}

export function onOrOff(text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on'
  throw new InvalidArgumentError('It must be on or off.')
}

const instantText = /^(\d{4}-\d\d-\d\d)[T ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/

/** A date (its beginning in UTC), an instant with its zone, or `now`. */
export function instant(text: string): number {
  if (text === 'now') return Date.now()
  const day = parseNight(text)
  if (day !== undefined) return day * dayMs
  const date = instantText.exec(text)?.[1]
  const atMs = date !== undefined && parseNight(date) !== undefined ? Date.parse(text) : Number.NaN
  if (Number.isFinite(atMs)) return atMs
  throw new InvalidArgumentError('It must be a date (2027-12-31) or an instant (2027-12-31T18:00:00Z).')
}

/** Keeps `now` as a word: for stored values it means the database's time. */
export function instantOrWord(text: string): number | 'never' | 'now' {
  return text === 'never' || text === 'now' ? text : instant(text)
}

export function futureInstant(text: string): number {
  const atMs = instant(text)
  if (atMs > Date.now()) return atMs
  throw new InvalidArgumentError('It must be in the future.')
}

const msByUnit: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: dayMs }
const durationMaxMs = 365 * dayMs

export function duration(text: string): number {
  const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  const ms = text === '0' ? 0 : Number(count) * (msByUnit[unit] ?? Number.NaN)
  if (ms >= 0 && ms <= durationMaxMs) return ms
  throw new InvalidArgumentError('It must be a duration of at most 365d, such as 90s, 30m, 24h, 7d or 0.')
}
