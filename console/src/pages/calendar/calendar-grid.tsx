import {
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  type RefObject,
} from 'react'
import { useTranslation } from 'react-i18next'
import classes from './calendar.module.css'
import { CalendarHead } from './calendar-head.tsx'
import { CalendarRow, RowHeads } from './calendar-row.tsx'
import { headHeight, headWidthOf, nightWidthOf, rowHeight, tileNights, topsOf, type Place } from './layout.ts'
import type { Chosen, GridProps } from './grid-props.ts'
import { useCells } from './use-cells.ts'
import { showPlace, useInSight } from './use-in-sight.ts'
import { useScroller } from './use-scroller.ts'
import { cellId, type GridContext } from './nights-tile.tsx'

const restMs = 250

/** Rooms and rates down, nights across; only what is in sight is made. */
export function CalendarGrid(props: GridProps) {
  const { label, rows, cells, words, density, money, firstNight, chosen, onFirstNight, handle } = props
  const { t } = useTranslation()
  const focused = useRef<HTMLDivElement>(null)
  const tops = useMemo(() => topsOf(rows.map(({ kind }) => kind)), [rows])
  const nightWidthAt = useCallback((width: number) => nightWidthOf(density, width), [density])
  const { scroller, viewNow, size, seen, onScroll } = useScroller(tops, cells.nights, nightWidthAt)
  const [nightWidth, headWidth] = [nightWidthAt(size.width), headWidthOf(size.width)]
  const grid = useMemo(
    (): GridContext => ({ cells, words, density, money, nightWidth, headWidth }),
    [cells, words, density, money, nightWidth, headWidth],
  )
  const show = (place: Place): void => {
    showPlace(scroller.current, place, { view: viewNow(), tops, nightWidth })
  }
  const heightOfRows = size.height - headHeight
  const page = {
    rowsOfPage: Math.max(1, Math.floor(heightOfRows / rowHeight.rate) - 1),
    nightsOfPage: Math.max(1, Math.floor((size.width - headWidth) / nightWidth)),
  }
  const { active, dragged, handlers } = useCells(props, page, show)
  const { showFrom, onMoved } = useFirstNight(scroller, nightWidth, firstNight, onFirstNight)
  // After the first night has found its place again.
  useInSight(focused, chosen, active, show, { ...size, nightWidth })
  useImperativeHandle(
    handle,
    () => ({ showFrom, focus: () => focused.current?.focus({ preventScroll: true }) }),
    [showFrom],
  )
  const marked = dragged ?? chosen
  const isActiveMade =
    active.row >= seen.firstRow &&
    active.row < seen.endRow &&
    active.night >= seen.firstTile * tileNights &&
    active.night < seen.endTile * tileNights
  const box = ({ row, first: from, last }: Chosen) => ({
    left: headWidth + from * nightWidth,
    top: headHeight + (tops[row] ?? 0),
    width: (last - from + 1) * nightWidth,
    height: rowHeight[rows[row]?.kind ?? 'rate'],
  })
  return (
    <div
      ref={scroller}
      className={`${classes['colours'] ?? ''} ${classes['scroller'] ?? ''}`}
      onScroll={() => {
        onScroll()
        onMoved()
      }}
    >
      <div
        className={classes['canvas']}
        style={{
          width: headWidth + cells.nights * nightWidth,
          height: headHeight + (tops[rows.length] ?? 0),
        }}
      >
        <RowHeads rows={rows} tops={tops} firstRow={seen.firstRow} endRow={seen.endRow} width={headWidth} />
        <div
          ref={focused}
          role="grid"
          tabIndex={0}
          aria-label={label}
          aria-describedby="calendar-keys"
          aria-rowcount={rows.length + 1}
          aria-colcount={cells.nights + 1}
          aria-activedescendant={isActiveMade ? cellId(active.row, active.night) : undefined}
          className={classes['grid']}
          {...handlers}
        >
          <CalendarHead grid={grid} firstTile={seen.firstTile} endTile={seen.endTile} />
          <div role="rowgroup">
            {rows.slice(seen.firstRow, seen.endRow).map((row, place) => (
              <CalendarRow
                key={row.key}
                row={row}
                index={seen.firstRow + place}
                top={headHeight + (tops[seen.firstRow + place] ?? 0)}
                firstTile={seen.firstTile}
                endTile={seen.endTile}
                grid={grid}
              />
            ))}
          </div>
          {marked && rows[marked.row] && (
            <div className={classes['chosen']} style={box(marked)} role="presentation" />
          )}
          <div
            className={classes['active']}
            style={box({ row: active.row, first: active.night, last: active.night })}
            role="presentation"
          />
        </div>
      </div>
      <span id="calendar-keys" hidden>
        {t('calendar.keys')}
      </span>
    </div>
  )
}

/** Keeps the first night in sight when the width of nights changes, and tells of another when scrolling is at rest. */
function useFirstNight(
  scroller: RefObject<HTMLDivElement | null>,
  nightWidth: number,
  firstNight: number,
  onFirstNight: (night: number) => void,
): { showFrom: (night: number) => void; onMoved: () => void } {
  const first = useRef(firstNight)
  const timer = useRef(0)
  const showFrom = useCallback(
    (night: number): void => {
      scroller.current?.scrollTo({ left: night * nightWidth })
    },
    [scroller, nightWidth],
  )
  useLayoutEffect(() => showFrom(first.current), [showFrom])
  useEffect(() => () => clearTimeout(timer.current), [])
  const onMoved = (): void => {
    const night = Math.round((scroller.current?.scrollLeft ?? 0) / nightWidth)
    if (night === first.current) return
    first.current = night
    clearTimeout(timer.current)
    timer.current = window.setTimeout(() => onFirstNight(night), restMs)
  }
  return { showFrom, onMoved }
}
