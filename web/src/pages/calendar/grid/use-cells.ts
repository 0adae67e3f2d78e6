import { type KeyboardEvent, type PointerEvent, type Ref, useRef, useState } from 'react'
import { type Density, movedBy, type Place } from './layout.ts'
import type { CellContext, CellWords, Money, Row } from './rows.ts'

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
 * The active cell, by keyboard and pointer. The grid keeps the focus and points to the cell: cells come and
 * go while people scroll, and would take the focus with them.
 */
export function useCells(
  props: GridProps,
  page: Page,
  show: (place: Place) => void,
): { active: Place; dragged: Selection | undefined; handlers: Handlers } {
  const { rows, cells, selection, onPoint } = props
  const [place, setPlace] = useState<Place>(() => ({
    row: selection?.row ?? Math.min(1, Math.max(0, rows.length - 1)),
    night: selection?.first ?? Math.max(0, cells.today - cells.from),
  }))
  const active = {
    row: Math.min(place.row, Math.max(0, rows.length - 1)),
    night: Math.min(place.night, cells.nights - 1),
  }
  const nights = useNightRange(props.onChoose)
  const goTo = (to: Place): void => {
    setPlace(to)
    onPoint(to)
    show(to)
  }
  /** Shift, with a key or a click: the nights from where it began to this one, in the row of the beginning. */
  const extendTo = (to: Place): void => {
    const from = nights.beginUnlessBegun(active)
    nights.stretchTo(to.night)
    goTo({ row: from.row, night: to.night })
  }
  const handlers = {
    ...keyHandlers(props, page, { active, nights, goTo, extendTo }),
    ...pointerHandlers(props, { active, nights, setPlace, extendTo }),
  }
  return { active, dragged: nights.range, handlers }
}

type NightRange = {
  /** The nights selected so far; undefined until it is more than a beginning. */
  range: Selection | undefined
  beginning: () => Place | undefined
  begin: (at: Place | undefined) => void
  beginUnlessBegun: (at: Place) => Place
  stretchTo: (night: number) => void
  finish: () => void
  cancel: () => void
}

/** Nights of one row that are being selected, by dragging or with Shift. */
function useNightRange(onChoose: GridProps['onChoose']): NightRange {
  const [range, setRange] = useState<Selection>()
  const beginning = useRef<Place>(undefined)
  const cancel = (): void => {
    beginning.current = undefined
    setRange(undefined)
  }
  return {
    range,
    beginning: () => beginning.current,
    begin: (at) => {
      beginning.current = at
    },
    beginUnlessBegun: (at) => (beginning.current ??= at),
    stretchTo: (night) => {
      const from = beginning.current
      if (!from) return
      const [first, last] = [Math.min(from.night, night), Math.max(from.night, night)]
      if (range?.first !== first || range.last !== last) setRange({ row: from.row, first, last })
    },
    finish: () => {
      if (range) onChoose(range)
      cancel()
    },
    cancel,
  }
}

type Moves = {
  active: Place
  nights: NightRange
  /** Extends the selection to a cell. */
  extendTo: (to: Place) => void
}

function keyHandlers(
  { rows, cells, onCell, onEscape }: GridProps,
  page: Page,
  { active, nights, goTo, extendTo }: Moves & { goTo: (to: Place) => void },
): Pick<Handlers, 'onKeyDown' | 'onKeyUp'> {
  return {
    onKeyDown: (event) => {
      if (event.target !== event.currentTarget) return
      if (event.key === 'Escape') {
        nights.cancel()
        onEscape()
        return
      }
      if (event.key === 'Enter' || event.key === ' ') {
        event.preventDefault()
        if (nights.range) nights.finish()
        else onCell(active, true)
        return
      }
      if (event.altKey || event.metaKey) return
      const isWhole = event.ctrlKey
      const place = movedBy(event.key, active, { rows: rows.length, nights: cells.nights, ...page, isWhole })
      if (!place) return
      event.preventDefault()
      if (event.shiftKey && place.row === active.row) extendTo(place)
      else goTo(place)
    },
    onKeyUp: (event) => {
      if (event.key === 'Shift' && nights.range) nights.finish()
    },
  }
}

function pointerHandlers(
  { onCell, onPoint }: GridProps,
  { active, nights, setPlace, extendTo }: Moves & { setPlace: (to: Place) => void },
): Omit<Handlers, 'onKeyDown' | 'onKeyUp'> {
  return {
    onPointerDown: (event) => {
      const place = event.button === 0 ? placeOf(event.target) : undefined
      if (!place) return
      if (event.shiftKey && place.row === active.row) {
        extendTo(place)
        return
      }
      nights.begin(place)
      setPlace(place)
    },
    onPointerMove: (event) => {
      const place = placeOf(event.target)
      onPoint(place)
      const from = nights.beginning()
      if (!place || !from || event.buttons !== 1 || event.pointerType === 'touch') return
      if (place.night === from.night && !nights.range) return
      nights.stretchTo(place.night)
    },
    onPointerUp: (event) => {
      const place = placeOf(event.target)
      const from = nights.beginning()
      if (nights.range) nights.finish()
      else if (place && from?.row === place.row && from.night === place.night) onCell(place, false)
      nights.begin(undefined)
    },
    onPointerLeave: () => onPoint(undefined),
  }
}

/** The cell under the pointer. */
function placeOf(target: EventTarget): Place | undefined {
  const element = target instanceof Element ? target.closest('[data-night]') : null
  const row = element?.closest('[data-row]')
  if (!(element instanceof HTMLElement) || !(row instanceof HTMLElement)) return undefined
  return { row: Number(row.dataset['row']), night: Number(element.dataset['night']) }
}

/** Selected nights of one row, inclusive. */
export type Selection = { row: number; first: number; last: number }

export type GridHandle = {
  /** Scrolls until a night is the first visible one. */
  showFrom: (night: number) => void
  focus: () => void
}

export type GridProps = {
  label: string
  rows: readonly Row[]
  cells: CellContext
  words: CellWords
  density: Density
  money: Money
  /** Above the heads of rows. */
  corner: string
  /** The first visible night initially. */
  firstNight: number
  selection: Selection | undefined
  onCell: (place: Place, byKeyboard: boolean) => void
  onChoose: (selection: Selection) => void
  onEscape: () => void
  /** Called when scrolling has stopped. */
  onFirstNight: (night: number) => void
  onPoint: (place: Place | undefined) => void
  handle: Ref<GridHandle>
}
