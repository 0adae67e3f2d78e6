import { readFileSync } from 'node:fs'
import assert from 'node:assert/strict'

/** Parses a page of docs/ into steps to run: the convention is in docs/README.md. */

export type Step = {
  /** For messages: the line of the page on which the block begins. */
  line: number
  run: { kind: 'shell'; script: string } | { kind: 'request'; method: string; path: string; body: unknown }
  shown: { kind: 'json'; value: unknown; status?: number } | { kind: 'text'; text: string } | undefined
}

type Block = {
  line: number
  language: string
  rest: string
  text: string
  /** The text between this block and the one before it. */
  before: string
}

export function stepsOf(path: string): Step[] {
  const steps: Step[] = []
  let last: Step | undefined
  for (const block of blocksOf(readFileSync(path, 'utf8'))) {
    const run = runOf(block)
    if (run) {
      last = { line: block.line, run, shown: undefined }
      steps.push(last)
      continue
    }
    const isShown = block.language === 'json' || block.language === 'text'
    if (isShown && last) last.shown = shownBy(block)
    else if (block.language === 'json') parsed(block)
    last = undefined
  }
  return steps
}

/** The blocks whose info string names the file they show. */
export function fencedFiles(path: string): Map<string, string> {
  const files = blocksOf(readFileSync(path, 'utf8')).filter(({ rest }) => rest.startsWith('samples/'))
  return new Map(files.map(({ rest, text }) => [rest, text]))
}

/** The blocks with a name in their info string, such as `sh own backup`. */
export function namedBlocks(path: string): Map<string, string> {
  const named = blocksOf(readFileSync(path, 'utf8')).filter(
    ({ language, rest }) => language === 'sh' && rest !== '',
  )
  return new Map(named.map(({ language, rest, text }) => [`${language} ${rest}`, text]))
}

/** The contents of the `json` blocks with this name in their info string, such as `json delivered`. */
export function jsonNamed(path: string, name: string): unknown[] {
  const named = blocksOf(readFileSync(path, 'utf8')).filter(
    ({ language, rest }) => language === 'json' && rest === name,
  )
  return named.map(parsed)
}

function runOf(block: Block): Step['run'] | undefined {
  // A named block needs a machine of its own: another test runs it.
  if (block.language === 'sh' && block.rest === '') return { kind: 'shell', script: block.text }
  const match = /^(GET|POST|PUT) (\/\S+)$/.exec(block.rest)
  if (block.language !== 'json' || !match) return undefined
  // A rendered page does not show a fence's info string.
  if (!block.before.includes(`\`${match[0]}\``)) {
    throw new Error(`The block in line ${block.line} needs \`${match[0]}\` in the text before it`)
  }
  return { kind: 'request', method: match[1] ?? '', path: match[2] ?? '', body: parsed(block) }
}

function shownBy(block: Block): Step['shown'] {
  if (block.language === 'text') return { kind: 'text', text: block.text }
  const value = parsed(block)
  return block.rest === '' ? { kind: 'json', value } : { kind: 'json', value, status: Number(block.rest) }
}

function parsed({ line, text }: Block): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`The block in line ${line} is not JSON`, { cause })
  }
}

function blocksOf(page: string): Block[] {
  const blocks: Block[] = []
  let open: Block | undefined
  let before = ''
  for (const [index, line] of page.split('\n').entries()) {
    const fence = /^```(\S*) ?(.*)$/.exec(line)
    if (open) {
      if (fence) {
        blocks.push(open)
        open = undefined
        before = ''
      } else open.text += `${line}\n`
    } else if (fence) {
      open = { line: index + 1, language: fence[1] ?? '', rest: fence[2] ?? '', text: '', before }
    } else before += `${line}\n`
  }
  if (open) throw new Error(`The block in line ${open.line} has no end`)
  return blocks
}

const any = '…'

/** How an answer differs from the one on the page; undefined if it doesn't. */
export function difference(shown: unknown, got: unknown, path = ''): string | undefined {
  if (shown === any) return got === undefined ? `${path} is missing` : undefined
  if (Array.isArray(shown)) return listDifference(shown, got, path)
  if (typeof shown === 'object' && shown !== null) return objectDifference(shown, got, path)
  return Object.is(shown, got)
    ? undefined
    : `${path}: shown ${JSON.stringify(shown)}, got ${JSON.stringify(got)}`
}

function listDifference(shown: readonly unknown[], got: unknown, path: string): string | undefined {
  if (!Array.isArray(got)) return `${path}: shown a list, got ${JSON.stringify(got)}`
  const isOpen = shown.at(-1) === any
  const elements = isOpen ? shown.slice(0, -1) : shown
  if (got.length < elements.length || (!isOpen && got.length > elements.length)) {
    return `${path}: shown ${elements.length} elements, got ${got.length}: ${JSON.stringify(got)}`
  }
  for (const [index, element] of elements.entries()) {
    const found = difference(element, got[index], `${path}/${index}`)
    if (found !== undefined) return found
  }
  return undefined
}

function objectDifference(shown: object, got: unknown, path: string): string | undefined {
  if (typeof got !== 'object' || got === null) return `${path}: shown an object, got ${JSON.stringify(got)}`
  const members = new Map<string, unknown>(Object.entries(got))
  for (const [name, member] of Object.entries(shown)) {
    if (name === any) continue
    const found = difference(member, members.get(name), `${path}/${name}`)
    if (found !== undefined) return found
  }
  if (any in shown) return undefined
  const more = [...members.keys()].filter((name) => !(name in shown))
  return more.length === 0 ? undefined : `${path}: got ${more.join(', ')} beyond what is shown`
}

/** Compares line by line; `…` stands for anything within a line, and trailing blanks don't count. */
export function textMatches(shown: string, got: string): boolean {
  const trimmed = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => line.trimEnd())
  const pattern = trimmed(shown)
    .map((line) =>
      line
        .split(any)
        .map((part) => RegExp.escape(part))
        .join('.*'),
    )
    .join('\n')
  return new RegExp(`^${pattern}$`).test(trimmed(got).join('\n'))
}

export type Stay = { rateId: string; checkin: string; checkout: string; adults: number; childAges: number[] }
/** The service's answer about a stay: the price of its first night, or the rules that forbid it. */
export type Verdict = { price: string } | { rules: string[] }

type Row = ReadonlyMap<string, string>

/** Every row of every table, keyed by the column headings; code without its backticks. */
function tableRows(markdown: string): Row[] {
  const rows: Row[] = []
  let heads: string[] | undefined
  for (const line of markdown.split('\n')) {
    if (!line.startsWith('|')) {
      heads = undefined
      continue
    }
    const cells = line
      .slice(1, line.lastIndexOf('|'))
      .split('|')
      .map((cell) => cell.trim().replaceAll('`', ''))
    if (heads === undefined) heads = cells
    else if (!/^[-:| ]+$/.test(line))
      rows.push(new Map(heads.map((head, index) => [head, cells[index] ?? ''])))
  }
  return rows
}

const exampleNight = { checkin: '2027-04-01', checkout: '2027-04-02' }
const notSold = 'not sold'

/**
 * Checks the tables of docs/prices.md against the service: each row gives the price of a stay, or the rule that
 * forbids it.
 */
export async function askRows(markdown: string, ask: (stay: Stay) => Promise<Verdict>): Promise<number> {
  let asked = 0
  for (const row of tableRows(markdown)) {
    const rateId = row.get('Rate')
    if (rateId === undefined) continue
    asked++
    const said = `the row ${[...row.values()].join(' | ')}`
    if (row.has('The night')) {
      const ages = row.get('Ages of children') ?? ''
      const party = {
        adults: Number(row.get('Adults')),
        childAges: ages === '' ? [] : ages.split(', ').map(Number),
      }
      const verdict = await ask({ rateId, ...exampleNight, ...party })
      assert.equal('price' in verdict ? verdict.price : notSold, row.get('The night'), said)
    } else {
      const stay = { checkin: row.get('Arrival') ?? '', checkout: row.get('Departure') ?? '' }
      const verdict = await ask({ rateId, ...stay, adults: 2, childAges: [] })
      assert.equal('price' in verdict ? 'yes' : 'no', row.get('Booked?'), said)
      const rule = row.get('Rule that forbids it')
      assert.deepEqual('rules' in verdict ? verdict.rules : [], rule === '' ? [] : [rule], said)
    }
  }
  return asked
}
