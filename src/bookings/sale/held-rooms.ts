import { unset } from '../../ari/blocks/block-codec.ts'
import { explain } from '../../offers/explain/explain.ts'
import type { HotelStay } from '../../offers/stays/stays.ts'
import type { RoomBasis, RoomState } from '../state.ts'
import { allIn, basisOf, withBookedTerms } from './kept-price.ts'
import type { KeptRoom } from './kept-rooms.ts'
import { bookedNights, priceNights } from './room-nights.ts'
import { type Stay, type Units } from './units.ts'
import { bookedTerms } from '../price/with-terms.ts'
import type { Order, QuotedRoom, Forbidden, RequestedRoom } from './order.ts'
import { bookedStateOf, perUnit, nightsNow } from './room-state.ts'
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
  const { booked, nights: stays, hasSameLines, isSmaller } = kept
  const { catalog } = stay
  const keepsPrice = hasSameLines || isSmaller
  const tested = testedRoomRate(stay, order, [one], units, { ...stays, arePriced: keepsPrice })
  if ('rules' in tested) return { ...tested, rooms: [position] }
  const { days, wanted } = tested
  const [party] = wanted.parties.distinct
  if (!party) throw new TypeError('a room has a party')
  const now = nightsNow(days, roomRate, party, order)
  const before = bookedNights(booked, stays.from, stays.to) ?? []
  const mixed = now.map((night) => before.find(({ day }) => day === night.day) ?? night)
  const candidates = keepsPrice
    ? [mixed, ...(!hasSameLines && now.every(({ price }) => price !== unset) ? [now] : [])]
    : [now]
  const { minorDigits } = order.money
  const priced = candidates
    .flatMap((nights) => {
      const found = priceNights(nights, party.persons, minorDigits)
      return found ? [{ nights, found }] : []
    })
    .toSorted((left, right) => allIn(left.found) - allIn(right.found))
  const [best] = priced
  if (!best) {
    const rules = failing(explain(days, catalog, roomRate, { ...wanted, held: undefined }), [])
    return { rooms: [position], roomRate, rules }
  }
  const { nights: sold, taxes, total, penaltyBase } = best.found
  const ofNow = bookedStateOf(catalog, roomRate, one.room)
  const state = withBookedTerms(
    booked,
    {
      ...ofNow,
      nights: sold,
      taxes,
      total,
      penaltyBase,
      mealPlan: keepsPrice ? booked.mealPlan : ofNow.mealPlan,
      basis: underBookedTerms(basisOf(booked.basis, best.found), booked),
    },
    { ...order, timeZone: catalog.timeZone, minorDigits },
  )
  const asked = keepsPrice ? addedStays(order, stays) : [order]
  return { state: perUnit(state, days), roomRate, isKept: false, booked, nights: best.nights, asked }
}

/** The parts of a stay before and after the nights that stay. */
function addedStays({ arrival, departure }: Stay, { from, to }: KeptRoom['nights']): Stay[] {
  return [
    ...(arrival < from ? [{ arrival, departure: from }] : []),
    ...(to < departure ? [{ arrival: to, departure }] : []),
  ]
}

export function underBookedTerms({ timeZone: _now, ...priced }: RoomBasis, { basis }: RoomState): RoomBasis {
  const terms = basis ? bookedTerms(basis) : null
  return { ...priced, terms, ...(basis?.timeZone === undefined ? {} : { timeZone: basis.timeZone }) }
}
