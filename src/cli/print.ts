import { styleText } from 'node:util'

/** Results go to standard output, remarks to standard error, so that results can be piped. */

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}

export function printLine(text: string): void {
  process.stdout.write(`${text}\n`)
}

type Style = Parameters<typeof styleText>[0]

/** No colours if the output is not a terminal, or with NO_COLOR. */
export function paint(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout })
}

export function remark(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** One JSON line with --json, otherwise a sentence. */
export function printOutcome(options: { json?: boolean }, value: object, sentence: string): void {
  if (options.json) printJson(value)
  else printLine(sentence)
}

type Cell = string | number | null

/** Rows of text in columns; null is shown as a dash. */
export function printTable(headings: readonly string[], rows: readonly (readonly Cell[])[]): void {
  const cells = rows.map((row) => row.map((cell) => (cell === null || cell === '' ? '-' : String(cell))))
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...cells.map((row) => row[column]?.length ?? 0)),
  )
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  printLine(paint('bold', line(headings)))
  for (const row of cells) printLine(line(row))
}
