import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, test, type TestContext } from 'node:test'
import { environOf, newTestDatabase } from '../../test/stage/postgres.ts'
import { endServices, startService } from '../../test/stage/crash/service.ts'
import { until } from '../../test/stage/pace.ts'

/**
 * As many connections as a service accepts, from addresses of this machine: on Linux that includes all of
 * 127.0.0.0/8.
 */

const ofAddress = 5_000
const inAll = 10_000
const beyond = 20
/** The number opened at once, fewer than the backlog of a listening socket. */
const openedAtOnce = 100

const undo: (() => Promise<void>)[] = []
after(async () => {
  await endServices()
  for (const step of undo) await step()
})

type Held = { socket: Socket; closed: Promise<void>; isOpen: () => boolean }

function hold(url: string, localAddress: string): Promise<Held> {
  const { hostname: host, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port), localAddress })
    let isOpen = true
    const closed = new Promise<void>((done) => {
      socket.once('close', () => {
        isOpen = false
        done()
      })
    })
    // A rejected connection is reset after it was established.
    socket.once('error', (error: Error & { code?: string }) => {
      if (error.code !== 'ECONNRESET') reject(error)
    })
    socket.once('connect', () => resolve({ socket, closed, isOpen: () => isOpen }))
    socket.resume()
  })
}

async function holdMany(url: string, count: number, localAddress: string): Promise<Held[]> {
  const held: Held[] = []
  while (held.length < count) {
    const some = Math.min(openedAtOnce, count - held.length)
    held.push(...(await Promise.all(Array.from({ length: some }, () => hold(url, localAddress)))))
  }
  return held
}

/**
 * The service's answer on a connection from an address; undefined: the connection ended without an answer.
 */
async function ask(url: string, localAddress: string, path: string): Promise<string | undefined> {
  const { socket, closed } = await hold(url, localAddress)
  let answer = ''
  socket.setEncoding('utf8').on('data', (text: string) => (answer += text))
  socket.on('error', () => {})
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
  await closed
  return answer === '' ? undefined : answer
}

async function openService(trustedProxies = ''): Promise<string> {
  const { address, drop } = await newTestDatabase()
  undo.push(drop)
  const { url } = await startService({ ...environOf(address), ARI_TRUSTED_PROXIES: trustedProxies })
  return url
}

/** Closes them before the service ends, which would wait for them. */
function letGo(held: readonly Held[]): void {
  for (const { socket } of held) socket.destroy()
}

function isSkipped(context: TestContext): boolean {
  if (process.platform === 'linux') return false
  context.skip('only on Linux connections come from any address of 127.0.0.0/8')
  return true
}

const statusOf = (answer: string | undefined): string | undefined => answer?.split(' ')[1]
const limited = (metrics: string | undefined, limit: string): number =>
  Number(new RegExp(`^ari_limits_hit_total\\{limit="${limit}"\\} (\\d+)$`, 'm').exec(metrics ?? '')?.[1] ?? 0)

test(`an address has ${ofAddress} connections: more are ended, another address is served, and what is closed is free again`, async (context) => {
  if (isSkipped(context)) return
  const url = await openService()
  const held = await holdMany(url, ofAddress, '127.0.0.2')
  const more = await holdMany(url, beyond, '127.0.0.2')
  await Promise.all(more.map(({ closed }) => closed))
  assert.deepEqual(
    [await ask(url, '127.0.0.2', '/livez'), held.every(({ isOpen }) => isOpen())],
    [undefined, true],
  )
  const metrics = await ask(url, '127.0.0.3', '/metrics')
  assert.deepEqual([statusOf(metrics), limited(metrics, 'connections_of_address')], ['200', beyond + 1])
  letGo(held.slice(0, 1))
  await until(async () => statusOf(await ask(url, '127.0.0.2', '/livez')) === '200')
  letGo(held)
})

test(`a trusted proxy has more than ${ofAddress} connections, all together have ${inAll}: more are ended, and those that there are stay`, async (context) => {
  if (isSkipped(context)) return
  const url = await openService('127.0.0.2')
  const first = await hold(url, '127.0.0.3')
  const held = await holdMany(url, inAll + beyond, '127.0.0.2')
  const ended = (): number => held.filter(({ isOpen }) => !isOpen()).length
  // Includes the first one, and the one that asked whether the service is ready.
  await until(() => ended() > beyond)
  let answer = ''
  first.socket.setEncoding('utf8').on('data', (text: string) => (answer += text))
  first.socket.write('GET /metrics HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  await first.closed
  const [ofAll, ofOne] = ['connections', 'connections_of_address'].map((limit) => limited(answer, limit))
  assert.deepEqual([statusOf(answer), ofAll, ofOne], ['200', ended(), 0])
  assert.ok(inAll - (held.length - ended()) < 5, `${ended()} of ${held.length} were ended`)
  await until(async () => statusOf(await ask(url, '127.0.0.3', '/livez')) === '200')
  letGo(held)
})
