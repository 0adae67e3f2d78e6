import { client, type TestClient } from '../test/stage/harness.ts'
import { environOf, type TestAddress } from '../test/stage/postgres.ts'
import { createKey } from '../src/keys/manage.ts'
import { loadHotels, supplierName, suppliersLoaded, type HotelLoad } from './stage/hotel-load.ts'
import { operatorOf, slowestRow, slowestSearch, timesOfEach } from './hotel-search.ts'
import {
  loadOn,
  middleOf,
  openStage,
  pushedToday,
  residentMegabytes,
  startGatewayOn,
  startPeer,
  type Measured,
  type Peer,
  type PostOf,
  type Stage,
} from './stage/stage.ts'
import { startedWithinMs } from './start-times.ts'
import { measuredText, row, type Row } from './stage/table.ts'
import { fullYearPush, smallPushes, type Workload } from './stage/workload.ts'

const how = { connections: 64, seconds: 8 }
const runs = 3
const starts = 3
const model: Workload = { hotels: 1, roomsPerHotel: 2, ratesPerRoom: 2 }

/** First pages of everything that lists hotels or belongs to them; `{supplier}` has a fifth of all hotels. */
const consoleLists: Readonly<Record<string, string>> = {
  suppliers: 'suppliers',
  'the largest supplier': 'suppliers/{supplier}',
  'its hotels': 'hotels?supplierId={supplier}',
  'its hotels, longest without ARI': 'hotels?supplierId={supplier}&sort=stalest',
  'its hotels, newest': 'hotels?supplierId={supplier}&sort=newest',
  'its hotels that lack ARI': 'hotels?supplierId={supplier}&goLive=ari',
  'its hotels in the sandbox': 'sandbox/{supplier}/hotels',
  pushes: 'pushes',
  'its pushes': 'pushes?supplierId={supplier}',
  deliveries: 'deliveries',
  'its deliveries': 'deliveries?supplierId={supplier}',
  reservations: 'reservations',
  'its reservations': 'reservations?supplierId={supplier}',
  'price checks': 'price-checks',
  drift: 'drift',
  'drift of its hotels': 'drift?supplierId={supplier}',
  'reference data': 'reference',
  'uses of a room type': 'reference/use?list=roomTypes&key=Double',
  audit: 'audit',
  'the largest supplier’s audit': 'audit?supplierId={supplier}',
  overview: 'overview',
  'work queue': 'work',
  'stop-sells': 'stop-sells',
  'stop-sells of its hotels': 'stop-sells?supplierId={supplier}',
  alerts: 'alerts',
  holds: 'holds',
  'holds of its hotels': 'holds?supplierId={supplier}',
  'its people': 'suppliers/{supplier}/people',
  'its exports': 'suppliers/{supplier}/exports',
}

const supplierLists: Readonly<Record<string, string>> = {
  'push log': 'push/log',
  'its deliveries': 'push/deliveries',
  'its price checks': 'push/priceChecks',
  webhooks: 'push/webhook',
  limits: 'push/limits',
}

/** What must hold with a million hotels and ten million months, against a thousand hotels of the same kind. */
export async function million(server: TestAddress, load: HotelLoad): Promise<Row[]> {
  const few = await loadedStage(server, { hotels: 1_000, months: 10_000 })
  const many = await loadedStage(server, load)
  try {
    return [
      ...(await pushes(few, many, load)),
      await startTime(many, load),
      ...(await pages(server, many, load)),
    ]
  } finally {
    await few.drop()
    await many.drop()
  }
}

async function loadedStage(server: TestAddress, load: HotelLoad): Promise<Stage> {
  const stage = await openStage(server, model)
  const peer = await startPeer('ours', stage)
  try {
    // The first hotel's blocks are made by the service itself.
    const supplier = client(peer.url, { 'x-api-key': stage.apiKey })
    const { status, text } = await supplier.post('/push/ari', JSON.parse(fullYearPush('H0', model, 1)))
    if (status !== 200) throw new Error(text)
  } finally {
    await peer.stop()
  }
  const from = performance.now()
  await loadHotels(stage.address, load, (what) => {
    process.stderr.write(`  ${((performance.now() - from) / 1_000).toFixed(0)} s: ${what}\n`)
  })
  return stage
}

async function pushes(few: Stage, many: Stage, load: HotelLoad): Promise<Row[]> {
  const [fewPeer, manyPeer] = [await startPeer('ours', few), await startPeer('ours', many)]
  try {
    const fewPosts = await postsTo(few, 1_000)
    const manyPosts = await postsTo(many, load.hotels)
    await pushTo(fewPeer, fewPosts)
    await pushTo(manyPeer, manyPosts)
    const measured: Record<'few' | 'many', Measured[]> = { few: [], many: [] }
    // In turns, so that a drift of the machine affects both.
    for (let run = 0; run < runs; run++) {
      measured.few.push(await pushTo(fewPeer, fewPosts))
      measured.many.push(await pushTo(manyPeer, manyPosts))
    }
    const [ofFew, ofMany] = [middleOf(measured.few), middleOf(measured.many)]
    const megabytes = await residentMegabytes(manyPeer)
    return [
      row(
        `cost of a push with ${load.hotels.toLocaleString('en')} hotels stored`,
        measuredText(ofMany),
        `with 1,000 hotels ${measuredText(ofFew)}`,
        ofFew.perSecond / ofMany.perSecond,
        { atMost: 1.3 },
      ),
      row(
        'memory after that load',
        `${megabytes.toFixed(0)} MB resident`,
        '',
        megabytes,
        { atMost: 350 },
        'MB',
      ),
    ]
  } finally {
    await fewPeer.stop()
    await manyPeer.stop()
  }
}

/**
 * Small pushes to all hotels evenly, each with its own supplier's key, for nights that are stored; none is its
 * hotel's first of the day.
 */
async function postsTo(stage: Stage, hotels: number): Promise<PostOf[]> {
  const bodies = smallPushes({ hotels: hotels + 1, roomsPerHotel: 1, ratesPerRoom: 1 }, 100_000, 100, 5)
  const codes = bodies.map((body) => /"hotelId":"(H\d+)"/.exec(body)?.[1] ?? '')
  await pushedToday(stage, codes)
  const { rows } = await stage.db.query<{ code: string; supplier: string }>(
    `select code, supplier.name as supplier from hotel join supplier on supplier.id = supplier_id
     where code = any($1::text[])`,
    [codes],
  )
  const supplierByCode = new Map(rows.map(({ code, supplier }) => [code, supplier]))
  const keyBySupplier = new Map([['bench', stage.apiKey]])
  const limits = { requestsPerMinute: 0 }
  for (let number = 1; number <= suppliersLoaded; number++) {
    const supplier = supplierName(number)
    const wanted = { supplier, channelManager: supplier, expiresAtMs: null, limits }
    keyBySupplier.set(supplier, (await createKey(stage.db, 'sandbox', wanted)).apiKey)
  }
  return bodies.map((body, index) => ({
    body,
    headers: { 'x-api-key': keyBySupplier.get(supplierByCode.get(codes[index] ?? '') ?? '') ?? '' },
  }))
}

function pushTo(peer: Peer, posts: readonly PostOf[]): Promise<Measured> {
  return loadOn({ url: `${peer.url}/v1/push/ari`, headers: {} }, posts, how)
}

async function startTime(stage: Stage, { hotels }: HotelLoad): Promise<Row> {
  const tookMs: number[] = []
  for (let start = 0; start < starts; start++) tookMs.push(await startedWithinMs(environOf(stage.address)))
  const middle = tookMs.sort((left, right) => left - right)[Math.floor(starts / 2)] ?? 0
  return row(
    `start to ready with ${hotels.toLocaleString('en')} hotels`,
    `${Math.round(middle)} ms`,
    '',
    middle / 1000,
    { atMost: 2 },
    's',
  )
}

async function pages(server: TestAddress, stage: Stage, { hotels }: HotelLoad): Promise<Row[]> {
  const gateway = await startGatewayOn(server, stage)
  try {
    const {
      rows: [found],
    } = await stage.db.query<{ id: number; newestAt: Date }>(
      'select id, (select max(at) from push_log) as "newestAt" from supplier where name = $1',
      [supplierName(1)],
    )
    if (!found) throw new Error('the largest supplier is not there')
    // The pushes were noted by other processes' clocks, and must not be in its future.
    gateway.clock.set(found.newestAt.toISOString())
    const largest = String(found.id)
    const named = Object.entries(consoleLists).map(([what, path]): [string, string] => [
      what,
      path.replace('{supplier}', largest),
    ])
    const { apiKey } = await createKey(stage.db, 'sandbox', {
      supplier: supplierName(1),
      channelManager: 'pages',
      expiresAtMs: null,
      limits: { requestsPerMinute: 0 },
    })
    const supplier = client(gateway.url, { 'x-api-key': apiKey })
    return [
      await slowestSearch(gateway, hotels),
      await slowestPage('console', await operatorOf(gateway), Object.fromEntries(named)),
      await slowestPage('API', supplier, supplierLists),
    ]
  } finally {
    await gateway.stop()
  }
}

async function slowestPage(
  where: string,
  caller: TestClient,
  paths: Readonly<Record<string, string>>,
): Promise<Row> {
  const answered = await timesOfEach(caller, '/', paths)
  return slowestRow(
    answered,
    (name) => `${where}: the slowest first page of ${answered.length} lists (${name})`,
    50,
  )
}
