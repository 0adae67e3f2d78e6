import Type, { type Static } from 'typebox'
import { commonLimits } from '../keys/contract.ts'
import { largestAmount } from '../base/money.ts'
import { formatNight, weekdays, type DayNumber, type Weekday } from '../base/calendar.ts'
import {
  code,
  date,
  integer,
  nullableBoolean,
  nullableInteger,
  oneOf,
  type ConstraintError,
} from '../http/route.ts'
import { ageCategories, guestsMax, type AgeCategory } from './fields.ts'
import {
  isSwitch,
  pushedRestrictions,
  restrictions as table,
  limitsByZero,
  type PushedRestriction,
  type SwitchName,
} from './restrictions.ts'

/** Range of nights that can be pushed: from yesterday to this many days ahead, in the hotel's zone. */
export const daysAheadMax = commonLimits.ariDaysAhead
export const inventoryMax = 99_999
export const restrictionMax = 999
/** Rate lines allowed in an item. */
export const ratesPerItemMax = 500
export const pricesPerRateMax = 300
/** The most that any key can be allowed; each key has its own smaller limit. */
export const itemsMax = 100_000

export const pricingModels = ['unit', 'guest'] as const
export type PricingModel = (typeof pricingModels)[number]
export const otherModel = { unit: 'guest', guest: 'unit' } as const satisfies Record<
  PricingModel,
  PricingModel
>

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
  const cleared = limitsByZero(name) ? 'null clears' : '0 and null clear'
  return Type.Optional(nullableInteger({ ...limit, description: `${description}. ${cleared}` }))
}

const { closed, ...restrictions } =
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.fromEntries forgets which name has which shape.
  Object.fromEntries(pushedRestrictions.map((name) => [name, shapeOf(name)])) as {
    [Name in PushedRestriction]: ShapeOf<Name>
  }

const inventory = Type.Optional(
  nullableInteger({
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: inventoryMax,
    description:
      'Units that can be sold, absolute; null clears. Below zero (overbooked) is 0, with the warning `NEGATIVE_INVENTORY`. A night is sold only if the room or the rate has some',
    alsoCalled: ['availability', 'available', 'allotment', 'units', 'stock', 'bookingLimit'],
  }),
)

const guests = integer({
  minimum: 1,
  maximum: guestsMax,
  description: 'Number of guests of the category that the amount covers in total',
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
    description:
      'Price lines; each sets only the price of its own (ageCategory, guests). null clears all prices',
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
      description: 'Rate lines of the room; an empty list counts as absent',
    }),
  ),
  // The flat form: one rate line per item.
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

type DateName = 'date' | 'startDate' | 'endDate'

/** Faults that the rules find in an item whose shape is valid. */
export const itemErrors = {
  ambiguousDates: {
    type: 'AMBIGUOUS_DATES',
    message: 'date cannot be sent together with startDate or endDate',
  },
  dateMissing: (name: DateName) => ({
    type: 'REQUIRED',
    message: `${name} is required`,
    hint: 'Send startDate with endDate, or date for one night',
  }),
  datesReversed: {
    type: 'DATES_REVERSED',
    message: 'startDate must not be later than endDate',
    hint: 'Both dates are included',
  },
  dateInPast: (name: DateName, today: DayNumber, timeZone: string) => ({
    type: 'DATE_IN_PAST',
    message: `${name} must not be earlier than yesterday`,
    hint: `It is ${formatNight(today)} in ${timeZone}; yesterday's night is the earliest`,
  }),
  dateTooFar: (name: DateName, today: DayNumber) => ({
    type: 'DATE_TOO_FAR',
    message: `${name} must be at most ${daysAheadMax} days ahead`,
    hint: `The last night that can be pushed today is ${formatNight(today + daysAheadMax)}`,
  }),
  noNights: (days: readonly Weekday[], from: string, to: string) => ({
    type: 'NO_NIGHTS',
    message: 'daysOfWeek matches no night of the range',
    hint: `No ${days.join(', ')} lies between ${from} and ${to}`,
  }),
  roomNotFound: {
    type: 'ROOM_NOT_FOUND',
    message: 'RoomID not found',
    hint: 'Push the room with POST /push/products first',
  },
  rateNotFound: {
    type: 'RATE_NOT_FOUND',
    message: 'RateID not found',
    hint: 'Push the rate with POST /push/products first',
  },
  rateNotOfRoom: {
    type: 'RATE_NOT_FOUND',
    message: 'RateID not found',
    hint: 'The rate exists, but not with this room: push the pair with POST /push/products first',
  },
  duplicateRate: (firstPath: string) => ({
    type: 'DUPLICATE_RATE',
    message: 'rateId appears twice in one item',
    hint: `It already appears at ${firstPath}`,
  }),
  bothForms: {
    type: 'AMBIGUOUS_ITEM',
    message: 'rateId and rates cannot both be sent in one item',
    hint: 'Use rates with several lines, or the flat form with rateId',
  },
  besideRates: (name: string) => ({
    type: 'AMBIGUOUS_ITEM',
    message: `${name} cannot be sent together with rates`,
    hint: 'Send it in each entry of rates',
  }),
  rateIdMissing: (names: readonly string[]) => ({
    type: 'RATE_ID_REQUIRED',
    message: 'rateId is required',
    hint: `These members belong to a rate, so send its rateId: ${names.join(', ')}`,
  }),
  ambiguousPrice: (names: readonly string[]) => ({
    type: 'AMBIGUOUS_PRICE',
    message: `${names.join(' and ')} cannot be sent together`,
    hint: 'State each price once',
  }),
  duplicatePrice: (model: PricingModel | undefined) => ({
    type: 'DUPLICATE_PRICE',
    message: 'The same price appears twice in one rate line',
    hint:
      model === 'guest'
        ? 'Send each combination of ageCategory and guests once'
        : 'The unit model has one price per night',
  }),
  guestsMissing: (name: 'guests' | 'ageCategory') => ({
    type: 'REQUIRED',
    message: `${name} is required when pricingModel is guest`,
    hint: 'Send prices: [{ "ageCategory": "adult", "guests": 2, "amount": 110 }], or pricingModel unit for one price whatever the guests',
  }),
  beyondOccupancy: (most: number, category: AgeCategory) => ({
    type: 'OCCUPANCY_EXCEEDED',
    message: `guests exceeds the product's occupancy`,
    hint: `The product allows at most ${most} of category ${category}`,
  }),
  amountNotStorable: (
    amount: number | string,
    { minorDigits, currency }: { minorDigits: number; currency: string },
  ) => {
    const most = largestAmount(minorDigits)
    const isTooLarge = Math.abs(Number(amount)) > Number(most)
    return {
      type: 'INVALID_AMOUNT',
      message: `Amount must ${isTooLarge ? `be at most ${most}` : `have at most ${minorDigits} decimals`} in ${currency}`,
      hint: isTooLarge
        ? 'Send the amount in the major unit, in the currency of the hotel'
        : 'Amounts are never rounded: send no more decimals than the currency has',
    }
  },
  amountTooLow: (mayBeFree: boolean) => ({
    type: 'INVALID_AMOUNT',
    message: `Amount must be greater than ${mayBeFree ? 'or equal to ' : ''}zero`,
    hint: 'Use closed or inventory 0 to stop the sale, null to clear the price',
  }),
  guestsIgnored: {
    type: 'GUEST_FIELDS_IGNORED',
    message: 'guests and ageCategory are ignored when pricingModel is unit',
    hint: 'The amount is for the room, regardless of the guests; send pricingModel guest for prices by number of guests',
  },
  negativeInventory: {
    type: 'NEGATIVE_INVENTORY',
    message: 'inventory is below zero: stored as 0, nothing is sold',
    hint: 'If that is how you say "overbooked", nothing needs to be done; otherwise send the units that are left',
  },
  nothingSent: (ignored: readonly string[]) => ({
    type: 'NOTHING_SENT',
    message: 'Nothing was changed: no value was sent',
    hint:
      ignored.length > 0
        ? `Unknown and ignored: ${ignored.join(', ')}`
        : 'Send inventory, closed, prices or a restriction; absent members stay unchanged',
  }),
} as const satisfies Readonly<Record<string, ConstraintError | ((...facts: never[]) => ConstraintError)>>
