import { memo, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { dateText } from '../../parts/time-text.ts'
import classes from './calendar.module.css'
import { dateOf, dayOfMonth, isWeekend, monthsOf, weekdayOf } from './days.ts'
import { tileNights } from './layout.ts'
import type { GridContext } from './nights-tile.tsx'

const monthFormat = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', month: 'long', year: 'numeric' })
const weekdayFormat = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', weekday: 'short' })
// 5 January 1970 was a Monday.
const weekdayNames = Array.from({ length: 7 }, (_, day) =>
  weekdayFormat.format(new Date((day + 4) * 86_400_000)),
)

/** Months, with nights and weekdays below; stays visible while rows scroll. */
export function CalendarHead({
  grid,
  firstTile,
  endTile,
}: {
  grid: GridContext
  firstTile: number
  endTile: number
}) {
  const { t } = useTranslation()
  const { cells, money, nightWidth, headWidth } = grid
  const months = useMemo(() => monthsOf(cells.from, cells.nights), [cells])
  const [first, end] = [firstTile * tileNights, endTile * tileNights]
  return (
    <div role="rowgroup" className={classes['head']}>
      <div role="row" aria-rowindex={1} className={classes['headRow']}>
        <div role="columnheader" aria-colindex={1} className={classes['corner']} style={{ width: headWidth }}>
          {t('calendar.roomsAndRates', { currency: money.currency })}
        </div>
        {months.map(({ key, first: begin, nights }) =>
          begin + nights <= first || begin >= end ? null : (
            <div
              key={key}
              role="presentation"
              className={classes['month']}
              style={{ left: headWidth + begin * nightWidth, width: nights * nightWidth }}
            >
              <span className={classes['monthName']} style={{ left: headWidth }}>
                {monthFormat.format(new Date(`${key}-01T00:00:00Z`))}
              </span>
            </div>
          ),
        )}
        {Array.from({ length: endTile - firstTile }, (_, place) => (
          <HeadTile key={firstTile + place} tile={firstTile + place} grid={grid} />
        ))}
      </div>
    </div>
  )
}

const HeadTile = memo(function HeadTile({ tile, grid }: { tile: number; grid: GridContext }) {
  const { cells, nightWidth, headWidth } = grid
  const first = tile * tileNights
  const nights = Math.min(tileNights, cells.nights - first)
  return (
    <div
      role="presentation"
      className={classes['headTile']}
      style={{ left: headWidth + first * nightWidth, width: nights * nightWidth }}
    >
      {Array.from({ length: nights }, (_, place) => {
        const day = cells.from + first + place
        const names = [classes['day']]
        if (isWeekend(day)) names.push(classes['weekend'])
        if (dayOfMonth(day) === 1) names.push(classes['monthStart'])
        if (day === cells.today) names.push(classes['today'])
        return (
          <div
            key={place}
            role="columnheader"
            aria-colindex={first + place + 2}
            aria-label={dateText(dateOf(day))}
            className={names.join(' ')}
          >
            <span>{weekdayNames[weekdayOf(day)]?.slice(0, nightWidth < 48 ? 2 : 3)}</span>
            <strong>{dayOfMonth(day)}</strong>
          </div>
        )
      })}
    </div>
  )
})
