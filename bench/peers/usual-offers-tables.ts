import {
  bigint,
  boolean,
  date,
  index,
  integer,
  pgTable,
  primaryKey,
  serial,
  smallint,
  text,
} from 'drizzle-orm/pg-core'

/** The request and the answer; with the answer's schema, Fastify serializes faster than JSON.stringify. */

export type OffersBody = {
  hotels: { platformHotelId: string }[]
  checkin: string
  checkout: string
  rooms: { adults: number; childAges?: number[] }[]
}

const textType = { type: 'string' }
const flag = { type: 'boolean' }
const whole = { type: 'integer' }
const night = { type: 'string', format: 'date' }
const object = (properties: Record<string, object>) => ({ type: 'object', properties })
const list = (items: object) => ({ type: 'array', items })

const hotel = { ...object({ platformHotelId: textType }), required: ['platformHotelId'] }
const room = {
  ...object({
    adults: { type: 'integer', minimum: 1, maximum: 99 },
    childAges: list({ type: 'integer', minimum: 0, maximum: 99 }),
  }),
  required: ['adults'],
}

export const offersBody = {
  ...object({
    hotels: { ...list(hotel), minItems: 1, maxItems: 200 },
    checkin: night,
    checkout: night,
    rooms: { ...list(room), minItems: 1, maxItems: 20 },
  }),
  required: ['hotels', 'checkin', 'checkout', 'rooms'],
}

const offer = object({
  roomId: textType,
  platformRoomId: textType,
  roomName: textType,
  rateId: textType,
  platformRateId: textType,
  rateName: textType,
  mealPlan: { type: 'string', nullable: true },
  unitsLeft: whole,
  rooms: list(object({ nights: list(object({ date: textType, amount: textType })) })),
  taxes: list(object({ type: textType, included: flag, payNow: flag, amount: textType })),
  total: object({ beforeTax: textType, tax: textType, afterTax: textType, dueAtProperty: textType }),
  cancelPolicy: { type: 'null' },
})

export const offersAnswer = object({
  code: textType,
  message: textType,
  hotels: list(
    object({
      platformHotelId: textType,
      supplier: textType,
      hotelId: textType,
      currency: textType,
      offers: list(offer),
    }),
  ),
  notFound: list(object({ platformHotelId: textType })),
})

/** One row a night, with primary keys that store the nights of a stay next to each other. */

export const tokens = pgTable('usual_token', { hash: text().primaryKey(), role: text().notNull() })
export const hotels = pgTable('usual_offer_hotel', {
  id: integer().primaryKey(),
  supplier: text().notNull(),
  code: text().notNull(),
  currency: text().notNull(),
  isAvailable: boolean('is_available').notNull(),
  minChildAge: smallint('min_child_age').notNull(),
  maxChildAge: smallint('max_child_age').notNull(),
})
export const taxes = pgTable(
  'usual_offer_tax',
  {
    id: serial().primaryKey(),
    hotelId: integer('hotel_id').notNull(),
    type: text().notNull(),
    /** Either a share of the price, in hundredths of a percent, or minor units per person and night. */
    rate: integer(),
    amount: integer(),
    payNow: boolean('pay_now').notNull(),
  },
  (table) => [index().on(table.hotelId)],
)
export const products = pgTable(
  'usual_offer_product',
  {
    id: serial().primaryKey(),
    hotelId: integer('hotel_id').notNull(),
    roomId: integer('room_id').notNull(),
    roomCode: text('room_code').notNull(),
    roomName: text('room_name').notNull(),
    rateCode: text('rate_code').notNull(),
    rateName: text('rate_name').notNull(),
    mealPlan: text('meal_plan'),
    isAvailable: boolean('is_available').notNull(),
    maxOccupancy: smallint('max_occupancy').notNull(),
    maxAdult: smallint('max_adult').notNull(),
    maxChild: smallint('max_child').notNull(),
  },
  (table) => [index().on(table.hotelId)],
)
export const roomNights = pgTable(
  'usual_offer_room_night',
  {
    hotelId: integer('hotel_id').notNull(),
    night: date().notNull(),
    roomId: integer('room_id').notNull(),
    inventory: integer(),
    closed: boolean().notNull(),
  },
  (table) => [primaryKey({ columns: [table.hotelId, table.night, table.roomId] })],
)
export const rateNights = pgTable(
  'usual_offer_rate_night',
  {
    hotelId: integer('hotel_id').notNull(),
    night: date().notNull(),
    productId: integer('product_id').notNull(),
    roomId: integer('room_id').notNull(),
    inventory: integer(),
    closed: boolean().notNull(),
    closedToArrival: boolean('closed_to_arrival').notNull(),
    closedToDeparture: boolean('closed_to_departure').notNull(),
    minLengthStay: smallint('min_length_stay'),
    maxLengthStay: smallint('max_length_stay'),
    minStayArrival: smallint('min_stay_arrival'),
    maxStayArrival: smallint('max_stay_arrival'),
    minAdvanceDays: smallint('min_advance_days'),
    maxAdvanceDays: smallint('max_advance_days'),
    /** By number of guests, in minor units. */
    adultPrices: bigint('adult_prices', { mode: 'number' }).array(),
    childPrices: bigint('child_prices', { mode: 'number' }).array(),
    infantPrices: bigint('infant_prices', { mode: 'number' }).array(),
  },
  (table) => [primaryKey({ columns: [table.hotelId, table.night, table.productId] })],
)
