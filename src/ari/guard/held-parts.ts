import { unset } from '../blocks/block-codec.ts'
import type { Block } from '../blocks/block.ts'
import { countNights, nightsWhere, type NightMask } from '../blocks/month.ts'
import { fieldNumber, isGuestPriceField, isPriceField, modelOf, type FieldValue } from '../fields.ts'
import { otherModel, type PricingModel } from '../item-contract.ts'
import type { RowChange } from '../judge/plan.ts'

/** A value that is held for nights of a row in one month, and those that were stored then, one for each night. */
export type HeldPart = {
  roomNo: number
  rateNo: number
  month: number
  field: number
  mask: NightMask
  /** `unset`: the value would be cleared. */
  value: number
  before: readonly number[]
}

/** A month of a row. */
export type HeldBlock = { hotelId: number; roomNo: number; rateNo: number; month: number }

/** What a newer value replaces. `isPrice`: it is a price, or clears one, and ends what is held with it as one thing. */
export type Replaced = { isPrice: boolean; has: (field: number) => boolean }

/** Where a value of a push goes. */
export type PushedAt = { row: RowChange; month: number }

export function isPriceOf(model: PricingModel, field: number): boolean {
  return isPriceField(field) && modelOf(field) === model
}

/** `before`: what a field has on a night. */
export function partOf(
  { row: { roomNo, rateNo }, month }: PushedAt,
  { field, value }: FieldValue,
  mask: NightMask,
  before: (field: number, night: number) => number,
): HeldPart {
  const found: number[] = []
  nightsWhere(mask, (night) => found.push(before(field, night)) > 0)
  return { roomNo, rateNo, month, field, mask, value, before: found }
}

/** The new prices of a row that would change the model, and the clearing of those that are stored. */
export function modelParts(
  at: PushedAt,
  nights: NightMask,
  block: Block,
  before: (field: number, night: number) => number,
): HeldPart[] {
  const sets = at.row.sets.filter(({ field, value }) => isPriceField(field) && value !== unset)
  const set = new Set(sets.map(({ field }) => field))
  const cleared = block.fields().filter((field) => isPriceField(field) && !set.has(field))
  return [
    ...sets.map((one) => partOf(at, one, nights, before)),
    ...cleared
      .map((field) => ({ field, mask: block.nightsWithValue(field, nights) }))
      .filter(({ mask }) => mask !== 0)
      .map(({ field, mask }) => partOf(at, { field, value: unset }, mask, before)),
  ]
}

/**
 * What of its push's own parts a change of the model replaces that is held: those of its fields, and what they would
 * clear. Other prices of the new model, by items before, are held on with it, unless it is sent with the mode `overlay`.
 */
export function replacedByChange({ sets, pricingModel, guestPricesKept }: RowChange): Replaced {
  const named = new Set(sets.map(({ field }) => field))
  const isOther = (field: number): boolean =>
    pricingModel !== undefined && isPriceOf(otherModel[pricingModel], field)
  const isKept = guestPricesKept === undefined
  return {
    isPrice: false,
    has: (field) => isPriceField(field) && (named.has(field) || isOther(field) || !isKept),
  }
}

export function isOf(part: HeldPart, { roomNo, rateNo, month }: Omit<HeldBlock, 'hotelId'>): boolean {
  return part.roomNo === roomNo && part.rateNo === rateNo && part.month === month
}

/**
 * The nights of a block whose prices are held as one thing, because they would change the pricing model: those with
 * parts of both models, the new prices and the clearing of the old ones. `parts`: of one hold and block.
 */
export function nightsHeldWhole(parts: readonly HeldPart[]): NightMask {
  let unit = 0
  let guest = 0
  for (const { field, mask } of parts) {
    if (field === fieldNumber.unitPrice) unit |= mask
    else if (isGuestPriceField(field)) guest |= mask
  }
  return unit & guest
}

/**
 * The parts without what is replaced on these nights; undefined if that is nothing. Prices that are held as one thing
 * go with the first newer price of their night.
 */
export function withoutReplaced(
  parts: readonly HeldPart[],
  block: Omit<HeldBlock, 'hotelId'>,
  nights: NightMask,
  replaced: Replaced,
): HeldPart[] | undefined {
  const whole = replaced.isPrice ? nights & nightsHeldWhole(parts.filter((part) => isOf(part, block))) : 0
  const rest = parts.map((part) => {
    if (!isOf(part, block)) return part
    return withoutNights(part, replaced.has(part.field) ? nights : isPriceField(part.field) ? whole : 0)
  })
  if (rest.every((part, index) => part === parts[index])) return undefined
  return rest.filter(({ mask }) => mask !== 0)
}

/** The part itself if it has none of the nights. */
function withoutNights(part: HeldPart, nights: NightMask): HeldPart {
  if ((part.mask & nights) === 0) return part
  const before: number[] = []
  let index = 0
  for (let rest = part.mask; rest !== 0; rest &= rest - 1) {
    const value = part.before[index++] ?? unset
    if ((rest & -rest & nights) === 0) before.push(value)
  }
  return { ...part, mask: part.mask & ~nights, before }
}

/** Nights of rooms and room-rates, each once. */
export function countCells(parts: readonly HeldPart[]): number {
  const nightsByRow = new Map<string, NightMask>()
  for (const { roomNo, rateNo, month, mask } of parts) {
    const row = `${roomNo}/${rateNo}/${month}`
    nightsByRow.set(row, (nightsByRow.get(row) ?? 0) | mask)
  }
  let cells = 0
  for (const nights of nightsByRow.values()) cells += countNights(nights)
  return cells
}
