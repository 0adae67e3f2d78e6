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
import {
  headHeight,
  headWidthOf,
  nightWidthOf,
  rowHeight,
  tileNights,
  topsOf,
  type Place,
  type VisibleRange,
} from './layout.ts'
import type { Selection, GridProps } from './grid-props.ts'
import { useCells } from './use-cells.ts'
import { scrollToPlace, useScrollToSelection } from './use-scroll-to-selection.ts'
import { useScroller } from './use-scroller.ts'
import { cellId, type GridContext } from './nights-tile.tsx'

const restMs = 250

/** Rooms and rates down, nights across; renders only the visible part. */
export function CalendarGrid(props: GridProps) {
  const { label, rows, cells, words, density, money, firstNight, selection, onFirstNight, handle } = props
  const { t } = useTranslation()
  const focused = useRef<HTMLDivElement>(null)
  const tops = useMemo(() => topsOf(rows.map(({ kind }) => kind)), [rows])
  const nightWidthAt = useCallback((width: number) => nightWidthOf(density, width), [density])
  const { scroller, viewNow, size, visible, onScroll } = useScroller(tops, cells.nights, nightWidthAt)
  const [nightWidth, headWidth] = [nightWidthAt(size.width), headWidthOf(size.width)]
  const grid = useMemo(
    (): GridContext => ({ cells, words, density, money, nightWidth, headWidth }),
    [cells, words, density, money, nightWidth, headWidth],
  )
  const show = (place: Place): void => {
    scrollToPlace(scroller.current, place, { view: viewNow(), tops, nightWidth })
  }
  const heightOfRows = size.height - headHeight
  const page = {
    rowsOfPage: Math.max(1, Math.floor(heightOfRows / rowHeight.rate) - 1),
    nightsOfPage: Math.max(1, Math.floor((size.width - headWidth) / nightWidth)),
  }
  const { active, dragged, handlers } = useCells(props, page, show)
  const { showFrom, onMoved } = useFirstNight(scroller, nightWidth, firstNight, onFirstNight)
  // After the first night has been scrolled back into place.
  useScrollToSelection(focused, selection, active, show, { ...size, nightWidth })
  useImperativeHandle(
    handle,
    () => ({ showFrom, focus: () => focused.current?.focus({ preventScroll: true }) }),
    [showFrom],
  )
  const marked = dragged ?? selection
  const { firstRow, endRow } = visible
  const isActiveRendered = isRendered(active, visible)
  const box = ({ row, first: from, last }: Selection) => ({
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
        <RowHeads rows={rows} tops={tops} firstRow={firstRow} endRow={endRow} width={headWidth} />
        <div
          ref={focused}
          role="grid"
          tabIndex={0}
          aria-label={label}
          aria-describedby="calendar-keys"
          aria-rowcount={rows.length + 1}
          aria-colcount={cells.nights + 1}
          aria-activedescendant={isActiveRendered ? cellId(active.row, active.night) : undefined}
          className={classes['grid']}
          {...handlers}
        >
          <CalendarHead grid={grid} firstTile={visible.firstTile} endTile={visible.endTile} />
          <div role="rowgroup">
            {rows.slice(firstRow, endRow).map((row, place) => (
              <CalendarRow
                key={row.key}
                row={row}
                index={firstRow + place}
                top={headHeight + (tops[firstRow + place] ?? 0)}
                firstTile={visible.firstTile}
                endTile={visible.endTile}
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

function isRendered({ row, night }: Place, { firstRow, endRow, firstTile, endTile }: VisibleRange): boolean {
  return row >= firstRow && row < endRow && night >= firstTile * tileNights && night < endTile * tileNights
}

/** Keeps the first night in view when the width of nights changes, and reports a new one when scrolling stops. */
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
