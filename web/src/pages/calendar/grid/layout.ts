/** Positions of rows and nights in the scroller, and which are visible. Pure, so tests need no browser. */

export const densities = ['week', 'fortnight', 'month'] as const
export type Density = (typeof densities)[number]

const nightsShown: Readonly<Record<Density, number>> = { week: 7, fortnight: 14, month: 31 }
/** Narrower cells are unreadable. */
const widthMin: Readonly<Record<Density, number>> = { week: 72, fortnight: 56, month: 38 }

export const headHeight = 52
export const rowHeight = { hotel: 42, room: 36, rate: 40 } as const
/**
 * Nights are rendered in tiles: a tile that stays visible is not rendered again. With tiles of a week, a whole week
 * appeared in one frame and none in the next ones; small tiles spread the work over all frames.
 */
export const tileNights = 3
/**
 * Rendered beyond the visible part, so that scrolling shows no gaps. The cost of a frame that adds tiles grows with all
 * rendered tiles: twice as many of these made every tenth frame late.
 */
const rowsBeyond = 2
const tilesBeyond = 1

export function headWidthOf(width: number): number {
  if (width < 480) return 132
  return width < 640 ? 168 : 220
}

/** The width of a night: all nights of a density fit next to the row heads, as long as they stay readable. */
export function nightWidthOf(density: Density, width: number): number {
  const room = Math.max(0, width - headWidthOf(width))
  return Math.max(widthMin[density], Math.floor(room / nightsShown[density]))
}

/** The top of each row, and at the end the total height. */
export function topsOf(kinds: readonly (keyof typeof rowHeight)[]): Float64Array {
  const tops = new Float64Array(kinds.length + 1)
  for (const [index, kind] of kinds.entries()) tops[index + 1] = (tops[index] ?? 0) + rowHeight[kind]
  return tops
}

export type VisibleRange = { firstRow: number; endRow: number; firstTile: number; endTile: number }
export type View = { left: number; top: number; width: number; height: number }

export function visibleRange(
  view: View,
  tops: Float64Array,
  nightWidth: number,
  nights: number,
): VisibleRange {
  const rows = tops.length - 1
  const tileWidth = nightWidth * tileNights
  const tiles = Math.ceil(nights / tileNights)
  const widthOfNights = Math.max(0, view.width - headWidthOf(view.width))
  const firstRow = rowAt(tops, view.top)
  const endRow = rowAt(tops, view.top + Math.max(0, view.height - headHeight)) + 1
  return {
    firstRow: Math.max(0, firstRow - rowsBeyond),
    endRow: Math.min(rows, endRow + rowsBeyond),
    firstTile: Math.max(0, Math.floor(view.left / tileWidth) - tilesBeyond),
    endTile: Math.min(tiles, Math.floor((view.left + widthOfNights) / tileWidth) + 1 + tilesBeyond),
  }
}

export function isSameRange(one: VisibleRange, other: VisibleRange): boolean {
  return (
    one.firstRow === other.firstRow &&
    one.endRow === other.endRow &&
    one.firstTile === other.firstTile &&
    one.endTile === other.endTile
  )
}

/** The row at a height; below all rows, the last one. */
export function rowAt(tops: Float64Array, height: number): number {
  let [low, high] = [0, Math.max(0, tops.length - 2)]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((tops[middle] ?? 0) <= height) low = middle
    else high = middle - 1
  }
  return low
}

/** The scroll position that shows a whole cell, with as little scrolling as possible. */
export function scrollFor(
  { row, night }: { row: number; night: number },
  view: View,
  tops: Float64Array,
  nightWidth: number,
): { left: number; top: number } {
  const widthOfNights = view.width - headWidthOf(view.width)
  const heightOfRows = view.height - headHeight
  const [begin, end] = [night * nightWidth, (night + 1) * nightWidth]
  const [above, below] = [tops[row] ?? 0, tops[row + 1] ?? 0]
  return {
    left: begin < view.left ? begin : end > view.left + widthOfNights ? end - widthOfNights : view.left,
    top: above < view.top ? above : below > view.top + heightOfRows ? below - heightOfRows : view.top,
  }
}

export type Place = { row: number; night: number }

/** The cell that a key moves to; undefined for other keys. */
export function movedBy(
  key: string,
  { row, night }: Place,
  {
    rows,
    nights,
    rowsOfPage,
    nightsOfPage,
    isWhole,
  }: {
    rows: number
    nights: number
    rowsOfPage: number
    nightsOfPage: number
    /** With Control: to the end. */
    isWhole: boolean
  },
): Place | undefined {
  const to = (toRow: number, toNight: number): Place => ({
    row: Math.min(rows - 1, Math.max(0, toRow)),
    night: Math.min(nights - 1, Math.max(0, toNight)),
  })
  switch (key) {
    case 'ArrowLeft':
      return to(row, isWhole ? night - nightsOfPage : night - 1)
    case 'ArrowRight':
      return to(row, isWhole ? night + nightsOfPage : night + 1)
    case 'ArrowUp':
      return to(row - 1, night)
    case 'ArrowDown':
      return to(row + 1, night)
    case 'PageUp':
      return to(row - rowsOfPage, night)
    case 'PageDown':
      return to(row + rowsOfPage, night)
    case 'Home':
      return to(isWhole ? 0 : row, 0)
    case 'End':
      return to(isWhole ? rows - 1 : row, nights - 1)
    default:
      return undefined
  }
}
