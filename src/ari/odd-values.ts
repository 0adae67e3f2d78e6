import type { Problem } from '../platform/rejected.ts'
import type { Block, NightMask } from './block.ts'
import { unset } from './block-codec.ts'
import { fieldNumber, guestPriceField, isPriceField, type FieldValue } from './fields.ts'
import { countNights } from './month.ts'

/** What was applied, and is hardly meant: on how many nights of an item. */
export type OddNights = Map<Oddity, number>

const limits = [
  ['minLengthStay', 'maxLengthStay'],
  ['minStayArrival', 'maxStayArrival'],
  ['minAdvanceDays', 'maxAdvanceDays'],
] as const
type Oddity = 'tenfold' | 'singleAboveDouble' | (typeof limits)[number][0]

const single = guestPriceField('adult', 1)
const double = guestPriceField('adult', 2)

/** The nights on which a price that is about to be set is ten times, or a tenth of, the one that is held. */
export function noteTenfold(
  block: Block,
  { field, value }: FieldValue,
  nights: NightMask,
  odd: OddNights,
): void {
  if (value === unset || value === 0 || !isPriceField(field)) return
  const held = block.values(field)
  if (held)
    note(
      odd,
      'tenfold',
      nightsWhere(nights, (night) => isTenfold(held[night] ?? unset, value)),
    )
}

function isTenfold(held: number, value: number): boolean {
  return held > 0 && (held === value * 10 || held * 10 === value)
}

/** What the values that were set make of those held beside them. */
export function noteOddities(
  block: Block,
  sets: readonly FieldValue[],
  nights: NightMask,
  odd: OddNights,
): void {
  const isSet = (field: number): boolean => sets.some((one) => one.field === field && one.value !== unset)
  if (isSet(single) || isSet(double))
    note(odd, 'singleAboveDouble', nightsAbove(block, [single, double], nights))
  for (const [min, max] of limits) {
    const fields = [fieldNumber[min], fieldNumber[max]] as const
    if (isSet(fields[0]) || isSet(fields[1])) note(odd, min, nightsAbove(block, fields, nights))
  }
}

/** Where both fields hold something, and the first more than the second. */
function nightsAbove(block: Block, [one, other]: readonly [number, number], nights: NightMask): NightMask {
  const above = block.values(one)
  const below = above && block.values(other)
  if (!below) return 0
  return nightsWhere(nights, (night) => {
    const least = below[night] ?? unset
    return least !== unset && (above[night] ?? unset) > least
  })
}

function nightsWhere(nights: NightMask, fits: (night: number) => boolean): NightMask {
  let found = 0
  for (let rest = nights; rest !== 0; rest &= rest - 1) {
    const night = 31 - Math.clz32(rest & -rest)
    if (fits(night)) found |= 1 << night
  }
  return found
}

function note(odd: OddNights, oddity: Oddity, nights: NightMask): void {
  if (nights !== 0) odd.set(oddity, (odd.get(oddity) ?? 0) + countNights(nights))
}

/** One warning an oddity. Nights of several rates count once for each. */
export function oddWarnings(odd: OddNights, index: number): Problem[] {
  const path = `/ari/${index}`
  return [...odd].map(([oddity, count]) => {
    const nights = `${count} night${count === 1 ? '' : 's'}`
    if (oddity === 'tenfold') {
      return {
        type: 'ROUND_NUMBER_X10',
        message: `${nights} got a price ten times, or a tenth of, the one before`,
        path,
        hint: 'Applied as sent; check the decimal point and the currency',
      }
    }
    if (oddity === 'singleAboveDouble') {
      return {
        type: 'SINGLE_ABOVE_DOUBLE',
        message: `On ${nights} one adult pays more than two`,
        path,
        hint: 'amount is the total for the guests of its line, not the price of each',
      }
    }
    const max = limits.find(([min]) => min === oddity)?.[1]
    return {
      type: 'NEVER_BOOKABLE',
      message: `${nights} cannot be booked: ${oddity} is above ${max}`,
      path,
      hint: `Send ${oddity} and ${max} together, or null for the one that does not count any more`,
    }
  })
}
