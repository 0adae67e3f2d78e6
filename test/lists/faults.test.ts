import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from '../stage/files.ts'

/** The list of faults in proofs/README.md: its catchers exist, and its breaks are still found where it says. */

type Row = { fault: string; catchers: string[]; how: string }

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')
/** Lines may be broken otherwise since. */
const flat = (text: string): string => text.replaceAll(/\s+/g, ' ')
const exists = (path: string): boolean => existsSync(join(root, path))
const codesIn = (text: string): string[] =>
  [...text.matchAll(/``\s?(.+?)\s?``|`([^`]+)`/g)].map(([, long, short]) => long ?? short ?? '')

function rows(): Row[] {
  return textOf('proofs/README.md')
    .split('\n## ')
    .flatMap((section) => {
      const [title = '', ...lines] = section.split('\n')
      const folder = /`(.+)`/.exec(title)?.[1] ?? ''
      return lines.filter((line) => /^\| (?!Fault |-)/.test(line)).map((line) => rowOf(line, folder))
    })
}

function rowOf(line: string, folder: string): Row {
  const cells = line.split(/(?<!\\)\|/).slice(1, -1)
  const [fault = '', caught = '', how = ''] = cells.map((cell) => cell.trim().replaceAll('\\|', '|'))
  assert.equal(cells.length, 3, line)
  const catchers = codesIn(caught).map((path) => (path.includes('/') ? path : `${folder}${path}`))
  return { fault, catchers, how }
}

/** `place`: the text to change, or a name that is in the file. */
function placesOf(how: string): { file: string; place: string }[] {
  const [, file, name, rest = ''] = /^By hand: `([\w./-]+)`(?:, `([^`]+)`)?:\s(.*)$/.exec(how) ?? []
  if (file === undefined)
    return [...how.matchAll(/`([^`]+)`(?: \([^)]*\))? of `([\w./-]+\.ts)`/g)].map(
      ([, place = '', path = '']) => ({ file: path, place }),
    )
  const changed = /^(?:drop |``|`)/.test(rest) ? codesIn(rest).slice(0, 1) : []
  return [...(name === undefined ? [] : [name]), ...changed].map((place) => ({ file, place }))
}

test('every fault of the list has a catcher that exists', () => {
  const all = rows()
  const gone = all.flatMap(({ fault, catchers }) =>
    catchers
      .filter((path) => !/\.(?:proof|test)\.ts$/.test(path) || !exists(path))
      .map((path) => [fault, path]),
  )
  const uncaught = all.filter(({ catchers }) => catchers.length === 0).map(({ fault }) => fault)
  assert.deepEqual([gone, uncaught], [[], []])
})

test('every break of the list says how it is made', () => {
  const unclear = rows().filter(({ how }) => !/^(?:By hand: |Built in|No single break)/.test(how))
  assert.deepEqual(unclear, [])
})

test('every text that a break changes is still in its file', () => {
  const places = rows().flatMap(({ fault, how }) => placesOf(how).map((place) => ({ fault, ...place })))
  assert.ok(places.length > 500, `${places.length} places`)
  const gone = places.filter(({ file, place }) => !exists(file) || !flat(textOf(file)).includes(flat(place)))
  assert.deepEqual(gone, [])
})
