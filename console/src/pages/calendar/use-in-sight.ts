import { useEffectEvent, useLayoutEffect, type RefObject } from 'react'
import type { Chosen } from './grid-props.ts'
import { headHeight, scrollFor, type Place, type View } from './layout.ts'

/** Scrolls the grid, and in a low window the page too, so that a cell is seen; as little as is needed. */
export function showPlace(
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

/** Shows what is chosen when something else is, or when the grid has become another size; and where its keys are. */
export function useInSight(
  grid: RefObject<HTMLElement | null>,
  chosen: Chosen | undefined,
  active: Place,
  show: (place: Place) => void,
  { width, height, nightWidth }: { width: number; height: number; nightWidth: number },
): void {
  const showChosen = useEffectEvent(() => {
    if (!chosen) return
    // The end of a stay where there is room for it, its beginning in any case.
    show({ row: chosen.row, night: chosen.last })
    show({ row: chosen.row, night: chosen.first })
    if (document.activeElement === grid.current) show(active)
  })
  const { row, first, last } = chosen ?? {}
  useLayoutEffect(() => showChosen(), [row, first, last, width, height, nightWidth])
}
