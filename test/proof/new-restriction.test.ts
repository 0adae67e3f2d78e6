import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { projectFiles, root, textOf } from '../../scripts/project-files.ts'
import { minutes } from '../pace.ts'

/** A restriction is one line of the table and its column in the view: a copy of the project gets both, and nothing else. */

const line = `
  minStayDeparture: {
    number: 13,
    kind: 'min',
    compares: 'length',
    tests: 'departure',
    label: 'Minimum stay on departure',
    marker: { look: 'departure', text: '≥{}' },
    description: 'Shortest stay that may depart on the date',
    alsoCalled: ['minLosDeparture'],
  },
`
const column = `
    max(cell.value) FILTER (WHERE cell.kind = 0 AND cell.field = 13) AS min_stay_departure`

let copy = ''
before(() => {
  copy = mkdtempSync(join(tmpdir(), 'ari-restriction-'))
  for (const path of projectFiles()) cpSync(join(root, path), join(copy, path))
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  change('src/ari/restrictions.ts', '\n} as const satisfies', `${line.trimEnd()}\n} as const satisfies`)
  const [view = ''] = /create view ari_night as[^;]+/.exec(textOf('db/schema.sql')) ?? []
  const further = view
    .replace('create view', 'create or replace view')
    .replace(/\n {3}FROM/, `,${column}\n   FROM`)
  assert.ok(further.includes(column))
  writeFileSync(join(copy, 'db/migrations/9999_min_stay_departure.sql'), `${further};\n`)
  const story = join(copy, 'test/proof/new-restriction/min-stay-departure')
  cpSync(`${story}.ts`, `${story}.test.ts`)
})
after(() => rmSync(copy, { recursive: true, force: true }))

function change(path: string, from: string, to: string): void {
  const file = join(copy, path)
  const text = readFileSync(file, 'utf8')
  assert.ok(text.includes(from))
  writeFileSync(file, text.replace(from, to))
}

function run(...parameters: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, parameters, {
    cwd: copy,
    encoding: 'utf8',
    timeout: minutes(10),
    // The copy has migrations of its own, and so a template of its own.
    env: { PATH: process.env['PATH'] },
  })
  assert.equal(status, 0, stdout + stderr)
}

test('the line and the column are enough for the compiler, of the service and of the console', () => {
  const compiler = 'node_modules/typescript/bin/tsc'
  run(compiler, '--noEmit', '-p', 'tsconfig.build.json')
  run(compiler, '--noEmit', '-p', 'console')
})

test('the line and the column are enough to push, read, sell, explain, book and show it', () => {
  run('test/run.ts', 'test/proof/new-restriction/min-stay-departure.test.ts')
})
