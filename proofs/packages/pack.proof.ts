/** The package as npm would publish it, installed in a folder of its own, with the machine's own Node. */
import assert from 'node:assert/strict'
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { projectFiles, root } from '../../scripts/project-files.ts'
import { minutes } from '../../test/stage/pace.ts'

const folder = mkdtempSync(join(tmpdir(), 'ari-pack-'))
/** Where it is packed: to pack is to build, and others use the checkout's build meanwhile. */
const copy = join(folder, 'checkout')
const home = join(folder, 'elsewhere')
const readyWithinMs = minutes(3)
const stoppedWithinMs = minutes(2)
const timeout = minutes(10)

/**
 * Without the variables that `npm run` adds: the packaged Node must be found by the package, not by the
 * checkout.
 */
const environ = Object.fromEntries(
  Object.entries({
    ...process.env,
    PATH: (process.env.PATH ?? '')
      .split(delimiter)
      .filter((entry) => !entry.includes('node_modules'))
      .join(delimiter),
    ARI_DATA_DIR: join(home, 'data'),
    PORT: '0',
  }).filter(([name]) => !/^npm_(?!config_)|^npm_config_local_prefix$|^NODE_|^INIT_CWD$/.test(name)),
)

let packed: string[] = []
let archive = { filename: '', size: 0, unpackedSize: 0 }
let running: ChildProcess | undefined

before(installElsewhere, { timeout })

function installElsewhere(): void {
  // PostgreSQL, which doesn't run as root, must be able to pass through.
  chmodSync(folder, 0o711)
  mkdirSync(home)
  chmodSync(home, 0o711)
  for (const path of projectFiles()) cpSync(join(root, path), join(copy, path))
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  const [pack] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder], copy))
  archive = pack
  packed = pack.files.map(({ path }: { path: string }) => path)
  writeFileSync(join(home, 'package.json'), '{ "private": true }\n')
  run('npm', ['install', join(folder, pack.filename), '--no-audit', '--no-fund', '--prefer-offline'], home)
}

after(() => {
  if (running?.pid !== undefined && groupLives(running.pid)) process.kill(-running.pid, 'SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

test('the package holds the emitted service with its data, and no source and no tests', () => {
  for (const path of [
    'bin/ari.js',
    'dist/bin/ari.js',
    'dist/bin/serve.js',
    'dist/bundled-licenses.md',
    'dist/console-web/bundled-licenses.md',
    'dist/openapi/reference-worker.js',
    'dist/reference/cities.tsv.zst',
    'dist/console-web/index.html',
    'dist/guides/guides-browser.css',
    'docs/getting-started.md',
  ]) {
    assert.ok(packed.includes(path), path)
  }
  assert.deepEqual(
    packed
      .filter((path) => !path.startsWith('docs/samples/'))
      .filter((path) => path.endsWith('.ts') || /(?:^|\/)(?:test|src|scripts)\//.test(path)),
    [],
  )
})

test('built again, the package is the same, byte for byte, and at most 5 MB', { timeout }, (t) => {
  const again = join(folder, 'again')
  mkdirSync(again)
  run('npm', ['pack', '--json', '--pack-destination', again], copy)
  const bytes = readFileSync(join(folder, archive.filename))
  assert.ok(readFileSync(join(again, archive.filename)).equals(bytes), 'the same bytes')
  t.diagnostic(`${archive.size} bytes, unpacked ${archive.unpackedSize}`)
  assert.ok(archive.size <= 5_000_000, String(archive.size))
})

test('the bill of materials names every installed and bundled package with its licence and checksum', () => {
  const dist = join(home, 'node_modules/ari-gateway/dist')
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const bill = JSON.parse(readFileSync(join(dist, 'sbom.cdx.json'), 'utf8'))
  assert.deepEqual([bill.bomFormat, bill.metadata.component.name], ['CycloneDX', 'ari-gateway'])
  type Component = { name: string; version: string; licenses?: unknown[]; hashes?: unknown[] }
  const components: Component[] = bill.components
  for (const { name, version, licenses, hashes } of components)
    assert.ok(version && licenses?.length && hashes?.length, `${name} ${version}`)
  const named = new Set(components.map(({ name, version }) => `${name} - ${version}`))
  const { dependencies, optionalDependencies }: Record<string, Record<string, string>> = lock.packages['']
  for (const [name, version] of Object.entries({ ...dependencies, ...optionalDependencies }))
    assert.ok(named.has(`${name} - ${version}`), name)
  for (const [list, expected] of [
    ['bundled-licenses.md', ['fastify', 'pg', 'typebox']],
    ['console-web/bundled-licenses.md', ['react', '@mantine/core', '@fontsource-variable/inter']],
  ] as const) {
    const text = readFileSync(join(dist, list), 'utf8')
    const bundled = Array.from(text.matchAll(/^## (\S+ - \S+) \(/gm), ([, one = '']) => one)
    for (const name of expected)
      assert.ok(
        bundled.some((one) => one.startsWith(`${name} - `)),
        `the licence of ${name}`,
      )
    for (const one of bundled) assert.ok(named.has(one), one)
  }
  for (const tool of ['typescript', 'vite', 'oxlint'])
    assert.ok(!components.some(({ name }) => name === tool), `${tool} is not shipped`)
})

test(
  'installed for the whole machine as the guide says, the command is on the path, and uninstalled, nothing is left',
  {
    timeout,
  },
  () => {
    const guide = readFileSync(join(root, 'docs/install.md'), 'utf8')
    const prefix = join(folder, 'usr')
    const ofGuide = (command: string): string[] => {
      const text = `npm ${command} --global --prefix /usr ari-gateway`
      assert.ok(guide.includes(text), text)
      return [command, '--global', '--prefix', prefix]
    }
    const quietly = ['--no-audit', '--no-fund', '--prefer-offline']
    run('npm', [...ofGuide('install'), join(folder, archive.filename), ...quietly], folder)
    assert.match(run(join(prefix, 'bin/ari'), ['--help'], folder), /ari serve/)
    run('npm', [...ofGuide('uninstall'), 'ari-gateway'], folder)
    const left = readdirSync(prefix, { recursive: true, withFileTypes: true }).filter(
      (entry) => !entry.isDirectory(),
    )
    assert.deepEqual(
      left.map(({ name }) => name),
      [],
    )
  },
)

test('npx ari --help lists the commands, and so does the command on the Node of the machine', () => {
  assert.match(run('npx', ['ari', '--help'], home), /^Usage: ari /)
  assert.match(run(join(home, 'node_modules/.bin/ari'), ['--help'], home), /^Usage: ari /)
})

test(
  'what is pushed to the installed service is there after a stop and another start',
  { timeout },
  async () => {
    const first = await start(join(home, 'node_modules/.bin/ari'), ['serve'])
    const [, apiKey = ''] = /Supplier key\s+(ari_sbx_\w+)/.exec(first.printed) ?? []
    const live = await fetch(`${first.url}/livez`)
    assert.deepEqual({ status: live.status, text: await live.text() }, { status: 200, text: 'ok\n' })
    const guide = await fetch(`${first.url}/docs/guides/getting-started`)
    assert.match(await guide.text(), /<h1[^>]*>Five minutes/)
    const page = await fetch(`${first.url}/console`)
    assert.equal(page.status, 200, 'the console is built')
    const [, script = ''] = / src="([^"]+)"/.exec(await page.text()) ?? []
    assert.equal((await fetch(`${first.url}${script}`)).status, 200)
    const hotel = {
      hotelId: 'H1',
      hotelName: 'Sea View Resort',
      currency: 'EUR',
      isAvailable: true,
      minChildAge: 3,
      maxChildAge: 12,
      countryCodeISO2: 'FR',
      city: 'Nice',
      timezone: 'Europe/Paris',
    }
    const push = await post(`${first.url}/v1/push/hotels`, apiKey, [hotel])
    assert.equal(push.message, 'Hotels updated successfully')
    assert.deepEqual(push.warnings, [], 'the city table is part of the package')
    assert.equal(
      await loadedState(first.url, apiKey, hotel),
      'done',
      'the thread of loads is part of the package',
    )
    // As a supervisor stops it: the command passes the signal on to the Node that it started.
    first.child.kill('SIGTERM')
    assert.deepEqual(await first.exit, [0, null])
    await nothingLeft(first)

    const second = await start('npx', ['ari', 'serve'])
    const read = await post(`${second.url}/v1/push/getHotels`, apiKey, ['H1'])
    assert.equal(read.hotels[0].hotelName, hotel.hotelName)
    // As Ctrl-C in a terminal does.
    process.kill(-second.pid, 'SIGINT')
    await nothingLeft(second)
  },
)

type Started = { child: ChildProcess; pid: number; exit: Promise<unknown>; url: string; printed: string }

async function start(program: string, parameters: string[]): Promise<Started> {
  // Its own process group, such as a terminal gives to the programs started in it.
  const child = spawn(program, parameters, {
    cwd: home,
    env: environ,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  running = child
  assert.ok(child.pid)
  const exit = once(child, 'exit')
  let printed = ''
  const url = await new Promise<string>((found, failed) => {
    const late = setTimeout(() => failed(new Error(`not ready: ${printed}`)), readyWithinMs)
    const read = (piece: Buffer): void => {
      printed += piece.toString()
      const [, at] = /ready in [\d.]+ s at (http:\S+)/.exec(printed) ?? []
      // The whole greeting arrives with the line or right after it.
      if (at !== undefined) setTimeout(() => found(at), 1_000)
      if (at !== undefined) clearTimeout(late)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('exit', (code) => failed(new Error(`ended with ${code}: ${printed}`)))
  })
  return { child, pid: child.pid, exit, url, printed }
}

async function nothingLeft({ pid, url }: Started): Promise<void> {
  const until = performance.now() + stoppedWithinMs
  while (groupLives(pid) && performance.now() < until) await delay(50)
  assert.equal(groupLives(pid), false, 'a process is left')
  await assert.rejects(fetch(`${url}/livez`), 'something still serves')
}

function groupLives(pid: number): boolean {
  try {
    return process.kill(-pid, 0)
  } catch {
    return false
  }
}

async function post(url: string, apiKey: string, body: unknown) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer = JSON.parse(await response.text())
  assert.ok(response.ok, JSON.stringify(answer))
  return answer
}

function run(program: string, parameters: string[], cwd: string): string {
  return execFileSync(program, parameters, { cwd, env: environ, encoding: 'utf8' })
}

/** Loads a hotel by a job; returns what became of it. */
async function loadedState(url: string, apiKey: string, hotel: object): Promise<unknown> {
  const { jobId } = await post(`${url}/v1/push/bulk`, apiKey, { kind: 'hotels', format: 'ndjson' })
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/x-ndjson' }
  const body = `${JSON.stringify({ ...hotel, hotelId: 'H2' })}\n`
  await fetch(`${url}/v1/push/bulk/${jobId}/data`, { method: 'PUT', headers, body })
  await post(`${url}/v1/push/bulk/${jobId}/start`, apiKey, {})
  for (;;) {
    const { state } = Object(await (await fetch(`${url}/v1/push/bulk/${jobId}`, { headers })).json())
    if (!['queued', 'running'].includes(state)) return state
    await delay(50)
  }
}
