/** Rows as RFC 4180, read by Excel too: with a byte order mark, and no cell that would be taken for a formula. */
export function csvOf(rows: readonly (readonly (string | number)[])[]): string {
  return `\ufeff${rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')}`
}

const number = /^-?\d+(?:\.\d+)?$/
/** What spreadsheets calculate with, if somebody has called a guest so. */
const formula = /^[=+\-@\t\r]/

function cellOf(value: string | number): string {
  const text = String(value)
  const safe = formula.test(text) && !number.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
