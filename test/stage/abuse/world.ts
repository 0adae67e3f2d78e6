import assert from 'node:assert/strict'
import { client, type TestClient } from '../harness.ts'
import { runAri } from '../programs/programs.ts'
import { expectOk, product, pushStoryHotel } from '../story.ts'
import type { Target } from './attacks.ts'
import { nightAhead } from '../nights.ts'

/** Two suppliers and two tokens on a service: one of each attacks, the other works as usual. */
export type World = {
  target: Target
  /** The supplier that must not be harmed. */
  supplier: TestClient
  platform: TestClient
  /** One night of the story's hotel, set to a new value. */
  push: (count: number) => object
  /** One search, as platforms make them. */
  search: object
  /** The same on another service of the same database. */
  at: (url: string) => World
}

const arrival = 40
const stayOf = (nights: number) => ({ checkin: nightAhead(arrival), checkout: nightAhead(arrival + nights) })

/** Searches of many nights find offers everywhere. */
const many = { prefix: 'M', hotels: 200, rooms: 5, rates: 4 }
/** No stay nearby can be booked, so every nearby one is tried. */
const refused = { prefix: 'R', hotels: 40, rooms: 10, rates: 10 }
type Hotels = typeof many

/** Fills the store of a service. */
export async function openWorld(url: string, environ: Readonly<Record<string, string>>): Promise<World> {
  const keys = { quiet: await keyOf('Quiet', environ), attackers: await keyOf('Attacker', environ) }
  const tokens = { quiet: await tokenOf('quiet', environ), attackers: await tokenOf('attacker', environ) }
  const world = worldAt(url, { keys, tokens })
  const hotels = client(url, { 'x-api-key': keys.attackers })
  await pushStoryHotel(world.supplier)
  const onSale = { roomId: 'DBL', startDate: nightAhead(0), endDate: nightAhead(90), inventory: 5 }
  await push(world.supplier, 'H1', [{ ...onSale, rates: [{ rateId: 'BAR', price: 100 }] }])
  await pushHotels(hotels, many, {})
  await pushHotels(hotels, refused, { minLengthStay: 29 })
  return world
}

type Pair = { quiet: string; attackers: string }

function worldAt(url: string, secrets: { keys: Pair; tokens: Pair }): World {
  const { keys, tokens } = secrets
  const named = ({ prefix, hotels: count }: Hotels) =>
    Array.from({ length: count }, (_, index) => ({ supplier: 'Attacker', hotelId: `${prefix}${index}` }))
  const nineRooms = Array.from({ length: 9 }, (_, index) => ({ adults: 1 + (index % 2), childAges: [index] }))
  return {
    supplier: client(url, { 'x-api-key': keys.quiet }),
    platform: client(url, { authorization: `Bearer ${tokens.quiet}` }),
    push: (count) => ({
      hotelId: 'H1',
      ari: [{ roomId: 'DBL', date: nightAhead(1 + (count % 30)), inventory: count % 1_000 }],
    }),
    search: { hotels: [{ supplier: 'Quiet', hotelId: 'H1' }], ...stayOf(2), rooms: [{ adults: 2 }] },
    target: {
      url,
      apiKey: keys.attackers,
      token: tokens.attackers,
      searches: {
        large: { hotels: named(many), ...stayOf(30), rooms: [{ adults: 2 }] },
        explained: { hotels: named(refused), ...stayOf(3), rooms: nineRooms, explain: true },
      },
    },
    at: (other) => worldAt(other, secrets),
  }
}

async function keyOf(supplier: string, environ: Readonly<Record<string, string>>): Promise<string> {
  const made = await runAri(environ, 'key', 'create', '--supplier', supplier, '--rate-limit', '0')
  assert.equal(made.code, 0, made.stderr)
  return Object(JSON.parse(made.stdout)).apiKey
}

async function tokenOf(name: string, environ: Readonly<Record<string, string>>): Promise<string> {
  const made = await runAri(environ, 'token', 'create', '--role', 'platform', '--name', name)
  assert.equal(made.code, 0, made.stderr)
  return Object(JSON.parse(made.stdout)).token
}

async function pushHotels(
  supplier: TestClient,
  { prefix, hotels, rooms, rates }: Hotels,
  rules: object,
): Promise<void> {
  const ids = Array.from({ length: hotels }, (_, index) => `${prefix}${index}`)
  const roomIds = Array.from({ length: rooms }, (_, index) => `DBL${index}`)
  const rateIds = Array.from({ length: rates }, (_, index) => `BAR${index}`)
  for (let from = 0; from < hotels; from += 50)
    expectOk(await supplier.post('/push/hotels', ids.slice(from, from + 50).map(hotelOf)))
  const products = roomIds.flatMap((room) => rateIds.map((rate) => product(room, rate)))
  const items = roomIds.map((roomId) => ({
    roomId,
    startDate: nightAhead(0),
    endDate: nightAhead(90),
    inventory: 20,
    rates: rateIds.map((rateId) => ({ rateId, price: 100, ...rules })),
  }))
  for (const hotelId of ids) {
    expectOk(await supplier.post('/push/products', { hotelId, products }))
    await push(supplier, hotelId, items)
  }
}

async function push(supplier: TestClient, hotelId: string, ari: readonly object[]): Promise<void> {
  expectOk(await supplier.post('/push/ari', { hotelId, pricingModel: 'unit', ari }))
}

function hotelOf(hotelId: string): object {
  const ages = { minChildAge: 2, maxChildAge: 12 }
  return {
    hotelId,
    hotelName: `Hotel ${hotelId}`,
    currency: 'USD',
    isAvailable: true,
    timezone: 'UTC',
    ...ages,
  }
}
