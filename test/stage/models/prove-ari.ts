import assert from 'node:assert/strict'
import { client, startGateway, type Reply, type TestClient, type TestGateway } from '../harness.ts'
import { expectOk } from '../story.ts'
import { cellsOf, differenceOfCells, explain, type Played } from './ari-history.ts'
import { makeSequence, type HotelSpec, type Operation, type Sequence } from './ari-operations.ts'
import { roundsWithin, type RoundsWanted } from '../pace.ts'
import type { Queryable } from '../../../src/postgres/postgres.ts'
import { addDays, dateIn, digitsByCurrency, type NaiveHotel, type ProductSent } from './naive-ari.ts'
import { naiveNames } from './naive-restrictions.ts'
import { preparePartitions } from '../../../src/push-log/bodies/housekeeping.ts'

/** Runs sequences of random operations against the service and compares all results with the naive model. */

const clientsPerSequence = 8
const sequencesAtOnce = 12
/** Instants at which the hotels' zones have different dates, months and daylight saving offsets. */
const instants = [
  '2027-03-01T12:00:00Z',
  '2027-03-01T23:30:00Z',
  '2027-03-02T10:30:00Z',
  '2027-03-28T00:59:59Z',
  '2027-12-31T10:00:00Z',
  '2028-02-28T11:30:00Z',
]

export type Proof = {
  firstSeed: number
  sequences: Omit<RoundsWanted, 'share'>
  /** Share of the time for all proofs. */
  share: number
  say: (line: string) => void
}

export async function proveAri({ firstSeed, sequences, share, say }: Proof): Promise<void> {
  const gateway = await startGateway()
  try {
    const bench = await prepare(gateway)
    const seeds = Array.from({ length: sequences.full }, (_, index) => firstSeed + index)
    // The instant is derived from the seed, so that a seed alone determines everything.
    for (const [index, instant] of instants.entries()) {
      await bench.setTime(instant)
      const mine = seeds.filter((seed) => seed % instants.length === index)
      const floor = Math.ceil(sequences.floor / instants.length)
      const rounds = roundsWithin({ full: mine.length, floor, share: share / instants.length })
      await proveSequences(bench, { next: rounds.next, seedOf: (round) => mine[round] ?? firstSeed, say })
      if (mine.length > 0) say(`${instant}: ${rounds.summary()}`)
    }
  } finally {
    await gateway.stop()
  }
}

/** The service under test, in one process or many. */
export type AriBench = {
  db: Pick<Queryable, 'query'>
  nowMs: () => number
  /** Two keys of one supplier, each at several processes of the service: [process][key]. */
  clients: TestClient[][]
  /** The test that runs it. */
  file: string
}

async function prepare(
  gateway: TestGateway,
): Promise<AriBench & { setTime: (instant: string) => Promise<void> }> {
  const second = await gateway.second()
  const unlimited = { requestsPerMinute: 0 }
  const keys = [await gateway.supplier('proof', unlimited), await gateway.supplier('proof', unlimited)]
  return {
    db: gateway.db,
    nowMs: () => gateway.clock.now(),
    clients: [gateway, second].map(({ url }) =>
      keys.map(({ apiKey }) => client(url, { 'x-api-key': apiKey })),
    ),
    file: 'ari-model',
    setTime: async (instant) => {
      gateway.clock.set(instant)
      second.clock.set(instant)
      await preparePartitions(gateway.db, gateway.clock.now())
    },
  }
}

export type Sequences = {
  /** The next round's number, until there have been enough. */
  next: () => number | undefined
  seedOf: (round: number) => number
  say: (line: string) => void
}

/** Many sequences at once, each of several clients. */
export async function proveSequences(bench: AriBench, { next, seedOf, say }: Sequences): Promise<void> {
  await Promise.all(
    Array.from({ length: sequencesAtOnce }, async () => {
      for (let round = next(); round !== undefined; round = next())
        await prove(bench, makeSequence(seedOf(round), bench.nowMs()), say)
    }),
  )
}

async function inParallel<Value>(
  values: readonly Value[],
  atOnce: number,
  work: (value: Value, place: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    for (;;) {
      const place = next++
      const value = values[place]
      if (value === undefined) return
      await work(value, place)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

async function prove(bench: AriBench, sequence: Sequence, say: (line: string) => void): Promise<void> {
  const failure = await failureOf(bench, sequence, clientsPerSequence)
  if (failure === undefined) return
  const again = `ARI_PROOF_SEED=${sequence.seed} npm run test:proof -- proofs/models/${bench.file}.proof.ts`
  say(`sequence ${sequence.seed} failed; run it alone with\n  ${again}\n${failure}`)
  say(await shrunk(bench, sequence))
  assert.fail(`sequence ${sequence.seed}: ${failure.slice(0, 2_000)}`)
}

/** The shortest part of the sequence that still fails when one client carries it out step by step. */
async function shrunk(bench: AriBench, sequence: Sequence): Promise<string> {
  let attempt = 0
  const fails = (operations: Operation[]): Promise<string | undefined> =>
    failureOf(bench, renamed({ ...sequence, operations }, `-${++attempt}`), 1)
  let { operations } = sequence
  let failure = await fails(operations)
  if (failure === undefined) return 'one client alone does not make it fail'
  for (let index = operations.length - 1; index >= 0; index--) {
    const fewer = operations.filter((_, at) => at !== index)
    const still = await fails(fewer)
    if (still === undefined) continue
    operations = fewer
    failure = still
  }
  const hotels = sequence.hotels.map((hotel) => JSON.stringify(hotel)).join('\n')
  return `shrunk to ${operations.length} operations of one client:\n${hotels}\n${operations.map((one) => JSON.stringify(one)).join('\n')}\n${failure}`
}

/** The same on hotels that were not used before. */
function renamed(sequence: Sequence, suffix: string): Sequence {
  const hotels = sequence.hotels.map((hotel) => ({ ...hotel, hotelId: `${hotel.hotelId}${suffix}` }))
  const operations = sequence.operations.map((one) =>
    one.kind === 'ari' ? { ...one, body: { ...one.body, hotelId: `${one.body.hotelId}${suffix}` } } : one,
  )
  return { ...sequence, hotels, operations }
}

/** Dates change on a full or half hour, and the model knows one date for the whole sequence. */
const datesChangeEveryMs = 30 * 60_000
/** Far more than the clocks of a test and its service can differ on one machine. */
const clockDifferenceMs = 1_000

async function failureOf(bench: AriBench, sequence: Sequence, clients: number): Promise<string | undefined> {
  const beganMs = bench.nowMs()
  const failure = await failureAt(bench, sequence, clients, beganMs)
  const endedMs = bench.nowMs()
  const period = (atMs: number): number => Math.floor(atMs / datesChangeEveryMs)
  const mayHaveChanged =
    endedMs > beganMs && period(beganMs - clockDifferenceMs) !== period(endedMs + clockDifferenceMs)
  if (failure === undefined || !mayHaveChanged) return failure
  return failureOf(bench, renamed(sequence, '+'), clients)
}

async function failureAt(
  bench: AriBench,
  { hotels, operations }: Sequence,
  clients: number,
  nowMs: number,
): Promise<string | undefined> {
  await setUp(bench, hotels)
  const played: Played[] = []
  let events = 0
  await inParallel(operations, clients, async (operation, place) => {
    const sentAt = events++
    const reply = await send(bench, hotels, operation, place)
    played.push({ operation, reply, sentAt, answeredAt: events++ })
  })
  const fault = played.find(({ reply }) => reply.status >= 500)
  if (fault) return `a fault of the service: ${fault.reply.text} to ${JSON.stringify(fault.operation)}`
  for (const [index, spec] of hotels.entries()) {
    const end = await readEnd(bench, spec)
    const explained = explain(index, spec, played, {
      nowMs,
      differenceAtEnd: (hotel) => differenceAtEnd(end, hotel),
    })
    if (!explained.isExplained) {
      const placed = explained.placed.map(({ operation }) => JSON.stringify(operation)).join('\n  ')
      return `no serial order explains the answers; after\n  ${placed}\nnone of these fits:\n${explained.unexplained.join('\n')}`
    }
    const failure = await failureOfPushingBack(bench, explained.hotel, spec.hotelId)
    if (failure !== undefined) return failure
  }
  return undefined
}

async function setUp({ clients }: AriBench, hotels: readonly HotelSpec[]): Promise<void> {
  const supplier = clients[0]?.[0]
  if (!supplier) throw new RangeError('no client')
  expectOk(await supplier.post('/push/hotels', hotels.map(hotelBody)))
  for (const { hotelId, products } of hotels) {
    const saved = expectOk(
      await supplier.post('/push/products', { hotelId, products: products.map(productBody) }),
    )
    assert.equal(saved.body['revision'], 2)
  }
}

function hotelBody({
  hotelId,
  currency,
  timeZone,
}: Pick<HotelSpec, 'hotelId' | 'currency' | 'timeZone'>): object {
  return {
    hotelId,
    hotelName: hotelId,
    currency,
    isAvailable: true,
    minChildAge: 2,
    maxChildAge: 12,
    timezone: timeZone,
  }
}

function productBody(product: ProductSent): object {
  return { ...product, roomType: 'Double', roomName: product.roomId, rateName: product.rateId }
}

async function send(
  { clients }: AriBench,
  hotels: readonly HotelSpec[],
  operation: Operation,
  place: number,
) {
  const keyNo = operation.kind === 'ari' ? operation.keyNo : 0
  const supplier = clients[place % clients.length]?.[keyNo]
  if (!supplier) throw new RangeError('no such client')
  const hotelId = (index: number): string => hotels[index]?.hotelId ?? ''
  switch (operation.kind) {
    case 'ari':
      return supplier.post('/push/ari', operation.body)
    case 'products':
      return supplier.post('/push/products', {
        hotelId: hotelId(operation.hotel),
        products: operation.products.map(productBody),
      })
    case 'taxes':
      return supplier.post('/push/taxes', {
        hotelId: hotelId(operation.hotel),
        taxes: [cityTax(operation.percent)],
      })
    case 'read':
      return supplier.post('/push/getAri', {
        hotelId: hotelId(operation.hotel),
        startDate: operation.startDate,
        endDate: operation.endDate,
      })
    case 'hotels':
      return supplier.post(
        '/push/hotels',
        operation.hotels.map((sent) => hotelBody({ ...sent, hotelId: hotelId(sent.hotel) })),
      )
  }
}

function cityTax(percent: number): object {
  return {
    type: 'CITY_TAX',
    valueType: '%',
    value: percent,
    appliedOn: 'net',
    appliedPer: 'per_room_per_night',
    included: false,
    payNow: true,
  }
}

/** The final state when all is answered: the read-back and the rows of the view. */
type End = { range: { startDate: string; endDate: string }; read: Reply; rows: NightRow[] }

async function readEnd(bench: AriBench, { hotelId }: HotelSpec): Promise<End> {
  const today = new Date(bench.nowMs()).toISOString().slice(0, 10)
  const range = { startDate: addDays(today, -3), endDate: addDays(today, 762) }
  const reader = bench.clients[1]?.[1]
  if (!reader) throw new RangeError('no client')
  const read = expectOk(await reader.post('/push/getAri', { hotelId, ...range }))
  return { range, read, rows: await selectNights(bench, hotelId) }
}

function differenceAtEnd({ range, read, rows }: End, hotel: NaiveHotel): string | undefined {
  if (read.body['revision'] !== hotel.revision) return `revision ${hotel.revision} expected: ${read.text}`
  if (read.body['currency'] !== hotel.currency) return `currency ${hotel.currency} expected: ${read.text}`
  const sellable = hotel.read(range.startDate, range.endDate, 'sellable')
  return (
    differenceOfCells(sellable, cellsOf(read.body['ari'])) ??
    differenceOfCells(hotel.read('', '9999', 'stored'), cellsOfView(rows, hotel))
  )
}

/** From the contract: pushing the read-back of the nights that may be pushed changes nothing. */
async function failureOfPushingBack(
  { clients, nowMs }: AriBench,
  hotel: NaiveHotel,
  hotelId: string,
): Promise<string | undefined> {
  const writer = clients[0]?.[0]
  if (!writer) throw new RangeError('no client')
  const today = dateIn(hotel.timeZone, nowMs())
  const range = { startDate: addDays(today, -1), endDate: addDays(today, 760) }
  const read = expectOk(await writer.post('/push/getAri', { hotelId, ...range }))
  const items = read.body['ari']
  if (!Array.isArray(items) || items.length === 0) return undefined
  const again = await writer.post('/push/ari', read.body)
  const { told } = hotel.judgePush(JSON.parse(read.text), 'key 0', nowMs())
  const { items: count, unchanged } = Object(again.body['summary'])
  const isAsSaid = told.items?.every(({ status }) => status === 'unchanged') === true
  const isUnchanged = again.status === 200 && count === items.length && unchanged === count
  if (isAsSaid && isUnchanged && again.body['revision'] === hotel.revision) return undefined
  return `the read-back was pushed again: model ${JSON.stringify(told)}, service ${again.text}, read-back ${read.text}`
}

type NightRow = Record<string, unknown> & {
  key: string
  guest_prices: Record<string, Record<string, number>>
}

const viewFields: readonly (readonly [column: string, field: string])[] = ['inventory', ...naiveNames].map(
  (field) => [field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), field],
)

async function selectNights({ db }: AriBench, hotelId: string): Promise<NightRow[]> {
  // By number: with a join the view would be computed for all hotels before one is chosen.
  const { rows: ids } = await db.query<{ id: number }>('select id from hotel where code = $1', [hotelId])
  const { rows } = await db.query<NightRow>(
    `select room.code || '|' || coalesce(rate.code, '') || '|' || to_char(ari_night.night, 'YYYY-MM-DD') as key, ari_night.*
     from ari_night
       join room on room.hotel_id = ari_night.hotel_id and room.room_no = ari_night.room_no
       left join rate on rate.hotel_id = ari_night.hotel_id and rate.rate_no = ari_night.rate_no
     where ari_night.hotel_id = $1`,
    [ids[0]?.id],
  )
  return rows
}

function cellsOfView(rows: readonly NightRow[], hotel: NaiveHotel): Map<string, string> {
  return new Map(
    rows.map((row) => {
      const members = viewFields
        .filter(([column]) => row[column] !== null && row[column] !== false)
        .map(([column, field]) => `${field}=${String(row[column])}`)
      const price = (field: string, minor: number): void => {
        const digits = digitsByCurrency[hotel.currencyAt(row.key, field)] ?? 2
        members.push(`${field}=${String(minor / 10 ** digits)}`)
      }
      if (typeof row['unit_price'] === 'number') price('unit', row['unit_price'])
      for (const [category, byGuests] of Object.entries(row.guest_prices)) {
        for (const [guests, minor] of Object.entries(byGuests)) price(`${category}/${guests}`, minor)
      }
      return [row.key, members.sort().join(' ')]
    }),
  )
}
