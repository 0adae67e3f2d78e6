import type { Ref } from 'react'
import type { CellWords } from './cell-words.ts'
import type { Density, Place } from './layout.ts'
import type { CellContext, Row } from './rows.ts'

/** Selected nights of one row, inclusive. */
export type Selection = { row: number; first: number; last: number }

export type GridHandle = {
  /** Scrolls until a night is the first visible one. */
  showFrom: (night: number) => void
  focus: () => void
}

/** The currency of prices. */
export type Money = { currency: string; minorDigits: number }

export type GridProps = {
  label: string
  rows: readonly Row[]
  cells: CellContext
  words: CellWords
  density: Density
  money: Money
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
