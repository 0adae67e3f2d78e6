import { isDeepStrictEqual } from 'node:util'
import type { TestAddress } from '../test/stage/postgres.ts'
import { expect, openClient, quantile, type Client } from './stage/client.ts'
import {
  loadOn,
  middleOf,
  openStage,
  postgresSeconds,
  residentMegabytes,
  startPeer,
  type Measured,
  type Peer,
  type Stage,
} from './stage/stage.ts'
import { row, measuredText, type Row } from './stage/table.ts'
import { addUsualOffers } from './stage/usual-offers.ts'
import { night, random, seasonPush, type Workload } from './stage/workload.ts'

const workload: Workload = { hotels: 200, roomsPerHotel: 10, ratesPerRoom: 5 }
/** The usual stack has only some of the hotels, so all searches for one hotel concern these. */
const sharedHotels = 20
const seasonNights = 91
const stayNights = 3
const connections = 8
const runs = 3

/** One hotel per search, beside the usual stack; then 200 hotels per search, against one. */
export async function offers(server: TestAddress, { seconds = 5 } = {}): Promise<Row[]> {
  const stage = await openStage(server, workload)
  const ours = await startPeer('ours', stage)
  try {
    await pushSeason(stage, ours)
    await addUsualOffers(stage, sharedHotels)
    const ids = await hotelIds(stage)
    const bodies = searches(ids.slice(0, sharedHotels), 5_000)
    const measured = await besideUsual(stage, ours, bodies, seconds)
    const megabytes = await residentMegabytes(ours)
    const postgresUs = await postgresPerSearchUs(stage, ours, bodies, seconds)
    const { one, many, offersFound } = await growth(stage, ours, ids)
    return [
      row(
        'offers, one hotel with 50 room-rates, 3 nights',
        measuredText(measured.ours),
        `usual stack ${measuredText(measured.usual)}`,
        measured.ours.perSecond / measured.usual.perSecond,
        { atLeast: 6 },
      ),
      row(
        `the same, p99 over ${connections} connections`,
        `${measured.ours.p99Ms} ms`,
        `usual stack ${measured.usual.p99Ms} ms`,
        measured.ours.p99Ms / measured.usual.p99Ms,
        { atMost: 0.5 },
      ),
      row(
        `PostgreSQL's processor per search, ${manyConnections} at once`,
        `${postgresUs.toFixed(0)} µs`,
        '',
        postgresUs,
        { atMost: 15 },
        'µs',
      ),
      row(
        `offers, 200 hotels a request (${offersFound} offers)`,
        `${many.toFixed(1)} ms`,
        `one hotel ${one.toFixed(2)} ms`,
        many / one,
        { atMost: 40 },
      ),
      row(
        'memory after offers of one hotel',
        `${megabytes.toFixed(0)} MB resident`,
        '',
        megabytes,
        { atMost: 250 },
        'MB',
      ),
    ]
  } finally {
    await ours.stop()
    await stage.drop()
  }
}

/** Nights and taxes of every hotel, pushed through the API. */
async function pushSeason(stage: Stage, peer: Peer): Promise<void> {
  const client = openClient(peer.url, { 'x-api-key': stage.apiKey })
  for (let hotel = 0; hotel < workload.hotels; hotel++) {
    const hotelId = `H${hotel}`
    const season = seasonPush(hotelId, workload, { nights: seasonNights, seed: hotel })
    expect(await client.post('/push/ari', season), 200)
    expect(await client.post('/push/taxes', JSON.stringify({ hotelId, taxes })), 200)
  }
  client.close()
}

const taxes = [
  {
    type: 'VAT',
    valueType: '%',
    value: 10,
    appliedOn: 'net',
    appliedPer: 'per_room_per_night',
    included: false,
    payNow: true,
  },
  {
    type: 'CITY_TAX',
    valueType: 'fixed',
    value: 2.5,
    appliedOn: 'net',
    appliedPer: 'per_person_per_night',
    included: false,
    payNow: false,
  },
]

async function hotelIds({ db }: Stage): Promise<string[]> {
  const { rows } = await db.query<{ id: number }>('select id from hotel order by id')
  return rows.map(({ id }) => String(id))
}

const parties = [{ adults: 2 }, { adults: 1 }, { adults: 2, childAges: [5] }]

/** One hotel per search, from the next day on. */
function searches(ids: readonly string[], count: number): string[] {
  const next = random(7)
  const below = (limit: number): number => Math.floor(next() * limit)
  return Array.from({ length: count }, () => {
    const checkin = 1 + below(seasonNights - stayNights - 1)
    return search([ids[below(ids.length)] ?? ''], checkin, parties[below(parties.length)])
  })
}

function search(ids: readonly string[], checkin: number, party: object = { adults: 2 }): string {
  return JSON.stringify({
    hotels: ids.map((platformHotelId) => ({ platformHotelId })),
    checkin: night(checkin),
    checkout: night(checkin + stayNights),
    rooms: [party],
  })
}

async function besideUsual(
  stage: Stage,
  ours: Peer,
  bodies: readonly string[],
  seconds: number,
): Promise<{ ours: Measured; usual: Measured }> {
  const usual = await startPeer('usual-offers', stage)
  try {
    return await inTurns(stage, { ours, usual }, bodies, seconds)
  } finally {
    await usual.stop()
  }
}

/** Peers take turns, so that a drift of the machine affects both. */
async function inTurns(
  { token }: Stage,
  peers: { ours: Peer; usual: Peer },
  bodies: readonly string[],
  seconds: number,
): Promise<{ ours: Measured; usual: Measured }> {
  const headers = { authorization: `Bearer ${token}` }
  await compare(openClient(peers.ours.url, headers), openClient(peers.usual.url, headers), bodies)
  const to = (peer: Peer) => ({ url: `${peer.url}/v1/booking/offers`, headers })
  const measured: { ours: Measured[]; usual: Measured[] } = { ours: [], usual: [] }
  // The first run warms up.
  for (let run = 0; run <= runs; run++) {
    for (const name of ['ours', 'usual'] as const) {
      const one = await loadOn(to(peers[name]), bodies, { connections, seconds })
      if (run > 0) measured[name].push(one)
    }
  }
  return { ours: middleOf(measured.ours), usual: middleOf(measured.usual) }
}

const manyConnections = 64

/** With everything that the searches need in the service's caches. */
async function postgresPerSearchUs(
  stage: Stage,
  { url }: Peer,
  bodies: readonly string[],
  seconds: number,
): Promise<number> {
  const to = { url: `${url}/v1/booking/offers`, headers: { authorization: `Bearer ${stage.token}` } }
  const before = await postgresSeconds(stage)
  const measured = await loadOn(to, bodies, { connections: manyConnections, seconds })
  const used = (await postgresSeconds(stage)) - before
  return (used * 1_000_000) / (measured.perSecond * seconds)
}

const comparedSearches = 200

/** Both must find the same offers at the same price; otherwise there is nothing to compare. */
async function compare(ours: Client, usual: Client, bodies: readonly string[]): Promise<void> {
  let found = 0
  for (const body of bodies.slice(0, comparedSearches)) {
    const [one, other] = [await offersBy(ours, body), await offersBy(usual, body)]
    if (!isDeepStrictEqual(one, other)) throw new Error(`the peers differ in what they find for ${body}`)
    found += one.length
  }
  ours.close()
  usual.close()
  const share = found / (comparedSearches * workload.roomsPerHotel * workload.ratesPerRoom)
  process.stderr.write(`  ${Math.round(share * 100)} % of the room-rates are found, by both peers\n`)
}

type Offer = {
  roomId: string
  rateId: string
  unitsLeft: number
  rooms: unknown
  taxes: unknown
  total: unknown
}
type Answer = { hotels: { offers: Offer[] }[] }

async function offersBy(client: Client, body: string): Promise<Offer[]> {
  const { text } = expect(await client.post('/booking/offers', body), 200)
  // oxlint-disable-next-line typescript/no-unsafe-assignment -- the peers answer so
  const { hotels }: Answer = JSON.parse(text)
  return hotels.flatMap(({ offers: found }) =>
    found.map(({ roomId, rateId, unitsLeft, rooms, taxes: lines, total }) => ({
      roomId,
      rateId,
      unitsLeft,
      rooms,
      taxes: lines,
      total,
    })),
  )
}

const growthRounds = 30
const onesARound = 20

/** Medians of the two searches, run in turns. */
async function growth(
  { token }: Stage,
  { url }: Peer,
  ids: readonly string[],
): Promise<{ one: number; many: number; offersFound: number }> {
  const client = openClient(url, { authorization: `Bearer ${token}` })
  const timed = { one: new Array<number>(), many: new Array<number>() }
  let offersFound = 0
  for (let round = 0; round <= growthRounds; round++) {
    const checkin = 1 + (round % (seasonNights - stayNights - 1))
    const many = expect(await client.post('/booking/offers', search(ids, checkin)), 200)
    const ones: number[] = []
    for (let at = 0; at < onesARound; at++) {
      const id = ids[(round * onesARound + at) % ids.length] ?? ''
      ones.push(expect(await client.post('/booking/offers', search([id], checkin)), 200).ms)
    }
    // The first round fills the caches.
    if (round === 0) offersFound = many.text.split('"unitsLeft"').length - 1
    else {
      timed.many.push(many.ms)
      timed.one.push(...ones)
    }
  }
  client.close()
  return { one: quantile(timed.one, 0.5), many: quantile(timed.many, 0.5), offersFound }
}
