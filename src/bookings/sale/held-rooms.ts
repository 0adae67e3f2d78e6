import { explain } from '../../offers/explain/explain.ts'
import type { HotelStay } from '../../offers/stays/stays.ts'
import { allIn, pricedAnew } from './kept-price.ts'
import { asBooked, nightsKept, nightsOfSameLines, staysWithout, type KeptRoom } from './kept-rooms.ts'
import { priceNights } from './room-nights.ts'
import { type Units } from './units.ts'
import type { Order, QuotedRoom, Forbidden, RequestedRoom } from './order.ts'
import { bookedStateOf, nightsNow } from './room-state.ts'
import { testedRoomRate, failing } from './tested-rate.ts'

/**
 * A room that keeps nights and adds others, or guests. Units, prices and closures are judged on what is added, everything
 * else on the whole stay.
 */
export function quoteHeld(
  stay: HotelStay,
  order: Order,
  one: RequestedRoom & { kept: KeptRoom },
  units: Units,
): QuotedRoom | Forbidden {
  const { kept, roomRate, position } = one
  const { booked, isSmaller } = kept
  const { catalog } = stay
  const { minorDigits } = order.money
  const same = nightsOfSameLines(kept, minorDigits)
  const keeping = isSmaller ? nightsKept(kept, minorDigits) : same
  const priced = new Set(keeping.map(({ day }) => day))
  const tested = testedRoomRate(stay, order, [one], units, { ...kept.nights, priced })
  if ('rules' in tested) return { ...tested, rooms: [position] }
  const { days, wanted } = tested
  const [party] = wanted.parties.distinct
  if (!party) throw new TypeError('a room has a party')
  const now = nightsNow(days, roomRate, party, order)
  // Fewer guests have the price of now where it is lower, and that of the meal plan that was booked.
  const others = isSmaller && roomRate.mealPlan === booked.mealPlan ? [same] : []
  const [best] = [keeping, ...others]
    .flatMap((some) => {
      const nights = asBooked(now, some)
      const found = priceNights(nights, party.persons, minorDigits)
      return found ? [{ nights, found }] : []
    })
    .toSorted((left, right) => allIn(left.found) - allIn(right.found))
  if (!best) {
    const rules = failing(explain(days, catalog, roomRate, { ...wanted, held: undefined }), [])
    return { rooms: [position], roomRate, rules }
  }
  const ofNow = bookedStateOf(catalog, roomRate, one.room)
  const mealPlan = priced.size > 0 ? booked.mealPlan : ofNow.mealPlan
  const zoned = { ...order, timeZone: catalog.timeZone, minorDigits }
  return {
    state: pricedAnew(booked, { ...ofNow, mealPlan }, best.found, zoned),
    roomRate,
    isKept: false,
    booked,
    nights: best.nights,
    asked: staysWithout(order, priced),
  }
}
