/** Rows as RFC 4180, also for Excel: with a byte order mark, and without cells that would be read as formulas. */
export function csvOf(rows: readonly (readonly (string | number)[])[]): string {
  return `\ufeff${rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')}`
}

const number = /^-?\d+(?:\.\d+)?$/
/** Text that spreadsheets would run as a formula, for example in the name of a guest. */
const formula = /^[=+\-@\t\r]/

function cellOf(value: string | number): string {
  const text = String(value)
  const safe = formula.test(text) && !number.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
