import { parseNight, type DayNumber } from '../../base/calendar.ts'
import { minorText, toMinor } from '../../base/money.ts'
import { taxAnswer } from '../../taxes/compute/answered-price.ts'
import { computeTaxes, type PricedNight, type TaxedRoom } from '../../taxes/compute/compute.ts'
import { spread } from '../../taxes/compute/spread.ts'
import { prepareTaxes, taxesFor, type RoomRateTaxes } from '../../taxes/room-rate-taxes.ts'
import type { BookedRoom } from '../contract.ts'
import type { RoomState } from '../state.ts'
import type { KeptRoom } from './kept-rooms.ts'
import { bookedTerms, withTerms, type TermsUnits } from './with-terms.ts'

/** The state of a room that gives up nights or guests: at the price, taxes and policy it was booked with. */

/** The nights that remain, with the time zone and the digits of the reservation's currency. */
export type KeptStay = { arrival: DayNumber; departure: DayNumber } & TermsUnits

export function keptState({ booked, requested, isSmaller }: KeptRoom, stay: KeptStay): RoomState {
  const { childAges = [] } = requested
  const { firstName, lastName } = requested.guest
  const state: RoomState = { ...booked, childAges, guest: { firstName, lastName } }
  const isShorter = booked.nights.length !== stay.departure - stay.arrival
  if (!isSmaller && !isShorter) return state
  const smaller = { ...state, adults: requested.adults, party: partyOf(requested, booked) }
  const first = stay.arrival - (parseNight(booked.nights[0]?.date ?? '') ?? 0)
  const kept = { from: first, to: first + stay.departure - stay.arrival }
  const priced = { ...smaller, ...(taxedAnew(booked, smaller, kept, stay) ?? shareOf(booked, kept)) }
  return withBookedTerms(booked, priced, stay)
}

/** Nights of the booked stay, by their index: from the first to before the last. */
type Kept = { from: number; to: number }
type Priced = Pick<RoomState, 'nights' | 'taxes' | 'total' | 'penaltyBase' | 'basis'>

/** The remaining guests in the age categories by which they were booked. */
function partyOf({ adults, childAges = [] }: BookedRoom, { party }: RoomState): RoomState['party'] {
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
  { from, to }: Kept,
  { arrival, minorDigits }: KeptStay,
): Priced | undefined {
  const { basis } = booked
  if (!basis) return undefined
  const prices = basis.prices.slice(from, to)
  const nights = booked.nights.slice(from, to).map((night, index) => ({ ...night, day: arrival + index }))
  // A percentage of net may grow where an included tax per person falls: giving up never costs more.
  const counts = [party, booked.party].map(({ adults, childAges }) => adults + childAges.length)
  const [taxed] = counts
    .flatMap((persons) =>
      basis.isLive
        ? taxAnswer({ taxes: basis.taxes, nights, persons, minorDigits })
        : (taxedRoom(
            bookedTaxes(booked, minorDigits),
            nights.map(({ day }, index) => ({ day, price: prices[index] ?? 0 })),
            persons,
          ) ?? []),
    )
    .toSorted((one, other) => allIn(one) - allIn(other))
  if (!taxed) return undefined
  const { stay, nights: ofNights } = taxed.penaltyBase
  return {
    nights: nights.map(({ date }, index) => {
      const { beforeTax = 0, afterTax = 0 } = taxed.nights[index] ?? {}
      return { date, beforeTax, afterTax }
    }),
    taxes: taxed.lines.map((line) => {
      const { type, included, payNow } = 'tax' in line ? line.tax : line
      return { type, included, payNow, amount: line.amount }
    }),
    total: taxed.total,
    penaltyBase: { stay, nights: ofNights },
    basis: { ...basis, prices },
  }
}

function taxedRoom(
  taxes: RoomRateTaxes,
  nights: readonly PricedNight[],
  persons: number,
): TaxedRoom | undefined {
  const taxed = computeTaxes([{ taxes, nights, persons }])
  return taxed.fault === undefined ? taxed.rooms[0] : undefined
}

function bookedTaxes({ basis, roomNo, rateNo }: RoomState, minorDigits: number): RoomRateTaxes {
  const scopes = [{ roomNo, rateNo, taxes: basis?.taxes ?? [] }]
  return taxesFor(prepareTaxes(scopes, minorDigits), roomNo, rateNo)
}

/** The charge and what is due at the property, together. */
function allIn({ total: { afterTax, dueAtProperty } }: Pick<RoomState, 'total'>): number {
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
  const parts = proportions(
    charged.map(({ amount }) => amount),
    afterTax - beforeTax,
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

/** Amounts that share a smaller sum as they shared the whole. */
function proportions(amounts: readonly number[], sum: number, whole: number): number[] {
  if (whole <= 0) return amounts.map(() => 0)
  const numerators = amounts.map((amount) => BigInt(amount) * BigInt(sum))
  return spread(
    sum,
    numerators.map((numerator) => Number(numerator / BigInt(whole))),
    numerators.map((numerator) => numerator % BigInt(whole)),
  )
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
