import type { Problem } from '../platform/rejected.ts'
import type { Block, NightMask, SetResult, Stamp } from './block.ts'
import { unset } from './block-codec.ts'
import type { ItemStatus } from './contract.ts'
import { fieldNumber, isPriceField } from './fields.ts'
import { countNights } from './month.ts'
import { noteOddities, noteTenfold, oddWarnings, type OddNights } from './odd-values.ts'
import { problemsIn, type PlannedItem, type RowChange } from './planned.ts'

export type ItemResult = {
  index: number
  status: ItemStatus
  cellsChanged: number
  errors?: Problem[]
  /** Problems that `errors` does not list. */
  moreErrors?: number
  warnings?: Problem[]
}

/** The blocks a push may touch, by row and month. */
export type Blocks = { of: (roomNo: number, rateNo: number, month: number) => Block }

/**
 * Applies a planned item to the blocks. Nights whose fields already held the values don't count as changed; fields
 * that a newer sequence has set keep them. `priced` gets the rows of which a price was set on some night.
 */
export function applyItem(
  item: PlannedItem,
  index: number,
  { blocks, stamp, priced }: { blocks: Blocks; stamp: Stamp; priced: RowChange[] },
): ItemResult {
  let cellsChanged = 0
  let cellsSuperseded = 0
  const odd: OddNights = new Map()
  for (const row of item.rows) {
    let nightsPriced = 0
    for (const { month, mask } of row.months) {
      const block = blocks.of(row.roomNo, row.rateNo, month)
      const result = applyRow(row, block, mask, stamp, odd)
      cellsChanged += countNights(result.changed)
      cellsSuperseded += countNights(result.superseded)
      nightsPriced |= result.priced
    }
    if (nightsPriced !== 0) priced.push(row)
  }
  const status = statusOf(item, cellsChanged, cellsSuperseded)
  const warnings = [
    ...item.warnings,
    ...(odd.size > 0 ? oddWarnings(odd, index) : []),
    ...(cellsSuperseded > 0 ? [supersededWarning(cellsSuperseded, index)] : []),
  ]
  return {
    index,
    status,
    cellsChanged,
    ...(item.problems.length > 0 ? { errors: item.problems } : {}),
    ...(item.unlisted > 0 ? { moreErrors: item.unlisted } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  }
}

/**
 * A night never holds prices of both models: where a newer sequence keeps the other model's price, the one pushed is
 * held back too. Without a sequence nothing is held back.
 */
function applyRow(
  row: RowChange,
  block: Block,
  mask: NightMask,
  stamp: Stamp,
  odd: OddNights,
): SetResult & { priced: NightMask } {
  let { changed, superseded } = row.guestPricesKept
    ? block.clearGuestPrices(mask, row.guestPricesKept, stamp)
    : nothing
  let barred = row.pricingModel === 'unit' ? superseded : 0
  if (row.pricingModel === 'guest' && stamp.sequence !== undefined) {
    const cleared = block.set(fieldNumber.unitPrice, mask, unset, stamp)
    changed |= cleared.changed
    barred = block.held(fieldNumber.unitPrice, cleared.superseded)
  }
  let priced = 0
  for (const { field, value } of row.sets) {
    const isPrice = isPriceField(field)
    const nights = isPrice ? mask & ~barred : mask
    if (isPrice) noteTenfold(block, { field, value }, nights, odd)
    const result = block.set(field, nights, value, stamp)
    changed |= result.changed
    superseded |= result.superseded
    if (isPrice && value !== unset) priced |= nights & ~result.superseded
  }
  noteOddities(block, row.sets, mask, odd)
  return { changed, superseded: superseded | barred, priced }
}

const nothing: SetResult = { changed: 0, superseded: 0 }

function statusOf(item: PlannedItem, cellsChanged: number, cellsSuperseded: number): ItemStatus {
  if (problemsIn(item) > 0) return item.rows.length > 0 ? 'partial' : 'rejected'
  if (cellsChanged > 0) return 'applied'
  return cellsSuperseded > 0 ? 'superseded' : 'unchanged'
}

/** The result of an item of a push whose items together left everything as it was. */
export function asUnchanged(result: ItemResult): ItemResult {
  if (result.status !== 'applied') return { ...result, cellsChanged: 0 }
  const isHeldBack = result.warnings?.some(({ type }) => type === 'SUPERSEDED')
  return { ...result, status: isHeldBack ? 'superseded' : 'unchanged', cellsChanged: 0 }
}

function supersededWarning(cells: number, index: number): Problem {
  return {
    type: 'SUPERSEDED',
    message: `${cells} night${cells === 1 ? '' : 's'} kept fields of a newer sequence`,
    path: `/ari/${index}`,
    hint: 'Nothing to do: a push with a higher sequence arrived before this one',
  }
}
