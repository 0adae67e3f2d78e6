/**
 * No stored body holds the thread that answers requests. A supplier stores the worst bodies within its limits; then every
 * operation of the API and of the console is called, also those that change or remove what is there, and the service says how long its event loop was held at most, in
 * processor time of that thread.
 *
 * Whether that is too long is decided by what the same thread of the same process takes to parse a body of 2 MB: 13 ms on a
 * usual machine, so that the limit of four is the 50 ms that nothing takes there. What goes through such
 * bodies in that thread takes ten to sixty, and what only unpacks and copies them takes up to three. A machine that is slower
 * changes both sides alike, and what else runs on it doesn't count.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import { consoleRoutes } from '../../src/console-api/contract.ts'
import { routes, type RouteName } from '../../src/contract.ts'
import type { Route } from '../../src/http/route.ts'
import { endServices, startService } from '../../test/stage/crash/service.ts'
import { client, type Reply, type TestClient } from '../../test/stage/harness.ts'
import { consoleChanges } from '../../test/stage/loop/console-changes.ts'
import { emptyLists, nestedLists, smallObjects } from '../../test/stage/loop/worst-bodies.ts'
import { nightAhead } from '../../test/stage/nights.ts'
import { environOf, newTestDatabase } from '../../test/stage/postgres.ts'
import { runAri, workingFolder } from '../../test/stage/programs/programs.ts'
import { examplesOf, storyOrder } from '../../test/stage/scenes/examples.ts'
import { browser } from '../../test/stage/sign-in.ts'
import { expectOk } from '../../test/stage/story.ts'

const portFile = join(workingFolder, 'loop-held.port')
const parsesMax = 4
const mostShown = 10

type Callers = { supplier: TestClient; platform: TestClient; operator: TestClient; open: TestClient }
/** An administrator of the console, who has signed in. */
type Admin = TestClient
type Held = { name: string; parses: number; status: number }

let environ: Record<string, string>
let dropDatabase: () => Promise<void>

before(async () => {
  const { address, drop } = await newTestDatabase()
  dropDatabase = drop
  environ = {
    ...environOf(address),
    ARI_PROOF_LOOP_FILE: portFile,
  }
})

after(async () => {
  await endServices()
  await dropDatabase()
})

const watching = import.meta.resolve('../../test/stage/loop/watch-loop.ts')

async function startWatched(more: Record<string, string> = {}) {
  const service = await startService({ ...environ, NODE_OPTIONS: `--import=${watching}`, ...more })
  const port = readFileSync(portFile, 'utf8')
  const ask = async (what: string): Promise<number> => {
    const answered: unknown = await (await fetch(`http://127.0.0.1:${port}/${what}`)).json()
    return Number(answered)
  }
  return { ...service, heldMs: () => ask('held'), parsedMs: () => ask('parsed') }
}
type Watched = Awaited<ReturnType<typeof startWatched>>

let callersOf: (url: string) => Callers

async function makeCallers(): Promise<void> {
  const made = async (...parameters: string[]) => {
    const { code, stdout, stderr } = await runAri(environ, ...parameters)
    assert.equal(code, 0, stderr)
    return Object(JSON.parse(stdout))
  }
  const { apiKey } = await made('key', 'create', '--supplier', 'Docs', '--rate-limit', '0')
  const { token: platform } = await made('token', 'create', '--role', 'platform')
  const { token: operator } = await made('token', 'create', '--role', 'operator')
  callersOf = (url) => ({
    supplier: client(url, { 'x-api-key': apiKey }),
    platform: client(url, { authorization: `Bearer ${platform}` }),
    operator: client(url, { authorization: `Bearer ${operator}` }, '/console/api'),
    open: client(url),
  })
}

let admins = 0
async function signedIn(url: string): Promise<Admin> {
  const create = async (name: string): Promise<URL> => {
    const made = await runAri(environ, 'operator', 'create', '--name', name, '--role', 'admin', '--json')
    assert.equal(made.code, 0, made.stderr)
    return new URL(Object(JSON.parse(made.stdout)).signInUrl)
  }
  // Operator 1 is the one whose role, access and second factor are changed.
  if (admins === 0) await create('Another')
  const link = await create(`Admin ${++admins}`)
  const person = browser(url)
  assert.equal((await person.signInByLink(link.hash.replace('#token=', ''))).status, 200)
  return person
}

/** The examples of the reference happen in the spring of 2027; here they begin tomorrow. */
function moved<Value>(value: Value): Value {
  const byMs = Math.floor(Date.now() / 86_400_000) * 86_400_000 - Date.parse('2027-02-28')
  const text = JSON.stringify(value ?? null).replaceAll(/2027-\d\d-\d\d/g, (date) =>
    new Date(Date.parse(date) + byMs).toISOString().slice(0, 10),
  )
  return JSON.parse(text)
}

type Call = { name: string; send: () => Promise<Reply> }

/** Every operation of the API, by its examples; those that remove something are the last, the reset of the account at the end. */
function callsOfApi(callers: Callers, isAsked: (name: RouteName) => boolean = () => true): Call[] {
  return storyOrder()
    .filter(isAsked)
    .flatMap((name) =>
      examplesOf(name).map(({ request, params }, index): Call => {
        const route: Route = routes[name]
        return {
          name: `${route.method} ${route.path} (${index + 1})`,
          send: () =>
            sent(
              callers[route.access],
              route,
              { ...Object(moved(request)), ...moved(params) },
              moved(request),
            ),
        }
      }),
    )
}

function sent(
  caller: TestClient,
  { method, path }: Pick<Route, 'method' | 'path'>,
  members: Record<string, unknown>,
  body: unknown,
): Promise<Reply> {
  const query = new Map(Object.entries(members).map(([name, value]) => [name, String(value)]))
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const value = query.get(name) ?? '1'
    query.delete(name)
    return encodeURIComponent(value)
  })
  if (method === 'GET') return caller.get(`${filled}?${new URLSearchParams([...query]).toString()}`)
  if (method === 'DELETE') return caller.delete(filled)
  return method === 'PUT' ? caller.put(filled, body) : caller.post(filled, body)
}

/** Values for the parameters of the console's paths and queries; every other number is 1. */
type Named = Record<string, unknown>

/** The routes of the console, as its pages call them: those that read, then the others, signing out at the end. */
function callsOfConsole(admin: Admin, named: Named, pushIds: readonly number[]): Call[] {
  const bodies: Readonly<Record<string, unknown>> = consoleChanges(nightAhead)
  const all: Readonly<Record<string, Route>> = consoleRoutes
  const reads = Object.keys(all).filter((name) => all[name]?.method === 'GET')
  return [...reads, ...Object.keys(bodies)]
    .flatMap((name) => (all[name] ? [{ ...all[name], body: bodies[name] }] : []))
    .flatMap(({ method, path, query, body }): Call[] => {
      // Of a push, from is the number of an item.
      const nights = path.includes('{pushId}') ? ['from', 'to'] : []
      const known = [...Object.keys(Object(query).properties ?? {}), ...namesIn(path)].filter(
        (name) => !nights.includes(name),
      )
      const of = (more: Named, label = ''): Call => {
        const values = Object.entries({ ...named, ...more })
        const members = Object.fromEntries(values.filter(([name]) => known.includes(name)))
        return {
          name: `console ${method} ${path}${label}`,
          send: () => sent(admin, { method, path }, members, body),
        }
      }
      if (!path.includes('{pushId}')) return [of({})]
      const parts = path.includes('{part}') ? ['body', 'answer'] : ['']
      return pushIds.flatMap((pushId, index) =>
        parts.map((part) => of({ pushId, part }, `, push ${index + 1} ${part}`)),
      )
    })
}

function namesIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

const stored = [
  'long',
  'objects',
  'products-1',
  'products-2',
  'hotel',
  'unknown',
  'broken',
  'lists',
  'nested-1',
  'nested-2',
  'nested-3',
]

/** Stores the worst bodies of pushes of hotel H1, which the examples have made. */
async function storeWorst({ supplier }: Callers): Promise<void> {
  const push = (id: string, path: string, body: unknown) =>
    supplier.post(path, body, { 'x-request-id': `worst-${id}` })
  const night = nightAhead(21)
  const item = (more: object) => ({ roomId: 'DBL', date: night, inventory: 3, ...more })
  const ari = (id: string, more: object, roomId = 'DBL') =>
    push(id, '/push/ari', { hotelId: 'H1', ari: [{ ...item(more), roomId }] })
  const [products] = examplesOf('pushProducts')
  const [hotels] = examplesOf('pushHotels')
  const [product] = Object(products?.request).products
  const [hotel] = Object(hotels?.request)
  // Hardly shrinks.
  expectOk(await ari('long', { x: randomBytes(6 * 1024 * 1024).toString('base64') }))
  expectOk(await ari('objects', { x: smallObjects() }))
  for (const [id, x] of [
    ['products-1', emptyLists(2_000_000)],
    ['products-2', nestedLists()],
  ] as const)
    expectOk(await push(id, '/push/products', { hotelId: 'H1', products: [{ ...product, roomName: id, x }] }))
  expectOk(await push('hotel', '/push/hotels', [{ ...hotel, x: nestedLists() }]))
  await ari('unknown', { x: nestedLists() }, 'NONE')
  await push('broken', '/push/ari', `${JSON.stringify(nestedLists())}]`)
  // Newest last: the certification reads 8 MB of the newest ones.
  expectOk(await ari('lists', { x: emptyLists(1_500_000) }))
  for (const id of ['nested-1', 'nested-2', 'nested-3']) {
    const x = nestedLists()
    const closed = { rates: [{ rateId: 'BAR', closed: true, minLengthStay: 3 }] }
    expectOk(await ari(id, { x, ...closed }))
  }
}

/** Calls one after another, each measured by itself. */
async function walk(service: Watched, calls: readonly Call[]): Promise<Held[]> {
  const parsedMs = await service.parsedMs()
  const held: Held[] = []
  for (const { name, send } of calls) {
    await service.heldMs()
    const { status } = await send()
    held.push({ name, status, parses: (await service.heldMs()) / parsedMs })
  }
  return held.sort((one, other) => other.parses - one.parses)
}

function say(t: TestContext, held: readonly Held[]): void {
  for (const { name, parses, status } of held.slice(0, mostShown))
    t.diagnostic(`${parses.toFixed(2)} parses of 2 MB: ${name} (${status})`)
}

/** The calls that go through stored bodies; each must be answered by 200. */
function callsOfBodies(callers: Callers, admin: Admin, named: Named, pushIds: readonly number[]): Call[] {
  const ofConsole = callsOfConsole(admin, named, pushIds).filter(({ name }) =>
    /\{pushId\}|explain|calendar\/cell|certification/.test(name),
  )
  const logged = stored.map((id): Call => {
    const path = `/push/log/worst-${id}`
    return { name: `GET ${path}`, send: () => callers.supplier.get(path) }
  })
  const explained = {
    hotels: [{ supplier: 'Docs', hotelId: 'H1' }],
    checkin: nightAhead(21),
    checkout: nightAhead(22),
    rooms: [{ adults: 2, childAges: [] }],
    explain: true,
  }
  return [
    { name: 'GET /push/certification', send: () => callers.supplier.get('/push/certification') },
    ...logged,
    {
      name: 'POST /booking/offers, explained',
      send: () => callers.platform.post('/booking/offers', explained),
    },
    ...ofConsole.filter(({ name }) => !name.includes('undo')),
  ]
}

async function namedBy({ operator }: Callers): Promise<{ named: Named; pushIds: number[] }> {
  const first = async (path: string, list: string, member: string) => {
    const all: unknown = expectOk(await operator.get(path)).body[list]
    return Array.isArray(all) ? Object(all[0])[member] : undefined
  }
  const hotelId = await first('/hotels?search=H1', 'hotels', 'hotelId')
  const supplierId = await first('/pushes?requestId=worst-lists', 'pushes', 'supplierId')
  const pushIds: number[] = []
  for (const id of stored)
    pushIds.push(Number(await first(`/pushes?requestId=worst-${id}`, 'pushes', 'pushId')))
  const night = nightAhead(21)
  const named = {
    hotelId,
    supplierId,
    room: 'DBL',
    rate: 'BAR',
    night,
    from: night,
    to: nightAhead(40),
    q: 'H1',
  }
  return { named, pushIds }
}

test('no operation of the API or the console holds the loop by what is stored', async (t) => {
  const service = await startWatched()
  await makeCallers()
  let callers = callersOf(service.url)
  // The first time, much is loaded and compiled. What was removed in the end is pushed again.
  for (const { send } of callsOfApi(callers)) await send()
  for (const { send } of callsOfApi(callers, (name) => 'pushKind' in routes[name])) await send()
  const small = await namedBy(callers)
  for (const { send } of callsOfConsole(await signedIn(service.url), small.named, [])) await send()
  await makeCallers()
  callers = callersOf(service.url)
  for (const { send } of callsOfApi(callers, (name) => 'pushKind' in routes[name])) await send()
  await storeWorst(callers)
  const { named, pushIds } = await namedBy(callers)
  const admin = await signedIn(service.url)
  const ofBodies = await walk(service, callsOfBodies(callers, admin, named, pushIds))
  const changed = await walk(service, [...callsOfConsole(admin, named, pushIds), ...callsOfApi(callers)])
  // The reset of the account took the bodies away: it is stored and reset once more, by the API.
  await makeCallers()
  callers = callersOf(service.url)
  for (const { send } of callsOfApi(callers, (name) => 'pushKind' in routes[name])) await send()
  await storeWorst(callers)
  const all = [...changed, ...(await walk(service, callsOfApi(callers)))]
  say(
    t,
    [...ofBodies, ...all].sort((one, other) => other.parses - one.parses),
  )
  assert.deepEqual(
    ofBodies.filter(({ status }) => status !== 200),
    [],
  )
  assert.deepEqual(
    [...ofBodies, ...all].filter(({ parses }) => parses > parsesMax),
    [],
  )
})

test('the proof finds a service that goes through bodies in the thread that answers requests', async (t) => {
  const service = await startWatched({ ARI_PROOF_BREAK: 'here' })
  await makeCallers()
  const callers = callersOf(service.url)
  for (const { send } of callsOfApi(callers, (name) => 'pushKind' in routes[name])) await send()
  await storeWorst(callers)
  const { named, pushIds } = await namedBy(callers)
  const admin = await signedIn(service.url)
  const held = await walk(service, callsOfBodies(callers, admin, named, pushIds))
  say(t, held)
  const found = held.filter(({ parses }) => parses > parsesMax).map(({ name }) => name)
  assert.ok(found.includes('GET /push/certification') && found.length > 3, found.join('\n'))
})
