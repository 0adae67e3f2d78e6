import { useRef, useState, type KeyboardEvent, type PointerEvent } from 'react'
import type { Selection, GridProps } from './grid-props.ts'
import { movedBy, type Place } from './layout.ts'

type Page = { rowsOfPage: number; nightsOfPage: number }
type Handlers = {
  onKeyDown: (event: KeyboardEvent<HTMLDivElement>) => void
  onKeyUp: (event: KeyboardEvent<HTMLDivElement>) => void
  onPointerDown: (event: PointerEvent<HTMLDivElement>) => void
  onPointerMove: (event: PointerEvent<HTMLDivElement>) => void
  onPointerUp: (event: PointerEvent<HTMLDivElement>) => void
  onPointerLeave: () => void
}

/**
 * The active cell, by keyboard and pointer. The grid keeps the focus and points to the cell: cells come and go while
 * people scroll, and would take the focus with them.
 */
export function useCells(
  { rows, cells, selection, onCell, onChoose, onEscape, onPoint }: GridProps,
  page: Page,
  show: (place: Place) => void,
): { active: Place; dragged: Selection | undefined; handlers: Handlers } {
  const [held, setHeld] = useState<Place>(() => ({
    row: selection?.row ?? Math.min(1, Math.max(0, rows.length - 1)),
    night: selection?.first ?? Math.max(0, cells.today - cells.from),
  }))
  const active = {
    row: Math.min(held.row, Math.max(0, rows.length - 1)),
    night: Math.min(held.night, cells.nights - 1),
  }
  const [dragged, setDragged] = useState<Selection>()
  const anchor = useRef<Place>(undefined)

  const goTo = (place: Place): void => {
    setHeld(place)
    onPoint(place)
    show(place)
  }
  const extend = (place: Place): void => {
    anchor.current ??= active
    const from = anchor.current
    setDragged({
      row: from.row,
      first: Math.min(from.night, place.night),
      last: Math.max(from.night, place.night),
    })
    goTo({ row: from.row, night: place.night })
  }
  const finish = (): void => {
    anchor.current = undefined
    if (dragged) onChoose(dragged)
    setDragged(undefined)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    if (event.target !== event.currentTarget) return
    if (event.key === 'Escape') {
      anchor.current = undefined
      setDragged(undefined)
      onEscape()
      return
    }
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault()
      if (dragged) finish()
      else onCell(active, true)
      return
    }
    if (event.altKey || event.metaKey) return
    const isWhole = event.ctrlKey
    const place = movedBy(event.key, active, { rows: rows.length, nights: cells.nights, ...page, isWhole })
    if (!place) return
    event.preventDefault()
    if (event.shiftKey && place.row === active.row) extend(place)
    else goTo(place)
  }
  return {
    active,
    dragged,
    handlers: {
      onKeyDown,
      onKeyUp: (event) => {
        if (event.key === 'Shift' && dragged) finish()
      },
      onPointerDown: (event) => {
        const place = event.button === 0 ? placeOf(event.target) : undefined
        if (!place) return
        if (event.shiftKey && place.row === active.row) {
          extend(place)
          return
        }
        anchor.current = place
        setHeld(place)
      },
      onPointerMove: (event) => {
        const place = placeOf(event.target)
        onPoint(place)
        const from = anchor.current
        if (!place || !from || event.buttons !== 1 || event.pointerType === 'touch') return
        if (place.night === from.night && !dragged) return
        const [first, last] = [Math.min(from.night, place.night), Math.max(from.night, place.night)]
        if (dragged?.first !== first || dragged.last !== last) setDragged({ row: from.row, first, last })
      },
      onPointerUp: (event) => {
        const place = placeOf(event.target)
        const from = anchor.current
        if (dragged) finish()
        else if (place && from?.row === place.row && from.night === place.night) onCell(place, false)
        anchor.current = undefined
      },
      onPointerLeave: () => onPoint(undefined),
    },
  }
}

/** The cell under the pointer. */
function placeOf(target: EventTarget): Place | undefined {
  const element = target instanceof Element ? target.closest('[data-night]') : null
  const row = element?.closest('[data-row]')
  if (!(element instanceof HTMLElement) || !(row instanceof HTMLElement)) return undefined
  return { row: Number(row.dataset['row']), night: Number(element.dataset['night']) }
}
