import { environOf, type TestAddress } from '../test/stage/postgres.ts'
import { startService, type Service } from '../test/stage/crash/service.ts'
import serveSettings from '../bin/serve-settings.json' with { type: 'json' }
import { expect, openClient } from './stage/client.ts'
import {
  load,
  loadOn,
  middleOf,
  openStage,
  postgresSeconds,
  processorSeconds,
  type How,
  type Measured,
  type Stage,
} from './stage/stage.ts'
import { measuredText, row, type Row } from './stage/table.ts'
import { night, random, seasonPush, smallPushes, type Workload } from './stage/workload.ts'

/** The service itself, whose date is the present one. */
const firstNight = Math.ceil(Date.now() / 86_400_000 + 1) * 86_400_000
const workload: Workload = { hotels: 200, roomsPerHotel: 10, ratesPerRoom: 5, firstNight }
const seasonNights = 60
const stayNights = 3
const connections = 64
const runs = 3
const warmUpRequests = 15_000
const counts = [1, 2, 4] as const
/** Few enough that each of four processes writes to each of them all the time. */
const sharedHotels = 8

type Used = Measured & { serviceUs: number; postgresUs: number }
type Peers = Map<number, Service>

/**
 * One process beside two and four, on the same store: searches, and the processor time of pushes to many
 * hotels and to the same few. They take turns, so that a drift of the machine affects all.
 */
export async function manyProcesses(server: TestAddress, { seconds = 5 } = {}): Promise<Row[]> {
  const stage = await openStage(server, workload)
  const peers: Peers = new Map()
  try {
    for (const count of counts) peers.set(count, await start(stage, count))
    await pushSeason(stage, urlOf(peers, 1))
    const bodies = searches(await hotelIds(stage))
    const headers = { authorization: `Bearer ${stage.token}` }
    const offers = await inTurns(
      stage,
      peers,
      ({ url }, how) => loadOn({ url: `${url}/v1/booking/offers`, headers }, bodies, how),
      seconds,
    )
    const pushTo = (some: Workload) => {
      const pushes = smallPushes(some, 20_000, seasonNights, 1)
      return inTurns(
        stage,
        peers,
        (peer, how) => load({ ...peer, stop: async () => {} }, stage, pushes, how),
        seconds,
      )
    }
    const spread = await pushTo(workload)
    const shared = await pushTo({ ...workload, hotels: sharedHotels })
    return [
      ...counts
        .slice(1)
        .map((count) =>
          row(
            `offers, ${count} processes`,
            offersText(of(offers, count)),
            `one process ${offersText(of(offers, 1))}`,
            of(offers, count).perSecond / of(offers, 1).perSecond,
            { atLeast: 0.8 },
          ),
        ),
      ...counts
        .slice(1)
        .flatMap((count) => [
          pushRow(`processor per push, ${workload.hotels} hotels, ${count} processes`, spread, count),
          pushRow(`the same, ${sharedHotels} hotels`, shared, count),
        ]),
    ]
  } finally {
    for (const peer of peers.values()) await peer.end('SIGTERM')
    await stage.drop()
  }
}

function start({ address }: Stage, count: number): Promise<Service> {
  const environ = {
    ...environOf(address),
    ...serveSettings.environment,
    ARI_PROCESSES: String(count),
    ARI_ROLES: 'gateway,worker',
  }
  return startService(environ, serveSettings.nodeOptions)
}

function urlOf(peers: Peers, count: number): string {
  return peers.get(count)?.url ?? ''
}

async function inTurns(
  stage: Stage,
  peers: Peers,
  measure: (peer: Service, how: How) => Promise<Measured>,
  seconds: number,
): Promise<Map<number, Used>> {
  const measured = new Map<number, Used[]>()
  // As in processes that have run for a while: each of several gets as many requests as the only one.
  for (const [count, peer] of peers) await measure(peer, { connections, requests: warmUpRequests * count })
  for (let run = 0; run < runs; run++) {
    for (const [count, peer] of peers) {
      const one = await used(stage, peer, () => measure(peer, { connections, seconds }))
      measured.set(count, [...(measured.get(count) ?? []), one])
    }
  }
  return new Map([...measured].map(([count, all]) => [count, middleOf(all)]))
}

/** With the microseconds of processor time per request, of the service and of PostgreSQL. */
async function used(stage: Stage, { pid }: Service, measure: () => Promise<Measured>): Promise<Used> {
  const before = { service: await processorSeconds(pid), postgres: await postgresSeconds(stage) }
  const fromMs = performance.now()
  const measured = await measure()
  const requests = (measured.perSecond * (performance.now() - fromMs)) / 1_000
  const perRequestUs = (seconds: number): number => (seconds * 1_000_000) / requests
  return {
    ...measured,
    serviceUs: perRequestUs((await processorSeconds(pid)) - before.service),
    postgresUs: perRequestUs((await postgresSeconds(stage)) - before.postgres),
  }
}

function of(measured: ReadonlyMap<number, Used>, count: number): Used {
  const one = measured.get(count)
  if (!one) throw new Error(`nothing was measured with ${count} processes`)
  return one
}

function offersText(one: Used): string {
  const share = one.postgresUs / (one.postgresUs + one.serviceUs)
  return `${measuredText(one)}, PostgreSQL ${Math.round(share * 100)} % of the processor`
}

function pushRow(what: string, measured: ReadonlyMap<number, Used>, count: number): Row {
  const sum = ({ serviceUs, postgresUs }: Used): number => serviceUs + postgresUs
  const text = (one: Used): string =>
    `${sum(one).toFixed(0)} µs (service ${one.serviceUs.toFixed(0)}, PostgreSQL ${one.postgresUs.toFixed(0)}; ${Math.round(one.perSecond)}/s)`
  const [many, one] = [of(measured, count), of(measured, 1)]
  return row(what, text(many), `one process ${text(one)}`, sum(many) / sum(one), { atMost: 1.25 })
}

async function pushSeason({ apiKey }: Stage, url: string): Promise<void> {
  const client = openClient(url, { 'x-api-key': apiKey })
  for (let hotel = 0; hotel < workload.hotels; hotel++) {
    const season = seasonPush(`H${hotel}`, workload, { nights: seasonNights, seed: hotel })
    expect(await client.post('/push/ari', season), 200)
  }
  client.close()
}

async function hotelIds({ db }: Stage): Promise<string[]> {
  const { rows } = await db.query<{ id: number }>('select id from hotel order by id')
  return rows.map(({ id }) => String(id))
}

/** One hotel per search. */
function searches(ids: readonly string[]): string[] {
  const next = random(7)
  const below = (limit: number): number => Math.floor(next() * limit)
  return Array.from({ length: 5_000 }, () => {
    const checkin = 1 + below(seasonNights - stayNights - 1)
    return JSON.stringify({
      hotels: [{ platformHotelId: ids[below(ids.length)] }],
      checkin: night(checkin, firstNight),
      checkout: night(checkin + stayNights, firstNight),
      rooms: [{ adults: 2 }],
    })
  })
}
