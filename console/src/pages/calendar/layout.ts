/** Where rows and nights lie in the scroller, and which of them are seen. Pure: tests need no browser. */

export const densities = ['week', 'fortnight', 'month'] as const
export type Density = (typeof densities)[number]

const nightsShown: Readonly<Record<Density, number>> = { week: 7, fortnight: 14, month: 31 }
/** Narrower, nothing can be read any more. */
const widthMin: Readonly<Record<Density, number>> = { week: 72, fortnight: 56, month: 38 }

export const headHeight = 52
export const rowHeight = { room: 36, rate: 40 } as const
/**
 * Nights are made in tiles: one that stays in sight is not made again. Of a week, whole weeks came into sight in one
 * frame and none in the next ones; with few nights each frame has its share.
 */
export const tileNights = 3
/**
 * Made beyond what is seen, so that scrolling shows nothing empty. Each frame in which something new comes into sight
 * costs in proportion to all that is made: twice as many tiles beyond made every tenth frame late.
 */
const rowsBeyond = 2
const tilesBeyond = 1

export function headWidthOf(width: number): number {
  if (width < 480) return 132
  return width < 640 ? 168 : 220
}

/** The width of a night; all of a density's nights fit beside the row heads where they can be read. */
export function nightWidthOf(density: Density, width: number): number {
  const room = Math.max(0, width - headWidthOf(width))
  return Math.max(widthMin[density], Math.floor(room / nightsShown[density]))
}

/** The top of each row, and behind them the height of all. */
export function topsOf(kinds: readonly ('room' | 'rate')[]): Float64Array {
  const tops = new Float64Array(kinds.length + 1)
  for (const [index, kind] of kinds.entries()) tops[index + 1] = (tops[index] ?? 0) + rowHeight[kind]
  return tops
}

export type Seen = { firstRow: number; endRow: number; firstTile: number; endTile: number }
export type View = { left: number; top: number; width: number; height: number }

export function seenOf(view: View, tops: Float64Array, nightWidth: number, nights: number): Seen {
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

export function isSameSeen(one: Seen, other: Seen): boolean {
  return (
    one.firstRow === other.firstRow &&
    one.endRow === other.endRow &&
    one.firstTile === other.firstTile &&
    one.endTile === other.endTile
  )
}

/** The row at a height; the last one below all. */
export function rowAt(tops: Float64Array, height: number): number {
  let [low, high] = [0, Math.max(0, tops.length - 2)]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((tops[middle] ?? 0) <= height) low = middle
    else high = middle - 1
  }
  return low
}

/** Where to scroll so that a cell is wholly seen; as little as is needed. */
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

/** Where a key leads in the grid; undefined for keys that lead nowhere. */
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
    /** With Control: to the very end. */
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
