import { styleText } from 'node:util'

/** The demo's output. Colours are left out when the output is not a terminal, and with NO_COLOR. */

type Style = Parameters<typeof styleText>[0]

export function paint(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout })
}

const widthOtherwise = 100
const widthMax = 140

export function width(): number {
  const { columns } = process.stdout
  // Absent, whatever its type says, when the output is not a terminal.
  return Math.min(columns > 0 ? columns : widthOtherwise, widthMax)
}

export function line(text = ''): void {
  process.stdout.write(`${text}\n`)
}

let steps = 0

export function heading(title: string): void {
  line()
  line(paint(['bold', 'cyan'], `${++steps}  ${title}`))
}

/** Announces the next step in a sentence. */
export function printStep(text: string): void {
  for (const part of wrapped(text, width() - 3)) line(`   ${part}`)
}

function wrapped(text: string, columns: number): string[] {
  const lines: string[] = []
  let current = ''
  for (const word of text.split(' ')) {
    if (current !== '' && current.length + 1 + word.length > columns) {
      lines.push(current)
      current = word
    } else current = current === '' ? word : `${current} ${word}`
  }
  return [...lines, current]
}

export function cut(text: string, columns: number): string {
  return text.length <= columns ? text : `${text.slice(0, Math.max(0, columns - 1))}…`
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}
