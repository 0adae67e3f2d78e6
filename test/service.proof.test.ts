import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import serveSettings from '../bin/serve-settings.json' with { type: 'json' }
import { findRunningPostgres } from '../src/platform/embedded-postgres.ts'
import { firstHotel } from '../src/welcome.ts'
import { client } from './harness.ts'
import { dataFolder, runAri, startProgram, type Running } from './programs.ts'

/** The service as a process: how it starts, what it says, and how it stops. */

const root = join(import.meta.dirname, '..')
const folders: (() => Promise<void>)[] = []
const started: Running[] = []

after(async () => {
  for (const { child, ended } of started) {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await ended
  }
  for (const remove of folders) await remove()
})

async function newFolder(): Promise<string> {
  const { path, remove } = await dataFolder()
  folders.push(remove)
  return path
}

function serve(dataDir: string, environ: Record<string, string> = {}): Running {
  const running = startProgram('serve', { ARI_DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn', ...environ })
  started.push(running)
  return running
}

const readyLine =
  /^ARI gateway \((\w+)\) ready in \d+\.\d s at (http:\/\/\S+) · docs at \S+\/docs · console at \S+\/console$/m

async function urlOf(running: Running): Promise<string> {
  const [, , url = ''] = readyLine.exec(await running.printed(readyLine)) ?? []
  return url
}

async function endedBy(running: Running, signal: NodeJS.Signals): Promise<number | null> {
  running.child.kill(signal)
  return (await running.ended).code
}

/** Most tests share a folder, because making a database takes the longest. */
let dataDir = ''
/** Of the supplier made by the first start on it. */
let apiKey = ''

test('the first start shows a key, a token, a sign-in and a command that work; a later one shows none', async () => {
  dataDir = await newFolder()
  const first = serve(dataDir)
  const url = await urlOf(first)
  const text = await first.printed(/More keys:/)
  assert.match(text, /^ {2}Platform token {3}ari_tok_platform_sbx_[0-9A-Za-z]{49}$/m)
  apiKey = /^ {2}Supplier key {5}(ari_sbx_[0-9A-Za-z]{49}) {3}\(supplier "demo"\)$/m.exec(text)?.[1] ?? ''
  const signIn =
    /^ {2}Console {10}(\S+)\/console\/sign-in#token=([A-Za-z0-9_-]{43}) {3}\(once, within an hour; another: npx ari operator sign-in-link admin\)$/m
  const [, consoleUrl, linkToken] = signIn.exec(text) ?? []
  const visitor = client(url, {}, '/console/api')
  const signedIn = await visitor.post('/sign-in/link', { token: linkToken })
  assert.deepEqual([consoleUrl, signedIn.status], [url, 200])
  const [cookie = ''] = signedIn.headers.getSetCookie().map((set) => set.split(';')[0])
  const { name, role } = (await visitor.get('/me', { cookie })).body
  assert.deepEqual([name, role], ['admin', 'admin'])
  const command = text.slice(text.indexOf('  curl '), text.indexOf('The data are in')).trim()
  assert.deepEqual(command.split(/ \\\n +/), [
    `curl ${url}/v1/push/hotels`,
    `-H 'x-api-key: ${apiKey}'`,
    "-H 'content-type: application/json'",
    `-d '[${JSON.stringify(firstHotel)}]'`,
  ])
  const { status, body } = await client(url, { 'x-api-key': apiKey }).post('/push/hotels', [firstHotel])
  assert.deepEqual([status, body['message']], [200, 'Hotels updated successfully'])
  assert.equal(await endedBy(first, 'SIGTERM'), 0)
  assert.equal(await findRunningPostgres(dataDir), undefined)

  const later = serve(dataDir)
  const again = client(await urlOf(later), { 'x-api-key': apiKey })
  assert.doesNotMatch(later.output.stdout, /ari_sbx_|ari_tok_|curl|token=/)
  const held = await again.post('/push/getHotels', ['H1'])
  assert.deepEqual([held.status, held.body['notFound']], [200, []])
  assert.equal(await endedBy(later, 'SIGINT'), 0)
  assert.equal(later.output.stderr, '')
})

test('SIGTERM lets a push under way finish, answers new ones with 503, and ends with code 0', async () => {
  const running = serve(dataDir)
  const url = await urlOf(running)
  const push = JSON.stringify([firstHotel])
  const slow = request(`${url}/v1/push/hotels`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json', 'content-length': push.length },
  })
  const answered = answerOf(slow)
  slow.write(push.slice(0, 10))
  // This request for the metrics is the first in flight, the push the second.
  while (!/^ari_requests_in_flight 2$/m.test(await (await fetch(`${url}/metrics`)).text())) await wait(5)
  running.child.kill('SIGTERM')
  await running.printed(/^SIGTERM: finishing what is under way$/m)
  const { status, body, headers } = await client(url, { 'x-api-key': apiKey }).get('/push/limits')
  assert.deepEqual(
    [status, body['message'], headers.get('retry-after')],
    [503, 'The service is shutting down', '2'],
  )
  assert.equal((await fetch(`${url}/readyz`)).status, 503)
  slow.end(push.slice(10))
  assert.equal((await answered).statusCode, 200)
  assert.equal((await running.ended).code, 0)
})

test('a push that never ends does not hold up the stop, and a second signal ends it at once', async () => {
  const running = serve(dataDir)
  const url = await urlOf(running)
  const hung = request(`${url}/v1/push/hotels`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json', 'content-length': 1000 },
  })
  hung.on('error', () => {})
  hung.write('[')
  while (!/^ari_requests_in_flight 2$/m.test(await (await fetch(`${url}/metrics`)).text())) await wait(5)
  running.child.kill('SIGTERM')
  await running.printed(/^SIGTERM: finishing/m)
  // Nearer together they are one signal that came twice, as a Ctrl-C under npm does.
  await wait(600)
  assert.equal(await endedBy(running, 'SIGTERM'), 1)
  assert.equal(running.output.stderr, 'SIGTERM again: stopped at once\n')
})

test('the command line works beside a running service, and its key works at once', async () => {
  const running = serve(dataDir)
  const url = await urlOf(running)
  const { code, stdout, stderr } = await runAri({ ARI_DATA_DIR: dataDir }, 'key', 'create', '--supplier', 'S')
  assert.equal(code, 0, stderr)
  const made = JSON.parse(stdout)
  const supplier = client(url, { 'x-api-key': made.apiKey })
  assert.equal((await supplier.get('/push/limits')).status, 200)
  assert.equal((await runAri({ ARI_DATA_DIR: dataDir }, 'key', 'revoke', made.keyId)).code, 0)
  await wait(1_000)
  assert.equal((await supplier.get('/push/limits')).status, 401)

  const second = serve(dataDir)
  const line = `The service did not start: The data folder ${dataDir} is in use by a running service (pid ${running.child.pid}): stop that one, or set ARI_DATA_DIR to another folder\n`
  assert.deepEqual(await second.ended, { code: 1, stdout: '', stderr: line })
  assert.equal((await client(url).get('/push/limits')).status, 401)
  assert.equal(await endedBy(running, 'SIGTERM'), 0)
})

test('a production service prints no secrets, and its database is not for a sandbox', async () => {
  const own = await newFolder()
  const production = serve(own, { ARI_ENVIRONMENT: 'production' })
  await production.printed(/Make a first key with: npx ari key create --supplier NAME\n/)
  assert.doesNotMatch(production.output.stdout, /ari_live_|ari_tok_/)
  assert.equal(await endedBy(production, 'SIGTERM'), 0)
  const line =
    'The service did not start: The database belongs to production, but ARI_ENVIRONMENT is sandbox: use another database, or ARI_ENVIRONMENT=production\n'
  assert.deepEqual(await serve(own).ended, { code: 1, stdout: '', stderr: line })
  assert.equal(await findRunningPostgres(own), undefined)
})

test('a process that only delivers makes no keys, and says that it answers no API', async () => {
  const running = serve(await newFolder(), { ARI_ROLES: 'worker' })
  const ready = /ready in [\d.]+ s at (\S+) · no API here \(ARI_ROLES\)\n/
  const [, url = ''] = ready.exec(await running.printed(ready)) ?? []
  assert.equal((await fetch(`${url}/readyz`)).status, 200)
  assert.equal((await fetch(`${url}/v1/push/limits`)).status, 404)
  assert.equal(await endedBy(running, 'SIGTERM'), 0)
  assert.doesNotMatch(running.output.stdout, /ari_sbx_|ari_tok_|token=/)
})

test('a process that has only the console shows the first sign-in once, and no key', async () => {
  const own = await newFolder()
  const first = serve(own, { ARI_ROLES: 'console' })
  const link = /^ {2}Console {2,}(http:\/\/\S+\/console\/sign-in#token=\S+)/m
  assert.match(await first.printed(link), link)
  assert.equal(await endedBy(first, 'SIGTERM'), 0)
  const second = serve(own, { ARI_ROLES: 'console' })
  await second.printed(/no API here/)
  assert.equal(await endedBy(second, 'SIGTERM'), 0)
  assert.doesNotMatch(first.output.stdout + second.output.stdout, /ari_sbx_|ari_tok_/)
  assert.doesNotMatch(second.output.stdout, /token=/)
})

test(
  'ari serve runs on a Node with the settings for memory, in the process that was started',
  { skip: process.platform !== 'linux' },
  async () => {
    const environ = { ARI_DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn' }
    const running = startProgram('command', environ, ['serve'])
    started.push(running)
    const { child, ended, printed } = running
    await printed(readyLine)
    const read = (file: string) => readFileSync(`/proc/${child.pid}/${file}`, 'utf8').split('\0')
    const [, ...commandLine] = read('cmdline')
    assert.deepEqual(commandLine, [...serveSettings.nodeOptions, join(root, 'src/bin/serve.ts'), ''])
    const wanted = Object.entries(serveSettings.environment).map(([name, value]) => `${name}=${value}`)
    assert.deepEqual(
      wanted.filter((one) => !read('environ').includes(one)),
      [],
    )
    child.kill('SIGTERM')
    assert.equal((await ended).code, 0)
  },
)

test('wrong settings stop the start, a line each, before anything is touched', async () => {
  const { code, stdout, stderr } = await serve(await newFolder(), { PORT: 'x', LOG_LEVEL: 'loud' }).ended
  assert.deepEqual(
    [code, stdout, stderr.split('\n')],
    [
      1,
      '',
      [
        'The service did not start: PORT must be a whole number from 0 to 65535, not "x"',
        'The service did not start: LOG_LEVEL must be fatal, error, warn, info, debug, trace or silent, not "loud"',
        '',
      ],
    ],
  )
})

test('a port in use and a database out of reach stop the start with one line', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const address = other.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const refused = await serve(dataDir, { PORT: String(port) }).ended
  await new Promise((resolve) => other.close(resolve))
  const portLine = `The service did not start: It can't listen on 127.0.0.1:${port}, because another program listens there: stop it, or set PORT to another one\n`
  assert.deepEqual(refused, { code: 1, stdout: '', stderr: portLine })
  assert.equal(await findRunningPostgres(dataDir), undefined)

  const unreachable = await serve(dataDir, { DATABASE_URL: 'postgres://ari:hunter2@127.0.0.1:1/ari' }).ended
  const databaseLine =
    "The service did not start: PostgreSQL can't be reached (connect ECONNREFUSED 127.0.0.1:1): start it, or correct DATABASE_URL, if it is set\n"
  assert.deepEqual(unreachable, { code: 1, stdout: '', stderr: databaseLine })
})

test('a fault in the service itself stops it with one line, and leaves no PostgreSQL behind', async () => {
  const fault = encodeURIComponent("process.on('SIGUSR2', () => { throw new Error('a\\nfault') })")
  const running = serve(dataDir, { NODE_OPTIONS: `--import=data:text/javascript,${fault}` })
  await urlOf(running)
  assert.equal(await endedBy(running, 'SIGUSR2'), 1)
  assert.equal(running.output.stderr, 'The service stops because of a fault in itself: a fault\n')
  assert.match(running.output.stdout, /"level":60.*"stack":/)
  assert.equal(await findRunningPostgres(dataDir), undefined)
})

function answerOf(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', (response) => {
      response.resume()
      resolve(response)
    })
    sent.once('error', reject)
  })
}
