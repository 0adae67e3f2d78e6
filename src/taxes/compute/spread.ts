/**
 * Divides a rounded sum over its nights by largest remainder, using integers only: each night gets the whole
 * units of its exact part, and the remaining units go, one per night, to the largest fractions, and to
 * earlier nights among equals. A sum of several rounded amounts may be off by more than one unit per night;
 * then the nights take further turns. A night without a part gets nothing while another can take it. No night
 * gets less than zero or more than its limit.
 */
export function spread(
  sum: number,
  wholes: readonly number[],
  /** Numerators over one denominator. */
  fractions: readonly (number | bigint)[],
  limits?: readonly number[],
): number[] {
  const amounts = [...wholes]
  let left = sum
  for (const whole of wholes) left -= whole
  if (left === 0) return amounts
  const limitOf = (night: number): number => limits?.[night] ?? Number.POSITIVE_INFINITY
  const isPart = (night: number): boolean => (wholes[night] ?? 0) > 0 || (fractions[night] ?? 0) > 0
  const byFraction = [...wholes.keys()].sort((one, other) => compare(fractions[other], fractions[one]))
  if (left > 0) {
    left = goRound(amounts, byFraction.filter(isPart), left, 1, limitOf)
    left = goRound(amounts, byFraction, left, 1, limitOf)
  } else {
    left = goRound(amounts, byFraction.reverse(), -left, -1, () => 0)
  }
  if (left !== 0) throw new RangeError(`${left} of ${sum} has no place in ${wholes.length} nights`)
  return amounts
}

/** Divides a rounded sum in proportion to amounts, by default over the sum of these. */
export function spreadByAmounts(
  sum: number,
  amounts: readonly number[],
  whole = amounts.reduce((all, amount) => all + amount, 0),
): number[] {
  if (whole <= 0) return amounts.map(() => 0)
  const numerators = amounts.map((amount) => BigInt(amount) * BigInt(sum))
  return spread(
    sum,
    numerators.map((numerator) => Number(numerator / BigInt(whole))),
    numerators.map((numerator) => numerator % BigInt(whole)),
  )
}

/**
 * Adds (or subtracts) one unit per night, in turn, until nothing is left or all nights are at their limit.
 */
function goRound(
  amounts: number[],
  order: readonly number[],
  units: number,
  step: 1 | -1,
  limitOf: (night: number) => number,
): number {
  let left = units
  let leftBefore = Number.POSITIVE_INFINITY
  while (left > 0 && left < leftBefore) {
    leftBefore = left
    for (const night of order) {
      const amount = amounts[night] ?? 0
      if (left === 0 || amount === limitOf(night)) continue
      amounts[night] = amount + step
      left--
    }
  }
  return left
}

function compare(one: number | bigint = 0, other: number | bigint = 0): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
