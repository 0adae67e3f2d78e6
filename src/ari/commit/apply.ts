import { setImmediate as breathe } from 'node:timers/promises'
import { counted } from '../../base/counted.ts'
import type { Problem } from '../../http/rejected.ts'
import { BeforeValues } from '../blocks/before-values.ts'
import type { Blocks } from '../blocks/block.ts'
import type { Stamp } from '../blocks/stamp.ts'
import type { HotelCatalog } from '../catalog/catalog.ts'
import type { ItemStatus } from '../contract.ts'
import { isSupplementField } from '../fields.ts'
import type { ItemHold } from '../guard/contract.ts'
import type { LatePrices } from '../guard/late-prices.ts'
import type { OpenHolds } from '../guard/open-holds.ts'
import { guardPush } from '../guard/guard-push.ts'
import type { GuardedItem, PushGuard } from '../guard/push-guard.ts'
import type { States } from '../impact/changed-cells.ts'
import type { Impact } from '../impact/contract.ts'
import { countNights, type NightMask } from '../blocks/month.ts'
import { noteLeaps, oddWarnings, type AfterPush, type Leap } from '../judge/odd-values.ts'
import { problemsIn, type PlannedItem, type ReadyPush, type RowChange } from '../judge/plan.ts'
import type { Reading } from '../readings-contract.ts'
import { applyRow } from './apply-row.ts'
import { Scratch } from './scratch.ts'
import { packBlockKey, type LockedHotel, type ModelChange } from '../blocks/store.ts'

export type ItemResult = {
  index: number
  status: ItemStatus
  cellsChanged: number
  errors?: Problem[]
  /** Number of problems that `errors` does not list. */
  moreErrors?: number
  /** What the guard holds of it. */
  holds?: ItemHold[]
  warnings?: Problem[]
  readings?: readonly Reading[]
}

export type Applied = { results: ItemResult[]; before?: Buffer; impact?: Impact }
/** The open holds of a guarded hotel, and its prices that were cleared lately. */
export type Guarded = { holds: OpenHolds; late: LatePrices }
export type Observe = (states: States, results: readonly ItemResult[]) => Promise<Impact>

/**
 * Applies a push to the blocks of its hotel, which the caller has locked, and raises the hotel's revision if
 * anything changed. Adds to `models` the pricing models that the push changed. If there are no results, the
 * push is refused as a whole. `before`: the values that it replaced, if it changed any. `guarded`: what
 * the guard of its hotel knows. `observe` compares the hotel before and after the push.
 */
export async function applyPush(
  ready: ReadyPush,
  hotel: LockedHotel,
  stored: Blocks,
  models: Map<string, ModelChange>,
  { guarded, observe }: { guarded?: Guarded | undefined; observe?: Observe | undefined } = {},
): Promise<Applied> {
  const { body, catalog, plan, push } = ready
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
  // The guard judges by what was stored before all items.
  const mustKeepStored = isDryRun || observe || (guarded && isJudgedTogether(plan.items))
  const scratch = mustKeepStored || mayUndoEachOther(plan.items) ? new Scratch(stored) : undefined
  const priced: RowChange[] = []
  const guard =
    guarded &&
    (await guardPush(ready, { stored, stamp, ...guarded }, (probing) => {
      const blocks = new Scratch(stored)
      return itemByItem(plan.items, (item, index) =>
        applyItem(item, index, { blocks, priced: [], ...probing }, []),
      )
    }))
  const results = await applyItems(
    plan.items,
    { blocks: scratch ?? stored, stamp, priced, guard },
    {
      blocks: scratch?.after ?? stored,
      before: scratch && stored,
      priceFloor: catalog.priceFloor,
      today: plan.today ?? 0,
    },
  )
  guard?.finish(hotel)
  const { currencyRevision } = hotel
  const observed = scratch && { before: stored, after: scratch.after, currencyRevision }
  const impact = observe && observed ? { impact: await observe(observed, results) } : {}
  const changes = results.some(({ cellsChanged }) => cellsChanged > 0)
  const isUndone = changes && scratch?.isUnchanged(stamp) === true
  if (!isDryRun) scratch?.adopt(isUndone, stamp)
  if (isUndone) return { results: results.map(asUnchanged), ...impact }
  if (!changes || !before) return { results, ...impact }
  hotel.revision++
  noteModels(catalog, priced, models)
  const encoded = before.encode(hotel.revision, hotel.cellsRevision)
  hotel.cellsRevision = hotel.revision
  return { results, before: encoded, ...impact }
}

/** Whether a value is judged by what others of the push replace: of other items, or prices of adults beside its own. */
function isJudgedTogether(items: readonly PlannedItem[]): boolean {
  if (items.length > 1) return true
  return items.some(({ rows }) => rows.some(({ sets }) => sets.some(({ field }) => isSupplementField(field))))
}

/** Whether two items name the same night of a room or room-rate. */
function mayUndoEachOther(items: readonly PlannedItem[]): boolean {
  if (items.length < 2) return false
  const named = new Map<number, NightMask>()
  for (const { rows } of items) {
    for (const { roomNo, rateNo, months } of rows) {
      for (const { month, mask } of months) {
        const key = packBlockKey({ roomNo, rateNo, month })
        const before = named.get(key) ?? 0
        if ((before & mask) !== 0) return true
        named.set(key, before | mask)
      }
    }
  }
  return false
}

/** Cells to apply before other requests get a turn of the event loop. */
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
  const leapsByItem: Leap[][] = []
  const results = await itemByItem(items, (item, index) => {
    const leaps: Leap[] = []
    leapsByItem.push(leaps)
    return applyItem(item, index, to, leaps)
  })
  return itemByItem(items, ({ rows }, index) => {
    const result = results[index]
    if (!result) throw new Error(`item ${index} has no result`)
    return withWarnings(result, oddWarnings(rows, leapsByItem[index] ?? [], index, after))
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

type ApplyTo = { blocks: Blocks; stamp: Stamp; priced: RowChange[]; guard: PushGuard | undefined }

/**
 * Applies a planned item to the blocks. Nights whose fields already had the values don't count as changed;
 * fields that a newer sequence has set keep their values. Adds to `priced` the rows for which a price was set
 * on some night, and to `leaps` the prices that look like a misplaced decimal point.
 */
function applyItem(
  item: PlannedItem,
  index: number,
  { blocks, stamp, priced, guard }: ApplyTo,
  leaps: Leap[],
): ItemResult {
  let cellsChanged = 0
  let cellsSuperseded = 0
  for (const row of item.rows) {
    let nightsPriced = 0
    for (const { month, mask } of row.months) {
      const block = blocks.of(row.roomNo, row.rateNo, month)
      stamp.before?.at(row, month)
      if (row.pricingModel !== undefined) noteLeaps(row, { month, mask }, block, leaps)
      const result = applyRow(row, { month, mask }, block, stamp, guard)
      cellsChanged += countNights(result.changed)
      cellsSuperseded += countNights(result.superseded)
      nightsPriced |= result.priced
    }
    if (nightsPriced !== 0) priced.push(row)
  }
  const guarded = guard?.endItem(index)
  const status = statusOf(item, cellsChanged, cellsSuperseded, guarded)
  const errors = guarded ? [...item.problems, ...guarded.errors] : item.problems
  const warnings = [
    ...item.warnings,
    ...(cellsSuperseded > 0 ? [supersededWarning(cellsSuperseded, index)] : []),
    ...(guarded?.warnings ?? []),
  ]
  return {
    index,
    status,
    cellsChanged,
    ...(errors.length > 0 ? { errors } : {}),
    ...(item.unlisted > 0 ? { moreErrors: item.unlisted } : {}),
    ...(guarded && guarded.holds.length > 0 ? { holds: guarded.holds } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  }
}

function withWarnings(result: ItemResult, more: readonly Problem[]): ItemResult {
  return more.length === 0 ? result : { ...result, warnings: [...(result.warnings ?? []), ...more] }
}

function statusOf(
  item: PlannedItem,
  cellsChanged: number,
  cellsSuperseded: number,
  guarded: GuardedItem | undefined,
): ItemStatus {
  if (problemsIn(item) > 0) return item.rows.length > 0 ? 'partial' : 'rejected'
  if (guarded && guarded.holds.length > 0) return 'held'
  if (guarded && guarded.errors.length > 0) return cellsChanged > 0 ? 'partial' : 'rejected'
  if (cellsChanged > 0) return 'applied'
  return cellsSuperseded > 0 ? 'superseded' : 'unchanged'
}

/** When the items of a push together left everything as it was. */
function asUnchanged(result: ItemResult): ItemResult {
  if (result.status !== 'applied') return { ...result, cellsChanged: 0 }
  const isWithheld = result.warnings?.some(({ type }) => type === 'SUPERSEDED')
  return { ...result, status: isWithheld ? 'superseded' : 'unchanged', cellsChanged: 0 }
}

function supersededWarning(cells: number, index: number): Problem {
  return {
    type: 'SUPERSEDED',
    message: `${counted(cells, 'night')} kept the values of a higher sequence`,
    path: `/ari/${index}`,
    hint: 'Nothing to do: a push with a higher sequence arrived before this one',
  }
}

/** Notes the room-rates whose pricing model is different after the group than before it. */
export function noteModels(
  { hotelId, productOf }: HotelCatalog,
  priced: readonly Pick<RowChange, 'roomNo' | 'rateNo' | 'pricingModel'>[],
  models: Map<string, ModelChange>,
): void {
  for (const { roomNo, rateNo, pricingModel } of priced) {
    if (pricingModel === undefined) continue
    const text = `${hotelId}/${roomNo}/${rateNo}`
    if (productOf(roomNo, rateNo)?.pricingModel === pricingModel) models.delete(text)
    else models.set(text, { hotelId, roomNo, rateNo, pricingModel })
  }
}
