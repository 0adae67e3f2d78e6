import Type, { type Static } from 'typebox'
import { commonLimits } from '../keys/contract.ts'
import { weekdays } from '../base/calendar.ts'
import { code, date, integer, nullableBoolean, nullableInteger, oneOf } from '../http/route.ts'
import { ageCategories, guestsMax } from './fields.ts'
import {
  isSwitch,
  pushedRestrictions,
  restrictions as table,
  type PushedRestriction,
  type SwitchName,
} from './restrictions.ts'

/** Nights that may be pushed: from yesterday to this many days ahead, in the hotel's zone. */
export const daysAheadMax = commonLimits.ariDaysAhead
export const inventoryMax = 99_999
export const restrictionMax = 999
/** Rate lines an item may carry. */
export const ratesPerItemMax = 500
export const pricesPerRateMax = 300
/** The most that any key may be allowed; its own limit is smaller. */
export const itemsMax = 100_000

export const pricingModels = ['unit', 'guest'] as const
export type PricingModel = (typeof pricingModels)[number]

export const pricingModel = oneOf(pricingModels, {
  description:
    'Exactly `unit` (a price for the room) or `guest` (a price by number of guests). Required when a price is sent',
  errors: {
    '*': {
      type: 'PRICING_MODEL_INVALID',
      message: 'pricingModel must be unit or guest',
      hint: 'Lower case; Daily and LOS are not pricing models',
    },
  },
})

const nullableAmount = Type.Unsafe<number | string | null>({
  type: ['number', 'string', 'null'],
  decimal: 'any',
  description: "A number or decimal string with at most the currency's minor digits; null clears",
  examples: [110, '110.50'],
})

type ShapeOf<Name extends PushedRestriction> = Type.TOptional<
  Type.TUnsafe<(Name extends SwitchName ? boolean : number) | null>
>

function shapeOf(name: PushedRestriction) {
  const { description, alsoCalled } = table[name]
  if (isSwitch(name)) return Type.Optional(nullableBoolean({ description, alsoCalled }))
  const limit = { minimum: 0, maximum: restrictionMax, alsoCalled }
  return Type.Optional(nullableInteger({ ...limit, description: `${description}. 0 and null clear` }))
}

const { closed, ...restrictions } =
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.fromEntries forgets which name has which shape.
  Object.fromEntries(pushedRestrictions.map((name) => [name, shapeOf(name)])) as {
    [Name in PushedRestriction]: ShapeOf<Name>
  }

const inventory = Type.Optional(
  nullableInteger({
    minimum: 0,
    maximum: inventoryMax,
    description: 'Units that can be sold, absolute; null clears (not sellable)',
    alsoCalled: ['availability', 'available', 'allotment', 'units', 'stock', 'bookingLimit'],
  }),
)

const guests = integer({
  minimum: 1,
  maximum: guestsMax,
  description: 'How many guests of the category the amount is for, in total',
})
const ageCategory = oneOf(ageCategories, { description: 'Only in the guest model' })

const priceLine = Type.Object({
  guests: Type.Optional(guests),
  ageCategory: Type.Optional(ageCategory),
  amount: nullableAmount,
})
export type PriceLine = Static<typeof priceLine>

const prices = Type.Optional(
  Type.Unsafe<PriceLine[] | null>({
    type: ['array', 'null'],
    items: priceLine,
    maxItems: pricesPerRateMax,
    description: 'Price lines; each touches only its own (ageCategory, guests). null clears all prices',
  }),
)

export const rateLine = Type.Object({
  rateId: code({
    description: 'As in products',
    errors: { required: { type: 'RATE_ID_REQUIRED', message: 'rateId is required' } },
  }),
  pricingModel: Type.Optional(pricingModel),
  inventory,
  closed,
  ...restrictions,
  prices,
  price: Type.Optional(nullableAmount),
})
export type RateLine = Static<typeof rateLine>

export const ariItem = Type.Object({
  roomId: code({
    description: 'As in products',
    errors: { required: { type: 'ROOM_ID_REQUIRED', message: 'roomId is required' } },
  }),
  date: Type.Optional(date({ description: 'One night; or startDate with endDate' })),
  startDate: Type.Optional(date({ description: 'First night' })),
  endDate: Type.Optional(date({ description: 'Last night, included' })),
  daysOfWeek: Type.Optional(
    Type.Array(oneOf(weekdays), { minItems: 1, maxItems: 7, description: 'Only these nights of the range' }),
  ),
  inventory,
  closed,
  rates: Type.Optional(
    Type.Array(rateLine, {
      maxItems: ratesPerItemMax,
      emptyIsAbsent: true,
      description: 'Rate lines of the room; an empty list is as none',
    }),
  ),
  // The flat form: one rate line an item.
  rateId: Type.Optional(code({ description: 'Flat form: the item itself is the rate line' })),
  pricingModel: Type.Optional(pricingModel),
  ...restrictions,
  prices,
  price: Type.Optional(nullableAmount),
  amount: Type.Optional(nullableAmount),
  guests: Type.Optional(guests),
  ageCategory: Type.Optional(ageCategory),
})
export type AriItem = Static<typeof ariItem>
