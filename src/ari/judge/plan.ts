import type { DayNumber } from '../../base/calendar.ts'
import { assertedCurrencyProblems } from '../../hotels/asserted-currency.ts'
import { todayIn } from '../../hotels/hotel-clock.ts'
import { problemAt, problemsListedMax, type Problem } from '../../http/rejected.ts'
import type { Push } from '../../http/calls/call.ts'
import { unset } from '../blocks/block-codec.ts'
import type { HotelCatalog } from '../catalog/catalog.ts'
import { rateFields, type FieldValue } from '../fields.ts'
import type { HoldEnder } from '../guard/holds-contract.ts'
import { ariItem, itemErrors, rateLine, type PricingModel } from '../item-contract.ts'
import { countNights, type MonthNights } from '../blocks/month.ts'
import {
  formProblems,
  itemNights,
  linePrices,
  nothingSent,
  pricesSent,
  type DeferredProblem,
  type HotelToday,
  type LineLocation,
} from './plan-item.ts'
import { lineValues, roomValues, unitWarnings } from './pushed-values.ts'
import { repeatedUnits } from './repeated-units.ts'
import type { ItemProblems, Location, ReadableItem, ReadableLine, ReadablePush } from './readable.ts'
import type { UndoPlan } from '../history/undo-plan.ts'

/** A push ready to be applied; the version of the cached catalog in its plan is compared under the lock. */
export type ReadyPush = {
  push: Push
  body: ReadablePush
  problemsByItem: ReadonlyMap<number, ItemProblems>
  catalog: HotelCatalog
  plan: Plan
  /** Of the undo of a push, which has no items. */
  undo?: UndoPlan
  /** Applies what is held instead, on behalf of `by`. */
  release?: { holdIds: readonly string[] | undefined; by: HoldEnder }
}

export type Plan = {
  items: PlannedItem[]
  /** Problems that refuse the push as a whole, e.g. a currency other than the hotel's. */
  refused: Problem[]
  /** Number of nights of rooms and room-rates that the push names. */
  cells: number
  /** The hotel's day and time when the push was planned; absent without a catalog. */
  today?: DayNumber
  nowMs: number
}

/** An item's changes, and the problems that keep it, or some of its rate lines, from being applied. */
export type PlannedItem = {
  rows: RowChange[]
  /** The problems that the answer may list. */
  problems: Problem[]
  /** How many more problems there are: they are counted but never written out. */
  unlisted: number
  /** Whether there is any problem other than unknown rooms and rates. */
  breaksRule: boolean
  warnings: Problem[]
}

/** The changes that one item or rate line makes to one row (a room or a room-rate) over its nights. */
export type RowChange = {
  roomNo: number
  /** 0 is the room itself. */
  rateNo: number
  months: readonly MonthNights[]
  sets: readonly FieldValue[]
  /** Clears every guest price except these. If absent, only the prices in `sets` change. */
  guestPricesKept: ReadonlySet<number> | undefined
  /** The room-rate's pricing model from now on, if the push sets a price. */
  pricingModel: PricingModel | undefined
}

export function problemsIn({ problems, unlisted }: PlannedItem): number {
  return problems.length + unlisted
}

/**
 * Turns a push into changes of rows, using the hotel's catalog: identifiers to numbers, ranges to months of
 * nights, amounts to minor units. Pure. Faults of an item become its problems and affect no other item. Every
 * rule is applied to the readable parts; without a catalog (the hotel is unknown), only the rules that need
 * none.
 */
export function planPush(
  body: ReadablePush,
  problemsByItem: ReadonlyMap<number, ItemProblems>,
  catalog: HotelCatalog | undefined,
  nowMs: number,
): Plan {
  const hotel = catalog && { catalog, today: todayIn(catalog, nowMs) }
  const push: PushContext = { body, hotel, listing: { room: problemsListedMax } }
  const items = body.ari.map((item, index) =>
    planItem(item, `/ari/${index}`, problemsByItem.get(index), push),
  )
  if (catalog)
    for (const [index, warning] of repeatedUnits(items, catalog)) items[index]?.warnings.push(warning)
  let cells = 0
  for (const { rows } of items)
    for (const { months } of rows) for (const { mask } of months) cells += countNights(mask)
  const refused = catalog ? assertedCurrencyProblems(body.currency, catalog.currency) : []
  return { items, cells, refused, nowMs, ...(hotel ? { today: hotel.today } : {}) }
}

/** The context for judging every item of a push. `listing`: how many more problems the answer may list. */
type PushContext = { body: ReadablePush; hotel: HotelToday | undefined; listing: { room: number } }

/** A problem of the item blocks the whole item, a problem of a rate line only that line. */
function planItem(
  item: ReadableItem | undefined,
  path: string,
  shape: ItemProblems | undefined,
  push: PushContext,
): PlannedItem {
  const planned: PlannedItem = { rows: [], problems: [], unlisted: 0, breaksRule: false, warnings: [] }
  const location: Location = { path, unreadable: shape?.paths }
  addProblems(planned, push, deferred(shape?.item))
  if (!item) return planned
  const { months, problems: dateProblems } = itemNights(item, location, push.hotel)
  addProblems(planned, push, dateProblems)
  const { roomId } = item
  const roomNo = roomId === undefined ? undefined : push.hotel?.catalog.roomNoByCode.get(roomId)
  if (push.hotel && roomId !== undefined && roomNo === undefined)
    addProblem(planned, push, () => problemAt(itemErrors.roomNotFound, `${path}/roomId`, roomId))
  addProblems(planned, push, formProblems(item, location))
  const isWrong = problemsIn(planned) > 0

  const sets = roomValues(item)
  if (roomNo !== undefined && sets.length > 0) planned.rows.push({ ...ofRoom, roomNo, months, sets })
  planned.warnings.push(...unitWarnings(item, path))
  planLines({ item, location, shape, roomNo, months }, planned, push)
  if (isWrong) return { ...planned, rows: [], warnings: [] }
  const { rows, warnings } = planned
  if (rows.length === 0 && problemsIn(planned) === 0 && warnings.length === 0)
    warnings.push(nothingSent(item, ariItem, path))
  return planned
}

const ofRoom = { rateNo: 0, guestPricesKept: undefined, pricingModel: undefined }

/** The context in which every rate line of an item is judged. `roomNo` is absent if the room is unknown. */
type LineContext = {
  item: ReadableItem
  location: Location
  shape: ItemProblems | undefined
  roomNo: number | undefined
  months: readonly MonthNights[]
}

/** Adds the rows of the item's rate lines: the item itself in the flat form, and each entry of `rates`. */
function planLines(context: LineContext, planned: PlannedItem, push: PushContext): void {
  const { item, location, shape } = context
  const flatLocation: LineLocation = { ...location, flat: item }
  if (item.rateId !== undefined || pricesSent(item, flatLocation).length > 0) {
    const before = problemsIn(planned)
    const row = planLine(item, flatLocation, context, planned, push)
    if (row && problemsIn(planned) === before) planned.rows.push(row)
  }
  const pathByRate = new Map<string, string>()
  for (const [index, line] of (item.rates ?? []).entries()) {
    const before = problemsIn(planned)
    addProblems(planned, push, deferred(shape?.byRate.get(index)))
    if (!line) continue
    const path = `${location.path}/rates/${index}`
    const { rateId } = line
    const earlier = rateId === undefined ? undefined : pathByRate.get(rateId)
    if (rateId !== undefined) pathByRate.set(rateId, path)
    if (earlier !== undefined)
      addProblems(planned, push, [
        () => problemAt(itemErrors.duplicateRate(earlier), `${path}/rateId`, rateId),
      ])
    // The rate itself was judged at its first appearance.
    const judged = earlier === undefined ? line : withoutRate(line)
    const row = planLine(judged, { ...location, path, flat: undefined }, context, planned, push)
    if (problemsIn(planned) > before) continue
    if (row) planned.rows.push(row)
    planned.warnings.push(...(row ? unitWarnings(line, path) : [nothingSent(line, rateLine, path)]))
  }
}

function withoutRate({ rateId: _rateId, ...rest }: ReadableLine): ReadableLine {
  return rest
}

/** The changes of a rate line; undefined if it sets nothing, or if its room-rate is unknown. */
function planLine(
  line: ReadableLine,
  location: LineLocation,
  context: LineContext,
  planned: PlannedItem,
  push: PushContext,
): RowChange | undefined {
  const { rateId } = line
  const { roomNo, months } = context
  const catalog = push.hotel?.catalog
  const rateNo = rateId === undefined ? undefined : catalog?.rateNoByCode.get(rateId)
  const product =
    roomNo === undefined || rateNo === undefined ? undefined : catalog?.productOf(roomNo, rateNo)
  if (catalog && rateId !== undefined && !product && (rateNo === undefined || roomNo !== undefined)) {
    const unknown = rateNo === undefined ? itemErrors.rateNotFound : itemErrors.rateNotOfRoom
    addProblem(planned, push, () => problemAt(unknown, `${location.path}/rateId`, rateId))
  }
  const prices = linePrices(line, location, {
    model: modelOf(line, location, context, push),
    product,
    catalog,
  })
  addProblems(planned, push, prices.problems)
  planned.warnings.push(...prices.warnings)
  if (roomNo === undefined || rateNo === undefined || !product) return undefined
  const sets = [...lineValues(line, location), ...prices.sets]
  const isOverlay = push.body.mode === 'overlay'
  if (isOverlay) {
    const sent = new Set(sets.map(({ field }) => field))
    for (const field of rateFields) if (!sent.has(field)) sets.push({ field, value: unset })
  }
  if (sets.length === 0 && !prices.clearsOthers) return undefined
  const guestPricesKept =
    isOverlay || prices.clearsOthers ? new Set(prices.sets.map(({ field }) => field)) : undefined
  return { roomNo, rateNo, months, sets, guestPricesKept, pricingModel: prices.model }
}

/** The model sent closest to the price; undefined if it can't be read. */
function modelOf(
  line: ReadableLine,
  { path, unreadable }: Location,
  { item, location }: LineContext,
  { body }: PushContext,
) {
  if (line.pricingModel !== undefined || unreadable?.has(`${path}/pricingModel`)) return line.pricingModel
  if (item.pricingModel !== undefined || unreadable?.has(`${location.path}/pricingModel`))
    return item.pricingModel
  return body.pricingModel
}

function deferred(problems: readonly Problem[] = []): readonly DeferredProblem[] {
  return problems.map((problem) => () => problem)
}

/** Adds problems that break a rule. */
function addProblems(planned: PlannedItem, push: PushContext, problems: readonly DeferredProblem[]): void {
  for (const build of problems) {
    planned.breaksRule = true
    addProblem(planned, push, build)
  }
}

/**
 * Adds a fault, and lists it while the answer has room. On its own, for an unknown room or rate, it doesn't
 * count as breaking a rule.
 */
function addProblem(planned: PlannedItem, { listing }: PushContext, build: DeferredProblem): void {
  if (listing.room === 0) {
    planned.unlisted++
    return
  }
  listing.room--
  planned.problems.push(build())
}

export function tooManyCells(cells: number, most: number): Problem {
  return {
    type: 'TOO_MANY_CELLS',
    message: `The push covers ${cells} nights of rooms and rates; at most ${most} are allowed`,
    path: '/ari',
    hint: 'Split the push by rooms or dates; see GET /v1/push/limits',
  }
}
