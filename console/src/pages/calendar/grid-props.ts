import type { Ref } from 'react'
import type { CellWords } from './cell-words.ts'
import type { Density, Place } from './layout.ts'
import type { CellContext, Row } from './rows.ts'

/** Nights of one row, both ends included. */
export type Chosen = { row: number; first: number; last: number }

export type GridHandle = {
  /** Scrolls so that a night is the first in sight. */
  showFrom: (night: number) => void
  focus: () => void
}

/** What prices are in. */
export type Money = { currency: string; minorDigits: number }

export type GridProps = {
  label: string
  rows: readonly Row[]
  cells: CellContext
  words: CellWords
  density: Density
  money: Money
  /** The first night in sight at the beginning. */
  firstNight: number
  chosen: Chosen | undefined
  onCell: (place: Place, byKeyboard: boolean) => void
  onChoose: (chosen: Chosen) => void
  onEscape: () => void
  /** After scrolling has come to rest. */
  onFirstNight: (night: number) => void
  onPoint: (place: Place | undefined) => void
  handle: Ref<GridHandle>
}
