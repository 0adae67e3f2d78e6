import {
  type RefObject,
  useCallback,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useTranslation } from 'react-i18next'
import { CalendarHead, CalendarRow, cellId, type GridContext, RowHeads } from './calendar-rows.tsx'
import classes from '../calendar.module.css'
import {
  headHeight,
  headWidthOf,
  isSameRange,
  nightWidthOf,
  type Place,
  rowHeight,
  scrollFor,
  tileNights,
  topsOf,
  type View,
  type VisibleRange,
  visibleRange,
} from './layout.ts'
import { type GridProps, type Selection, useCells } from './use-cells.ts'

const restMs = 250

/** Rooms and rates down, nights across; renders only the visible part. */
export function CalendarGrid(props: GridProps) {
  const { label, rows, cells, words, density, money, corner, firstNight, selection, onFirstNight, handle } =
    props
  const { t } = useTranslation()
  const focused = useRef<HTMLDivElement>(null)
  const tops = useMemo(() => topsOf(rows.map(({ kind }) => kind)), [rows])
  const nightWidthAt = useCallback((width: number) => nightWidthOf(density, width), [density])
  const { scroller, viewNow, size, visible, onScroll } = useScroller(tops, cells.nights, nightWidthAt)
  const [nightWidth, headWidth] = [nightWidthAt(size.width), headWidthOf(size.width)]
  const grid = useMemo(
    (): GridContext => ({ cells, words, density, money, corner, nightWidth, headWidth }),
    [cells, words, density, money, corner, nightWidth, headWidth],
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

/** The visible part of a large surface; React is updated only when other rows or nights become visible. */
function useScroller(
  tops: Float64Array,
  nights: number,
  nightWidthAt: (width: number) => number,
): {
  scroller: RefObject<HTMLDivElement | null>
  /** The current view. */
  viewNow: () => View
  size: { width: number; height: number }
  visible: VisibleRange
  onScroll: () => void
} {
  const scroller = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState({ width: 960, height: 600 })
  const viewNow = useCallback((): View => {
    const element = scroller.current
    if (!element) return { left: 0, top: 0, width: 960, height: 600 }
    const { scrollLeft: left, scrollTop: top, clientWidth: width, clientHeight: height } = element
    return { left, top, width, height }
  }, [])
  const nightWidth = nightWidthAt(size.width)
  const read = useCallback(
    () => visibleRange(viewNow(), tops, nightWidth, nights),
    [viewNow, tops, nightWidth, nights],
  )
  const [visible, setSeen] = useState(read)
  const made = useRef(visible)
  const look = useCallback(() => {
    const now = read()
    if (isSameRange(made.current, now)) return
    made.current = now
    setSeen(now)
  }, [read])
  useEffect(look, [look])
  useEffect(() => {
    const element = scroller.current
    if (!element) return undefined
    const observer = new ResizeObserver(() => {
      setSize({ width: element.clientWidth, height: element.clientHeight })
      look()
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [look])
  return { scroller, viewNow, size, visible, onScroll: look }
}

/** Scrolls the grid, and in a low window the page too, until a cell is visible, as little as possible. */
function scrollToPlace(
  element: HTMLElement | null,
  place: Place,
  { view, tops, nightWidth }: { view: View; tops: Float64Array; nightWidth: number },
): void {
  if (!element) return
  const { left, top } = scrollFor(place, view, tops, nightWidth)
  element.scrollTo({ left, top })
  const begin = element.getBoundingClientRect().top + headHeight - top
  const [above, below] = [begin + (tops[place.row] ?? 0), begin + (tops[place.row + 1] ?? 0)]
  if (above < headHeight) window.scrollBy({ top: above - headHeight })
  else if (below > window.innerHeight) window.scrollBy({ top: below - window.innerHeight })
}

/** Scrolls to the selection when it or the size of the grid changes, and to the active cell if the grid has the focus. */
function useScrollToSelection(
  grid: RefObject<HTMLElement | null>,
  selection: Selection | undefined,
  active: Place,
  show: (place: Place) => void,
  { width, height, nightWidth }: { width: number; height: number; nightWidth: number },
): void {
  const scrollToSelection = useEffectEvent(() => {
    if (!selection) return
    // The end of a stay if there is room for it, its start in any case.
    show({ row: selection.row, night: selection.last })
    show({ row: selection.row, night: selection.first })
    if (document.activeElement === grid.current) show(active)
  })
  const { row, first, last } = selection ?? {}
  useLayoutEffect(() => scrollToSelection(), [row, first, last, width, height, nightWidth])
}
