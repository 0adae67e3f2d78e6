import assert from 'node:assert/strict'
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { namedBlocks } from '../../test/stage/docs-pages.ts'
import { root } from '../../test/stage/files.ts'
import { freePort } from '../../test/stage/programs/free-port.ts'
import { client, type TestClient } from '../../test/stage/harness.ts'
import { nightAhead } from '../../test/stage/nights.ts'
import { environOf, newTestDatabase } from '../../test/stage/postgres.ts'
import { missing, runAri, startProgram, type Running } from '../../test/stage/programs/programs.ts'
import { expectOk, pushStoryHotel } from '../../test/stage/story.ts'
import { until } from '../../test/stage/pace.ts'

/**
 * docs/deploy/nginx.conf in front of two gateways with the settings of docs/scaling.md, and docs/deploy/nginx-path.conf beside it. Only addresses, names and
 * ports differ, and requests come without TLS. nginx is installed if it is missing and this user may do that.
 */

const gateways = 2
const reason = await missing('/usr/sbin/nginx', 'nginx-light')
let folder = ''
let database: Awaited<ReturnType<typeof newTestDatabase>>
let nginx: ChildProcess
let url = ''
/** Of the same gateways, where they are below a path. */
let pathUrl = ''
type Gateway = { running: Running; port: number; metricsPort: number }
const running: Gateway[] = []

before(async () => {
  if (reason !== undefined) return
  folder = mkdtempSync(join(tmpdir(), 'ari-nginx-'))
  database = await newTestDatabase()
  const [port, pathPort] = [await freePort(), await freePort()]
  url = `http://127.0.0.1:${port}`
  pathUrl = `http://127.0.0.1:${pathPort}/ari`
  for (let index = 0; index < gateways; index++)
    running.push(await startGateway(await freePort(), await freePort()))
  const file = join(folder, 'nginx.conf')
  const other = `server { listen 127.0.0.1:${pathPort}; access_log off; location / { return 410; } include ${join(root, 'docs/deploy/nginx-path.conf')}; }`
  writeFileSync(
    file,
    withoutTls(configuration())
      .replace('listen 443;', `listen 127.0.0.1:${port};`)
      .replace(/\}\s*$/, `${other}\n}\n`),
  )
  nginx = spawn('/usr/sbin/nginx', ['-c', file, '-p', folder, '-g', 'daemon off;'], { stdio: 'inherit' })
  await until(async () => (await fetch(`${url}/v1/push/limits`).catch(() => undefined))?.status === 401)
})
after(async () => {
  if (reason !== undefined) return
  nginx.kill('SIGQUIT')
  await once(nginx, 'exit')
  for (const { running: service } of running) {
    service.child.kill('SIGTERM')
    await service.ended
  }
  await database.drop()
  rmSync(folder, { recursive: true, force: true })
})

const environ = (): Record<string, string> => environOf(database.address)

async function startGateway(port: number, metricsPort: number): Promise<Gateway> {
  const settings = namedBlocks(join(root, 'docs/scaling.md')).get('sh gateway settings') ?? ''
  const named = settings
    .trim()
    .split('\n')
    .map((line) => [line.slice(0, line.indexOf('=')), ''] as const)
  const values: Record<string, string> = {
    ...environ(),
    HOST: '127.0.0.1',
    ARI_TRUSTED_PROXIES: '127.0.0.1',
    ARI_PUBLIC_URL: pathUrl,
    ARI_METRICS_PORT: String(metricsPort),
  }
  for (const [name] of named) assert.ok(values[name], `${name} of the guide is not set here`)
  const service = startProgram('serve', { ...values, PORT: String(port), LOG_LEVEL: 'error' })
  await service.printed(/ready in/)
  return { running: service, port, metricsPort }
}

/** The shipped configuration with our two gateways and files below our folder. */
function configuration(): string {
  let text = readFileSync(join(root, 'docs/deploy/nginx.conf'), 'utf8')
  for (const [index, { port }] of running.entries())
    text = text.replace(`10.0.0.1${index + 1}:8080`, `127.0.0.1:${port}`)
  return `pid ${join(folder, 'nginx.pid')};\nerror_log ${join(folder, 'error.log')};\n${text}`
    .replaceAll('/var/log/nginx', folder)
    .replaceAll('/etc/nginx', folder)
}

function withoutTls(text: string): string {
  return text.replace('listen 443 ssl;', 'listen 443;').replaceAll(/^ *ssl_certificate.*\n/gm, '')
}

const shop = async (supplier: string): Promise<TestClient> => {
  const made = await runAri(environ(), 'key', 'create', '--supplier', supplier, '--json')
  const { apiKey } = JSON.parse(made.stdout)
  const pushing = client(url, { 'x-api-key': apiKey })
  await pushStoryHotel(pushing)
  return pushing
}

const units = (date: string, inventory: number) => ({
  hotelId: 'H1',
  ari: [{ roomId: 'DBL', date, inventory }],
})

async function pushesOf({ metricsPort }: Gateway): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  return [...text.matchAll(/^ari_pushes_total\{kind="ari"[^}]*\} (\d+)$/gm)]
    .map(([, count]) => Number(count))
    .reduce((sum, count) => sum + count, 0)
}

test('nginx accepts the whole configuration, with TLS', (context) => {
  if (reason !== undefined) return context.skip(reason)
  const [key, certificate] = ['key', 'pem'].map((end) => join(folder, `ari.example.com.${end}`))
  const files = ['-keyout', key ?? '', '-out', certificate ?? '']
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=ari.example.com', ...files]
  execFileSync('openssl', made, { stdio: 'ignore' })
  const file = join(folder, 'whole.conf')
  writeFileSync(file, configuration())
  execFileSync('/usr/sbin/nginx', ['-t', '-c', file, '-p', folder], { stdio: 'pipe' })
})

test('a supplier’s pushes reach one gateway, probes and metrics reach none', async (context) => {
  if (reason !== undefined) return context.skip(reason)
  const pushing = await shop('Steady')
  const already = await Promise.all(running.map(pushesOf))
  for (let inventory = 1; inventory <= 20; inventory++)
    expectOk(await pushing.post('/push/ari', units(nightAhead(1), inventory)))
  const pushed = (await Promise.all(running.map(pushesOf))).map(
    (count, index) => count - (already[index] ?? 0),
  )
  assert.deepEqual(
    pushed.toSorted((one, other) => one - other),
    [0, 20],
  )
  for (const path of ['/metrics', '/livez', '/readyz'])
    assert.equal((await fetch(url + path)).status, 404, path)
})

test('below a path of a host with other services, the service is at that path alone', async (context) => {
  if (reason !== undefined) return context.skip(reason)
  const get = (path: string) => fetch(`${new URL(pathUrl).origin}${path}`, { redirect: 'manual' })
  const answers = {
    '/ari': [308, '/ari/'],
    '/ari/': [302, '/ari/docs'],
    '/ari/docs': [200, null],
    '/ari/docs/guides/operating': [200, null],
    '/ari/v1/push/limits': [401, null],
    '/ari/metrics': [404, null],
    '/ari/ari/metrics': [404, null],
    '/ari/ari/console/': [404, null],
    '/ari/%61ri/docs': [404, null],
    '/docs': [410, null],
    '/arid': [410, null],
  }
  for (const [path, expected] of Object.entries(answers)) {
    const { status, headers } = await get(path)
    const location = headers.get('location')?.replace(new URL(pathUrl).origin, '') ?? null
    assert.deepEqual([path, status, location], [path, ...expected])
  }
})

test('an event of the change feed arrives while the stream stays open', async (context) => {
  if (reason !== undefined) return context.skip(reason)
  const made = await runAri(environ(), 'token', 'create', '--role', 'platform', '--json')
  const { token } = JSON.parse(made.stdout)
  const pushing = await shop('Streamed')
  const headers = { accept: 'text/event-stream', authorization: `Bearer ${token}` }
  const stream = request(`${url}/v1/booking/changes`, { headers }).end()
  const [answer] = await once(stream, 'response')
  let text = ''
  answer.setEncoding('utf8').on('data', (part: string) => (text += part))
  expectOk(await pushing.post('/push/ari', units(nightAhead(2), 7)))
  await until(() => text.includes('"H1"'))
  assert.equal(answer.complete, false)
  stream.destroy()
})

test('a gateway is killed under load and starts again: what was acknowledged is stored, and nobody waits long', async (context) => {
  if (reason !== undefined) return context.skip(reason)
  const pushers = await Promise.all(['A', 'B', 'C', 'D', 'E', 'F'].map(shop))
  const dates = pushers.map((_, index) => nightAhead(31 + index))
  const acknowledged = new Map<string, number>()
  const refused = new Map<number, number>()
  let isOver = false
  const load = pushers.map(async (pushing, index) => {
    const date = dates[index] ?? ''
    let isAcknowledged = true
    while (!isOver || !isAcknowledged) {
      const inventory = ((acknowledged.get(date) ?? 0) % 900) + 1
      const { status } = await pushing.post('/push/ari', units(date, inventory))
      isAcknowledged = status === 200
      if (isAcknowledged) acknowledged.set(date, inventory)
      else refused.set(status, (refused.get(status) ?? 0) + 1)
    }
  })
  for (const [index, { running: victim, port, metricsPort }] of running.entries()) {
    await wait(500)
    victim.child.kill('SIGKILL')
    await victim.ended
    const seen = acknowledgedSum(acknowledged)
    await until(() => acknowledgedSum(acknowledged) > seen + pushers.length)
    running[index] = await startGateway(port, metricsPort)
    await wait(500)
  }
  isOver = true
  await Promise.all(load)
  // Only requests that the killed gateways had taken may fail.
  assert.deepEqual(
    [...refused.keys()].filter((status) => status !== 502),
    [],
  )
  context.diagnostic(`${refused.get(502) ?? 0} requests got 502`)
  for (const [index, pushing] of pushers.entries()) {
    const date = dates[index] ?? ''
    const { body } = expectOk(
      await pushing.post('/push/getAri', { hotelId: 'H1', startDate: date, endDate: date }),
    )
    assert.match(JSON.stringify(body['ari']), new RegExp(`"inventory":${acknowledged.get(date)}\\b`))
  }
})

function acknowledgedSum(acknowledged: ReadonlyMap<string, number>): number {
  return [...acknowledged.values()].reduce((sum, inventory) => sum + inventory, 0)
}
