/** Lines of CSV: RFC 4180, except that no value has a line break. */

/** The cells of a line; undefined if a quote is not closed, or stands inside a value. */
export function cellsOf(text: string, separator: string): string[] | undefined {
  if (!text.includes('"')) return text.split(separator)
  const cells: string[] = []
  for (let at = 0; ;) {
    if (text[at] !== '"') {
      const end = endOfCell(text, at, separator)
      const cell = text.slice(at, end)
      if (cell.includes('"')) return undefined
      cells.push(cell)
      if (end === text.length) return cells
      at = end + 1
      continue
    }
    const quoted = quotedCell(text, at)
    if (!quoted) return undefined
    cells.push(quoted.cell)
    if (quoted.end === text.length) return cells
    if (text[quoted.end] !== separator) return undefined
    at = quoted.end + 1
  }
}

function endOfCell(text: string, from: number, separator: string): number {
  const end = text.indexOf(separator, from)
  return end === -1 ? text.length : end
}

function quotedCell(text: string, open: number): { cell: string; end: number } | undefined {
  let cell = ''
  for (let from = open + 1; ;) {
    const quote = text.indexOf('"', from)
    if (quote === -1) return undefined
    cell += text.slice(from, quote)
    if (text[quote + 1] !== '"') return { cell, end: quote + 1 }
    cell += '"'
    from = quote + 2
  }
}

/**
 * Spreadsheets run a cell that begins like a formula, in full width too, and whatever blanks are before it. An apostrophe
 * keeps them from that, and is taken away when the cell is read. A spreadsheet with another separator begins a cell inside
 * a value.
 */
const sign = String.raw`[=+\-@\t\r＝＋－＠]`
/** No tabs: they separate. */
const blanks = String.raw`\p{Z}\v\f\u0085\p{Cf}\p{Default_Ignorable_Code_Point}\u2800`
const formula = new RegExp(`^['${blanks}]*${sign}`, 'u')
const separatorBeforeFormula = new RegExp(`([,;\\t])(?=['"${blanks}]*${sign})`, 'gu')
const separatorBeforeApostrophe = new RegExp(`([,;\\t])'(?=['"${blanks}]*${sign})`, 'gu')

export function writtenCell(value: string): string {
  const safe = withApostrophes(value)
  return /[",;\t]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export function readCell(cell: string): string {
  const plain = cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell
  return plain.replaceAll(separatorBeforeApostrophe, '$1')
}

function withApostrophes(value: string): string {
  const begun = formula.test(value) && !/^-?\d+(?:\.\d+)?$/.test(value) ? `'${value}` : value
  return withApostrophesInside(begun)
}

/** For text that is in quotes already. */
export function withApostrophesInside(text: string): string {
  return text.replaceAll(separatorBeforeFormula, "$1'")
}

/** A line as it came, without formulas. */
export function harmlessLine(line: string, separator: string): string {
  const cells = cellsOf(line, separator)
  // With an open quote it has no cells.
  if (!cells) return withApostrophesInside(line)
  const isHarmless = cells.every((cell) => withApostrophes(readCell(cell)) === cell)
  return isHarmless ? line : cells.map((cell) => writtenCell(readCell(cell))).join(separator)
}
