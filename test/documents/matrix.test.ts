import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
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

/** Whether the file has the title, as the code spells it. */
function isThere(path: string, title: string): boolean {
  const file = join(root, path)
  if (!existsSync(file)) return false
  const source = readFileSync(file, 'utf8')
  return [title, title.replaceAll("'", "\\'")].some((spelled) => source.includes(spelled))
}

test('the pages of the matrix have one order of columns', () => {
  const orders = pages.map((page) => rowsOf(page)[0]?.cells.map(({ underWay }) => underWay))
  for (const order of orders) assert.deepEqual(order, orders[0])
})
