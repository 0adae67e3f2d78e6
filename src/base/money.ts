/**
 * Amounts as integers of minor units. JSON carries them as numbers or decimal strings; an amount with more
 * decimals than the currency, or more digits than can be stored, is refused, never rounded.
 */

/** Ten thousand million of the major unit at two digits; far above any price, far below 2^53. */
export const amountMinorMax = 999_999_999_999

const scales = [1, 10, 100, 1_000, 10_000] as const

/** Minor units of a decimal; undefined if it doesn't fit the digits. */
export function toMinor(amount: number | string, minorDigits: number): number | undefined {
  return minorUpTo(amountMinorMax, amount, minorDigits)
}

/** The same for a total of several amounts, which may be larger than any of them: exact, up to 2^53. */
export function totalToMinor(total: number | string, minorDigits: number): number | undefined {
  return minorUpTo(Number.MAX_SAFE_INTEGER, total, minorDigits)
}

function minorUpTo(minorMax: number, amount: number | string, minorDigits: number): number | undefined {
  const scale = scales[minorDigits] ?? 1
  if (typeof amount === 'string') return textToMinor(amount, minorDigits, minorMax)
  const minor = Math.round(amount * scale)
  // k/scale is the double nearest to that decimal, so it equals the received number exactly when both come
  // from the same decimal.
  return minor / scale === amount && Math.abs(minor) <= minorMax ? minor + 0 : undefined
}

function textToMinor(text: string, minorDigits: number, minorMax: number): number | undefined {
  const [whole = '', decimals = ''] = text.split('.')
  const written = decimals.slice(0, minorDigits).padEnd(minorDigits, '0')
  if (/[1-9]/.test(decimals.slice(minorDigits))) return undefined
  const minor = Number(whole + written)
  return Math.abs(minor) <= minorMax ? minor + 0 : undefined
}

/** The largest amount that is stored, as a decimal string: `9999999999.99` with two digits. */
export function largestAmount(minorDigits: number): string {
  return minorText(amountMinorMax, minorDigits)
}

/** The JSON number for minor units; its shortest form is the decimal itself. */
export function fromMinor(minor: number, minorDigits: number): number {
  return minor / (scales[minorDigits] ?? 1)
}

/**
 * Point and decimals for each remainder of a unit, precomputed: an answer can have a hundred thousand
 * amounts.
 */
const decimalsByDigits = scales.map((scale, digits) =>
  digits === 0
    ? ['']
    : Array.from({ length: scale }, (_, decimals) => `.${String(decimals).padStart(digits, '0')}`),
)

/** The decimal string for minor units, with all of the currency's digits. Amounts are not negative. */
export function minorText(minor: number, minorDigits: number): string {
  const scale = scales[minorDigits] ?? 1
  const decimals = minor % scale
  return `${(minor - decimals) / scale}${decimalsByDigits[minorDigits]?.[decimals] ?? ''}`
}

/** The same for a sum of any size. */
export function sumText(minor: bigint, minorDigits: number): string {
  const scale = BigInt(scales[minorDigits] ?? 1)
  const decimals = Number(minor % scale)
  return `${minor / scale}${decimalsByDigits[minorDigits]?.[decimals] ?? ''}`
}
