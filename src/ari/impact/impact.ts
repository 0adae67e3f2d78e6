import { setImmediate as breathe } from 'node:timers/promises'
import { firstDay, formatNight, type DayNumber } from '../../base/calendar.ts'
import { guestsMaxOf, roomRateKey } from '../../products/store.ts'
import type { Connection } from '../../postgres/connections/connection.ts'
import { unset } from '../blocks/block-codec.ts'
import { fieldNumber, isPriceField } from '../fields.ts'
import { isLooser } from '../guard/rules/rules.ts'
import { countNights, nightsWhere, type NightMask } from '../blocks/month.ts'
import type { ReadyPush } from '../judge/plan.ts'
import { namesOf } from '../catalog/row-names.ts'
import { changedValues, touchedMonths, type States, type TouchedMonth } from './changed-cells.ts'
import { impactLimits, type Impact, type ImpactFlag } from './contract.ts'
import { planIdOf } from './plan-id.ts'
import { PriceMoves } from './price-moves.ts'
import { saleNights } from './sale-nights.ts'

/** What is sold in a hotel, as the offers see it: they know taxes and catalogs, which ARI doesn't. */
export type SoldHotel = {
  roomRates: readonly { roomNo: number; rateNo: number }[]
  /** Whether a night can't be sold, whatever is pushed for it, because a tax or the policy is of a former currency. */
  isFormerNight: (roomNo: number, rateNo: number, night: DayNumber) => boolean
  /** The months of the blocks that `compareStays` reads of a room-rate and its room. */
  monthsOfStays: (today: DayNumber) => { first: number; last: number }
  compareStays: (
    states: States,
    today: DayNumber,
    concerned: readonly ConcernedRoomRate[],
  ) => Promise<Impact['stays']>
}
export type ReadSoldHotel = (connection: Connection, hotelId: number) => Promise<SoldHotel>

/** A room-rate of which a value changes, its own or one of its room, and the days of the compared stays on which one does. */
export type ConcernedRoomRate = { roomNo: number; rateNo: number; changed: ReadonlySet<DayNumber> }

/** What an impact needs to know besides the states, read under the hotel's lock. */
export type ImpactNeeds = { ready: ReadyPush; sold: SoldHotel; baseRevision: number }

/** The blocks that an impact compares, besides those that the push names. */
export function* blocksToCompare({ ready: { plan }, sold }: Omit<ImpactNeeds, 'baseRevision'>) {
  const months = new Map<number, Set<number>>()
  for (const { roomNo, month } of touchedMonths(plan.items)) {
    const ofRoom = months.get(roomNo) ?? new Set()
    months.set(roomNo, ofRoom.add(month))
  }
  const { first, last } = sold.monthsOfStays(plan.today ?? 0)
  for (const ofRoom of months.values()) for (let month = first; month <= last; month++) ofRoom.add(month)
  for (const { roomNo, rateNo } of sold.roomRates) {
    for (const month of months.get(roomNo) ?? []) {
      yield { roomNo, rateNo: 0, month }
      yield { roomNo, rateNo, month }
    }
  }
}

/** An item's result, as far as the guard holds something of it. */
type HoldingItem = { holds?: readonly { cells: number }[] }

/** Compares the hotel before and after a push. */
export async function impactOf(
  states: States,
  results: readonly HoldingItem[],
  { ready, sold, baseRevision }: ImpactNeeds,
): Promise<Impact> {
  const { body, catalog, plan } = ready
  const { today = 0 } = plan
  const names = namesOf(catalog)
  const touched = touchedMonths(plan.items)
  const { changed, prices, inventory, restrictions } = await compareCells(states, touched)
  const ofRoomRates = changedMonths(sold, changed)
  const sellable = sellableImpact(states, ofRoomRates, { ready, sold })
  const concerned = concernedRoomRates(ofRoomRates, sold.monthsOfStays(today))
  const stays = await sold.compareStays(states, today, concerned)
  const counts = { price: prices.summary(names), inventory, sellable }
  return {
    baseRevision,
    planId: planIdOf(body, catalog, baseRevision),
    nights: { touched: nightsIn(touched), changed: nightsIn(changed) },
    ...counts,
    restrictions,
    stays,
    flags: flagsOf(counts),
    guard: { wouldHold: heldCells(results) },
  }
}

/** Months to compare before other requests get a turn. */
const monthsAtOnce = 200

async function compareCells(states: States, touched: readonly TouchedMonth[]) {
  const prices = new PriceMoves()
  const inventory = { before: 0, after: 0, zeroed: 0 }
  const restrictions = { tighter: 0, looser: 0 }
  const changed: TouchedMonth[] = []
  for (const [index, at] of touched.entries()) {
    if (index % monthsAtOnce === monthsAtOnce - 1) await breathe()
    const mask = changedValues(states, at, (field, night, old, now) => {
      if (field === fieldNumber.inventory) {
        inventory.before += Math.max(old, 0)
        inventory.after += Math.max(now, 0)
        if (old > 0 && now <= 0) inventory.zeroed++
      } else if (!isPriceField(field)) restrictions[isLooser(field, old, now) ? 'looser' : 'tighter']++
      else if (old !== unset && now !== unset) prices.add(at, field, night, old, now)
    })
    if (mask !== 0) changed.push({ ...at, mask })
  }
  return { prices, inventory, restrictions, changed }
}

function nightsIn(months: readonly TouchedMonth[]): number {
  return months.reduce((sum, { mask }) => sum + countNights(mask), 0)
}

function sellableImpact(
  { before, after, currencyRevision }: States,
  ofRoomRates: readonly TouchedMonth[],
  { ready: { catalog, plan }, sold }: Omit<ImpactNeeds, 'baseRevision'>,
): Impact['sellable'] {
  const { roomCode, rateCode } = namesOf(catalog)
  const { today = 0 } = plan
  const found = { newlyUnsellable: 0, newlySellable: 0 }
  const examples: Impact['sellable']['examples'] = { newlyUnsellable: [], newlySellable: [] }
  for (const { mask, ...at } of ofRoomRates) {
    const { roomNo, rateNo, month } = at
    const product = catalog.productOf(roomNo, rateNo)
    if (product?.isAvailable !== true) continue
    const isAhead = (day: DayNumber): boolean => day >= today && !sold.isFormerNight(roomNo, rateNo, day)
    const ahead = { ...at, mask: nightsWhere(mask, (night) => isAhead(firstDay(month) + night)) }
    const how = { currencyRevision, adultsMax: guestsMaxOf(product).adult }
    const [was, is] = [saleNights(before, ahead, how), saleNights(after, ahead, how)]
    const note = (kind: keyof typeof found, nights: NightMask): void => {
      found[kind] += countNights(nights)
      nightsWhere(nights, (night) => {
        const isListed = examples[kind].length < impactLimits.examplesMax
        const date = formatNight(firstDay(month) + night)
        if (isListed) examples[kind].push({ roomId: roomCode(roomNo), rateId: rateCode(rateNo), date })
        return isListed
      })
    }
    note('newlyUnsellable', was & ~is)
    note('newlySellable', is & ~was)
  }
  return { ...found, examples }
}

/** The months of room-rates with the nights on which a value changes, their own or one of their room. */
function changedMonths({ roomRates }: SoldHotel, changed: readonly TouchedMonth[]): TouchedMonth[] {
  const byRow = Map.groupBy(changed, ({ roomNo, rateNo }) => roomRateKey(roomNo, rateNo))
  return roomRates.flatMap(({ roomNo, rateNo }) => {
    const byMonth = new Map<number, TouchedMonth>()
    for (const row of [0, rateNo]) {
      for (const { month, mask } of byRow.get(roomRateKey(roomNo, row)) ?? [])
        byMonth.set(month, { roomNo, rateNo, month, mask: mask | (byMonth.get(month)?.mask ?? 0) })
    }
    return [...byMonth.values()].sort((one, other) => one.month - other.month)
  })
}

/** Days beyond the stays that are compared are left out. */
function concernedRoomRates(
  ofRoomRates: readonly TouchedMonth[],
  { first, last }: ReturnType<SoldHotel['monthsOfStays']>,
): ConcernedRoomRate[] {
  const byRoomRate = new Map<number, ConcernedRoomRate & { changed: Set<DayNumber> }>()
  for (const { roomNo, rateNo, month, mask } of ofRoomRates) {
    const key = roomRateKey(roomNo, rateNo)
    const known = byRoomRate.get(key) ?? { roomNo, rateNo, changed: new Set() }
    byRoomRate.set(key, known)
    if (month >= first && month <= last)
      nightsWhere(mask, (night) => known.changed.add(firstDay(month) + night).size > 0)
  }
  return [...byRoomRate.values()]
}

function heldCells(results: readonly HoldingItem[]): number {
  return results.reduce(
    (sum, { holds = [] }) => sum + holds.reduce((cells, hold) => cells + hold.cells, 0),
    0,
  )
}

function flagsOf({
  price,
  inventory,
  sellable,
}: Pick<Impact, 'price' | 'inventory' | 'sellable'>): ImpactFlag[] {
  const flags: readonly [ImpactFlag, boolean][] = [
    ['pricesHalved', (price.down.maxPct ?? 0) >= 50],
    ['pricesDoubled', (price.up.maxPct ?? 0) >= 100],
    ['unitsZeroed', inventory.zeroed > 0],
    ['nightsUnsellable', sellable.newlyUnsellable > sellable.newlySellable],
  ]
  return flags.filter(([, isRaised]) => isRaised).map(([flag]) => flag)
}
