import { useCallback, useEffect, useRef, useState, type RefObject } from 'react'
import { isSameSeen, seenOf, type Seen, type View } from './layout.ts'

/** What of a large surface is in sight; React learns of it only when other rows or nights come into sight. */
export function useScroller(
  tops: Float64Array,
  nights: number,
  nightWidthAt: (width: number) => number,
): {
  scroller: RefObject<HTMLDivElement | null>
  /** As it is right now. */
  viewNow: () => View
  size: { width: number; height: number }
  seen: Seen
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
    () => seenOf(viewNow(), tops, nightWidth, nights),
    [viewNow, tops, nightWidth, nights],
  )
  const [seen, setSeen] = useState(read)
  const made = useRef(seen)
  const look = useCallback(() => {
    const now = read()
    if (isSameSeen(made.current, now)) return
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
  return { scroller, viewNow, size, seen, onScroll: look }
}
