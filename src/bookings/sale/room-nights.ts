import { formatNight, parseNight, type DayNumber } from '../../base/calendar.ts'
import { taxAnswer } from '../../taxes/compute/answered-price.ts'
import { computeTaxes } from '../../taxes/compute/compute.ts'
import type { Tax } from '../../taxes/contract.ts'
import { exactDecimal } from '../../taxes/decimals.ts'
import { prepareTaxes, taxesFor } from '../../taxes/room-rate-taxes.ts'
import type { RoomBasis, RoomState } from '../state.ts'

/** A room whose nights were sold at different times: some keep what they were booked with, others are as of now. */

export type SoldNight = {
  day: DayNumber
  /** The pushed price, in minor units. */
  price: number
  /** The supplier's own amounts, where the night is sold at them. */
  live: { beforeTax: number; afterTax: number } | undefined
  /** The taxes with which it is sold, as pushed; those for other dates don't count. */
  taxes: readonly Tax[]
  /** Whether it is booked already. */
  isKept: boolean
}

export type PricedNights = Required<Pick<RoomState, 'nights' | 'taxes' | 'total' | 'penaltyBase'>> & {
  basis: Pick<RoomBasis, 'prices' | 'taxes' | 'liveNights'>
}

/** The nights with their taxes, computed anew for the persons who stay; undefined where they have no price. */
export function priceNights(
  nights: readonly SoldNight[],
  persons: number,
  minorDigits: number,
): PricedNights | undefined {
  const taxes = datedTaxes(nights)
  const parts: Part[] = []
  const charged = new Set<Tax>()
  for (const run of runsOf(nights)) {
    // What is charged once a stay is in the first run that it applies to.
    const ofRun = taxes.filter((tax) => !charged.has(tax))
    const part = run[0]?.live
      ? pricedLive(run, ofRun, persons, minorDigits)
      : pricedAsPushed(run, ofRun, persons, minorDigits)
    if (!part) return undefined
    parts.push(part)
    for (const tax of taxes) if (isPerStay(tax) && run.some(({ day }) => applies(tax, day))) charged.add(tax)
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
    },
  }
}

/** Consecutive nights that are all at the supplier's own price, or all at the pushed one. */
function runsOf(nights: readonly SoldNight[]): SoldNight[][] {
  const runs: SoldNight[][] = []
  for (const night of nights) {
    const last = runs.at(-1)
    if (last && (last[0]?.live === undefined) === (night.live === undefined)) last.push(night)
    else runs.push([night])
  }
  return runs
}

type Part = Omit<PricedNights, 'basis'>

function pricedLive(
  run: readonly SoldNight[],
  taxes: readonly Tax[],
  persons: number,
  minorDigits: number,
): Part {
  const nights = run.map(({ day, live }) => ({ day, beforeTax: 0, afterTax: 0, ...live }))
  const { lines, total, penaltyBase, nights: taxed } = taxAnswer({ taxes, nights, persons, minorDigits })
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
  { nights, basis }: RoomState,
  from: DayNumber,
  to: DayNumber,
): SoldNight[] | undefined {
  if (!basis) return undefined
  const live = new Set(basis.liveNights)
  return nights.flatMap(({ date, beforeTax, afterTax }, index): SoldNight[] => {
    const day = parseNight(date) ?? 0
    if (day < from || day >= to) return []
    const answered = live.has(date) ? { beforeTax, afterTax } : undefined
    return [{ day, price: basis.prices[index] ?? 0, live: answered, taxes: basis.taxes, isKept: true }]
  })
}
