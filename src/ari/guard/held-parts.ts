import { unset } from '../blocks/block-codec.ts'
import { countNights, type NightMask } from '../blocks/month.ts'
import { fieldNumber, isGuestPriceField, isPriceField } from '../fields.ts'

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

/** What a newer value replaces. `isPrice`: it is a price, or clears one. */
export type Replaced = { isPrice: boolean; has: (field: number) => boolean }

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
