/**
 * Offers in the usual stack, as a competent team would write them: Fastify with schemas for requests and
 * answers, Drizzle over a pg pool, one prepared statement per hotel that finds the nights by their primary
 * key, applies every restriction and sums the prices. The token and a hotel's rarely changing data come from
 * short-lived caches.
 */
import { and, between, eq, sql, type SQL } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import Fastify from 'fastify'
import { createHash } from 'node:crypto'
import pg from 'pg'
import { cached } from './cached.ts'
import {
  hotels,
  products,
  rateNights,
  roomNights,
  taxes,
  tokens,
  offersAnswer,
  offersBody,
  type OffersBody,
} from './usual-offers-tables.ts'

// oxlint-disable-next-line typescript/no-unsafe-assignment -- the bench writes it
const address: pg.PoolConfig = JSON.parse(process.argv[2] ?? '{}')
const pool = new pg.Pool({ ...address, max: 20 })
const db = drizzle(pool)

const requested = {
  checkin: sql`${sql.placeholder('checkin')}::date`,
  checkout: sql`${sql.placeholder('checkout')}::date`,
  length: sql`${sql.placeholder('length')}::int`,
  advance: sql`${sql.placeholder('advance')}::int`,
  rooms: sql`${sql.placeholder('rooms')}::int`,
  adults: sql`${sql.placeholder('adults')}::int`,
  children: sql`${sql.placeholder('children')}::int`,
  infants: sql`${sql.placeholder('infants')}::int`,
}
const rate = rateNights
const isNight = sql`${rate.night} < ${requested.checkout}`
const isArrival = sql`${rate.night} = ${requested.checkin}`
const units = sql`least(${roomNights.inventory}, ${rate.inventory})`
// An infant without a price is free.
const price = sql`${rate.adultPrices}[${requested.adults}]
  + case when ${requested.children} > 0 then ${rate.childPrices}[${requested.children}] else 0 end
  + case when ${requested.infants} > 0 then coalesce(${rate.infantPrices}[${requested.infants}], 0) else 0 end`
const forbidden: readonly SQL[] = [
  sql`${isNight} and (${rate.closed} or coalesce(${roomNights.closed}, false))`,
  sql`${isArrival} and ${rate.closedToArrival}`,
  sql`not ${isNight} and ${rate.closedToDeparture}`,
  sql`${isArrival} and (${rate.minStayArrival} > ${requested.length} or ${rate.maxStayArrival} < ${requested.length})`,
  sql`${isNight} and (${rate.minLengthStay} > ${requested.length} or ${rate.maxLengthStay} < ${requested.length})`,
  sql`${isArrival} and (${rate.minAdvanceDays} > ${requested.advance} or ${rate.maxAdvanceDays} < ${requested.advance})`,
]

/** The nights of the stay and the day of departure, by room-rate. */
const offersOf = db
  .select({
    id: products.id,
    roomId: products.roomId,
    roomCode: products.roomCode,
    roomName: products.roomName,
    rateCode: products.rateCode,
    rateName: products.rateName,
    mealPlan: products.mealPlan,
    unitsLeft: sql<number>`min(${units}) filter (where ${isNight})`,
    prices: sql<string[]>`array_agg(${price} order by ${rate.night}) filter (where ${isNight})`,
    total: sql<string>`sum(${price}) filter (where ${isNight})`,
  })
  .from(rate)
  .innerJoin(products, eq(products.id, rate.productId))
  .leftJoin(
    roomNights,
    and(
      eq(roomNights.hotelId, rate.hotelId),
      eq(roomNights.night, rate.night),
      eq(roomNights.roomId, rate.roomId),
    ),
  )
  .where(
    and(
      eq(rate.hotelId, sql.placeholder('hotelId')),
      between(rate.night, requested.checkin, requested.checkout),
      eq(products.isAvailable, true),
      sql`${products.maxOccupancy} >= ${requested.adults} + ${requested.children}`,
      sql`${products.maxAdult} >= ${requested.adults}`,
      sql`${products.maxChild} >= ${requested.children}`,
    ),
  )
  .groupBy(products.id)
  .having(
    and(
      sql`count(${price}) filter (where ${isNight}) = ${requested.length}`,
      sql`count(${units}) filter (where ${isNight}) = ${requested.length}`,
      sql`min(${units}) filter (where ${isNight}) >= ${requested.rooms}`,
      sql`bool_or(${sql.join(
        forbidden.map((rule) => sql`(${rule})`),
        sql` or `,
      )}) is not true`,
    ),
  )
  .orderBy(products.id)
  .prepare('offers')

const roleOf = cached(async (hash) => (await db.select().from(tokens).where(eq(tokens.hash, hash)))[0]?.role)
const hotelOf = cached(async (key) => {
  const id = Number(key)
  const [hotel] = await db.select().from(hotels).where(eq(hotels.id, id))
  if (!hotel) return undefined
  return { ...hotel, taxes: await db.select().from(taxes).where(eq(taxes.hotelId, id)).orderBy(taxes.id) }
})

/** 1 March 2027, the date of the bench. */
const todayMs = Date.UTC(2027, 2, 1)
const dayMs = 86_400_000

function dates(checkin: string, count: number): string[] {
  return Array.from({ length: count }, (_, offset) =>
    new Date(Date.parse(checkin) + offset * dayMs).toISOString().slice(0, 10),
  )
}

const money = (minor: number): string => (minor / 100).toFixed(2)

type Hotel = NonNullable<Awaited<ReturnType<typeof hotelOf>>>

function partyOf(
  { adults, childAges = [] }: OffersBody['rooms'][number],
  { minChildAge, maxChildAge }: Hotel,
): { adults: number; children: number; infants: number } {
  const infants = childAges.filter((age) => age < minChildAge).length
  const grown = childAges.filter((age) => age > maxChildAge).length
  return { adults: adults + grown, children: childAges.length - infants - grown, infants }
}

/** Taxes added to a stay's prices: none of them is included. */
function taxed(
  hotel: Hotel,
  total: number,
  personNights: number,
): Pick<OffersAnswer['offers'][number], 'taxes' | 'total'> {
  let [tax, due] = [0, 0]
  const lines = hotel.taxes.map(({ type, rate: hundredths, amount, payNow }) => {
    const minor =
      hundredths === null ? (amount ?? 0) * personNights : Math.round((total * hundredths) / 10_000)
    if (payNow) tax += minor
    else due += minor
    return { type, included: false, payNow, amount: money(minor) }
  })
  const shown = { beforeTax: total, tax, afterTax: total + tax, dueAtProperty: due }
  return {
    taxes: lines,
    total: {
      beforeTax: money(shown.beforeTax),
      tax: money(shown.tax),
      afterTax: money(shown.afterTax),
      dueAtProperty: money(shown.dueAtProperty),
    },
  }
}

type OffersAnswer = {
  platformHotelId: string
  supplier: string
  hotelId: string
  currency: string
  offers: {
    roomId: string
    platformRoomId: string
    roomName: string
    rateId: string
    platformRateId: string
    rateName: string
    mealPlan: string | null
    unitsLeft: number
    rooms: { nights: { date: string; amount: string }[] }[]
    taxes: { type: string; included: boolean; payNow: boolean; amount: string }[]
    total: { beforeTax: string; tax: string; afterTax: string; dueAtProperty: string }
    cancelPolicy: null
  }[]
}

/** All requested rooms must have the same party, as they do in the bench. */
async function offersIn(hotel: Hotel, { checkin, checkout, rooms }: OffersBody): Promise<OffersAnswer> {
  const { id, supplier, code, currency } = hotel
  const head = { platformHotelId: String(id), supplier, hotelId: code, currency }
  const [room] = rooms
  if (!room || !hotel.isAvailable) return { ...head, offers: [] }
  const party = partyOf(room, hotel)
  const length = Math.round((Date.parse(checkout) - Date.parse(checkin)) / dayMs)
  const advance = Math.round((Date.parse(checkin) - todayMs) / dayMs)
  const rows = await offersOf.execute({
    hotelId: id,
    checkin,
    checkout,
    length,
    advance,
    rooms: rooms.length,
    ...party,
  })
  const nights = dates(checkin, length)
  const persons = (party.adults + party.children) * length * rooms.length
  const offers = rows.map(({ id: productId, roomId, roomCode, rateCode, prices, total, ...product }) => {
    const shown = {
      nights: prices.map((minor, at) => ({ date: nights[at] ?? '', amount: money(Number(minor)) })),
    }
    return {
      ...product,
      roomId: roomCode,
      platformRoomId: String(roomId),
      rateId: rateCode,
      platformRateId: String(productId),
      rooms: rooms.map(() => shown),
      ...taxed(hotel, Number(total) * rooms.length, persons),
      cancelPolicy: null,
    }
  })
  return { ...head, offers }
}

const fastify = Fastify({ logger: false })
const schema = { body: offersBody, response: { 200: offersAnswer } }
fastify.post<{ Body: OffersBody }>('/v1/booking/offers', { schema }, async (request, reply) => {
  const token = String(request.headers.authorization).replace(/^Bearer /, '')
  if ((await roleOf(createHash('sha256').update(token).digest('hex'))) !== 'platform')
    return reply.code(401).send({ code: '401', message: 'Unauthorized' })
  const { body } = request
  const known = await Promise.all(body.hotels.map(({ platformHotelId }) => hotelOf(platformHotelId)))
  const found = await Promise.all(
    known.filter((hotel) => hotel !== undefined).map((hotel) => offersIn(hotel, body)),
  )
  const notFound = body.hotels.filter((_, at) => !known[at])
  return reply.send({ code: '200', message: 'Offers retrieved successfully', hotels: found, notFound })
})

process.on('SIGTERM', () => process.exit(0))
process.stdout.write(`${await fastify.listen({ host: '127.0.0.1', port: 0 })}\n`)
