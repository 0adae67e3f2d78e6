import { useCallback, useEffect, useRef, useState, type RefObject } from 'react'
import { isSameRange, visibleRange, type VisibleRange, type View } from './layout.ts'

/** The visible part of a large surface; React is updated only when other rows or nights become visible. */
export function useScroller(
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
