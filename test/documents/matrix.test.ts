import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseSync } from 'vite'
import { root } from '../stage/files.ts'

/** The pages of the matrix say of each change what happens to all that exists or is under way, and which test proves it. */

const pages = globSync('decisions/{068,069}-*.md', { cwd: root }).sort()
/** As many as things that exist or are under way. */
const columnsCount = 17
const tableHead = '| Under way | What happens | Test |'
const none = '—'

type Row = { change: string; cells: Cell[] }
type Cell = { underWay: string; happens: string; proof: string }

/** The rows of a page: each heading with a table of the matrix below it. */
function rowsOf(page: string): Row[] {
  const rows: Row[] = []
  const text = readFileSync(join(root, page), 'utf8')
  for (const section of text.split(/^## /m).slice(1)) {
    const [change = '', ...lines] = section.split('\n')
    const head = lines.findIndex((line) => cellsOf(line).join() === cellsOf(tableHead).join())
    if (head === -1) continue
    const table = lines.slice(head + 2)
    const end = table.findIndex((line) => !line.startsWith('|'))
    const cells = (end === -1 ? table : table.slice(0, end)).map((line): Cell => {
      const [underWay = '', happens = '', proof = '', ...more] = cellsOf(line)
      assert.deepEqual(more, [], `${page}, ${change}: ${line}`)
      return { underWay, happens, proof }
    })
    rows.push({ change, cells })
  }
  return rows
}

function cellsOf(line: string): string[] {
  return line
    .replaceAll('\\|', '\0')
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\0', '|'))
}

/** `file` — `title`, as often as there are. */
const named = /`([^`]+\.(?:test|proof)\.ts)` — `([^`]+)`/g

for (const page of pages) {
  test(`${page}: every row has all ${columnsCount} columns, in one order, and every cell says what happens`, () => {
    const rows = rowsOf(page)
    assert.ok(rows.length > 0)
    const [first] = rows
    for (const { change, cells } of rows) {
      assert.deepEqual(
        cells.map(({ underWay }) => underWay),
        first?.cells.map(({ underWay }) => underWay),
        change,
      )
      assert.equal(cells.length, columnsCount, change)
      for (const { underWay, happens } of cells) assert.notEqual(happens, '', `${change}: ${underWay}`)
    }
  })

  test(`${page}: every cell names a test that there is, or says why the two can't meet`, () => {
    const missing: string[] = []
    for (const { change, cells } of rowsOf(page))
      for (const { underWay, happens, proof } of cells) {
        if (proof === none && happens.startsWith("Can't meet")) continue
        const tests = [...proof.matchAll(named)]
        if (tests.length === 0) missing.push(`${change}, ${underWay}: no test, but “${proof}”`)
        for (const [, path = '', title = ''] of tests)
          if (!isThere(path, title)) missing.push(`${change}, ${underWay}: ${path} has no “${title}”`)
      }
    assert.deepEqual(missing, [])
  })
}

/** Whether the title of a test of the file begins so. */
function isThere(path: string, title: string): boolean {
  if (!existsSync(join(root, path))) return false
  const titles = titlesByFile.get(path) ?? titlesOf(readFileSync(join(root, path), 'utf8'))
  titlesByFile.set(path, titles)
  return titles.some((one) => one.startsWith(title))
}

const titlesByFile = new Map<string, string[]>()
const callsOfTests = /^(?:\w+\.)?(?:test|it|describe)$/

/** The titles of the tests in the source, those of a template as it spells them. */
function titlesOf(source: string): string[] {
  const { program, errors } = parseSync('any.test.ts', source)
  assert.deepEqual(errors, [])
  const titles: string[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, callee, arguments: given } = Object(node)
    const title =
      type === 'CallExpression' && callsOfTests.test(source.slice(callee.start, callee.end)) && given[0]
    if (title?.type === 'TemplateLiteral') titles.push(source.slice(title.start + 1, title.end - 1))
    if (title?.type === 'Literal') titles.push(String(title.value))
    for (const child of Object.values(node)) visit(child)
  }
  visit(program)
  return titles
}

test('what is a title: the first argument of a call of test, it or describe, and nothing else that is in a file', () => {
  const source = `
    // test('in a comment', () => {})
    const text = "test('in a text', () => {})"
    test('a string', () => assert.equal(1, 1, 'a message'))
    test("it's quoted", () => {})
    for (const one of [1]) test(\`number \${one} of many\`, async (t) => { await t.test('within', () => {}) })
    describe('several', () => { it('is one of them', () => {}) })
    other('of something else', () => {})
  `
  assert.deepEqual(titlesOf(source), [
    'a string',
    "it's quoted",
    'number ${one} of many',
    'within',
    'several',
    'is one of them',
  ])
})

test('the pages of the matrix have one order of columns', () => {
  const orders = pages.map((page) => rowsOf(page)[0]?.cells.map(({ underWay }) => underWay))
  for (const order of orders) assert.deepEqual(order, orders[0])
})
