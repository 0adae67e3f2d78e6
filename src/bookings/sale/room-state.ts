import { personName } from '../person-name.ts'
import type { BookableRoomRate, BookingCatalog } from '../../offers/stays/booking-catalog.ts'
import { unset } from '../../ari/blocks/block-codec.ts'
import { fieldNumber } from '../../ari/fields.ts'
import type { Party } from '../../offers/party.ts'
import type { RoomRateDays } from '../../offers/stays/room-rate-days.ts'
import { formatNight, type DayNumber } from '../../base/calendar.ts'
import type { TaxedRoom } from '../../taxes/compute/compute.ts'
import { termsOn } from '../../products/policies/arrival-terms.ts'
import type { BookedRoom } from '../contract.ts'
import type { RoomState } from '../state.ts'
import { unitNightsOf, type SoldNight } from './room-nights.ts'
import { type Stay } from './units.ts'
import { withTerms } from '../price/with-terms.ts'

/** Rooms as they are sold now. */

export function roomState(
  catalog: BookingCatalog,
  roomRate: BookableRoomRate,
  requested: BookedRoom,
  taxed: TaxedRoom,
  { arrival, nights }: { arrival: DayNumber; nights: readonly SoldNight[] },
): RoomState {
  const terms = termsOn(roomRate.policies, arrival) ?? null
  const state: RoomState = {
    ...bookedStateOf(catalog, roomRate, requested),
    nights: taxed.nights.map(({ day, beforeTax, afterTax }) => ({
      date: formatNight(day),
      beforeTax,
      afterTax,
    })),
    taxes: taxed.lines.map(({ tax, amount }) => ({
      type: tax.type,
      included: tax.included,
      payNow: tax.payNow,
      amount,
    })),
    total: taxed.total,
    penaltyBase: { stay: taxed.penaltyBase.stay, nights: taxed.penaltyBase.nights },
    basis: {
      prices: taxed.nights.map(({ price }) => price),
      taxes: taxed.lines.map(({ tax }) => tax),
      ...unitNightsOf(nights),
      terms,
      timeZone: catalog.timeZone,
    },
  }
  return withTerms(state, { ...catalog, arrival }, terms)
}

/** The room without its price and terms. */
export function bookedStateOf(
  { minChildAge, maxChildAge }: BookingCatalog,
  { roomNo, rateNo, room, rate, mealPlan }: BookableRoomRate,
  { adults, childAges = [], guest }: BookedRoom,
): Omit<RoomState, 'nights' | 'taxes' | 'total'> {
  return {
    roomNo,
    rateNo,
    roomId: room.code,
    rateId: rate.code,
    roomName: room.name,
    rateName: rate.name,
    mealPlan,
    adults,
    childAges,
    party: {
      adults: adults + childAges.filter((age) => age > maxChildAge).length,
      childAges: childAges.filter((age) => age >= minChildAge && age <= maxChildAge),
      infantAges: childAges.filter((age) => age < minChildAge),
    },
    guest: personName(guest),
    cancelPolicy: null,
  }
}
/** The nights of the stay as they are sold now. */
export function nightsNow(
  days: RoomRateDays,
  { taxes: { entries } }: BookableRoomRate,
  party: Party,
  { arrival, departure }: Stay,
): SoldNight[] {
  const taxes = entries.map(({ tax }) => tax)
  return Array.from({ length: departure - arrival }, (_, index) => {
    const day = arrival + index
    const isPerUnit = days.at('rate', fieldNumber.unitPrice, day) !== unset
    return { day, price: days.priceOn(party, day), isPerUnit, live: undefined, taxes, isKept: false }
  })
}
