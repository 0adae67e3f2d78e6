import { unset } from '../../ari/blocks/block-codec.ts'
import { formatNight, parseNight, type DayNumber } from '../../base/calendar.ts'
import { taxAnswer, withCharges, withoutCharges } from '../../taxes/compute/answered-price.ts'
import { computeTaxes } from '../../taxes/compute/compute.ts'
import type { Tax } from '../../taxes/contract.ts'
import { exactDecimal } from '../../taxes/decimals.ts'
import { prepareTaxes, taxesFor } from '../../taxes/room-rate-taxes.ts'
import type { RoomBasis, RoomState } from '../state.ts'

/** A room whose nights were sold at different times: some keep what they were booked with, others are as of now. */

export type SoldNight = {
  day: DayNumber
  /** The pushed price, in minor units; `unset`: there is none. */
  price: number
  /** Whether that is the price of the unit, whatever the party. */
  isPerUnit: boolean
  /** The supplier's own amounts, where the night is sold at them; those of a booked night without charges once a stay. */
  live: { beforeTax: number; afterTax: number } | undefined
  /** The taxes with which it is sold, as pushed; those for other dates don't count. */
  taxes: readonly Tax[]
  /** Whether it is booked already. */
  isKept: boolean
}

export type PricedNights = Required<Pick<RoomState, 'nights' | 'taxes' | 'total' | 'penaltyBase'>> & {
  basis: Pick<RoomBasis, 'prices' | 'taxes' | 'liveNights' | 'unitNights'>
}

/** The nights with their taxes, computed anew for the persons who stay; undefined where they have no price. */
export function priceNights(
  nights: readonly SoldNight[],
  persons: number,
  minorDigits: number,
): PricedNights | undefined {
  if (nights.some(({ price, live }) => price === unset && !live)) return undefined
  const taxes = datedTaxes(nights)
  const runs = runsOf(nights)
  const parts: Part[] = []
  for (const run of runs) {
    const ofRun = taxes.filter((tax) => !isPerStay(tax) || runWith(tax, runs) === run)
    const part = run[0]?.live
      ? pricedLive(run, ofRun, persons, minorDigits)
      : pricedAsPushed(run, ofRun, persons, minorDigits)
    if (!part) return undefined
    parts.push(part)
  }
  const live = nights.flatMap(({ day, live: answered }) => (answered ? [formatNight(day)] : []))
  const [only] = parts
  const all = parts.length === 1 && only ? only : together(parts)
  return {
    ...all,
    basis: {
      prices: nights.map(({ price }) => price),
      taxes,
      ...(live.length > 0 ? { liveNights: live } : {}),
      ...unitNightsOf(nights),
    },
  }
}

export function unitNightsOf(nights: readonly SoldNight[]): Pick<RoomBasis, 'unitNights'> {
  const dates = nights.flatMap(({ day, isPerUnit }) => (isPerUnit ? [formatNight(day)] : []))
  return dates.length > 0 ? { unitNights: dates } : {}
}

/** Consecutive nights that are all at the pushed price, or all at amounts that the supplier answered together. */
function runsOf(nights: readonly SoldNight[]): SoldNight[][] {
  const runs: SoldNight[][] = []
  for (const night of nights) {
    const last = runs.at(-1)
    const [first] = last ?? []
    const isLike = (first?.live === undefined) === (night.live === undefined)
    if (last && isLike && (!night.live || first?.isKept === night.isKept)) last.push(night)
    else runs.push([night])
  }
  return runs
}

/** The nights that have what is charged once a stay: those at pushed prices before others, then those that are booked. */
function runWith(tax: Tax, runs: readonly SoldNight[][]): SoldNight[] | undefined {
  const some = runs.filter((run) => run.some(({ day }) => applies(tax, day)))
  return some.find(([first]) => !first?.live) ?? some.find(([first]) => first?.isKept) ?? some[0]
}

type Part = Omit<PricedNights, 'basis'>

function pricedLive(
  run: readonly SoldNight[],
  taxes: readonly Tax[],
  persons: number,
  minorDigits: number,
): Part {
  const nights = run.map(({ day, live }) => ({ day, beforeTax: 0, afterTax: 0, ...live }))
  const room = { taxes, nights, persons, minorDigits }
  const charges = taxes.filter(isChargedOnce)
  const known = new Set(charges.map(stayKey))
  const charged = run[0]?.isKept
    ? withCharges(room, charges)
    : withoutCharges(
        room,
        chargesOf(run).filter((tax) => !known.has(stayKey(tax))),
      )
  const { lines, total, penaltyBase, nights: taxed } = taxAnswer({ ...room, nights: charged })
  return { nights: dated(taxed), taxes: lines, total, penaltyBase }
}

function pricedAsPushed(
  run: readonly SoldNight[],
  taxes: readonly Tax[],
  persons: number,
  minorDigits: number,
): Part | undefined {
  const anyRoomRate = { roomNo: 1, rateNo: 1 }
  const prepared = taxesFor(prepareTaxes([{ ...anyRoomRate, taxes: [...taxes] }], minorDigits), 1, 1)
  const taxed = computeTaxes([{ taxes: prepared, nights: run, persons }])
  const room = taxed.fault === undefined ? taxed.rooms[0] : undefined
  if (!room) return undefined
  const { stay, nights } = room.penaltyBase
  return {
    nights: dated(room.nights),
    taxes: room.lines.map(({ tax: { type, included, payNow }, amount }) => ({
      type,
      included,
      payNow,
      amount,
    })),
    total: room.total,
    penaltyBase: { stay, nights },
  }
}

function dated(
  nights: readonly { day: DayNumber; beforeTax: number; afterTax: number }[],
): RoomState['nights'] {
  return nights.map(({ day, beforeTax, afterTax }) => ({ date: formatNight(day), beforeTax, afterTax }))
}

function together(parts: readonly Part[]): Part {
  const total = { beforeTax: 0, tax: 0, afterTax: 0, dueAtProperty: 0 }
  let stay = 0
  for (const part of parts) {
    total.beforeTax += part.total.beforeTax
    total.tax += part.total.tax
    total.afterTax += part.total.afterTax
    total.dueAtProperty += part.total.dueAtProperty
    stay += part.penaltyBase.stay
  }
  return {
    nights: parts.flatMap(({ nights }) => nights),
    taxes: parts.flatMap(({ taxes }) => taxes),
    total,
    penaltyBase: { stay, nights: parts.flatMap(({ penaltyBase }) => penaltyBase.nights) },
  }
}

/**
 * The definitions of all nights, each for the dates on which it counts. What is the same for several nights is one; a
 * charge once a stay that booked nights have is not charged again by those that are added.
 */
function datedTaxes(nights: readonly SoldNight[]): Tax[] {
  const [kept, added] = [nights.filter(({ isKept }) => isKept), nights.filter(({ isKept }) => !isKept)]
  const chargedOnce = new Set(
    kept.flatMap(({ day, taxes }) => taxes.filter((tax) => isPerStay(tax) && applies(tax, day)).map(stayKey)),
  )
  const known = new Map<string, { tax: Tax; days: DayNumber[] }>()
  for (const { day, taxes, isKept } of [...kept, ...added]) {
    const seen = new Map<string, number>()
    for (const tax of taxes) {
      if (!applies(tax, day)) continue
      if (!isKept && isPerStay(tax) && chargedOnce.has(stayKey(tax))) continue
      // A list may have the same tax twice.
      const count = (seen.get(definition(tax)) ?? 0) + 1
      seen.set(definition(tax), count)
      const key = `${definition(tax)} ${count}`
      const one = known.get(key) ?? { tax, days: [] }
      known.set(key, one)
      one.days.push(day)
    }
  }
  return [...known.values()].flatMap(({ tax, days }) => ranges(tax, days, nights.length))
}

function ranges(tax: Tax, days: readonly DayNumber[], nightCount: number): Tax[] {
  const always = { ...tax }
  delete always.startDate
  delete always.endDate
  if (days.length === nightCount || isForWholeStay(tax)) return [always]
  const found: { from: DayNumber; to: DayNumber }[] = []
  for (const day of days.toSorted((one, other) => one - other)) {
    const last = found.at(-1)
    if (last && last.to === day - 1) last.to = day
    else found.push({ from: day, to: day })
  }
  const charged = isPerStay(tax) ? found.slice(0, 1) : found
  return charged.map(({ from, to }) => ({
    ...always,
    startDate: formatNight(from),
    endDate: formatNight(to),
  }))
}

/** Charged once, whichever nights are kept later. */
function isForWholeStay(tax: Tax): boolean {
  return isPerStay(tax) && tax.startDate === undefined && tax.endDate === undefined
}

function definition({ type, valueType, value, appliedOn, appliedPer, included, payNow }: Tax): string {
  return JSON.stringify([type, valueType, exactDecimal(value), appliedOn, appliedPer, included, payNow])
}

function stayKey({ type, appliedPer }: Tax): string {
  return `${type} ${appliedPer}`
}

/** What is added to the price of any of the nights once a stay. */
function chargesOf(nights: readonly Pick<SoldNight, 'day' | 'taxes'>[]): Tax[] {
  const charges = nights.flatMap(({ day, taxes }) =>
    taxes.filter((tax) => isChargedOnce(tax) && applies(tax, day)),
  )
  return [...new Set(charges)]
}

/** Whether a tax is added to the price once a stay. */
function isChargedOnce(tax: Tax): boolean {
  return isPerStay(tax) && !tax.included && tax.payNow
}

function isPerStay({ valueType, appliedPer }: Tax): boolean {
  return valueType !== '%' && appliedPer.endsWith('per_stay')
}

function applies({ startDate, endDate }: Tax, day: DayNumber): boolean {
  const first = parseNight(startDate ?? '') ?? Number.NEGATIVE_INFINITY
  const last = parseNight(endDate ?? '') ?? Number.POSITIVE_INFINITY
  return first <= day && day <= last
}

/** The booked nights from one day to before another, as they were sold; undefined if that isn't known. */
export function bookedNights(
  { nights, basis, party }: RoomState,
  { from, to }: { from: DayNumber; to: DayNumber },
  minorDigits: number,
): SoldNight[] | undefined {
  if (!basis) return undefined
  const { prices, taxes } = basis
  const [live, perUnit] = [new Set(basis.liveNights), new Set(basis.unitNights)]
  const sold = nights.map(({ date, beforeTax, afterTax }, index): SoldNight => {
    const answered = live.has(date) ? { beforeTax, afterTax } : undefined
    const [day, price, isPerUnit] = [parseNight(date) ?? 0, prices[index] ?? 0, perUnit.has(date)]
    return { day, price, isPerUnit, live: answered, taxes, isKept: true }
  })
  const pushed = chargesOf(sold.filter((night) => !night.live))
  const persons = party.adults + party.childAges.length
  return runsOf(sold)
    .flatMap((run) => withoutBookedCharges(run, pushed, { persons, minorDigits }))
    .filter(({ day }) => day >= from && day < to)
}

/** The nights at a live price without the charges once a stay that they have: those that no night at a pushed price has. */
function withoutBookedCharges(
  run: readonly SoldNight[],
  pushed: readonly Tax[],
  units: { persons: number; minorDigits: number },
): readonly SoldNight[] {
  const charges = chargesOf(run).filter((tax) => !pushed.includes(tax))
  const answered = run.flatMap(({ day, live }) => (live ? [{ day, ...live }] : []))
  if (answered.length === 0 || charges.length === 0) return run
  const taxes = (run[0]?.taxes ?? []).filter((tax) => !isChargedOnce(tax))
  const without = withoutCharges({ taxes, nights: answered, ...units }, charges, { areKnown: true })
  return run.map((night, index) => ({ ...night, live: without[index] }))
}
