/** Rows as RFC 4180, also for Excel: with a byte order mark, and without cells that would be read as formulas. */
export function csvOf(rows: readonly (readonly (string | number)[])[]): string {
  return `\ufeff${rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')}`
}

const number = /^-?\d+(?:\.\d+)?$/
/**
 * Where spreadsheets would run text as a formula, for example in the name of a guest: also within it, because where
 * amounts have a decimal comma they separate cells by semicolons, whatever the file does. They skip blanks before it.
 */
const formula =
  /(?<=^|[;\t\r\n])(?=["\p{Z}\v\f\u0085\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r])/gu

function cellOf(value: string | number): string {
  const text = String(value)
  const safe = number.test(text) ? text : text.replaceAll(formula, "'")
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
