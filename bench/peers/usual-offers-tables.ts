/** One row a night, with primary keys that store the nights of a stay next to each other. */
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
