import autocannon from 'autocannon'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import serveSettings from '../../bin/serve-settings.json' with { type: 'json' }
import { createKey, createToken } from '../../src/keys/manage.ts'
import { openLog } from '../../src/base/log.ts'
import { migrate } from '../../src/postgres/schema/migrate.ts'
import { openDatabase, type Database } from '../../src/postgres/postgres.ts'
import { preparePartitions } from '../../src/push-log/bodies/housekeeping.ts'
import { fillReference } from '../../src/reference/store.ts'
import { startGateway, type TestGateway } from '../../test/stage/harness.ts'
import { asAdmin, serverVariable, type TestAddress } from '../../test/stage/postgres.ts'
import type { Workload } from './workload.ts'

/**
 * Its own database with a supplier's hotels, for one peer or for several that don't touch each other's
 * tables.
 */
export type Stage = {
  address: TestAddress
  db: Database
  apiKey: string
  /** The platform's token. */
  token: string
  drop: () => Promise<void>
}

export const benchNow = Date.UTC(2027, 2, 1, 12)

export async function openStage(server: TestAddress, workload: Workload): Promise<Stage> {
  const name = `bench_${randomBytes(6).toString('hex')}`
  await asAdmin(server, `create database ${name}`)
  const address = { ...server, database: name }
  await migrate(address)
  const db = openDatabase(address, openLog('fatal'))
  await fillReference(db)
  await preparePartitions(db, benchNow)
  const limits = { requestsPerMinute: 0, ariCellsMax: 1_000_000, bodyBytesMax: 64 * 1024 * 1024 }
  const { apiKey } = await createKey(db, 'sandbox', {
    supplier: 'bench',
    channelManager: 'bench',
    expiresAtMs: null,
    limits,
  })
  const { token } = await createToken(db, 'sandbox', { role: 'platform', name: 'bench', expiresAtMs: null })
  await seed(address, workload)
  return {
    address,
    db,
    apiKey,
    token,
    drop: async () => {
      await db.close()
      await asAdmin(server, `drop database ${name} with (force)`)
    },
  }
}

/**
 * Leaves hotels as their first push of ARI of the day does, which also writes their indexes: most pushes are later
 * ones.
 */
export async function pushedToday({ address }: Stage, codes: readonly string[]): Promise<void> {
  await asAdmin(
    address,
    `update hotel set ari_at = now(), ari_day = floor(extract(epoch from now()) / 86400),
       ari_until_month = greatest(ari_until_month, (select max(month) from ari_month where hotel_id = hotel.id))
     where code = any('{${codes.join()}}')`,
  )
  await asAdmin(address, 'vacuum analyze hotel')
}

/** Inserts hotels, rooms and rates by SQL, without a time limit: pushing 100,000 hotels would take longer than the measurement. */
async function seed(address: TestAddress, { hotels, roomsPerHotel, ratesPerRoom }: Workload): Promise<void> {
  await asAdmin(
    address,
    `insert into hotel (supplier_id, key_id, code, name, currency, is_available, min_child_age, max_child_age, time_zone, pushed, revision, catalog_version)
       select (select id from supplier), (select id from api_key), 'H' || h, 'Hotel ' || h, 'USD', true, 2, 12, 'UTC', '{}', 1, 1 from generate_series(0, ${hotels} - 1) h;
     insert into room select id, r + 1, 'R' || r, 'Room ' || r, 'Double' from hotel, generate_series(0, ${roomsPerHotel} - 1) r;
     insert into rate select id, p + 1, 'P' || p, 'Rate ' || p from hotel, generate_series(0, ${ratesPerRoom} - 1) p;
     insert into room_rate (hotel_id, room_no, rate_no, is_available, max_occupancy, pricing_model)
       select hotel_id, room_no, rate_no, true, 4, 'guest' from room join rate using (hotel_id);
     analyze`,
  )
}

/** The whole service in this process, console included, on the stage's database. */
export function startGatewayOn(server: TestAddress, stage: Stage): Promise<TestGateway> {
  process.env[serverVariable] = JSON.stringify({ address: server })
  return startGateway({ through: () => stage.address })
}

/** The tables of the usual stack beside ours, with the same hotels. */
export async function addUsualTables(stage: Stage): Promise<void> {
  await stage.db.query(`
    create table usual_api_key (hash text primary key, supplier_id int not null);
    create table usual_hotel (id int primary key, supplier_id int not null, code text not null, currency text not null, unique (supplier_id, code));
    create table usual_room_rate (id serial primary key, hotel_id int not null, room_code text not null, rate_code text not null, unique (hotel_id, room_code, rate_code));
    create table usual_inventory (hotel_id int not null, room_code text not null, night date not null, inventory int, closed boolean not null default false, primary key (hotel_id, room_code, night));
    create table usual_rate_daily (room_rate_id int not null, night date not null, prices jsonb not null, closed boolean not null default false,
      closed_to_arrival boolean not null default false, closed_to_departure boolean not null default false, min_length_stay smallint, max_length_stay smallint,
      updated_at timestamptz not null default now(), primary key (room_rate_id, night));
    create table usual_push_log (id serial primary key, supplier_id int not null, hotel_id int, request_id text not null, at timestamptz not null default now(),
      status int not null, body jsonb not null, answer jsonb not null);
    create index on usual_push_log (supplier_id, at);
    create index on usual_push_log (request_id);
    insert into usual_hotel select id, supplier_id, code, currency from hotel;
    insert into usual_room_rate (hotel_id, room_code, rate_code)
      select hotel_id, room.code, rate.code from room_rate join room using (hotel_id, room_no) join rate using (hotel_id, rate_no);
    insert into usual_api_key select encode(hash, 'hex'), supplier_id from api_key_secret join api_key on api_key.id = key_id;
    analyze`)
}

export type Peer = { url: string; pid: number; stop: () => Promise<void> }

type PeerName = 'ours' | 'usual' | 'usual-offers' | 'noop'

const compileCache = resolve(import.meta.dirname, '../../node_modules/.cache/bench')

/** A peer as a process of its own; it prints its address first. */
export function startPeer(name: PeerName, stage: Stage): Promise<Peer> {
  const file = resolve(import.meta.dirname, '../peers', `${name}.ts`)
  const child = spawn(process.execPath, [...serveSettings.nodeOptions, file, JSON.stringify(stage.address)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // The same for every peer: the options with which the service is started.
    // Compiled modules are cached, as the service caches its own: otherwise the compiler stays in memory.
    env: { ...process.env, ...serveSettings.environment, NODE_COMPILE_CACHE: compileCache },
  })
  const ended = new Promise<void>((done) => child.once('exit', () => done()))
  return new Promise((started, failed) => {
    child.once('error', failed)
    child.once('exit', (code) => failed(new Error(`${name} ended with ${code}`)))
    child.stdout.once('data', (line) => {
      child.stdout.resume()
      started({
        url: String(line).trim(),
        pid: child.pid ?? 0,
        stop: async () => {
          child.kill('SIGTERM')
          await ended
        },
      })
    })
  })
}

export type Measured = { perSecond: number; p50Ms: number; p99Ms: number }

/** Pushes the bodies in turn, repeatedly; every answer must be a 200. */
export function load(peer: Peer, stage: Stage, bodies: readonly string[], how: How): Promise<Measured> {
  return loadOn({ url: `${peer.url}/v1/push/ari`, headers: { 'x-api-key': stage.apiKey } }, bodies, how)
}

/** For a time, or until a number of requests is answered. */
export type How = { connections: number } & ({ seconds: number } | { requests: number })

/** A body with headers of its own, such as another supplier's key. */
export type PostOf = { body: string; headers: Record<string, string> }

/** Posts the bodies in turn, repeatedly, from outside the peer's process; every answer must be a 200. */
export async function loadOn(
  { url, headers }: { url: string; headers: Record<string, string> },
  posts: readonly (string | PostOf)[],
  { connections, ...length }: How,
): Promise<Measured> {
  const common = { 'content-type': 'application/json', ...headers }
  const bodies = posts.map((post) =>
    typeof post === 'string' ? { body: post } : { body: post.body, headers: { ...common, ...post.headers } },
  )
  let next = 0
  const result = await autocannon({
    url,
    method: 'POST',
    connections,
    ...('requests' in length ? { amount: length.requests } : { duration: length.seconds }),
    timeout: 60,
    headers: common,
    requests: [{ setupRequest: (request) => ({ ...request, ...bodies[next++ % bodies.length] }) }],
  })
  const failed = result.non2xx + result.errors + result.timeouts
  if (failed > 0) {
    const statuses = Object.entries(result.statusCodeStats).map(
      ([status, { count }]) => `${count} × ${status}`,
    )
    throw new Error(`${failed} of ${result.requests.total} requests failed: ${statuses.join(', ')}`)
  }
  return { perSecond: result.requests.average, p50Ms: result.latency.p50, p99Ms: result.latency.p99 }
}

/** The median of several runs, by throughput. */
export function middleOf<One extends Measured>(runs: readonly One[]): One {
  const sorted = runs.toSorted((left, right) => left.perSecond - right.perSecond)
  const middle = sorted[Math.floor(sorted.length / 2)]
  if (!middle) throw new Error('nothing measured')
  return middle
}

export async function residentMegabytes({ pid }: Pick<Peer, 'pid'>): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

const ticksPerSecond = 100

/** The processor time used so far by the PostgreSQL of a stage. */
export async function postgresSeconds({ db }: Stage): Promise<number> {
  const { rows } = await db.query<{ pid: number }>('select pg_backend_pid() as pid')
  const postmaster = (await processes()).get(rows[0]?.pid ?? 0)?.parent ?? 0
  return processorSeconds(postmaster)
}

/** The processor time used so far by a process and everything it started, with those that have ended. */
export async function processorSeconds(pid: number): Promise<number> {
  const all = await processes()
  const secondsOf = (one: number): number => {
    const children = [...all].filter(([, { parent }]) => parent === one)
    return children.reduce((sum, [child]) => sum + secondsOf(child), all.get(one)?.seconds ?? 0)
  }
  return secondsOf(pid)
}

async function processes(): Promise<Map<number, { parent: number; seconds: number }>> {
  const found = new Map<number, { parent: number; seconds: number }>()
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '')
    // After the name: the state, the parent, and from the 12th on the ticks of itself and its ended children.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [, parent = 0] = fields
    const ticks = fields.slice(11, 15).reduce((sum, one) => sum + one, 0)
    found.set(Number(entry), { parent, seconds: ticks / ticksPerSecond })
  }
  return found
}
