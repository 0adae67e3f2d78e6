import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync, symlinkSync } from 'node:fs'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { restrictionNames } from '../../src/ari/restrictions.ts'
import { changeKinds } from '../../src/changes/contract.ts'
import { findingKinds } from '../../src/findings/contract.ts'
import { taxTypes } from '../../src/taxes/contract.ts'
import {
  difference,
  stepsOf,
  textMatches,
  type Step,
  askRows,
  type Stay,
  type Verdict,
} from '../stage/docs-pages.ts'
import { freePort } from '../stage/programs/free-port.ts'
import { minutes } from '../stage/pace.ts'
import { compileCache } from '../stage/programs/programs.ts'
import {
  client,
  type Reply,
  startGateway,
  type TestClient,
  type TestGateway,
  type TestSupplier,
} from '../stage/harness.ts'

/**
 * Runs every example of the README and of docs/, and compares the result with the page. docs/README.md has
 * the convention.
 */

const root = resolve(import.meta.dirname, '../..')
const pages = ['README.md', ...globSync('docs/*.md', { cwd: root }).sort()]
const followingPage = 'docs/changes.md'
/** The port on which the pages run their receivers; here each page has a port of its own. */
const shownPort = /\b8000\b/g
const shellTimeoutMs = minutes(3)
const lookEveryMs = 50
let gateway: TestGateway
let folder: string

before(async () => {
  gateway = await startGateway({
    allowPrivate: true,
    outbound: { reach: (vetted) => vetted },
    // The suppliers of the pages are programs, whose speed depends on the machine.
    checkBudgetMs: minutes(1),
  })
  gateway.app.startBulk()
  folder = await mkdtemp(join(tmpdir(), 'ari-docs-'))
  for (const name of ['docs', 'node_modules']) symlinkSync(join(root, name), join(folder, name))
})
after(async () => {
  await gateway.stop()
  await rm(folder, { recursive: true })
})

/** Accounts that a page refers to by name. */
const accountByPage: Readonly<Record<string, string>> = {
  'docs/booking.md': 'Harbour Hotels',
  'docs/changes.md': 'Bay Hotels',
  'docs/changing.md': 'Ferry Hotels',
  'docs/deliveries.md': 'Lagoon Hotels',
  'docs/price-check.md': 'Port Hotels',
  'docs/prices.md': 'Hill Hotels',
  'docs/reservations.md': 'Quay Hotels',
  'docs/stays.md': 'Bridge Hotels',
  'docs/taxes.md': 'Garden Hotels',
  'docs/terms.md': 'Mill Hotels',
}

// They mostly wait: for programs, and for changes that do not come.
describe('the examples of', { concurrency: 4 }, () => {
  for (const page of pages) if (page !== followingPage) testPage(page)
})
// This page follows the changes of all others.
describe('then those of', () => testPage(followingPage))

function testPage(page: string): void {
  const steps = stepsOf(join(root, page))
  if (steps.length === 0) return
  test(`${page}: its ${steps.length} examples give what they show`, async () => {
    const supplier = await gateway.supplier(accountByPage[page] ?? page)
    const told = new Map<string, string>()
    const terminal: Terminal = { page, supplier, port: await freePort(), groups: [] }
    try {
      for (const step of steps) await tryStep(terminal, step, told)
    } finally {
      for (const group of terminal.groups) endGroup(group)
    }
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

/** The state in which a page is run. */
type Terminal = {
  page: string
  supplier: TestSupplier
  port: number
  /** Process groups of its blocks: programs they leave running end with the page. */
  groups: number[]
}

/** `told`: members of the answers so far, for paths that name them. */
async function tryStep(terminal: Terminal, step: Step, told: Map<string, string>): Promise<void> {
  const { page, supplier, port } = terminal
  const where = `${page}, line ${step.line}`
  const { run, shown } = onPort(step, port)
  if (run.kind === 'shell') {
    if (run.script.trimEnd().endsWith('&')) return leaveRunning(run.script, shown, terminal, where)
    const stdout = await shell(run.script, terminal, where).then(({ path }) => readFile(path, 'utf8'))
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

function onPort(step: Step, port: number): Step {
  const ofPage: unknown = JSON.parse(JSON.stringify(step).replaceAll(shownPort, String(port)))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The same step, with another number in its texts.
  return ofPage as Step
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
 * `npx ari` is the command of this checkout, on the service's database. Definitions made in one block are
 * available in the next ones of the page, as in one terminal; and Node's clock is that of the service.
 */
const prelude = `
set -euo pipefail
if [ -f "$TERMINAL" ]; then . "$TERMINAL"; fi
trap 'export -p > "$TERMINAL"; declare -f >> "$TERMINAL"' EXIT
npx() { "$ARI_NODE" "$ARI_PROGRAM" "\${@:2}"; }
`

/** Returns the file of its output, which a program left running continues to write. */
async function shell(script: string, terminal: Terminal, where: string): Promise<{ path: string }> {
  const { page, supplier, groups } = terminal
  const path = join(folder, `${page.replace('/', '-')}.${groups.length}`)
  // Files, not pipes: a program that is left running would keep pipes open.
  const [stdout, stderr] = [await open(path, 'w'), await open(`${path}.errors`, 'w')]
  try {
    const bash = spawn('bash', ['-c', `${prelude}${script}`], {
      cwd: folder,
      detached: true,
      stdio: ['ignore', stdout.fd, stderr.fd],
      timeout: shellTimeoutMs,
      env: {
        PATH: process.env['PATH'],
        ...compileCache,
        BASE_URL: `${gateway.url}/v1`,
        API_KEY: supplier.apiKey,
        PLATFORM_TOKEN: await gateway.token('platform'),
        DATABASE_URL: databaseUrl(),
        ARI_NODE: process.execPath,
        ARI_PROGRAM: join(root, 'src/bin/ari.ts'),
        NO_COLOR: '1',
        NODE_OPTIONS: `--import=data:text/javascript,Date.now=()=>${gateway.clock.now()}`,
        TERMINAL: join(folder, `${page.replace('/', '-')}.terminal`),
      },
    })
    if (bash.pid !== undefined) groups.push(bash.pid)
    const [code] = await once(bash, 'exit')
    assert.equal(code, 0, `${where} failed: ${await readFile(`${path}.errors`, 'utf8')}`)
    return { path }
  } finally {
    await stdout.close()
    await stderr.close()
  }
}

/**
 * Starts a program that the rest of the page needs, and waits until it has printed the text shown, or
 * listens.
 */
async function leaveRunning(
  script: string,
  shown: Step['shown'],
  terminal: Terminal,
  where: string,
): Promise<void> {
  const { path } = await shell(script, terminal, where)
  if (shown?.kind !== 'text') return untilListening(terminal.port)
  for (const untilMs = Date.now() + shellTimeoutMs; ; await wait(lookEveryMs)) {
    const printed = await readFile(path, 'utf8')
    if (textMatches(shown.text, printed)) return
    assert.ok(
      Date.now() < untilMs,
      `${where}: printed\n${printed}${await readFile(`${path}.errors`, 'utf8')}`,
    )
  }
}

async function untilListening(port: number): Promise<void> {
  for (const untilMs = Date.now() + shellTimeoutMs; ; await wait(lookEveryMs)) {
    const socket = connect(port, '127.0.0.1')
    const isThere = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isThere) return
    assert.ok(Date.now() < untilMs, `nothing listens at ${port}`)
  }
}

function endGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL')
  } catch {
    // None of its processes is running any more.
  }
}

function databaseUrl(): string {
  const { host, port, user, database } = gateway.db.pool.options
  return `postgres://${encodeURIComponent(user ?? '')}@localhost:${port}/${database}?host=${encodeURIComponent(host ?? '')}`
}

/** The code in the first column of the tables. */
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

  test('names every metric', async () => {
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text()
    const names = [...metrics.matchAll(/^# TYPE (ari_\w+)/gm)].map((match) => match[1] ?? '')
    assert.ok(names.length > 8, 'the search finds them')
    assert.deepEqual(
      names.filter((name) => !listed.includes(name)),
      [],
    )
  })
})

test('every link to a file of the project leads to one', () => {
  const files = globSync(['*.md', 'docs/*.md', 'decisions/*.md', 'packages/*/*.md'], { cwd: root })
  const broken = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\]\((?!\w+:)([^)#\s]+)(?:#[^)]*)?\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !target.startsWith('/') && !existsSync(join(root, dirname(file), target)))
      .map((target) => `${file}: ${target}`),
  )
  assert.deepEqual(broken, [])
})

test('the tables of rules name every restriction', () => {
  for (const page of ['docs/booking.md', 'docs/prices.md']) {
    const rows = readFileSync(join(root, page), 'utf8').match(/^\| `.*$/gm) ?? []
    const named = new Set(rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name)))
    const missing = restrictionNames.filter(
      (name) => !named.has(name) && (page === 'docs/booking.md' || name !== 'stopSell'),
    )
    assert.deepEqual([page, missing], [page, []])
  }
})

test('the tables of kinds name every change and every alert', () => {
  for (const [page, kinds] of [
    ['docs/changes.md', changeKinds],
    ['docs/alerts.md', findingKinds],
  ] as const) {
    const heads = readFileSync(join(root, page), 'utf8').match(/^\| `[^|]*\|/gm) ?? []
    const named = new Set(heads.flatMap((head) => [...head.matchAll(/`([\w.]+)`/g)].map(([, name]) => name)))
    assert.deepEqual([page, kinds.filter((kind) => !named.has(kind))], [page, []])
  }
})

test('every table of the documentation has a line below its head, without which it is shown as text', () => {
  const files = globSync(['*.md', 'docs/**/*.md', 'decisions/*.md', 'packages/*/README.md'], { cwd: root })
  const tables = files.flatMap((file) => tablesOf(readFileSync(join(root, file), 'utf8')))
  assert.ok(tables.length > 50, 'the search finds them')
  assert.deepEqual(
    tables.filter(([, second]) => !/^\|( *:?-+:? *\|)+$/.test(second ?? '')).map(([head]) => head),
    [],
  )
})

/** The tables outside code, each as its lines. */
function tablesOf(markdown: string): string[][] {
  const text = markdown.replaceAll(/^```.*?^```$/gms, '')
  return [...text.matchAll(/(?:^\|.*\n?)+/gm)].map(([table]) => table.trimEnd().split('\n'))
}
