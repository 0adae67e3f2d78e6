import { setImmediate as breathe } from 'node:timers/promises'
import type { Problem } from '../http/rejected.ts'
import { BeforeValues } from './before-values.ts'
import type { Block, Blocks, NightMask, SetResult, Stamp } from './block.ts'
import { unset } from './block-codec.ts'
import type { HotelCatalog } from './catalog.ts'
import type { ItemStatus } from './contract.ts'
import { fieldNumber, isPriceField } from './fields.ts'
import { countNights, type MonthNights } from './month.ts'
import { oddWarnings, tenfoldNights, type AfterPush, type Tenfold } from './odd-values.ts'
import { problemsIn, type PlannedItem, type ReadyPush, type RowChange } from './plan.ts'
import type { Reading } from './readings-contract.ts'
import type { LockedHotel, ModelChange } from './store.ts'

export type ItemResult = {
  index: number
  status: ItemStatus
  cellsChanged: number
  errors?: Problem[]
  /** Number of problems that `errors` does not list. */
  moreErrors?: number
  warnings?: Problem[]
  readings?: readonly Reading[]
}

/**
 * Applies a push to the blocks of its hotel, which the caller has locked, and raises the hotel's revision if
 * anything changed. Adds to `models` the pricing models that the push changed. If there are no results, the
 * push is refused as a whole. `before`: the values that it replaced, if it changed any.
 */
export async function applyPush(
  { body, catalog, plan, push }: ReadyPush,
  hotel: LockedHotel,
  stored: Blocks,
  models: Map<string, ModelChange>,
): Promise<{ results: ItemResult[]; before?: Buffer }> {
  const isAtomicBroken = body.atomic === true && plan.items.some((item) => problemsIn(item) > 0)
  if (plan.refused.length > 0 || isAtomicBroken) return { results: [] }
  const isDryRun = body.dryRun === true
  const before = isDryRun ? undefined : new BeforeValues()
  const stamp: Stamp = {
    revision: hotel.revision + 1,
    sequence: body.sequence,
    keyId: push.caller.keyId,
    currencyRevision: hotel.currencyRevision,
    ...(before ? { before } : {}),
  }
  // Items can undo each other only if there is more than one.
  const scratch = isDryRun || plan.items.length > 1 ? new Scratch(stored) : undefined
  const priced: RowChange[] = []
  const results = await applyItems(
    plan.items,
    { blocks: scratch ?? stored, stamp, priced },
    { blocks: scratch?.after ?? stored, before: scratch && stored, priceFloor: catalog.priceFloor },
  )
  const changes = results.some(({ cellsChanged }) => cellsChanged > 0)
  const isUndone = changes && scratch?.isUnchanged(stamp) === true
  if (!isDryRun) scratch?.adopt(isUndone, stamp)
  if (isUndone) return { results: results.map(asUnchanged) }
  if (!changes || !before) return { results }
  hotel.revision++
  noteModels(catalog, priced, models)
  const encoded = before.encode(hotel.revision, hotel.cellsRevision)
  hotel.cellsRevision = hotel.revision
  return { results, before: encoded }
}

/** Number of cells to apply before other requests get a turn of the event loop. */
const cellsAtOnceMax = 20_000

/**
 * Applies the items in order. Each result gets its warnings about odd values, judged by the blocks as the
 * whole push left them.
 */
async function applyItems(
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
 * Applies a planned item to the blocks. Nights whose fields already had the values don't count as changed;
 * fields that a newer sequence has set keep their values. Adds to `priced` the rows for which a price was set
 * on some night, and to `tenfold` the prices that look like a misplaced decimal point.
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
      stamp.before?.at(row, month)
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
 * A night never has prices of both models: where a newer sequence keeps the other model's price, the pushed
 * price is not applied either. Without a sequence every price is applied.
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
    barred = block.nightsWithValue(fieldNumber.unitPrice, cleared.superseded)
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

function noteTenfold(row: RowChange, { month, mask }: MonthNights, stored: Block, tenfold: Tenfold[]): void {
  for (const set of row.sets) {
    const nights = isPriceField(set.field) ? tenfoldNights(stored, set, mask) : 0
    if (nights !== 0) tenfold.push({ row, month, set, nights })
  }
}

const nothing: SetResult = { changed: 0, superseded: 0 }

/** The result with warnings about odd values that were applied. */
function withWarnings(result: ItemResult, more: readonly Problem[]): ItemResult {
  return more.length === 0 ? result : { ...result, warnings: [...(result.warnings ?? []), ...more] }
}

function statusOf(item: PlannedItem, cellsChanged: number, cellsSuperseded: number): ItemStatus {
  if (problemsIn(item) > 0) return item.rows.length > 0 ? 'partial' : 'rejected'
  if (cellsChanged > 0) return 'applied'
  return cellsSuperseded > 0 ? 'superseded' : 'unchanged'
}

/** The result of an item when the items of its push together left everything as it was. */
function asUnchanged(result: ItemResult): ItemResult {
  if (result.status !== 'applied') return { ...result, cellsChanged: 0 }
  const isWithheld = result.warnings?.some(({ type }) => type === 'SUPERSEDED')
  return { ...result, status: isWithheld ? 'superseded' : 'unchanged', cellsChanged: 0 }
}

function supersededWarning(cells: number, index: number): Problem {
  return {
    type: 'SUPERSEDED',
    message: `${cells} night${cells === 1 ? '' : 's'} kept the values of a higher sequence`,
    path: `/ari/${index}`,
    hint: 'Nothing to do: a push with a higher sequence arrived before this one',
  }
}

/** Notes the room-rates whose pricing model is different after the group than before it. */
function noteModels(
  { hotelId, productOf }: HotelCatalog,
  priced: readonly RowChange[],
  models: Map<string, ModelChange>,
): void {
  for (const { roomNo, rateNo, pricingModel } of priced) {
    if (pricingModel === undefined) continue
    const text = `${hotelId}/${roomNo}/${rateNo}`
    if (productOf(roomNo, rateNo)?.pricingModel === pricingModel) models.delete(text)
    else models.set(text, { hotelId, roomNo, rateNo, pricingModel })
  }
}

/** Blocks for trying out a push, discarded after a dry run and when later items undo earlier ones. */
class Scratch implements Blocks {
  readonly #real: Blocks
  readonly #copies = new Map<Block, Block>()

  constructor(real: Blocks) {
    this.#real = real
  }

  of(roomNo: number, rateNo: number, month: number): Block {
    const block = this.#real.of(roomNo, rateNo, month)
    const copy = this.#copies.get(block) ?? block.copy()
    this.#copies.set(block, copy)
    return copy
  }

  /** The blocks with the push applied, read-only: blocks that the push leaves as they are aren't copied. */
  readonly after: Blocks = {
    of: (roomNo, rateNo, month) => {
      const block = this.#real.of(roomNo, rateNo, month)
      return this.#copies.get(block) ?? block
    },
  }

  isUnchanged({ currencyRevision }: Stamp): boolean {
    return [...this.#copies].every(([real, copy]) => copy.holdsSameAs(real, currencyRevision))
  }

  /** Makes the copies real. If the values are as before, takes over only the push's sequences, if any. */
  adopt(isUndone: boolean, { sequence }: Stamp): void {
    if (isUndone && sequence === undefined) return
    for (const [real, copy] of this.#copies) {
      if (isUndone) copy.takeRevisionsOf(real)
      real.become(copy)
    }
  }
}
