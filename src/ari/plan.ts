import { dayIn } from '../platform/calendar.ts'
import { shown, type Problem } from '../platform/rejected.ts'
import type { Push } from '../platform/mount.ts'
import { unset } from './block-codec.ts'
import type { HotelCatalog } from './catalog.ts'
import type { PushAriBody } from './contract.ts'
import { ariItem, type AriItem, type RateLine } from './item-contract.ts'
import { fieldNumber, rateFields, restrictionFields, switchFields, type FieldValue } from './fields.ts'
import { countNights, type MonthNights } from './month.ts'
import { checkForms, itemNights } from './plan-item.ts'
import { planPrices, type PlannedPrices } from './plan-prices.ts'

/** What one item or rate line does to one row (a room, or a room-rate) over its nights. */
export type RowChange = {
  roomNo: number
  /** 0: the room itself. */
  rateNo: number
  months: readonly MonthNights[]
  sets: readonly FieldValue[]
  /** Clears every guest price but these; absent: none is touched beyond `sets`. */
  guestPricesKept: ReadonlySet<number> | undefined
  /** The pricing model that the room-rate has from now on, where the push sets a price. */
  pricingModel: 'unit' | 'guest' | undefined
}

/** An item's changes, and what keeps it, or some of its rate lines, from being applied. */
export type PlannedItem = { rows: RowChange[]; problems: Problem[]; warnings?: Problem[] }

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
  body: PushAriBody
  shapeProblems: ReadonlyMap<number, ItemProblems>
  catalog: HotelCatalog
  plan: Plan
}

/** Problems of the request's shape, sorted to the item or the rate line that they concern. */
export type ItemProblems = { item: Problem[]; byRate: Map<number, Problem[]> }

/**
 * Turns a push into changes of rows, by the hotel's catalog: identifiers to numbers, ranges to months of nights,
 * amounts to minor units. Pure; what is wrong with an item becomes its problems and touches no other item.
 */
export function planPush(
  body: PushAriBody,
  shapeProblems: ReadonlyMap<number, ItemProblems>,
  catalog: HotelCatalog,
  nowMs: number,
): Plan {
  const today = dayIn(catalog.timeZone, nowMs)
  let cells = 0
  const items = body.ari.map((item, index) => {
    const wrong = shapeProblems.get(index)
    const planned: PlannedItem =
      wrong && wrong.item.length > 0
        ? { rows: [], problems: [...wrong.item, ...[...wrong.byRate.values()].flat()] }
        : planItem({ body, item, path: `/ari/${index}`, catalog, today, wrongRates: wrong?.byRate ?? none })
    for (const row of planned.rows) for (const { mask } of row.months) cells += countNights(mask)
    return planned
  })
  return { items, cells, refused: refusals(body, catalog) }
}

const none: ReadonlyMap<number, Problem[]> = new Map()

function refusals(body: PushAriBody, catalog: HotelCatalog): Problem[] {
  if (body.currency === undefined || body.currency === catalog.currency) return []
  const message = `currency must be the hotel's currency ${catalog.currency}`
  const hint = 'Change it with POST /push/hotels, or leave currency out'
  return [{ type: 'CURRENCY_MISMATCH', message, path: '/currency', value: shown(body.currency), hint }]
}

type ItemContext = {
  body: PushAriBody
  item: AriItem
  path: string
  catalog: HotelCatalog
  today: number
  wrongRates: ReadonlyMap<number, Problem[]>
}

function planItem(context: ItemContext): PlannedItem {
  const { item, path, catalog, wrongRates } = context
  const problems: Problem[] = []
  const months = itemNights(context, problems)
  const roomNo = catalog.roomNoByCode.get(item.roomId)
  if (roomNo === undefined) problems.push(roomNotFound(item.roomId, `${path}/roomId`))
  checkForms(item, path, problems)
  if (problems.length > 0 || roomNo === undefined)
    return { rows: [], problems: [...problems, ...[...wrongRates.values()].flat()] }

  const rows: RowChange[] = []
  const warnings: Problem[] = []
  const roomSets = roomValues(item)
  if (roomSets.length > 0) {
    rows.push({
      roomNo,
      rateNo: 0,
      months,
      sets: roomSets,
      guestPricesKept: undefined,
      pricingModel: undefined,
    })
  }
  if (item.rateId !== undefined)
    planRate({ ...context, roomNo, months }, { ...item, rateId: item.rateId, inventory: undefined }, path, {
      rows,
      problems,
      warnings,
    })
  const seen = new Map<string, number>()
  for (const [index, line] of (item.rates ?? []).entries()) {
    const wrong = wrongRates.get(index)
    if (wrong) {
      problems.push(...wrong)
      continue
    }
    const linePath = `${path}/rates/${index}`
    const before = seen.get(line.rateId)
    if (before === undefined)
      planRate({ ...context, roomNo, months }, line, linePath, { rows, problems, warnings })
    else problems.push(duplicateRate(line.rateId, linePath, `${path}/rates/${before}`))
    seen.set(line.rateId, index)
  }
  if (rows.length === 0 && problems.length === 0 && warnings.length === 0)
    warnings.push(nothingSent(item, path))
  return warnings.length > 0 ? { rows, problems, warnings } : { rows, problems }
}

/** Inventory and closure of the room. In the flat form `closed` is the rate line's. */
function roomValues(item: AriItem): FieldValue[] {
  const sets: FieldValue[] = []
  if (item.inventory !== undefined)
    sets.push({ field: fieldNumber.inventory, value: item.inventory ?? unset })
  if (item.closed !== undefined && item.rateId === undefined)
    sets.push({ field: fieldNumber.closed, value: item.closed === true ? 1 : unset })
  return sets
}

type RateContext = ItemContext & { roomNo: number; months: readonly MonthNights[] }
type FlatLine = Omit<RateLine, 'inventory'> &
  Pick<AriItem, 'amount' | 'guests' | 'ageCategory'> & { inventory?: RateLine['inventory'] }

function planRate(
  context: RateContext,
  line: FlatLine,
  path: string,
  { rows, problems, warnings }: Required<PlannedItem>,
): void {
  const { catalog, roomNo, months, body } = context
  const rateNo = catalog.rateNoByCode.get(line.rateId)
  const product = rateNo === undefined ? undefined : catalog.productOf(roomNo, rateNo)
  if (rateNo === undefined || !product) {
    problems.push(rateNotFound(line.rateId, `${path}/rateId`, rateNo !== undefined))
    return
  }
  const before = problems.length
  const prices = planPrices(
    line,
    { model: line.pricingModel ?? context.item.pricingModel ?? body.pricingModel, product, catalog, path },
    { problems, warnings },
  )
  if (problems.length > before) return
  const sets = [...plainValues(line), ...prices.sets]
  const overlay = body.mode === 'overlay'
  if (overlay) {
    const sent = new Set(sets.map(({ field }) => field))
    for (const field of rateFields) if (!sent.has(field)) sets.push({ field, value: unset })
  }
  if (sets.length === 0 && !prices.clearsOthers) {
    if (context.item.rates) warnings.push(nothingSent(line, path))
    return
  }
  const guestPricesKept = overlay || prices.clearsOthers ? keptOf(prices) : undefined
  rows.push({ roomNo, rateNo, months, sets, guestPricesKept, pricingModel: prices.model })
}

function keptOf(prices: PlannedPrices): ReadonlySet<number> {
  return new Set(prices.sets.map(({ field }) => field))
}

function plainValues(line: FlatLine): FieldValue[] {
  const sets: FieldValue[] = []
  if (line.inventory !== undefined)
    sets.push({ field: fieldNumber.inventory, value: line.inventory ?? unset })
  for (const field of switchFields) {
    const value = line[field]
    // Off is the default, so it is held as nothing.
    if (value !== undefined) sets.push({ field: fieldNumber[field], value: value === true ? 1 : unset })
  }
  for (const field of restrictionFields) {
    const value = line[field]
    if (value !== undefined)
      sets.push({ field: fieldNumber[field], value: value === null || value === 0 ? unset : value })
  }
  return sets
}

const knownMembers: ReadonlySet<string> = new Set(Object.keys(ariItem.properties))
const ignoredListedMax = 5

/** A misspelt member is ignored like any unknown one, so somebody must say that nothing was left. */
function nothingSent(line: object, path: string): Problem {
  const ignored = Object.keys(line).filter((name) => !knownMembers.has(name))
  const named = ignored.slice(0, ignoredListedMax).map((name) => name.slice(0, 40).toWellFormed())
  return {
    type: 'NOTHING_SENT',
    message: 'Nothing is set: no value was sent',
    path,
    hint:
      named.length > 0
        ? `Not known and ignored: ${named.join(', ')}`
        : 'Send inventory, closed, prices or a restriction; what is absent stays as it is',
  }
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

function rateNotFound(rateId: string, path: string, soldWithOtherRooms: boolean): Problem {
  const hint = soldWithOtherRooms
    ? 'The rate exists, but not with this room: push the pair with POST /push/products first'
    : 'Push the rate with POST /push/products first'
  return { type: 'RATE_NOT_FOUND', message: 'RateID not found', path, value: shown(rateId), hint }
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
