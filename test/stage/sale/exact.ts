/** Fractions and amounts of the ledger, without any code of src/. */

export type Exact = { over: bigint; under: bigint }

export const exact = (over: bigint | number, under: bigint | number = 1n): Exact => ({
  over: BigInt(over),
  under: BigInt(under),
})
export const zero = exact(0)
export const plus = (a: Exact, b: Exact): Exact =>
  a.under === b.under
    ? exact(a.over + b.over, a.under)
    : exact(a.over * b.under + b.over * a.under, a.under * b.under)
export const times = (a: Exact, b: Exact): Exact => exact(a.over * b.over, a.under * b.under)
export const divided = (a: Exact, b: Exact): Exact => exact(a.over * b.under, a.under * b.over)

/** Of what is not negative. */
export function floor({ over, under }: Exact): number {
  return Number(over / under)
}

/** Half up, of what is not negative. */
export function rounded({ over, under }: Exact): number {
  return Number((2n * over + under) / (2n * under))
}

export function isLess(a: Exact, b: Exact): boolean {
  return a.over * b.under < b.over * a.under
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0)
}

/** "12.5". */
export function decimal(text: string): Exact {
  const [units = '', decimals = ''] = text.split('.')
  return exact(BigInt(units + decimals), 10n ** BigInt(decimals.length))
}

/** 12350 as "123.50", with two digits. */
export function amountText(minor: number, digits: number): string {
  const padded = String(minor).padStart(digits + 1, '0')
  return digits === 0 ? padded : `${padded.slice(0, -digits)}.${padded.slice(-digits)}`
}

export function minorOf(text: string, digits: number): number {
  return rounded(times(decimal(text), exact(10n ** BigInt(digits))))
}
