import { useTranslation } from 'react-i18next'
import { agoText, dateText, dayText, timeText, viewerZone } from './time-text.ts'
import classes from './time.module.css'

/** An instant in the viewer's zone and, where it is another, in the hotel's. */
export function Time({ at, zone }: { at: string | null | undefined; zone?: string | null | undefined }) {
  const { t } = useTranslation()
  if (at === null || at === undefined) return <span className={classes['none']}>{t('parts.noTime')}</span>
  const own = timeText(at)
  const there = zone === null || zone === undefined || zone === viewerZone ? undefined : timeText(at, zone)
  return (
    <span className={classes['both']}>
      <time dateTime={at} title={`${own ?? at} (${viewerZone})`}>
        {own ?? at}
      </time>
      {there !== undefined && there !== own && (
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
