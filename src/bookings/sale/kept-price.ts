import { parseNight, type DayNumber } from '../../base/calendar.ts'
import { minorText, toMinor } from '../../base/money.ts'
import { spreadByAmounts } from '../../taxes/compute/spread.ts'
import type { BookedRoom } from '../contract.ts'
import type { RoomBasis, RoomState } from '../state.ts'
import { personName } from '../person-name.ts'
import type { KeptRoom } from './kept-rooms.ts'
import { bookedNights, priceNights, type PricedNights } from './room-nights.ts'
import { bookedTerms, withTerms, type TermsUnits } from '../price/with-terms.ts'

/** The state of a room that gives up nights or guests: at the price, taxes and policy it was booked with. */

/** The nights that remain, with the time zone and the digits of the reservation's currency. */
export type KeptStay = { arrival: DayNumber; departure: DayNumber } & TermsUnits

export function keptState({ booked, requested, isSmaller }: KeptRoom, stay: KeptStay): RoomState {
  const { childAges = [] } = requested
  const state: RoomState = { ...booked, childAges, guest: personName(requested.guest) }
  const isShorter = booked.nights.length !== stay.departure - stay.arrival
  if (!isSmaller && !isShorter) return state
  const smaller = { ...state, adults: requested.adults, party: partyOf(requested, booked) }
  const first = stay.arrival - (parseNight(booked.nights[0]?.date ?? '') ?? 0)
  const kept = { from: first, to: first + stay.departure - stay.arrival }
  const found = taxedAnew(booked, smaller, stay)
  if (found) return pricedAnew(booked, smaller, found, stay)
  return withBookedTerms(booked, { ...smaller, ...shareOf(booked, kept) }, stay)
}

/** The room at prices computed anew, by the terms that it was booked with. */
export function pricedAnew(
  booked: RoomState,
  state: Omit<RoomState, keyof PricedNights>,
  priced: PricedNights,
  stay: KeptStay,
): RoomState {
  return withBookedTerms(booked, { ...state, ...priced, basis: basisOf(booked.basis, priced) }, stay)
}

/** Nights of the booked stay, by their index: from the first to before the last. */
type Kept = { from: number; to: number }
type Priced = Pick<RoomState, 'nights' | 'taxes' | 'total'>

/** The remaining guests in the age categories by which they were booked. */
export function partyOf({ adults, childAges = [] }: BookedRoom, { party }: RoomState): RoomState['party'] {
  const infantAges = childAges.filter((age) => party.infantAges.includes(age))
  const children = childAges.filter((age) => party.childAges.includes(age))
  return {
    adults: adults + childAges.length - infantAges.length - children.length,
    childAges: children,
    infantAges,
  }
}

/** The taxes of the nights that remain, computed as they were booked; undefined if that isn't possible. */
function taxedAnew(
  booked: RoomState,
  { party }: RoomState,
  { arrival, departure, minorDigits }: KeptStay,
): PricedNights | undefined {
  const nights = bookedNights(booked, { from: arrival, to: departure }, minorDigits)
  if (!nights) return undefined
  // A percentage of net may grow where an included tax per person falls: giving up never costs more.
  const counts = [party, booked.party].map(({ adults, childAges }) => adults + childAges.length)
  return counts
    .flatMap((persons) => priceNights(nights, persons, minorDigits) ?? [])
    .toSorted((one, other) => allIn(one) - allIn(other))[0]
}

/** The booked basis for other nights. */
export function basisOf(booked: RoomBasis | undefined, { basis }: PricedNights): RoomBasis {
  const rest: RoomBasis = { ...(booked ?? { prices: [], taxes: [] }) }
  delete rest.liveNights
  delete rest.unitNights
  return { ...rest, ...basis }
}

/** The charge and what is due at the property, together. */
export function allIn({ total: { afterTax, dueAtProperty } }: Pick<RoomState, 'total'>): number {
  return afterTax + dueAtProperty
}

/**
 * The nights that remain with the amounts that they were booked with, for rooms booked before their prices
 * and taxes were stored: taxes take their share of what these nights have.
 */
function shareOf({ nights, taxes, total }: RoomState, { from, to }: Kept): Priced {
  const kept = nights.slice(from, to)
  const beforeTax = kept.reduce((sum, night) => sum + night.beforeTax, 0)
  const afterTax = kept.reduce((sum, night) => sum + night.afterTax, 0)
  const charged = taxes.filter((tax) => tax.included || tax.payNow)
  const parts = spreadByAmounts(
    afterTax - beforeTax,
    charged.map(({ amount }) => amount),
    total.tax,
  )
  const dueParts = taxes
    .filter((tax) => !charged.includes(tax))
    .map((tax) => ({ ...tax, amount: Math.round((tax.amount * kept.length) / nights.length) }))
  return {
    nights: kept,
    taxes: [...charged.map((tax, index) => ({ ...tax, amount: parts[index] ?? 0 })), ...dueParts],
    total: {
      beforeTax,
      tax: afterTax - beforeTax,
      afterTax,
      dueAtProperty: dueParts.reduce((sum, { amount }) => sum + amount, 0),
    },
  }
}

/** The room by its booked terms, their deadlines counted from the arrival as it is now, in the zone in which they were booked. */
export function withBookedTerms(booked: RoomState, priced: RoomState, stay: KeptStay): RoomState {
  const { basis } = booked
  if (!basis) return withFormerTerms(booked, priced, stay)
  const { timeZone = stay.timeZone } = basis
  return withTerms(priced, { ...stay, timeZone }, bookedTerms(basis))
}

/** Without the policy as pushed: its amounts, as far as the room still costs as much. */
function withFormerTerms(booked: RoomState, priced: RoomState, { minorDigits }: KeptStay): RoomState {
  const { cancelPolicy, fees } = booked
  const { afterTax } = priced.total
  const share = priced.nights.length / booked.nights.length
  return {
    ...priced,
    cancelPolicy: cancelPolicy && {
      ...cancelPolicy,
      penalties: (cancelPolicy.penalties ?? []).map((penalty) => ({
        ...penalty,
        amount: minorText(Math.min(toMinor(penalty.amount, minorDigits) ?? 0, afterTax), minorDigits),
      })),
    },
    ...(fees
      ? {
          fees: fees.map((fee) => ({
            ...fee,
            amount: fee.appliedPer.endsWith('per_night') ? Math.round(fee.amount * share) : fee.amount,
          })),
        }
      : {}),
  }
}
