import type { Measured } from './stage.ts'

/** A line of the benchmark table. `bar` is the target; `reached` compares the ratio with it. */
export type Row = {
  what: string
  figure: string
  against: string
  ratio: string
  bar: string
  reached: boolean
}

export type Bar = { atLeast: number } | { atMost: number }

export function row(what: string, figure: string, against: string, ratio: number, bar: Bar, unit = '×'): Row {
  const least = 'atLeast' in bar
  const limit = least ? bar.atLeast : bar.atMost
  const reached = least ? ratio >= limit : ratio <= limit
  const digits = ratio < 10 ? 2 : 1
  return {
    what,
    figure,
    against,
    ratio: `${ratio.toFixed(digits)} ${unit}`,
    bar: `${least ? '≥' : '≤'} ${limit} ${unit}`,
    reached,
  }
}

/** The table as Markdown, for use in a decision record. */
export function table(rows: readonly Row[]): string {
  const head = ['what', 'figure', 'against', 'ratio', 'bar', '']
  const lines = rows.map(({ what, figure, against, ratio, bar, reached }) => [
    what,
    figure,
    against,
    ratio,
    bar,
    reached ? 'reached' : 'NOT reached',
  ])
  const widths = head.map((title, column) =>
    Math.max(title.length, ...lines.map((line) => (line[column] ?? '').length)),
  )
  const spelled = (line: readonly string[]): string =>
    `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |\n`
  return spelled(head) + spelled(widths.map((width) => '-'.repeat(width))) + lines.map(spelled).join('')
}

export function perSecond(value: number): string {
  return `${Math.round(value).toLocaleString('en')}/s`
}

export function measuredText({ perSecond: rate, p50Ms, p99Ms }: Measured): string {
  return `${perSecond(rate)} (p50 ${p50Ms} ms, p99 ${p99Ms} ms)`
}
