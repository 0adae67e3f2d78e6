import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { taxTypes } from '../src/taxes/contract.ts'
import { difference, stepsOf, textMatches, type Step } from './docs-pages.ts'
import { minutes } from './pace.ts'
import { askRows, type Stay, type Verdict } from './docs-tables.ts'
import { startExampleSupplier, type ExampleSupplier } from './example-supplier.ts'
import {
  client,
  type Reply,
  startGateway,
  type TestClient,
  type TestGateway,
  type TestSupplier,
} from './harness.ts'

/** Every example of the README and of docs/ is run, and gives what the page shows. docs/README.md has the convention. */

const root = resolve(import.meta.dirname, '..')
const pages = ['README.md', ...globSync('docs/*.md', { cwd: root }).sort()]
const followingPage = 'docs/changes.md'
const shellTimeoutMs = minutes(2)
let exampleSupplier: ExampleSupplier
let gateway: TestGateway
let folder: string

before(async () => {
  exampleSupplier = await startExampleSupplier()
  gateway = await startGateway(exampleSupplier)
  folder = await mkdtemp(join(tmpdir(), 'ari-docs-'))
})
after(async () => {
  await gateway.stop()
  await exampleSupplier.close()
  await rm(folder, { recursive: true })
})

/** Accounts that their page calls by name. */
const accountByPage: Readonly<Record<string, string>> = {
  'docs/booking.md': 'Harbour Hotels',
  'docs/deliveries.md': 'Lagoon Hotels',
  'docs/price-check.md': 'Port Hotels',
  'docs/prices.md': 'Hill Hotels',
  'docs/reservations.md': 'Quay Hotels',
  'docs/taxes.md': 'Garden Hotels',
}

// Most of the time they wait: for programs, and for changes that do not come.
describe('the examples of', { concurrency: 4 }, () => {
  for (const page of pages) if (page !== followingPage) testPage(page)
})
// This one is told of the changes of all.
describe('then those of', () => testPage(followingPage))

function testPage(page: string): void {
  const steps = stepsOf(join(root, page))
  if (steps.length === 0) return
  test(`${page}: its ${steps.length} examples give what they show`, async () => {
    const supplier = await gateway.supplier(accountByPage[page] ?? page)
    const told = new Map<string, string>()
    for (const step of steps) await tryStep(page, step, supplier, told)
    if (page === 'docs/prices.md') {
      const asked = await askRows(readFileSync(join(root, page), 'utf8'), (stay) => verdictOn(supplier, stay))
      assert.ok(asked > 20, 'the search finds the rows')
    }
  })
}

async function verdictOn(
  { name }: TestSupplier,
  { rateId, adults, childAges, ...dates }: Stay,
): Promise<Verdict> {
  const reply = await (
    await platformClient()
  ).post('/booking/offers', {
    hotels: [{ supplier: name, hotelId: 'H1' }],
    ...dates,
    rooms: [{ adults, childAges }],
    explain: true,
  })
  const [{ offers, unavailable }] = Object(reply.body.hotels)
  const found = offers.find((offer: { rateId: string }) => offer.rateId === rateId)
  if (found) return { price: found.rooms[0].nights[0].amount }
  const { rules } = unavailable.find((one: { rateId: string }) => one.rateId === rateId)
  const failed = rules.filter(({ pass }: { pass: boolean }) => !pass)
  return { rules: failed.map(({ rule }: { rule: string }) => rule) }
}

/** `told`: members of the answers so far, for paths that name them. */
async function tryStep(
  page: string,
  step: Step,
  supplier: TestSupplier,
  told: Map<string, string>,
): Promise<void> {
  const where = `${page}, line ${step.line}`
  const { run, shown } = step
  if (run.kind === 'shell') {
    const stdout = await shell(run.script, page, supplier, where)
    if (shown?.kind === 'text') assert.ok(textMatches(shown.text, stdout), `${where}: printed\n${stdout}`)
    if (shown?.kind === 'json') same(shown.value, JSON.parse(stdout), where)
    return
  }
  const caller = run.path.startsWith('/booking/') ? await platformClient() : supplier
  const path = run.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => told.get(name) ?? name)
  const reply = await send(caller, run.method, path, run.body)
  for (const [name, value] of Object.entries(reply.body)) if (typeof value === 'string') told.set(name, value)
  const status = shown?.kind === 'json' ? (shown.status ?? 200) : 200
  assert.equal(reply.status, status, `${where}: ${reply.text}`)
  if (shown?.kind === 'json') same(shown.value, reply.body, where)
}

function send(caller: TestClient, method: string, path: string, body: unknown): Promise<Reply> {
  if (method === 'GET') return caller.get(path)
  return method === 'PUT' ? caller.put(path, body) : caller.post(path, body)
}

async function platformClient(): Promise<TestClient> {
  return client(gateway.url, { authorization: `Bearer ${await gateway.token('platform')}` })
}

function same(shown: unknown, got: unknown, where: string): void {
  assert.equal(
    difference(shown, got),
    undefined,
    `${where}: ${difference(shown, got)}\n${JSON.stringify(got, null, 2)}`,
  )
}

/**
 * `npx ari` is the command of this checkout, on the service's database. What a block defines, the next ones of the page
 * have, as in one terminal; and Node's clock is that of the service.
 */
const prelude = `
set -euo pipefail
if [ -f "$TERMINAL" ]; then . "$TERMINAL"; fi
trap 'export -p > "$TERMINAL"; declare -f >> "$TERMINAL"' EXIT
npx() { "$ARI_NODE" "$ARI_PROGRAM" "\${@:2}"; }
`

async function shell(script: string, page: string, { apiKey }: TestSupplier, where: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('bash', ['-c', `${prelude}${script}`], {
      cwd: folder,
      timeout: shellTimeoutMs,
      env: {
        PATH: process.env['PATH'],
        BASE_URL: `${gateway.url}/v1`,
        API_KEY: apiKey,
        PLATFORM_TOKEN: await gateway.token('platform'),
        DATABASE_URL: databaseUrl(),
        ARI_NODE: process.execPath,
        ARI_PROGRAM: join(root, 'src/bin/ari.ts'),
        NO_COLOR: '1',
        NODE_OPTIONS: `--import=data:text/javascript,Date.now=()=>${gateway.clock.now()}`,
        TERMINAL: join(folder, `${page.replace('/', '-')}.terminal`),
      },
    })
    return stdout
  } catch (error) {
    throw new Error(`${where} failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}

function databaseUrl(): string {
  const { host, port, user, database } = gateway.db.pool.options
  return `postgres://${encodeURIComponent(user ?? '')}@localhost:${port}/${database}?host=${encodeURIComponent(host ?? '')}`
}

/** What stands as code in the first column of the tables. */
function firstColumn(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/^\| `(\w+)` +\|/gm)].map((match) => match[1] ?? '')
}

describe('docs/errors.md', () => {
  const listed = firstColumn('docs/errors.md').filter((name) => /^[A-Z][A-Z_]+$/.test(name))

  test('names every type of problem that the source can answer with', () => {
    const notProblems: ReadonlySet<string> = new Set(taxTypes)
    const types = globSync('src/**/*.ts', { cwd: root })
      .filter((file) => !file.endsWith('.test.ts') && !file.startsWith('src/openapi/'))
      .flatMap((file) => [...readFileSync(join(root, file), 'utf8').matchAll(/\btype: '([A-Z][A-Z_]+)'/g)])
      .map((match) => match[1] ?? '')
    const wanted = [...new Set(types)].filter((type) => !notProblems.has(type)).sort()
    assert.ok(wanted.length > 90, 'the search finds them')
    assert.deepEqual(
      wanted.filter((type) => !listed.includes(type)),
      [],
    )
    assert.deepEqual(
      listed.filter((type) => !wanted.includes(type)),
      [],
      'and no others',
    )
    assert.equal(new Set(listed).size, listed.length, 'each once')
  })
})

describe('docs/operating.md', () => {
  const listed = firstColumn('docs/operating.md')

  test('names every setting and every metric', async () => {
    const config = readFileSync(join(root, 'src/config.ts'), 'utf8')
    const settings = [...config.matchAll(/'(ARI_[A-Z_]+|HOST|PORT|DATABASE_URL|LOG_LEVEL)'/g)].map(
      (match) => match[1] ?? '',
    )
    assert.ok(settings.length > 9, 'the search finds them')
    assert.deepEqual(
      settings.filter((name) => !listed.includes(name)),
      [],
    )
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text()
    const names = [...metrics.matchAll(/^# TYPE (ari_\w+)/gm)].map((match) => match[1] ?? '')
    assert.ok(names.length > 8, 'the search finds them')
    assert.deepEqual(
      names.filter((name) => !listed.includes(name)),
      [],
    )
  })
})
