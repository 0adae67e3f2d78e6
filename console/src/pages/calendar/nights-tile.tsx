import { memo } from 'react'
import { lookOf, markersOf, unitsWidth, type MarkerLook } from './cell-look.ts'
import type { CellWords } from './cell-words.ts'
import { dayOfMonth, isWeekend } from './days.ts'
import classes from './calendar.module.css'
import type { Money } from './grid-props.ts'
import { tileNights, type Density } from './layout.ts'
import { cellOf, priceText, type CellContext, type Row } from './rows.ts'

/** Shared by all cells; the same object until something in it changes. */
export type GridContext = {
  cells: CellContext
  words: CellWords
  density: Density
  money: Money
  nightWidth: number
  headWidth: number
}

export function cellId(row: number, night: number): string {
  return `calendar-${row}-${night}`
}

/** Some nights of a row. Rendered when it becomes visible, and not again while it stays visible. */
export const NightsTile = memo(function NightsTile({
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
  const { cells, words, density, money } = grid
  const { minorDigits } = money
  const cell = cellOf(row, night, cells)
  const day = cells.from + night
  const names = [classes['cell'], classes[lookOf(cell)]]
  if (isWeekend(day)) names.push(classes['weekend'])
  if (dayOfMonth(day) === 1) names.push(classes['monthStart'])
  if (day === cells.today) names.push(classes['today'])
  const look = lookOf(cell)
  const markers = markersOf(cell, density, unitsWidth(cell.units, row.kind))
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
