/** The number of significant decimals, without trailing zeros. */
export function decimalsOf(value: number | string): number {
  const text = exactDecimal(value)
  const point = text.indexOf('.')
  return point === -1 ? 0 : text.length - point - 1
}

const exponential = /^(\d)(?:\.(\d+))?e-(\d+)$/

/**
 * The canonical decimal text of a value from zero to below 1e21: no exponent, no trailing zeros, no `-0`. Two
 * values are equal if and only if their texts are.
 */
export function exactDecimal(value: number | string): string {
  const text = String(value).replace(/^-/, '')
  const small = exponential.exec(text)
  if (small) return `0.${'0'.repeat(Number(small[3]) - 1)}${small[1]}${small[2] ?? ''}`
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}
