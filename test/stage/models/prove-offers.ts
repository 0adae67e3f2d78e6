import assert from 'node:assert/strict'
import { seeded } from '../fuzz/random.ts'
import { client, startGateway, type Reply, type TestClient, type TestGateway } from '../harness.ts'
import {
  addDays,
  judge,
  type Judged,
  type NaiveHotel,
  type NaiveProduct,
  type NaiveRoom,
  type NaiveStay,
} from './naive-offers.ts'
import { operatorOf } from '../scenes/calendar.ts'
import { randomHotel, stopSellPath, windowFromOf, windowNights, type HotelSpec } from './offer-hotels.ts'

export type OffersProof = { seed: number; hotels: number; say: (line: string) => void }

const hotelsPerRequest = 200
const requestsAtOnce = 3
const stayNightsMax = 7
const daysMovedMax = 14
/**
 * Numbers of suggested changes that are also tried through the API, and that are compared with all smaller
 * ones.
 */
const suggestionsAsked = 300
const suggestionsCompared = 60
/** One in this many explanations is kept for that, so that a million of them fit into memory. */
const explainedPerKept = 7

/** The requested parties, in one room or several. */
const parties: readonly (readonly NaiveRoom[])[] = [
  [{ adults: 2, childAges: [] }],
  [{ adults: 1, childAges: [7] }],
  [{ adults: 2, childAges: [1, 5] }],
  [
    { adults: 2, childAges: [] },
    { adults: 1, childAges: [10] },
  ],
  [{ adults: 1, childAges: [16] }],
]

/** The service under test, in one process or many. */
export type OffersStage = {
  nowMs: () => number
  supplier: TestClient & { name: string }
  platform: TestClient
  stopSell: (platformHotelId: string, body: object) => Promise<Reply>
}

type Bench = { stage: OffersStage; firstNight: string; hotels: readonly HotelSpec[] }
type Counts = { bookable: number; forbidden: number; explained: number; suggested: number }

export async function proveOffers(proof: OffersProof): Promise<void> {
  const gateway = await startGateway()
  try {
    await proveOffersOn(await stageOf(gateway), proof)
  } finally {
    await gateway.stop()
  }
}

async function stageOf(gateway: TestGateway): Promise<OffersStage> {
  const operator = await operatorOf(gateway)
  const authorization = `Bearer ${await gateway.token('platform')}`
  return {
    nowMs: () => gateway.clock.now(),
    supplier: await gateway.supplier('offers', { requestsPerMinute: 0 }),
    platform: client(gateway.url, { authorization, ...uncompressed }),
    stopSell: (hotel, body) => operator('POST', `/hotels/${hotel}/stop-sell`, body),
  }
}

/** Answers are large, and these clients read them as they are sent. */
export const uncompressed = { 'accept-encoding': 'identity' }

/**
 * Random hotels and every stay of the window, requested through the API and judged by the naive evaluator:
 * the same room-rates at the same totals, and for the others the same reasons and changes that help.
 */
export async function proveOffersOn(
  stage: OffersStage,
  { seed, hotels: count, say }: OffersProof,
): Promise<void> {
  const bench = await prepare(stage, seed, count)
  const counts: Counts = { bookable: 0, forbidden: 0, explained: 0, suggested: 0 }
  const timed = async (what: string, work: () => Promise<void>): Promise<void> => {
    const startedMs = performance.now()
    await work()
    say(`${what}: ${Math.round(performance.now() - startedMs)} ms`)
  }
  await timed('offers', () => proveSameOffers(bench, counts))
  const suggestions: Suggestion[] = []
  await timed('explanations', () => proveExplanations(bench, counts, suggestions))
  await timed('suggestions', () => proveSuggestions(bench, suggestions, seed))
  say(JSON.stringify(counts))
  assert.equal(counts.explained, counts.forbidden)
  assert.ok(
    counts.bookable > count && counts.forbidden > count && counts.suggested > count,
    'too few of some kind',
  )
}

async function prepare(stage: OffersStage, seed: number, count: number): Promise<Bench> {
  const { supplier, stopSell } = stage
  const nowMs = stage.nowMs()
  const random = seeded(seed)
  const hotels: HotelSpec[] = []
  const numbers = Array.from({ length: count }, (_, index) => index)
  await inParallel(numbers, 8, async (number) => {
    const hotel = randomHotel(random, `H${number}`, nowMs)
    hotels[number] = hotel
    for (const { path, body } of hotel.pushes) {
      const reply =
        path === stopSellPath
          ? await stopSell(await platformId(supplier, `H${number}`), Object(body))
          : await supplier.post(path, body)
      assert.equal(reply.status, 200, `${path} ${JSON.stringify(body)}: ${reply.text}`)
    }
  })
  return { stage, firstNight: windowFromOf(nowMs), hotels }
}

async function platformId(supplier: TestClient, hotelId: string): Promise<string> {
  const { body } = await supplier.post('/push/getHotels', { hotelIds: [hotelId] })
  return Object(body['hotels'])[0].platformHotelId
}

async function inParallel<Value>(
  values: readonly Value[],
  atOnce: number,
  work: (value: Value, place: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    for (let place = next++; place < values.length; place = next++) {
      const value = values[place]
      if (value !== undefined) await work(value, place)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

/** Every arrival in the window with every length that ends within it. */
function staysFrom(firstNight: string): { checkin: string; checkout: string }[] {
  const stays = []
  for (let first = 0; first < windowNights; first++) {
    for (let length = 1; length <= stayNightsMax && first + length <= windowNights; length++)
      stays.push({ checkin: addDays(firstNight, first), checkout: addDays(firstNight, first + length) })
  }
  return stays
}

function allAsked({ firstNight, hotels }: Bench): { stay: NaiveStay; hotels: HotelSpec[] }[] {
  return staysFrom(firstNight).flatMap((stay) =>
    parties.flatMap((rooms) =>
      chunksOf(hotels).map((chunk) => ({ stay: { ...stay, rooms }, hotels: chunk })),
    ),
  )
}

function chunksOf(hotels: readonly HotelSpec[]): HotelSpec[][] {
  const chunks: HotelSpec[][] = []
  for (let from = 0; from < hotels.length; from += hotelsPerRequest)
    chunks.push(hotels.slice(from, from + hotelsPerRequest))
  return chunks
}

// The data read here were written by the service under test, and are compared member by member.
type Offer = { roomId: string; rateId: string; unitsLeft: number; total: object; rooms: unknown[] }
type Rule = { rule: string; pass: boolean; dates: string[] }
type Nearest = { checkin: string; checkout: string; rooms: NaiveRoom[]; change: string }
type Unavailable = { roomId: string; rateId: string; rules: Rule[]; nearest?: Nearest }
type Found = { hotelId: string; offers: Offer[]; unavailable?: Unavailable[] }

async function ask(
  { stage: { platform, supplier } }: Bench,
  hotels: readonly NaiveHotel[],
  stay: NaiveStay,
  explain: boolean,
): Promise<Found[]> {
  const reply = await platform.post('/booking/offers', {
    hotels: hotels.map(({ hotelId }) => ({ supplier: supplier.name, hotelId })),
    ...stay,
    ...(explain ? { explain } : {}),
  })
  assert.equal(reply.status, 200, reply.text)
  assert.deepEqual(reply.body['notFound'], [])
  return Object(reply.body).hotels
}

async function proveSameOffers(bench: Bench, counts: Counts): Promise<void> {
  await inParallel(allAsked(bench), requestsAtOnce, async ({ stay, hotels }) => {
    const found = await ask(
      bench,
      hotels.map(({ naive }) => naive),
      stay,
      false,
    )
    assert.equal(found.length, hotels.length)
    for (const [index, { naive }] of hotels.entries()) compareOffers(naive, stay, found[index], counts)
  })
}

function compareOffers(naive: NaiveHotel, stay: NaiveStay, found: Found | undefined, counts: Counts): void {
  const where = (): string => `${naive.hotelId} ${JSON.stringify(stay)}`
  assert.ok(found?.hotelId === naive.hotelId, where())
  const expected: string[] = []
  for (const product of naive.products) {
    const judged = judge(naive, product, stay)
    if (judged.broken.size === 0) {
      counts.bookable++
      expected.push(`${product.roomId} ${product.rateId} ${judged.unitsLeft} ${JSON.stringify(judged.total)}`)
    } else counts.forbidden++
  }
  const got = found.offers.map(
    ({ roomId, rateId, unitsLeft, total }) => `${roomId} ${rateId} ${unitsLeft} ${JSON.stringify(total)}`,
  )
  if (expected.toSorted().join() !== got.toSorted().join())
    assert.deepEqual(got.toSorted(), expected.toSorted(), where())
}

type Suggestion = { naive: NaiveHotel; product: NaiveProduct; stay: NaiveStay; nearest: Nearest | undefined }

/** Requests every hotel, stay and party again. */
async function proveExplanations(bench: Bench, counts: Counts, suggestions: Suggestion[]): Promise<void> {
  await inParallel(allAsked(bench), requestsAtOnce, async ({ stay, hotels }) => {
    const found = await ask(
      bench,
      hotels.map(({ naive }) => naive),
      stay,
      true,
    )
    for (const [index, { naive }] of hotels.entries()) {
      for (const one of explained(naive, stay, found[index])) {
        if (counts.explained++ % explainedPerKept === 0) suggestions.push(one)
        if (one.nearest) counts.suggested++
      }
    }
  })
}

/** The rules given as reasons must be those that forbid the stay; suggested stays must be bookable. */
function explained(naive: NaiveHotel, stay: NaiveStay, found: Found | undefined): Suggestion[] {
  const unavailable = found?.unavailable ?? []
  const suggestions: Suggestion[] = []
  for (const product of naive.products) {
    const judged = judge(naive, product, stay)
    const told = unavailable.find(
      ({ roomId, rateId }) => roomId === product.roomId && rateId === product.rateId,
    )
    if (told === undefined) {
      assert.equal(
        judged.broken.size,
        0,
        `${naive.hotelId} ${JSON.stringify([product, stay])} is not explained`,
      )
      continue
    }
    const broken = [...new Set(told.rules.filter(({ pass }) => !pass).map(({ rule }) => rule))]
    const where = (): string => `${naive.hotelId} ${JSON.stringify([product, stay, told])}`
    if (broken.toSorted().join() !== [...judged.broken].sort().join())
      assert.deepEqual(broken.toSorted(), [...judged.broken].sort(), where())
    const { nearest } = told
    suggestions.push({ naive, product, stay, nearest })
    if (nearest && judge(naive, product, stayOf(nearest)).broken.size > 0)
      assert.fail(`what is suggested cannot be booked: ${where()}`)
  }
  assert.equal(unavailable.length + (found?.offers ?? []).length, naive.products.length)
  return suggestions
}

function stayOf({ checkin, checkout, rooms }: Nearest): NaiveStay {
  return { checkin, checkout, rooms }
}

async function proveSuggestions(bench: Bench, suggestions: Suggestion[], seed: number): Promise<void> {
  const random = seeded(seed + 1)
  const helpful = suggestions.filter(({ nearest }) => nearest !== undefined)
  const some = Array.from({ length: suggestionsAsked }, () => random.pick(helpful))
  await inParallel(some, requestsAtOnce, async ({ naive, product, nearest }) => {
    if (!nearest) return
    const [found] = await ask(bench, [naive], stayOf(nearest), false)
    const isOffered = found?.offers.some(
      ({ roomId, rateId }) => roomId === product.roomId && rateId === product.rateId,
    )
    assert.ok(isOffered, `${naive.hotelId} ${JSON.stringify([product, nearest])} is not offered`)
  })
  for (let compared = 0; compared < suggestionsCompared; compared++) compareWithAll(random.pick(suggestions))
}

/**
 * No smaller change would suffice: of all stays nearby with all rooms, none is nearer; if there is none at
 * all, fewer rooms work.
 */
function compareWithAll({ naive, product, stay, nearest }: Suggestion): void {
  const sizeOf = ({ checkin, checkout }: { checkin: string; checkout: string }): number => {
    const shift = days(stay.checkin, checkin)
    return Math.abs(shift) + Math.abs(days(stay.checkout, checkout) - shift)
  }
  let least = Number.POSITIVE_INFINITY
  let hasOneRoomLess = false
  for (let arrives = -daysMovedMax; arrives <= daysMovedMax; arrives++) {
    for (let departs = -daysMovedMax; departs <= daysMovedMax; departs++) {
      const other = {
        checkin: addDays(stay.checkin, arrives),
        checkout: addDays(stay.checkout, departs),
        rooms: stay.rooms,
      }
      if (other.checkout <= other.checkin) continue
      if (isBookable(judge(naive, product, other))) least = Math.min(least, sizeOf(other))
      for (const room of stay.rooms.length > 1 ? stay.rooms : [])
        hasOneRoomLess ||= isBookable(judge(naive, product, { ...other, rooms: [room] }))
    }
  }
  const where = `${naive.hotelId} ${JSON.stringify([product, stay, nearest])}`
  if (least !== Number.POSITIVE_INFINITY) {
    assert.ok(nearest?.rooms.length === stay.rooms.length, where)
    assert.equal(sizeOf(nearest), least, where)
  } else assert.equal(nearest !== undefined, hasOneRoomLess, where)
}

function days(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 86_400_000
}

function isBookable({ broken }: Judged): boolean {
  return broken.size === 0
}
