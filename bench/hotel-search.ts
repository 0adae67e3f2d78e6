import { client, type TestClient, type TestGateway } from '../test/stage/harness.ts'
import type { TestAddress } from '../test/stage/postgres.ts'
import { loadHotels } from './stage/hotel-load.ts'
import { quantile } from './stage/client.ts'
import { openStage, startGatewayOn } from './stage/stage.ts'
import { row, type Row } from './stage/table.ts'

const hotels = 100_000
const askedTimes = 20

const searches: Readonly<Record<string, string>> = {
  'the first page': '',
  'a letter': 'search=e',
  'a word of many': 'search=hotel',
  'a name with accents': 'search=Étoile+Zürich',
  'part of a rare word': 'search=c4ca4',
  'a code': 'search=H77777',
  'a platform id': 'search=77777',
  'what nothing has': 'search=qqxyz',
  'words that never meet': 'search=kyoto+alameda+riva',
  'a supplier by name': 'search=supplier+299',
  'hotels of a supplier': 'supplierId=7',
  'a name of a supplier': 'supplierId=7&search=sonne',
  'a rare country and currency': 'country=IS&currency=ISK',
  'not open': 'available=no&search=post',
  'without ARI': 'ari=none',
  stale: 'staleSince=2027-01-20',
  'stale since ever': 'staleSince=2020-01-01',
  'ends soon': 'endsBy=2027-03',
  'lacks products': 'goLive=products',
  'lacks webhooks': 'goLive=webhooks&search=etoile',
  ready: 'goLive=ready',
  'longest without ARI': 'sort=stalest',
  'ARI ending soonest first': 'sort=ending&ari=some',
  newest: 'sort=newest&search=villa',
}

/**
 * Operators' searches must finish while they type, however much is stored: 19 times of 20, for any search.
 */
export async function hotelSearch(server: TestAddress): Promise<Row[]> {
  const stage = await openStage(server, { hotels: 0, roomsPerHotel: 0, ratesPerRoom: 0 })
  try {
    await loadHotels(stage.address, { hotels, months: 0 })
    const gateway = await startGatewayOn(server, stage)
    try {
      return [await slowestSearch(gateway, hotels)]
    } finally {
      await gateway.stop()
    }
  } finally {
    await stage.drop()
  }
}

export async function slowestSearch(gateway: TestGateway, stored: number): Promise<Row> {
  const answered = await timesOfEach(await operatorOf(gateway), '/hotels?', searches)
  return slowestRow(
    answered,
    (name) =>
      `console: the slowest of ${answered.length} searches in ${stored.toLocaleString('en')} hotels (${name})`,
    100,
  )
}

export async function operatorOf(gateway: TestGateway): Promise<TestClient> {
  const authorization = `Bearer ${await gateway.token('operator')}`
  return client(gateway.url, { authorization }, '/console/api')
}

/** Of a request that was made again and again. */
export type Times = { name: string; firstMs: number; p95Ms: number }

export async function timesOfEach(
  caller: TestClient,
  path: string,
  queries: Readonly<Record<string, string>>,
): Promise<Times[]> {
  const answered: Times[] = []
  for (const [name, query] of Object.entries(queries)) {
    const tookMs: number[] = []
    for (let times = 0; times < askedTimes; times++) {
      const begunMs = performance.now()
      const { status, text } = await caller.get(path + query)
      tookMs.push(performance.now() - begunMs)
      if (status !== 200) throw new Error(text)
    }
    const [firstMs = 0] = tookMs
    const p95Ms = quantile(tookMs, 0.95)
    process.stderr.write(
      `  ${p95Ms.toFixed(0).padStart(6)} ms, the first ${firstMs.toFixed(0).padStart(6)}: ${name}\n`,
    )
    answered.push({ name, firstMs, p95Ms })
  }
  return answered
}

/** The request that is the slowest 19 times of 20; beside it the slowest of those that came first, to a process that has just started. */
export function slowestRow(
  answered: readonly Times[],
  what: (name: string) => string,
  atMostMs: number,
): Row {
  const [slowest] = answered.toSorted((left, right) => right.p95Ms - left.p95Ms)
  const [first] = answered.toSorted((left, right) => right.firstMs - left.firstMs)
  if (!slowest || !first) throw new Error('nothing measured')
  return row(
    what(slowest.name),
    `p95 ${slowest.p95Ms.toFixed(0)} ms`,
    `the first after a start ${first.firstMs.toFixed(0)} ms (${first.name})`,
    slowest.p95Ms,
    { atMost: atMostMs },
    'ms',
  )
}
