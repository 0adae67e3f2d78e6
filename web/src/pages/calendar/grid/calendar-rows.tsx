import { memo, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { dateText } from '../../../parts/values/time.tsx'
import classes from '../calendar.module.css'
import { lookOf, type MarkerLook, markersOf, unitsWidth } from './cell-look.ts'
import { dateOf, dayOfMonth, isWeekend, monthsOf, weekdayOf } from './days.ts'
import { HotelHead } from './hotel-head.tsx'
import { type Density, rowHeight, tileNights } from './layout.ts'
import {
  type CellContext,
  type CellWords,
  cellOf,
  type Money,
  priceText,
  type ProductRow,
  type Row,
} from './rows.ts'

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
  const { cells, corner, nightWidth, headWidth } = grid
  const months = useMemo(() => monthsOf(cells.from, cells.nights), [cells])
  const [first, end] = [firstTile * tileNights, endTile * tileNights]
  return (
    <div role="rowgroup" className={classes['head']}>
      <div role="row" aria-rowindex={1} className={classes['headRow']}>
        <div role="columnheader" aria-colindex={1} className={classes['corner']} style={{ width: headWidth }}>
          {corner}
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

/** The visible nights of a room or rate. Its head is in the column of all heads. */
export const CalendarRow = memo(function CalendarRow({
  row,
  index,
  top,
  firstTile,
  endTile,
  grid,
}: {
  row: Row
  index: number
  top: number
  firstTile: number
  endTile: number
  grid: GridContext
}) {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-owns={headId(index)}
      data-row={index}
      className={`${classes['row'] ?? ''} ${classes[row.kind] ?? ''}`}
      style={{ top, height: rowHeight[row.kind] }}
    >
      {Array.from({ length: endTile - firstTile }, (_, place) => (
        <NightsTile key={firstTile + place} row={row} index={index} tile={firstTile + place} grid={grid} />
      ))}
    </div>
  )
})

function headId(index: number): string {
  return `calendar-head-${index}`
}

/**
 * The heads of the rows, in one sticky column: if each were sticky by itself, the browser would keep a layer for each,
 * and scrolling would cost twice as much.
 */
export const RowHeads = memo(function RowHeads({
  rows,
  tops,
  firstRow,
  endRow,
  width,
}: {
  rows: readonly Row[]
  tops: Float64Array
  firstRow: number
  endRow: number
  width: number
}) {
  return (
    <div role="presentation" className={classes['heads']} style={{ width, height: tops[rows.length] ?? 0 }}>
      {rows.slice(firstRow, endRow).map((row, place) => (
        <div
          key={row.key}
          role="rowheader"
          id={headId(firstRow + place)}
          aria-colindex={1}
          className={`${classes['rowHead'] ?? ''} ${classes[row.kind] ?? ''}`}
          style={{ top: tops[firstRow + place] ?? 0, height: rowHeight[row.kind] }}
        >
          {row.kind === 'hotel' ? <HotelHead row={row} /> : <ProductHead row={row} />}
        </div>
      ))}
    </div>
  )
})

const ProductHead = memo(function ProductHead({ row }: { row: ProductRow }) {
  const { t } = useTranslation()
  const [name, code] =
    row.kind === 'room' ? [row.room.name, row.room.roomId] : [row.rate.name, row.rate.rateId]
  const about =
    row.kind === 'room'
      ? [code]
      : [
          code,
          ...(row.rate.mealPlan === null ? [] : [row.rate.mealPlan]),
          ...(row.rate.isAvailable ? [] : [t('calendar.archived')]),
          ...(row.rate.takesParty ? [] : [t('calendar.tooMany')]),
        ]
  return (
    <>
      <span className={classes['name']} title={`${name} (${code})`}>
        {name}
      </span>
      <span className={classes['code']} title={about.join(' · ')}>
        {about.join(' · ')}
      </span>
    </>
  )
})

/** Shared by all cells; the same object until something in it changes. */
export type GridContext = {
  cells: CellContext
  words: CellWords
  density: Density
  money: Money
  corner: string
  nightWidth: number
  headWidth: number
}

export function cellId(row: number, night: number): string {
  return `calendar-${row}-${night}`
}

/** Some nights of a row. Rendered when it becomes visible, and not again while it stays visible. */
const NightsTile = memo(function NightsTile({
  row,
  index,
  tile,
  grid,
}: {
  row: Row
  index: number
  tile: number
  grid: GridContext
}) {
  const { cells, nightWidth, headWidth } = grid
  const first = tile * tileNights
  const nights = Math.min(tileNights, cells.nights - first)
  return (
    <div
      role="presentation"
      className={classes['tile']}
      style={{ left: headWidth + first * nightWidth, width: nights * nightWidth }}
    >
      {Array.from({ length: nights }, (_, place) => (
        <NightCell key={place} row={row} index={index} night={first + place} grid={grid} />
      ))}
    </div>
  )
})

function NightCell({
  row,
  index,
  night,
  grid,
}: {
  row: Row
  index: number
  night: number
  grid: GridContext
}) {
  const { cells, words, money } = row.of ?? grid
  const { density } = grid
  const { minorDigits } = money
  const cell = cellOf(row, night, cells)
  const day = cells.from + night
  const names = [classes['cell'], classes[lookOf(cell)]]
  if (isWeekend(day)) names.push(classes['weekend'])
  if (dayOfMonth(day) === 1) names.push(classes['monthStart'])
  if (day === cells.today) names.push(classes['today'])
  const look = lookOf(cell)
  // A month's cells have no room beside the units of a room: the signs are below.
  const isStacked = row.kind === 'room' && density === 'month'
  if (isStacked) names.push(classes['stacked'])
  const markers = markersOf(cell, density, isStacked ? 0 : unitsWidth(cell.units, row.kind))
  const ownUnits = row.kind === 'rate' ? cell.units : undefined
  return (
    <div
      role="gridcell"
      id={cellId(index, night)}
      aria-colindex={night + 2}
      aria-label={words.cell(row, night, false)}
      data-night={night}
      className={names.join(' ')}
    >
      {row.kind === 'room' ? (
        (cell.units ?? '–')
      ) : cell.price === undefined ? (
        '–'
      ) : look === 'open' || look === 'past' ? (
        priceText(cell.price, minorDigits, density !== 'week')
      ) : (
        <s>{priceText(cell.price, minorDigits, density !== 'week')}</s>
      )}
      {(markers.length > 0 || ownUnits !== undefined) && (
        <span className={classes['markers']}>
          {ownUnits !== undefined && <Marker text={String(ownUnits)} look="ownUnits" />}
          {markers.map(({ key, text, look: shape }) => (
            <Marker key={key} text={text} look={shape} />
          ))}
        </span>
      )}
    </div>
  )
}

/** Visual only: the label of the cell has the words. */
export function Marker({ text, look }: { text: string; look: MarkerLook }) {
  return <span className={`${classes['marker'] ?? ''} ${classes[look] ?? ''}`} data-text={text} />
}
