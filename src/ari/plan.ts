import { todayIn } from '../hotels/hotel-clock.ts'
import { problemsListedMax, shown, type Problem } from '../http/rejected.ts'
import type { Push } from '../http/call.ts'
import { unset } from './block-codec.ts'
import type { HotelCatalog } from './catalog.ts'
import { fieldNumber, type FieldValue } from './fields.ts'
import { countNights } from './month.ts'
import { checkForms, itemNights } from './plan-item.ts'
import { nothingSent, planLine, type ItemContext, type LineContext } from './plan-line.ts'
import { sendsPrice } from './plan-prices.ts'
import { ariItem, rateLine } from './item-contract.ts'
import { found, foundUnknown, problemsIn, type Listing, type PlannedItem } from './planned.ts'
import type { ItemFaults, ReadableItem, ReadableLine, ReadablePush } from './readable.ts'

export type Plan = {
  items: PlannedItem[]
  /** What refuses the push as a whole, e.g. another currency than the hotel's. */
  refused: Problem[]
  /** Nights of rooms and room-rates that the push names. */
  cells: number
}

/** A push that is ready to be applied. Its plan rests on a cached catalog, which is compared under the lock. */
export type ReadyPush = {
  push: Push
  body: ReadablePush
  faultsByItem: ReadonlyMap<number, ItemFaults>
  catalog: HotelCatalog
  plan: Plan
}

/**
 * Turns a push into changes of rows, by the hotel's catalog: identifiers to numbers, ranges to months of nights,
 * amounts to minor units. Pure; what is wrong with an item becomes its problems and touches no other item. Every rule
 * is tried on what can be read; without a catalog (the hotel is unknown), those that need none.
 */
export function planPush(
  body: ReadablePush,
  faultsByItem: ReadonlyMap<number, ItemFaults>,
  catalog: HotelCatalog | undefined,
  nowMs: number,
): Plan {
  const today = catalog && todayIn(catalog, nowMs)
  const listing: Listing = { room: problemsListedMax }
  let cells = 0
  const items = body.ari.map((item, index) => {
    const faults = faultsByItem.get(index)
    const planned = planItem(item, {
      body,
      path: `/ari/${index}`,
      wrong: faults?.places,
      faults,
      catalog,
      today,
      listing,
    })
    for (const row of planned.rows) for (const { mask } of row.months) cells += countNights(mask)
    return planned
  })
  return { items, cells, refused: catalog ? refusals(body, catalog) : [] }
}

function refusals(body: ReadablePush, catalog: HotelCatalog): Problem[] {
  if (body.currency === undefined || body.currency === catalog.currency) return []
  const message = `currency must be the hotel's currency ${catalog.currency}`
  const hint = 'Change it with POST /push/hotels, or leave currency out'
  return [{ type: 'CURRENCY_MISMATCH', message, path: '/currency', value: shown(body.currency), hint }]
}

function planItem(item: ReadableItem | undefined, context: ItemContext): PlannedItem {
  const { path, catalog, faults, listing } = context
  const planned: PlannedItem = { rows: [], problems: [], unlisted: 0, breaksRule: false, warnings: [] }
  for (const problem of faults?.item ?? none) found(planned, listing, () => problem)
  if (!item) return planned
  const months = itemNights(item, context, planned)
  const { roomId } = item
  const roomNo = roomId === undefined ? undefined : catalog?.roomNoByCode.get(roomId)
  if (catalog && roomId !== undefined && roomNo === undefined)
    foundUnknown(planned, listing, () => roomNotFound(roomId, `${path}/roomId`))
  checkForms(item, context, planned)
  const isWrong = problemsIn(planned) > 0

  const roomSets = roomValues(item)
  if (roomNo !== undefined && roomSets.length > 0) {
    planned.rows.push({
      roomNo,
      rateNo: 0,
      months,
      sets: roomSets,
      guestPricesKept: undefined,
      pricingModel: undefined,
    })
  }
  const lineContext: LineContext = { context, item, roomNo, months }
  if (item.rateId !== undefined || sendsPrice(item, item, context)) {
    const before = problemsIn(planned)
    const row = planLine(item, { path, wrong: context.wrong, flat: item }, lineContext, planned)
    if (row && problemsIn(planned) === before) planned.rows.push(row)
  }
  if (item.rates) planLines(item.rates, lineContext, planned)
  // Problems of rate lines keep those lines back, problems of the item all of it.
  if (isWrong) return { ...planned, rows: [], warnings: [] }
  const { rows, warnings } = planned
  if (rows.length === 0 && problemsIn(planned) === 0 && warnings.length === 0)
    warnings.push(nothingSent(item, ariItem, path))
  return planned
}

const none: readonly Problem[] = []

/** The lines of `rates`, each rate once. */
function planLines(
  lines: readonly (ReadableLine | undefined)[],
  lineContext: LineContext,
  planned: PlannedItem,
): void {
  const { path: itemPath, faults, listing, wrong } = lineContext.context
  const seen = new Map<string, number>()
  for (const [index, line] of lines.entries()) {
    const before = problemsIn(planned)
    for (const problem of faults?.byRate.get(index) ?? none) found(planned, listing, () => problem)
    if (!line) continue
    const path = `${itemPath}/rates/${index}`
    const { rateId } = line
    const earlier = rateId === undefined ? undefined : seen.get(rateId)
    if (rateId !== undefined) seen.set(rateId, index)
    if (rateId !== undefined && earlier !== undefined)
      found(planned, listing, () => duplicateRate(rateId, path, `${itemPath}/rates/${earlier}`))
    // The rate that stands there already was judged there.
    const judged = earlier === undefined ? line : withoutRate(line)
    const row = planLine(judged, { path, wrong, flat: undefined }, lineContext, planned)
    if (problemsIn(planned) > before) continue
    if (row) planned.rows.push(row)
    else planned.warnings.push(nothingSent(line, rateLine, path))
  }
}

function withoutRate({ rateId: _rateId, ...rest }: ReadableLine): ReadableLine {
  return rest
}

/** Inventory and closure of the room. In the flat form `closed` is the rate line's. */
function roomValues(item: ReadableItem): FieldValue[] {
  const sets: FieldValue[] = []
  if (item.inventory !== undefined)
    sets.push({ field: fieldNumber.inventory, value: item.inventory ?? unset })
  if (item.closed !== undefined && item.rateId === undefined)
    sets.push({ field: fieldNumber.closed, value: item.closed === true ? 1 : unset })
  return sets
}

function roomNotFound(roomId: string, path: string): Problem {
  return {
    type: 'ROOM_NOT_FOUND',
    message: 'RoomID not found',
    path,
    value: shown(roomId),
    hint: 'Push the room with POST /push/products first',
  }
}

function duplicateRate(rateId: string, path: string, firstPath: string): Problem {
  return {
    type: 'DUPLICATE_RATE',
    message: 'rateId stands twice in one item',
    path: `${path}/rateId`,
    value: shown(rateId),
    hint: `It stands at ${firstPath} already`,
  }
}

export function tooManyCells(cells: number, most: number): Problem {
  return {
    type: 'TOO_MANY_CELLS',
    message: `The push names ${cells} nights of rooms and rates; at most ${most} are allowed`,
    path: '/ari',
    hint: 'Split the push by rooms or dates; see GET /v1/push/limits',
  }
}
