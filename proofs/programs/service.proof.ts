import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import {
  createServer as createHttpServer,
  request,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import serveSettings from '../../bin/serve-settings.json' with { type: 'json' }
import { findRunningPostgres } from '../../src/embedded-postgres/embedded-postgres.ts'
import { firstHotel } from '../../src/start/welcome.ts'
import { client } from '../../test/stage/harness.ts'
import {
  programFile,
  programsForTests,
  runAri,
  startOnTerminal,
  startProgram,
  type Running,
} from '../../test/stage/programs/programs.ts'

/** The service as a process: its start, its output, and its shutdown. */

const { newFolder, track } = programsForTests()

function serve(dataDir: string, environ: Record<string, string> = {}): Running {
  return track(startProgram('serve', { ARI_DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn', ...environ }))
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

/** Most tests share a folder, because creating a database takes the longest. */
let dataDir = ''
/** The key of the supplier created by the first start on it. */
let apiKey = ''

test('the first start shows a key, a token, a sign-in and a command that work; a later one shows none', async () => {
  dataDir = await newFolder()
  const first = serve(dataDir)
  const url = await urlOf(first)
  const text = await first.printed(/More keys:/)
  assert.match(text, /^ {2}Platform token {3}ari_tok_platform_sbx_[0-9A-Za-z]{49}$/m)
  apiKey = /^ {2}Supplier key {5}(ari_sbx_[0-9A-Za-z]{49})$/m.exec(text)?.[1] ?? ''
  const signIn = /^ {2}Console {10}(\S+)\/console\/sign-in#token=([A-Za-z0-9_-]{43})$/m
  const [, consoleUrl, linkToken] = signIn.exec(text) ?? []
  const visitor = client(url, {}, '/console/api')
  const signedIn = await visitor.post('/sign-in/link', { token: linkToken })
  assert.deepEqual([consoleUrl, signedIn.status], [url, 200])
  const [cookie = ''] = signedIn.headers.getSetCookie().map((set) => set.split(';')[0])
  const { name, role } = (await visitor.get('/me', { cookie })).body
  assert.deepEqual([name, role], ['admin', 'admin'])
  const command = text.slice(text.indexOf('  curl '), text.indexOf('Continue with')).trim()
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

test('soon after its first start the service has created the days of the push log for two weeks', async () => {
  const folder = await newFolder()
  const running = serve(folder)
  await urlOf(running)
  const database = new pg.Client(await findRunningPostgres(folder))
  await database.connect()
  const days = async (): Promise<number> =>
    (
      await database.query(
        String.raw`select from pg_inherits where inhparent = 'push_log'::regclass and inhrelid::regclass::text ~ '\d$'`,
      )
    ).rowCount ?? 0
  while ((await days()) < 16) await wait(50)
  await database.end()
  assert.equal(await endedBy(running, 'SIGTERM'), 0)
  assert.equal(running.output.stderr, '')
})

test('the first start shows its welcome last, and on a terminal nothing but that', async () => {
  const shown = async (running: Running, stop: (running: Running) => void): Promise<string[]> => {
    await running.printed(/More keys:[^\n]*\n/)
    const url = readyLine.exec(running.output.stdout.replaceAll('\r', ''))?.[2] ?? ''
    // The delivery worker's initial work has begun by then.
    await client(url, {}).post('/push/hotels', [])
    stop(running)
    const { stdout } = await running.ended
    const lines = stdout.replaceAll('\r', '').trimEnd().split('\n')
    const end = lines.findIndex((line) => line.startsWith('The data is in'))
    // The lines caused by the machine (programs that are copied, a user of their own) come after the first
    // line.
    const said = lines.filter((line, index) => line !== '' && index <= end + 1 && !line.startsWith('Note: '))
    return said.map((line) => line.slice(0, 22))
  }
  const welcome = [
    'ARI gateway (sandbox) ',
    'The store was empty, s',
    '  Supplier key     ari',
    '  Platform token   ari',
    '  Console          htt',
    'The key belongs to the',
    'The console link signs',
    'Push a first hotel:',
    '  curl http://127.0.0.',
    "    -H 'x-api-key: ari",
    "    -H 'content-type: ",
    `    -d '[{"hotelId":"H`,
    'Continue with http://1',
    'The data is in /',
  ]
  const starts = (line: string): string => line.replace(/^(The data is in \/).*/, '$1')
  const logged = await shown(serve(await newFolder(), { LOG_LEVEL: 'info' }), ({ child }) =>
    child.kill('SIGTERM'),
  )
  const [first = '', ...rest] = logged
  assert.match(first, /^\{"level":30,"time":"/)
  assert.deepEqual(rest.map(starts), welcome)
  const onTerminal = track(startOnTerminal({ ARI_DATA_DIR: await newFolder(), PORT: '0', LOG_LEVEL: 'info' }))
  const ctrlC = ({ child }: Running) => child.stdin?.write('\x03')
  assert.deepEqual((await shown(onTerminal, ctrlC)).map(starts), welcome)
})

test('commands beside a running service name the address at which it really is', async () => {
  const folder = await newFolder()
  const running = serve(folder, { ARI_ALLOW_PRIVATE_WEBHOOKS: 'true' })
  const url = await urlOf(running)
  const key = /Supplier key +(\S+)/.exec(await running.printed(/More keys:/))?.[1] ?? ''
  const port = new URL(url).port
  const signInLink = async (environ: Record<string, string>): Promise<string> => {
    const { stdout } = await runAri(environ, 'operator', 'sign-in-link', 'admin')
    return stdout.replace(/#token=.*\n/, '')
  }
  const simulated = async (environ: Record<string, string>): Promise<string> => {
    const supplier = track(startProgram('ari', environ, ['simulate', 'supplier', '--key', key, '--json']))
    const ready = supplier.printed(/"ready":true/).then(() => 'ready')
    const told = await ready.catch(async () => (await supplier.ended).stderr)
    supplier.child.kill('SIGTERM')
    await supplier.ended
    return told
  }
  const told = {
    link: await signInLink({ ARI_DATA_DIR: folder }),
    linkByPublicUrl: await signInLink({ ARI_DATA_DIR: folder, ARI_PUBLIC_URL: 'https://ari.example.com' }),
    supplierByFolder: await simulated({ ARI_DATA_DIR: folder }),
    supplierByPort: await simulated({ PORT: port, ARI_DATA_DIR: await newFolder() }),
    supplierElsewhere: await simulated({ PORT: '9', ARI_DATA_DIR: folder }),
  }
  assert.equal(await endedBy(running, 'SIGTERM'), 0)
  assert.deepEqual(
    { ...told, linkWhenStopped: await signInLink({ ARI_DATA_DIR: folder, PORT: '8099' }) },
    {
      link: `${url}/console/sign-in`,
      linkByPublicUrl: 'https://ari.example.com/console/sign-in',
      supplierByFolder: 'ready',
      supplierByPort: 'ready',
      supplierElsewhere: told.supplierElsewhere,
      linkWhenStopped: 'http://127.0.0.1:8099/console/sign-in',
    },
  )
  // Texts that a service never writes there are neither shown on a terminal nor sent a key.
  for (const text of [
    'javascript:alert(1)',
    'http://127.0.0.1:8098/\u001B[31m',
    'http://key@127.0.0.1:8098',
  ]) {
    writeFileSync(join(folder, 'console.url'), `${text}\n`)
    const link = await signInLink({ ARI_DATA_DIR: folder, PORT: '8099' })
    assert.equal(link, 'http://127.0.0.1:8099/console/sign-in')
  }
  assert.match(told.supplierElsewhere, /got no answer from http:\/\/127\.0\.0\.1:9\/v1/)
})

test('no key or sign-in link is sent to the address of a killed service, whatever listens there since', async () => {
  const folder = await newFolder()
  const killed = serve(folder)
  const port = Number(new URL(await urlOf(killed)).port)
  await endedBy(killed, 'SIGKILL')
  const heard: (string | undefined)[] = []
  const stranger = createHttpServer(({ url }, response) => {
    heard.push(url)
    response.end('{}')
  })
  await new Promise<void>((resolve) => stranger.listen(port, '127.0.0.1', resolve))
  try {
    const environ = { ARI_DATA_DIR: folder }
    const refused = await runAri(environ, 'simulate', 'supplier', '--key', 'ari_sbx_of_nobody')
    assert.equal(refused.code, 1)
    const { stdout } = await runAri({ ...environ, PORT: '8099' }, 'operator', 'sign-in-link', 'admin')
    assert.match(stdout, /^http:\/\/127\.0\.0\.1:8099\/console/)
    assert.deepEqual(heard, [])
  } finally {
    await new Promise((resolve) => stranger.close(resolve))
  }
  // Its next start finds it again.
  const again = serve(folder)
  const url = await urlOf(again)
  const { stdout } = await runAri({ ARI_DATA_DIR: folder, PORT: '8099' }, 'operator', 'sign-in-link', 'admin')
  assert.equal(stdout.replace(/#token=.*\n/, ''), `${url}/console/sign-in`)
  assert.equal(await endedBy(again, 'SIGTERM'), 0)
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
  await running.printed(/^SIGTERM: finishing the requests in progress$/m)
  const supplier = client(url, { 'x-api-key': apiKey })
  let reply = await supplier.get('/push/limits')
  // What arrives in the same moment as the signal may still be answered.
  while (reply.status === 200) reply = await supplier.get('/push/limits')
  assert.deepEqual(
    [reply.status, reply.body['message'], reply.headers.get('retry-after')],
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
  // Closer together they count as one signal that came twice, as a Ctrl-C under npm does.
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
  await production.printed(/Create a first key with: npx ari key create --supplier NAME\n/)
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
    const running = track(startProgram('command', environ, ['serve']))
    const { child, ended, printed } = running
    await printed(readyLine)
    const read = (file: string) => readFileSync(`/proc/${child.pid}/${file}`, 'utf8').split('\0')
    const [, ...commandLine] = read('cmdline')
    assert.deepEqual(commandLine, [...serveSettings.nodeOptions, programFile('serve'), ''])
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
  const portLine = `The service did not start: Can't listen on 127.0.0.1:${port}, because another program is listening there: stop it, or set PORT to another one\n`
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
  assert.equal(running.output.stderr, 'The service is stopping because of an internal error: a fault\n')
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
