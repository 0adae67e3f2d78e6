/** The sum of decimal strings with the same number of digits, multiplied: as the service writes amounts, without floats. */
export function sumOf(amounts: readonly string[], times = 1): string {
  const digits = amounts[0]?.split('.')[1]?.length ?? 0
  let sum = 0n
  for (const amount of amounts) sum += BigInt(amount.replace('.', ''))
  return withPoint(sum * BigInt(times), digits)
}

function withPoint(minor: bigint, digits: number): string {
  if (digits === 0) return String(minor)
  const text = String(minor < 0n ? -minor : minor).padStart(digits + 1, '0')
  return `${minor < 0n ? '-' : ''}${text.slice(0, -digits)}.${text.slice(-digits)}`
}
