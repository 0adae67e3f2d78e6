/**
 * The usual stack, as a competent team would write it: Fastify with schema validation, Drizzle over a pg
 * pool, one row a night, one transaction per request, batched upserts, the API key and the hotel's ids from
 * short-lived caches.
 */
import { and, eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import {
  boolean,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  serial,
  smallint,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import Fastify from 'fastify'
import { createHash, randomUUID } from 'node:crypto'
import pg from 'pg'
import { cached } from './cached.ts'

const apiKeys = pgTable('usual_api_key', {
  hash: text().primaryKey(),
  supplierId: integer('supplier_id').notNull(),
})
const hotels = pgTable(
  'usual_hotel',
  {
    id: serial().primaryKey(),
    supplierId: integer('supplier_id').notNull(),
    code: text().notNull(),
    currency: text().notNull(),
  },
  (table) => [uniqueIndex().on(table.supplierId, table.code)],
)
const roomRates = pgTable(
  'usual_room_rate',
  {
    id: serial().primaryKey(),
    hotelId: integer('hotel_id').notNull(),
    roomCode: text('room_code').notNull(),
    rateCode: text('rate_code').notNull(),
  },
  (table) => [uniqueIndex().on(table.hotelId, table.roomCode, table.rateCode)],
)
const inventories = pgTable(
  'usual_inventory',
  {
    hotelId: integer('hotel_id').notNull(),
    roomCode: text('room_code').notNull(),
    night: date().notNull(),
    inventory: integer(),
    closed: boolean().notNull().default(false),
  },
  (table) => [primaryKey({ columns: [table.hotelId, table.roomCode, table.night] })],
)
const ratesDaily = pgTable(
  'usual_rate_daily',
  {
    roomRateId: integer('room_rate_id').notNull(),
    night: date().notNull(),
    prices: jsonb().notNull(),
    closed: boolean().notNull().default(false),
    closedToArrival: boolean('closed_to_arrival').notNull().default(false),
    closedToDeparture: boolean('closed_to_departure').notNull().default(false),
    minLengthStay: smallint('min_length_stay'),
    maxLengthStay: smallint('max_length_stay'),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.roomRateId, table.night] })],
)
const pushLogs = pgTable(
  'usual_push_log',
  {
    id: serial().primaryKey(),
    supplierId: integer('supplier_id').notNull(),
    hotelId: integer('hotel_id'),
    requestId: text('request_id').notNull(),
    at: timestamp({ withTimezone: true }).notNull().defaultNow(),
    status: integer().notNull(),
    body: jsonb().notNull(),
    answer: jsonb().notNull(),
  },
  (table) => [index().on(table.supplierId, table.at), index().on(table.requestId)],
)

type Body = {
  hotelId: string
  ari: {
    roomId: string
    startDate: string
    endDate: string
    inventory?: number
    rates: { rateId: string; minLengthStay?: number; prices: unknown[] }[]
  }[]
}

const price = {
  type: 'object',
  required: ['amount'],
  properties: {
    guests: { type: 'integer', minimum: 1 },
    ageCategory: { enum: ['adult', 'child', 'infant'] },
    amount: { type: 'number' },
  },
}
const rate = {
  type: 'object',
  required: ['rateId'],
  properties: {
    rateId: { type: 'string' },
    minLengthStay: { type: 'integer' },
    prices: { type: 'array', items: price },
  },
}
const item = {
  type: 'object',
  required: ['roomId', 'startDate', 'endDate'],
  properties: {
    roomId: { type: 'string' },
    startDate: { type: 'string', format: 'date' },
    endDate: { type: 'string', format: 'date' },
    inventory: { type: 'integer' },
    rates: { type: 'array', items: rate },
  },
}
const schema = {
  body: {
    type: 'object',
    required: ['hotelId', 'ari'],
    properties: { hotelId: { type: 'string' }, ari: { type: 'array', maxItems: 1_000, items: item } },
  },
}

// oxlint-disable-next-line typescript/no-unsafe-assignment -- the bench writes it
const address: pg.PoolConfig = JSON.parse(process.argv[2] ?? '{}')
const pool = new pg.Pool({ ...address, max: 20 })
const db = drizzle(pool)
const rowsAtOnce = 2_000

const supplierOf = cached(
  async (hash) => (await db.select().from(apiKeys).where(eq(apiKeys.hash, hash)))[0]?.supplierId,
)
const hotelOf = cached(async (key) => {
  const [supplierId = '', code = ''] = key.split('/')
  const [hotel] = await db
    .select()
    .from(hotels)
    .where(and(eq(hotels.supplierId, Number(supplierId)), eq(hotels.code, code)))
  if (!hotel) return undefined
  const rows = await db.select().from(roomRates).where(eq(roomRates.hotelId, hotel.id))
  return {
    id: hotel.id,
    roomRateIds: new Map(rows.map((row) => [`${row.roomCode}/${row.rateCode}`, row.id])),
  }
})

function nights(from: string, to: string): string[] {
  const list = []
  for (let at = Date.parse(from); at <= Date.parse(to); at += 86_400_000)
    list.push(new Date(at).toISOString().slice(0, 10))
  return list
}

const fastify = Fastify({ logger: false, bodyLimit: 64 * 1024 * 1024 })
// oxlint-disable-next-line max-lines-per-function -- the peer's one request, as its own handler would be written
fastify.post<{ Body: Body }>('/v1/push/ari', { schema }, async (request, reply) => {
  const supplierId = await supplierOf(
    createHash('sha256').update(String(request.headers['x-api-key'])).digest('hex'),
  )
  if (supplierId === undefined) return reply.code(401).send({ code: '401', message: 'Unauthorized API KEY' })
  const { hotelId, ari } = request.body
  const hotel = await hotelOf(`${supplierId}/${hotelId}`)
  if (!hotel) return reply.code(404).send({ code: '404', message: 'Hotel ID is not found' })
  // By key, so that a night named twice is written once, and in a fixed order, so that two requests don't
  // deadlock.
  const inventoryByKey = new Map<string, typeof inventories.$inferInsert>()
  const rateByKey = new Map<string, typeof ratesDaily.$inferInsert>()
  for (const { roomId, startDate, endDate, inventory, rates } of ari) {
    for (const night of nights(startDate, endDate)) {
      if (inventory !== undefined)
        inventoryByKey.set(`${roomId}/${night}`, { hotelId: hotel.id, roomCode: roomId, night, inventory })
      for (const { rateId, minLengthStay, prices } of rates) {
        const roomRateId = hotel.roomRateIds.get(`${roomId}/${rateId}`)
        if (roomRateId === undefined)
          return reply.code(404).send({ code: '404', message: 'RateID not found' })
        rateByKey.set(`${roomRateId}/${night}`, {
          roomRateId,
          night,
          prices,
          minLengthStay: minLengthStay ?? null,
        })
      }
    }
  }
  const sorted = <Row>(rows: Map<string, Row>): Row[] =>
    [...rows].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, row]) => row)
  const inventoryRows = sorted(inventoryByKey)
  const rateRows = sorted(rateByKey)
  const results = ari.map((_, position) => ({ index: position, status: 'applied' }))
  const answer = {
    code: '200',
    message: 'ARI updated successfully',
    hotelId,
    requestId: request.id,
    summary: { items: ari.length, applied: ari.length },
    results,
  }
  await db.transaction(async (transaction) => {
    for (let from = 0; from < inventoryRows.length; from += rowsAtOnce) {
      await transaction
        .insert(inventories)
        .values(inventoryRows.slice(from, from + rowsAtOnce))
        .onConflictDoUpdate({
          target: [inventories.hotelId, inventories.roomCode, inventories.night],
          set: { inventory: sql`excluded.inventory` },
        })
    }
    for (let from = 0; from < rateRows.length; from += rowsAtOnce) {
      await transaction
        .insert(ratesDaily)
        .values(rateRows.slice(from, from + rowsAtOnce))
        .onConflictDoUpdate({
          target: [ratesDaily.roomRateId, ratesDaily.night],
          set: {
            prices: sql`excluded.prices`,
            minLengthStay: sql`excluded.min_length_stay`,
            updatedAt: sql`now()`,
          },
        })
    }
    await transaction.insert(pushLogs).values({
      supplierId,
      hotelId: hotel.id,
      requestId: randomUUID(),
      status: 200,
      body: request.body,
      answer,
    })
  })
  return reply.send(answer)
})

process.on('SIGTERM', () => process.exit(0))
process.stdout.write(`${await fastify.listen({ host: '127.0.0.1', port: 0 })}\n`)
