/**
 * The answer to an ARI push that was applied entirely, without warnings. It follows from other columns of the log's row,
 * so the log stores only the number of cells that each item changed, and nothing if there is one item. The same function
 * writes the answer and rebuilds it.
 */
export type PlainAnswer = {
  hotelCode: string
  revision: number
  requestId: string
  /** One for each item. */
  cellsByItem: readonly number[]
}

/** In the log: the answer is rebuilt by this version, whose text must stay the same as long as there are such rows. */
export const plainEncoding = 'plain.1'

export function plainAnswer({ hotelCode, revision, requestId, cellsByItem }: PlainAnswer): string {
  const results = cellsByItem.map((cellsChanged, index) => ({
    index,
    status: cellsChanged > 0 ? 'applied' : 'unchanged',
    cellsChanged,
  }))
  const unchanged = cellsByItem.filter((cells) => cells === 0).length
  return JSON.stringify({
    code: '200',
    message: 'ARI updated successfully',
    hotelId: hotelCode,
    revision,
    requestId,
    summary: {
      items: cellsByItem.length,
      applied: cellsByItem.length - unchanged,
      partial: 0,
      rejected: 0,
      superseded: 0,
      unchanged,
      cellsChanged: sum(cellsByItem),
    },
    results,
  })
}

/** The bytes from which `unpackCells` reads the numbers; none for one item, whose number is the sum. */
export function packCells(cellsByItem: readonly number[]): Buffer {
  return cellsByItem.length === 1 ? Buffer.alloc(0) : Buffer.from(cellsByItem.flatMap(groupsOfSevenBits))
}

export function unpackCells(bytes: Buffer, cellsChanged: number): number[] {
  if (bytes.length === 0) return [cellsChanged]
  const cells: number[] = []
  let number = 0
  for (const byte of bytes) {
    number = number * 128 + (byte & 127)
    if (byte >= 128) continue
    cells.push(number)
    number = 0
  }
  return cells
}

/** Most significant first; every byte but the last has its high bit set. */
function groupsOfSevenBits(number: number): number[] {
  const groups = [number % 128]
  for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128))
    groups.unshift((rest % 128) + 128)
  return groups
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
