import { setImmediate as breathe } from 'node:timers/promises'
import type { Problem } from '../http/rejected.ts'
import type { Block, Blocks, NightMask, SetResult, Stamp } from './block.ts'
import { unset } from './block-codec.ts'
import type { ItemStatus } from './contract.ts'
import { fieldNumber, isPriceField } from './fields.ts'
import { countNights, type MonthNights } from './month.ts'
import { oddWarnings, tenfoldNights, type AfterPush, type Tenfold } from './odd-values.ts'
import { problemsIn, type PlannedItem, type RowChange } from './plan.ts'

export type ItemResult = {
  index: number
  status: ItemStatus
  cellsChanged: number
  errors?: Problem[]
  /** Problems that `errors` does not list. */
  moreErrors?: number
  warnings?: Problem[]
}

/** Cells applied before other requests get a turn of the event loop. */
const cellsAtOnceMax = 20_000

/** Applies the items in their order; each is told what is hardly meant of it as all together have left the blocks. */
export async function applyItems(
  items: readonly PlannedItem[],
  to: ApplyTo,
  after: AfterPush,
): Promise<ItemResult[]> {
  const tenfolds: Tenfold[][] = []
  const results = await itemByItem(items, (item, index) => {
    const tenfold: Tenfold[] = []
    tenfolds.push(tenfold)
    return applyItem(item, index, to, tenfold)
  })
  return itemByItem(items, ({ rows }, index) => {
    const result = results[index]
    if (!result) throw new Error(`item ${index} has no result`)
    return withWarnings(result, oddWarnings(rows, tenfolds[index] ?? [], index, after))
  })
}

async function itemByItem<Result>(
  items: readonly PlannedItem[],
  work: (item: PlannedItem, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  let cells = 0
  for (const [index, item] of items.entries()) {
    results.push(work(item, index))
    for (const { months } of item.rows) cells += months.length * 31
    if (cells < cellsAtOnceMax) continue
    cells = 0
    await breathe()
  }
  return results
}

type ApplyTo = { blocks: Blocks; stamp: Stamp; priced: RowChange[] }

/**
 * Applies a planned item to the blocks. Nights whose fields already held the values don't count as changed; fields
 * that a newer sequence has set keep them. `priced` gets the rows of which a price was set on some night, `tenfold`
 * the prices that a slip of the decimal point would explain.
 */
function applyItem(
  item: PlannedItem,
  index: number,
  { blocks, stamp, priced }: ApplyTo,
  tenfold: Tenfold[],
): ItemResult {
  let cellsChanged = 0
  let cellsSuperseded = 0
  for (const row of item.rows) {
    let nightsPriced = 0
    for (const { month, mask } of row.months) {
      const block = blocks.of(row.roomNo, row.rateNo, month)
      if (row.pricingModel !== undefined) noteTenfold(row, { month, mask }, block, tenfold)
      const result = applyRow(row, block, mask, stamp)
      cellsChanged += countNights(result.changed)
      cellsSuperseded += countNights(result.superseded)
      nightsPriced |= result.priced
    }
    if (nightsPriced !== 0) priced.push(row)
  }
  const status = statusOf(item, cellsChanged, cellsSuperseded)
  const warnings = [
    ...item.warnings,
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
    const result = block.set(field, nights, value, stamp)
    changed |= result.changed
    superseded |= result.superseded
    if (isPrice && value !== unset) priced |= nights & ~result.superseded
  }
  return { changed, superseded: superseded | barred, priced }
}

function noteTenfold(row: RowChange, { month, mask }: MonthNights, held: Block, tenfold: Tenfold[]): void {
  for (const set of row.sets) {
    const nights = isPriceField(set.field) ? tenfoldNights(held, set, mask) : 0
    if (nights !== 0) tenfold.push({ row, month, set, nights })
  }
}

const nothing: SetResult = { changed: 0, superseded: 0 }

/** The result with what is hardly meant of what was applied. */
function withWarnings(result: ItemResult, more: readonly Problem[]): ItemResult {
  return more.length === 0 ? result : { ...result, warnings: [...(result.warnings ?? []), ...more] }
}

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
