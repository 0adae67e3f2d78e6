import { useEffectEvent, useLayoutEffect, type RefObject } from 'react'
import type { Selection } from './grid-props.ts'
import { headHeight, scrollFor, type Place, type View } from './layout.ts'

/** Scrolls the grid, and in a low window the page too, until a cell is visible, as little as possible. */
export function scrollToPlace(
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
export function useScrollToSelection(
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
