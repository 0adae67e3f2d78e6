import { useEffect, useRef } from 'react'
import type { CalendarUrl } from './calendar-url.ts'
import { dateOf, dayOf } from './days.ts'
import type { CellContext } from './rows.ts'
import type { GridHandle } from './use-cells.ts'

const nightsMoved = { week: 7, fortnight: 14, month: 30 } as const

/** The first visible night: from the URL to the grid, and back when the grid or the toolbar has moved it. */
export function useFirstNight(
  { url, set }: { url: CalendarUrl; set: (values: Partial<CalendarUrl>) => void },
  cells: CellContext,
  grid: { readonly current: GridHandle | null },
) {
  const clamped = (day: number): number => Math.min(cells.nights - 1, Math.max(0, day - cells.from))
  const firstNight = clamped(dayOf(url.from) ?? cells.today)
  const reported = useRef(firstNight)
  // Unless the grid itself has put it there.
  useEffect(() => {
    if (reported.current === firstNight) return
    reported.current = firstNight
    grid.current?.showFrom(firstNight)
  }, [grid, firstNight])
  const showFrom = (day: number): void => grid.current?.showFrom(clamped(day))
  return {
    firstNight,
    onFirstNight: (night: number): void => {
      reported.current = night
      set({ from: dateOf(cells.from + night) })
    },
    toolbar: {
      from: dateOf(cells.from + firstNight),
      onDate: (date: string): void => {
        const day = dayOf(date)
        if (day !== undefined) set({ from: dateOf(cells.from + clamped(day)) })
      },
      onMove: (direction: -1 | 1): void =>
        showFrom(cells.from + firstNight + direction * nightsMoved[url.density]),
      onToday: (): void => showFrom(cells.today),
    },
  }
}
