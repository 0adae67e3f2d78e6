import { useTranslation } from 'react-i18next'
import classes from '../parts.module.css'

/** An instant in the viewer's zone and, where it is another, in the hotel's; then both say whose they are. */
export function Time({ at, zone }: { at: string | null | undefined; zone?: string | null | undefined }) {
  const { t } = useTranslation()
  if (at === null || at === undefined) return <span className={classes['none']}>{t('parts.noTime')}</span>
  const own = timeText(at)
  const there = zone === null || zone === undefined || zone === viewerZone ? undefined : timeText(at, zone)
  const isOther = there !== undefined && there !== own
  return (
    <span className={classes['both']}>
      <time dateTime={at} title={`${own ?? at} (${viewerZone})`}>
        {own ?? at}
        {isOther && <span className={classes['whose']}> {t('parts.viewerTime')}</span>}
      </time>
      {isOther && (
        <span className={classes['there']} title={t('parts.hotelTimeIs', { time: there, zone })}>
          {there} {t('parts.hotelTime')}
        </span>
      )}
    </span>
  )
}

/** How long ago an instant was, or how far off it is. */
export function Ago({ at, nowMs }: { at: string | null | undefined; nowMs?: number }) {
  const { t } = useTranslation()
  if (at === null || at === undefined) return <span className={classes['none']}>{t('parts.noTime')}</span>
  return (
    <time dateTime={at} title={`${timeText(at) ?? at} (${viewerZone})`} className={classes['ago']}>
      {agoText(at, nowMs ?? Date.now())}
    </time>
  )
}

/** When something is due: what should have begun by now is about to. */
export function Soon({ at }: { at: string }) {
  const { t } = useTranslation()
  if (Date.parse(at) > Date.now()) return <Ago at={at} />
  return (
    <time dateTime={at} className={classes['ago']}>
      {t('parts.anyMoment')}
    </time>
  )
}

/** The day of an arrival, which is one at the hotel, and how far off it is; `at` is the hotel's midnight. */
export function Arrival({ at, zone }: { at: string; zone: string }) {
  return (
    <span className={classes['both']}>
      <span>{dayText(at, zone)}</span>
      <span className={classes['there']}>
        <Ago at={at} />
      </span>
    </span>
  )
}

/** A night or a day, which has no zone. */
export function Day({ date }: { date: string }) {
  return (
    <time dateTime={date} className={classes['ago']}>
      {dateText(date)}
    </time>
  )
}

/** Instants and dates as text, in English; by default in the viewer's zone. */

const timeFormats = new Map<string, Intl.DateTimeFormat>()

export const viewerZone = Intl.DateTimeFormat().resolvedOptions().timeZone

function timeFormat(timeZone: string): Intl.DateTimeFormat {
  let format = timeFormats.get(timeZone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
    })
    timeFormats.set(timeZone, format)
  }
  return format
}

/** `14 Jan 2027, 10:05:09`; undefined if the browser does not know the zone. */
export function timeText(at: string, zone: string = viewerZone): string | undefined {
  try {
    return timeFormat(zone).format(new Date(at))
  } catch {
    // A zone missing from the browser's tables.
    return undefined
  }
}

const dayParts = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const
const dateFormat = new Intl.DateTimeFormat('en-GB', { ...dayParts, timeZone: 'UTC' })

/** `Thu, 14 Jan 2027`: the day of an instant in a zone. */
function dayText(at: string, zone: string): string {
  try {
    return new Intl.DateTimeFormat('en-GB', { ...dayParts, timeZone: zone }).format(new Date(at))
  } catch {
    return dateFormat.format(new Date(at))
  }
}

/** `Thu, 14 Jan 2027, 10:05`: the time at a place, for a clock on the page. */
export function clockText(ms: number, zone: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en-GB', {
      ...dayParts,
      timeZone: zone,
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    }).format(new Date(ms))
  } catch {
    return undefined
  }
}

const rangeFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})

/** Two dates as `12–14 Dec 2026`. */
export function rangeText(from: string, to: string): string {
  const instants = [from, to].map((date) => new Date(`${date}T00:00:00Z`))
  const [first, last] = instants
  return first && last && !instants.some((at) => Number.isNaN(at.getTime()))
    ? rangeFormat.formatRange(first, last)
    : `${from} – ${to}`
}

/** `2027-01-14` as `Thu, 14 Jan 2027`. */
export function dateText(date: string): string {
  return dateFormat.format(new Date(`${date}T00:00:00Z`))
}

const monthFormat = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** `2027-03` as `March 2027`. */
export function monthText(month: string): string {
  return monthFormat.format(new Date(`${month}-01T00:00:00Z`))
}

const agoFormat = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' })
const agoUnits = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
  { unit: 'second', ms: 1_000 },
] as const

/** `3 min. ago`, `in 2 hr.`. */
function agoText(at: string, nowMs: number): string {
  const differenceMs = Date.parse(at) - nowMs
  const { unit, ms } = agoUnits.find((one) => Math.abs(differenceMs) >= one.ms) ?? agoUnits[3]
  // Future days count the nights in between.
  const count =
    unit === 'day' && differenceMs > 0 ? Math.ceil(differenceMs / ms) : Math.trunc(differenceMs / ms)
  return agoFormat.format(count, unit)
}
