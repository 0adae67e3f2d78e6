import { formatNight, type DayNumber } from '../../base/calendar.ts'
import { minorText } from '../../base/money.ts'
import type { CancelPolicy } from '../../products/policies/contract.ts'
import type { PricedRoom, TaxedRoom, TaxedTotal } from '../../taxes/compute/compute.ts'
import type { RoomRateTaxes } from '../../taxes/room-rate-taxes.ts'
import type { Quote } from '../price/evaluate.ts'
import { knownMinor, percentOf, type Fee } from './fees.ts'

type Penalty = NonNullable<CancelPolicy['cancelPenalties']>[number]
type Charge = Penalty['penaltyCharge']

/** The cost of cancelling: `amount` applies from an instant on, or from the booking on if `from` is null. */
export type StayPenalty = { from: string | null; amount: string; noShow?: true }
export type StayPolicy = { code: string | null; description: string | null; penalties: StayPenalty[] }

/** A policy for one date of arrival, without the amounts, which differ by offer. */
export type PreparedPolicy = Omit<StayPolicy, 'penalties'> & {
  penalties: readonly PreparedPenalty[]
  fees: readonly Fee[]
  /** The JSON before the penalties. */
  head: string
}
type PreparedPenalty = {
  from: string | null
  isNoShow: boolean
  charge: Charge
  /** The JSON around the amount. */
  before: string
  after: string
}

/** The first policy whose dates include the arrival; undefined if there is none. */
export function policyOn(policies: readonly CancelPolicy[], arrival: DayNumber): CancelPolicy | undefined {
  const night = formatNight(arrival)
  return policies.find(
    ({ startDate, endDate }) =>
      (startDate === undefined || startDate <= night) && (endDate === undefined || night <= endDate),
  )
}

/**
 * The first policy whose dates include the arrival; undefined if there is none. Deadlines are instants with
 * the offset of the hotel's zone; null means the time of booking. Penalties are sorted by time, with no-show
 * penalties, which apply from the end of the day of arrival, last.
 */
export function preparePolicy(
  policies: readonly CancelPolicy[],
  timeZone: string,
  arrival: DayNumber,
): PreparedPolicy | undefined {
  const policy = policyOn(policies, arrival)
  if (!policy) return undefined
  const members = { code: policy.code ?? null, description: policy.description ?? null }
  const penalties = (policy.cancelPenalties ?? []).map((penalty): PreparedPenalty => {
    const isNoShow = penalty.noShow === true
    const from = isNoShow
      ? instantText(timeZone, arrival + 1, '00:00', 0)
      : deadlineOf(penalty, timeZone, arrival)
    return {
      from,
      isNoShow,
      charge: penalty.penaltyCharge,
      before: `{"from":${JSON.stringify(from)},"amount":"`,
      after: isNoShow ? '","noShow":true}' : '"}',
    }
  })
  penalties.sort((one, other) => rankOf(one) - rankOf(other))
  const { fees = [] } = policy
  return { ...members, penalties, fees, head: `${JSON.stringify(members).slice(0, -1)},"penalties":[` }
}

/** The policy with the amounts of its penalties. */
export function stayPolicy(
  { code, description, penalties }: PreparedPolicy,
  quote: Quote,
  minorDigits: number,
): StayPolicy {
  return {
    code,
    description,
    penalties: penalties.map(({ from, isNoShow, charge }) => ({
      from,
      amount: minorText(penaltyOf(charge, quote, minorDigits), minorDigits),
      ...(isNoShow ? { noShow: true } : {}),
    })),
  }
}

/** A room at a price, as what its policy is charged on. */
export function quoteOfRoom(
  charged: readonly { beforeTax: number; afterTax: number }[],
  { arrival, taxes, total }: { arrival: DayNumber; taxes: RoomRateTaxes; total: TaxedTotal },
): Quote {
  const nights = charged.map(({ beforeTax, afterTax }, index) => ({
    day: arrival + index,
    price: afterTax,
    beforeTax,
    afterTax,
  }))
  return {
    unitsLeft: 0,
    rooms: [{ taxes, nights, persons: 0 }],
    taxed: { fault: undefined, rooms: [{ nights, lines: [], total }], lines: [], total },
  }
}

/** The same policy as JSON. */
export function policyText({ head, penalties }: PreparedPolicy, quote: Quote, minorDigits: number): string {
  let text = head
  for (const [index, { before, charge, after }] of penalties.entries()) {
    const amount = minorText(penaltyOf(charge, quote, minorDigits), minorDigits)
    text += `${index > 0 ? ',' : ''}${before}${amount}${after}`
  }
  return `${text}]}`
}

function rankOf({ from, isNoShow }: PreparedPenalty): number {
  if (isNoShow) return Number.MAX_SAFE_INTEGER
  return from === null ? Number.MIN_SAFE_INTEGER : Date.parse(from)
}

/** In minor units, room by room as a cancellation charges it, so that both sum to the same. */
function penaltyOf(charge: Charge, { rooms, taxed }: Quote, minorDigits: number): number {
  let charged = 0
  for (const [index, room] of rooms.entries())
    charged += penaltyOfRoom(charge, room, taxed.rooms[index], minorDigits)
  return charged
}

/**
 * The first nights, the full stay, a percentage of it (half up), or a flat amount, but never more than the room
 * is charged.
 */
function penaltyOfRoom(
  { chargeBase, nights = 0, percent, amount, formerCurrency }: Charge,
  room: PricedRoom,
  taxed: TaxedRoom | undefined,
  minorDigits: number,
): number {
  if (chargeBase === 'NightBase') return firstNights(room, taxed, nights)
  const afterTax = taxed?.total.afterTax ?? 0
  const flat = amount === undefined ? 0 : knownMinor(amount, formerCurrency, minorDigits)
  // A member that is zero is ignored if the other one has a value.
  if (flat > 0) return Math.min(flat, afterTax)
  if (percent !== undefined && (percent > 0 || amount === undefined)) return percentOf(afterTax, percent)
  return amount === undefined ? afterTax : 0
}

function firstNights(room: PricedRoom, taxed: TaxedRoom | undefined, count: number): number {
  let prices = 0
  let charged = 0
  for (const [index, { price }] of room.nights.entries()) {
    prices += price
    if (index < count) charged += price
  }
  // Without taxes on top, these prices are the amount charged, and the taxes need not be spread over the
  // nights.
  if (!taxed || taxed.total.afterTax === prices) return charged
  let withTaxes = 0
  for (const { afterTax } of taxed.nights.slice(0, count)) withTaxes += afterTax
  return withTaxes
}

function deadlineOf({ cancelDeadline }: Penalty, timeZone: string, arrival: DayNumber): string | null {
  if (!cancelDeadline) return null
  const { offsetTimeUnit, offsetTimeValue, deadline = '00:00' } = cancelDeadline
  return offsetTimeUnit === 'D'
    ? instantText(timeZone, arrival - offsetTimeValue, deadline, 0)
    : instantText(timeZone, arrival, deadline, offsetTimeValue)
}

/** Time zone arithmetic is slow, and a search has the same few deadlines again and again. */
const instants = new Map<string, string>()
const instantsKeptMax = 20_000

/** The instant a number of hours before a time of day in a zone, with the zone's offset. */
function instantText(timeZone: string, day: DayNumber, time: string, hoursBefore: number): string {
  const key = `${timeZone} ${day} ${time} ${hoursBefore}`
  const known = instants.get(key)
  if (known !== undefined) return known
  const text = Temporal.PlainDate.from('1970-01-01')
    .add({ days: day })
    .toZonedDateTime({ timeZone, plainTime: time })
    .subtract({ hours: hoursBefore })
    .toString({ timeZoneName: 'never', smallestUnit: 'second' })
  if (instants.size >= instantsKeptMax) instants.clear()
  instants.set(key, text)
  return text
}
