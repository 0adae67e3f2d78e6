import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { projectFiles, root, textOf } from '../../scripts/project-files.ts'
import { minutes } from '../../test/stage/pace.ts'

/**
 * CONTRIBUTING.md adds an endpoint and a restriction: its code blocks, and nothing else, are applied to a
 * copy of the project.
 */

/** The code blocks of a section, in order. */
function blocksOf(section: string): string[] {
  const text = textOf('CONTRIBUTING.md')
    .split(/^## /m)
    .find((part) => part.startsWith(section))
  assert.ok(text, section)
  return [...text.matchAll(/^ *```ts\n([^]*?)\n *```$/gm)].map(([, code = '']) => code)
}

const [route = '', endpoint = '', row = '', endpointTest = '', ...further] = blocksOf('Your first change')
assert.equal(further.length, 0)
const [line = ''] = blocksOf('A restriction')
const column = `
    max(cell.value) FILTER (WHERE cell.kind = 0 AND cell.field = 99) AS min_stay_departure`

let copy = ''
before(() => {
  copy = mkdtempSync(join(tmpdir(), 'ari-contributing-'))
  for (const path of projectFiles()) cpSync(join(root, path), join(copy, path))
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
})
after(() => rmSync(copy, { recursive: true, force: true }))

function change(path: string, from: string, to: string): void {
  const file = join(copy, path)
  const text = readFileSync(file, 'utf8')
  assert.ok(text.includes(from))
  writeFileSync(
    file,
    text.replace(from, () => to),
  )
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

const compiler = 'node_modules/typescript/bin/tsc'

test('an endpoint needs the files that CONTRIBUTING.md names', () => {
  change('src/keys/contract.ts', 'export const keyRoutes = {', `export const keyRoutes = {\n${route}`)
  writeFileSync(join(copy, 'src/keys/get-account.ts'), `${endpoint}\n`)
  change(
    'src/handlers/handlers.ts',
    'import { getLimits',
    "import { getAccount } from '../keys/get-account.ts'\nimport { getLimits",
  )
  change('src/handlers/handlers.ts', '  getLimits,', '  getAccount,\n  getLimits,')
  change('test/access/key-matrix.test.ts', '  getLimits: {', `${row}\n  getLimits: {`)
  writeFileSync(join(copy, 'src/keys/get-account.test.ts'), `${endpointTest}\n`)
  run('scripts/write-client-types.ts')
  run('scripts/write-requests.ts')
  // `npm run record:answers`.
  run(
    '--test-update-snapshots',
    '--test-name-pattern=are answered by a running service',
    'test/documents/openapi.test.ts',
  )
  run(compiler, '--noEmit', '-p', '.')
  run(
    'test/run.ts',
    'src/keys/get-account.test.ts',
    'test/access/key-matrix.test.ts',
    'test/documents/openapi.test.ts',
  )
})

test('a restriction needs a line of the table and a column of the view', () => {
  change('src/ari/restrictions.ts', '\n} as const satisfies', `\n${line}\n} as const satisfies`)
  const [view = ''] = /create view ari_night as[^;]+/.exec(textOf('db/schema.sql')) ?? []
  const wider = view
    .replace('create view', 'create or replace view')
    .replace(/\n {3}FROM/, `,${column}\n   FROM`)
  assert.ok(wider.includes(column))
  writeFileSync(join(copy, 'db/migrations/9999_min_stay_departure.sql'), `${wider};\n`)
  const story = join(copy, 'test/stage/contributing/min-stay-departure')
  cpSync(`${story}.ts`, `${story}.test.ts`)
  run(compiler, '--noEmit', '-p', 'tsconfig.src.json')
  run(compiler, '--noEmit', '-p', 'web')
  // The restriction is pushed, read back, applied to offers, explained, booked and shown.
  run('test/run.ts', 'test/stage/contributing/min-stay-departure.test.ts')
})
