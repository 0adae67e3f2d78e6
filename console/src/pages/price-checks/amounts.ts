/** Adds amounts in the decimal format of the service, without floats. */

/** The sum of decimal strings with the same number of digits, multiplied. */
export function sumOf(amounts: readonly string[], times = 1): string {
  const digits = amounts[0]?.split('.')[1]?.length ?? 0
  const minor = amounts.map((amount) => BigInt(amount.replace('.', '')))
  let sum = 0n
  for (const one of minor) sum += one
  return withPoint(sum * BigInt(times), digits)
}

function withPoint(minor: bigint, digits: number): string {
  if (digits === 0) return String(minor)
  const text = String(minor < 0n ? -minor : minor).padStart(digits + 1, '0')
  return `${minor < 0n ? '-' : ''}${text.slice(0, -digits)}.${text.slice(-digits)}`
}

export function isZero(amount: string): boolean {
  return !/[1-9]/.test(amount)
}

export function withoutSign(amount: string): string {
  return amount.replace(/^-/, '')
}
