import { type BookableRoomRate } from '../../offers/stays/booking-catalog.ts'
import {
  isOffered,
  isPriced,
  isUnrestricted,
  wantedStay,
  taxesOf,
  type HeldNights,
  type WantedStay,
} from '../../offers/price/evaluate.ts'
import { explain, type TestedRule } from '../../offers/explain/explain.ts'
import { partiesOf } from '../../offers/party.ts'
import { RoomRateDays } from '../../offers/stays/room-rate-days.ts'
import type { HotelStay } from '../../offers/stays/stays.ts'
import { shortagesOf, type Shortage, type Units } from './units.ts'
import type { Order, Forbidden, RequestedRoom } from './order.ts'

/** The room-rate for some rooms, where every rule allows them. */
export function testedRoomRate(
  stay: HotelStay,
  order: Order,
  group: readonly RequestedRoom[],
  units: Units,
  held?: HeldNights,
): { days: RoomRateDays; wanted: WantedStay } | Omit<Forbidden, 'rooms'> {
  const { catalog } = stay
  const parties = partiesOf(
    group.map(({ room: { adults, childAges = [] } }) => ({ adults, childAges })),
    catalog,
  )
  const wanted = { ...wantedStay(order, order.today, parties), ...(held ? { held } : {}) }
  const days = new RoomRateDays(stay, { from: order.arrival, days: wanted.length + 1 }, parties.priceFields)
  const roomRate = group[0]?.roomRate
  if (!roomRate) throw new TypeError('a group has a room')
  days.turnTo(roomRate)
  const shortages = shortagesOf(days, roomRate, units, order.before)
  const isAllowed =
    shortages.length === 0 && isOffered(catalog, roomRate, wanted) && isUnrestricted(days, wanted)
  const isTaxed = isAllowed && isPricedFor(days, roomRate, wanted)
  if (isTaxed) return { days, wanted }
  return { roomRate, rules: failing(explain(days, catalog, roomRate, wanted), shortages) }
}

function isPricedFor(days: RoomRateDays, roomRate: BookableRoomRate, wanted: WantedStay): boolean {
  // Of nights that keep their price, the price is computed with that of the others.
  if (wanted.held?.priced.size) return isPriced(days, wanted)
  return taxesOf(days, roomRate, wanted)?.fault === undefined && isPriced(days, wanted)
}

/**
 * The rules that fail. For inventory, the units this order is short of, counting all its rooms and the units
 * it already holds.
 */
export function failing(tested: readonly TestedRule[], shortages: readonly Shortage[]): TestedRule[] {
  const lacking = (rule: TestedRule): TestedRule[] => {
    const ofRule = shortages.filter(({ of, night }) => of === rule.of && rule.days.includes(night))
    return [...Map.groupBy(ofRule, ({ needed }) => needed)].map(([count, some]) => ({
      ...rule,
      pass: false,
      days: some.map(({ night }) => night),
      asked: count,
    }))
  }
  return tested.flatMap((rule) => {
    if (rule.rule === 'inventory') return lacking(rule)
    return rule.pass ? [] : [rule]
  })
}

/** Whether units are the only thing missing, and there were some: others may have taken them. */
export function isSoldOut(forbidden: readonly Forbidden[]): boolean {
  return forbidden.every(({ rules }) =>
    rules.every(({ rule, held }) => rule === 'inventory' && typeof held === 'number'),
  )
}
