import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './calendar.module.css'
import { rowHeight } from './layout.ts'
import type { Row } from './rows.ts'
import { NightsTile, type GridContext } from './nights-tile.tsx'

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
        <RowHead key={row.key} row={row} index={firstRow + place} top={tops[firstRow + place] ?? 0} />
      ))}
    </div>
  )
})

const RowHead = memo(function RowHead({ row, index, top }: { row: Row; index: number; top: number }) {
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
    <div
      role="rowheader"
      id={headId(index)}
      aria-colindex={1}
      className={`${classes['rowHead'] ?? ''} ${classes[row.kind] ?? ''}`}
      style={{ top, height: rowHeight[row.kind] }}
    >
      <span className={classes['name']} title={`${name} (${code})`}>
        {name}
      </span>
      <span className={classes['code']} title={about.join(' · ')}>
        {about.join(' · ')}
      </span>
    </div>
  )
})
