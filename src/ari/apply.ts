import type { Problem } from '../platform/rejected.ts'
import { Block, type Stamp } from './block.ts'
import type { ItemStatus } from './contract.ts'
import { countNights } from './month.ts'
import type { PlannedItem, RowChange } from './plan.ts'

export type ItemResult = {
  index: number
  status: ItemStatus
  cellsChanged: number
  errors?: Problem[]
  warnings?: Problem[]
}

/** The blocks a push may touch, by row and month. */
export type Blocks = { of: (roomNo: number, rateNo: number, month: number) => Block }

/**
 * Applies a planned item to the blocks. Nights whose fields already held the values don't count as changed; fields
 * that a newer sequence has set keep them.
 */
export function applyItem(item: PlannedItem, index: number, blocks: Blocks, stamp: Stamp): ItemResult {
  let cellsChanged = 0
  let cellsSuperseded = 0
  for (const row of item.rows) {
    for (const { month, mask } of row.months) {
      const { changed, superseded } = applyRow(row, blocks.of(row.roomNo, row.rateNo, month), mask, stamp)
      cellsChanged += countNights(changed)
      cellsSuperseded += countNights(superseded)
    }
  }
  const status = statusOf(item, cellsChanged, cellsSuperseded)
  return {
    index,
    status,
    cellsChanged,
    ...(item.problems.length > 0 ? { errors: item.problems } : {}),
    ...(cellsSuperseded > 0 ? { warnings: [superseded(cellsSuperseded, index)] } : {}),
  }
}

function applyRow(
  row: RowChange,
  block: Block,
  mask: number,
  stamp: Stamp,
): { changed: number; superseded: number } {
  let changed = 0
  let superseded = 0
  for (const { field, value } of row.sets) {
    const result = block.set(field, mask, value, stamp)
    changed |= result.changed
    superseded |= result.superseded
  }
  if (row.guestPricesKept) changed |= block.clearGuestPrices(mask, row.guestPricesKept, stamp)
  return { changed, superseded }
}

function statusOf(item: PlannedItem, cellsChanged: number, cellsSuperseded: number): ItemStatus {
  if (item.problems.length > 0) return item.rows.length > 0 ? 'partial' : 'rejected'
  if (cellsChanged > 0) return 'applied'
  return cellsSuperseded > 0 ? 'superseded' : 'unchanged'
}

function superseded(cells: number, index: number): Problem {
  return {
    type: 'SUPERSEDED',
    message: `${cells} night${cells === 1 ? '' : 's'} kept fields of a newer sequence`,
    path: `/ari/${index}`,
    hint: 'Nothing to do: a push with a higher sequence arrived before this one',
  }
}
