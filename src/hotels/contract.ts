import { formerReason } from './former-currency.ts'
import { unknownHotelError } from '../push-log/contract.ts'
import Type, { type Static } from 'typebox'
import { commonLimits } from '../keys/contract.ts'
import { code, integer, oneOf, route, success, text, warning, type ConstraintError } from '../http/route.ts'

export const hotelsPerPushMax = commonLimits.hotelsPerRequest
const hotelsPerReadMax = commonLimits.hotelsPerRequest
/** Older than any guest; a larger number is a typing error. */
export const childAgeMax = 99
export const emailCharactersMax = 254

/** The default time zone of a hotel. */
export const timeZoneOtherwise = 'UTC'

/** Faults that the schema can't find because they need reference data, in the words of the contract. */
export const hotelErrors = {
  childAge: {
    type: 'CHILD_AGE_INVALID',
    message: 'Validation failure on minChildAge or maxChildAge',
    hint: `Send both as integers from 1 to ${childAgeMax}, minChildAge not above maxChildAge`,
  },
  tooManyHotels: {
    type: 'TOO_MANY_HOTELS',
    message: `Maximum ${hotelsPerPushMax} hotels can be updated at a time`,
    hint: 'Split the push',
  },
  tooManyOfAccount: {
    type: 'ACCOUNT_HOTELS_FULL',
    message: 'This account may have no more hotels',
    hint: 'Ask the platform for more; in the sandbox, POST /sandbox/reset removes those that are there',
  },
  currency: {
    type: 'CURRENCY_INVALID',
    message: 'Currency is not valid',
    hint: 'Send an ISO 4217 code in capitals, for example USD; GET /v1/push/reference lists them',
  },
  country: {
    type: 'COUNTRY_INVALID',
    message: 'Country code is not valid',
    hint: 'Send an ISO 3166-1 alpha-2 code in capitals, for example FR',
  },
  timeZone: {
    type: 'TIMEZONE_INVALID',
    message: 'Timezone is not valid',
    hint: 'Send an IANA zone name in region/city form, for example Europe/Paris',
  },
  email: {
    type: 'EMAIL_INVALID',
    message: 'Email is not valid',
    hint: 'Send one address, for example desk@hotel.example',
  },
  repeated: { type: 'DUPLICATE_HOTEL', message: 'hotelId appears twice in one request' },
  /** In the specification's words for products, which ARI shares. */
  notFound: { ...unknownHotelError, message: 'Hotel ID is not found' },
} as const satisfies Record<string, ConstraintError>

/** Warnings about accepted values. */
export const hotelWarnings = {
  timeZoneMissing: {
    type: 'TIMEZONE_MISSING',
    message: `No timezone sent: nights are counted in ${timeZoneOtherwise}`,
    hint: "Send the hotel's IANA zone, for example Europe/Paris",
  },
  cityUnknown: {
    type: 'CITY_NOT_MATCHED',
    message: 'City is not found in the reference data',
    hint: 'Kept as sent; check the spelling and countryCodeISO2',
  },
  currencyChanged: {
    type: 'CURRENCY_CHANGED',
    message: 'Currency was changed: stored prices cannot be sold until they are pushed again',
    hint: 'Push the prices with POST /push/ari, fixed taxes with POST /push/taxes, and products with flat penalties or fees with POST /push/products',
  },
  formerAmounts: {
    type: 'FORMER_CURRENCY',
    message: 'Amounts of the former currency are unknown until they are pushed again',
    hint: 'Amounts are never converted: push ARI, taxes and products with their amounts in the new currency',
  },
} as const satisfies Record<string, ConstraintError>

export const hotelId = code({
  description: "The supplier's own code of the hotel",
  errors: {
    required: {
      type: 'HOTEL_ID_REQUIRED',
      message: 'hotelId is required',
      hint: 'Send the hotelId pushed with POST /push/hotels',
    },
  },
})

const childAge = (description: string) =>
  integer({ minimum: 1, maximum: childAgeMax, description, errors: { '*': hotelErrors.childAge } })

/** Free text that may be empty: many systems send an empty string for unknown values. */
const freeText = (maxLength: number, description: string) =>
  Type.Optional(text({ minLength: 0, maxLength, description }))

const hotelMembers = {
  hotelName: text({ maxLength: 255, notBlank: true, description: 'Display name' }),
  currency: Type.String({ description: 'ISO 4217 code of all amounts of the hotel', examples: ['USD'] }),
  isAvailable: Type.Boolean({ description: 'Open for bookings' }),
  minChildAge: childAge('Guests below this age are infants'),
  maxChildAge: childAge('Guests up to this age are children, above it adults'),
  countryCodeISO2: Type.Optional(Type.String({ description: 'ISO 3166-1 alpha-2', examples: ['FR'] })),
  city: freeText(120, 'Matched to reference data by name and country, regardless of case and accents'),
  email: Type.Optional(Type.String({ description: 'Property e-mail' })),
  chainCode: freeText(64, 'Chain of the property'),
  latitude: Type.Optional(Type.Number({ minimum: -90, maximum: 90, description: 'Degrees, north positive' })),
  longitude: Type.Optional(
    Type.Number({ minimum: -180, maximum: 180, description: 'Degrees, east positive' }),
  ),
  state: freeText(120, 'State or province'),
  address: Type.Optional(
    Type.Array(text({ minLength: 0, maxLength: 255 }), { maxItems: 20, description: 'Address lines' }),
  ),
  phone: Type.Optional(
    Type.Object({
      CountryAccessCode: freeText(32, 'For example +33'),
      phoneNumber: freeText(64, 'Number without the country access code'),
    }),
  ),
  timezone: Type.Optional(
    Type.String({
      description: 'IANA zone in which nights are counted; absent: UTC',
      examples: ['Europe/Paris'],
    }),
  ),
}

/** Members that `getHotels` adds to a hotel, so that its answer can be edited and posted back. */
const readBackMembers = [
  'platformHotelId',
  'cityMatched',
  'productCount',
  'lastAriAt',
  'revision',
  'goLive',
] as const

export const hotel = Type.Object({ hotelId, ...hotelMembers }, { ignored: [...readBackMembers] })
export type Hotel = Static<typeof hotel>

const count = Type.Integer({ minimum: 0 })

const stepStatuses = ['done', 'missing', 'notNeeded'] as const
export type StepStatus = (typeof stepStatuses)[number]
const step = Type.Object({
  status: oneOf(stepStatuses),
  at: Type.Optional(Type.String({ description: 'When it was done, if known (UTC)' })),
  reason: formerReason,
})

/** Those that a supplier needs or not by its contract; the platform marks them. */
export const optionalSteps = ['availabilityWebhook', 'pushbookWebhook'] as const
export type OptionalStep = (typeof optionalSteps)[number]

export const goLive = Type.Object(
  {
    hotels: step,
    products: step,
    taxes: step,
    ari: step,
    availabilityWebhook: step,
    pushbookWebhook: step,
    ready: Type.Boolean({ description: 'No step is missing' }),
  },
  {
    description:
      'The go-live checklist. `products`: at least one is available, and no available one has a flat penalty or fee of a former currency. `ari`: an available product has a price, in the current currency, for tonight or later. Taxes are `notNeeded` until some are pushed, because a property may have none, and `missing` while one is an amount of a former currency. The webhooks are those of the calling key; they are `missing` until registered, or `notNeeded` where the platform has noted that your contract has no live price checks, or no reservations by HTTP push.',
  },
)

const storedHotel = Type.Object({
  hotelId: Type.String(),
  ...hotelMembers,
  platformHotelId: Type.String({ description: "The platform's identifier of the hotel; opaque and stable" }),
  cityMatched: Type.Optional(Type.String({ description: 'The city of the reference data' })),
  productCount: Type.Integer({ description: 'Room-rate rows, archived ones included' }),
  lastAriAt: Type.Union([Type.String(), Type.Null()], { description: 'Last applied ARI push (UTC)' }),
  revision: Type.Integer({ description: 'Increases with every push that changes the hotel' }),
  goLive,
})
export type StoredHotel = Static<typeof storedHotel>

const hotelIds = {
  minItems: 1,
  maxItems: hotelsPerReadMax,
  errors: {
    minItems: { type: 'TOO_FEW', message: 'At least one hotelId is required' },
    maxItems: {
      type: 'TOO_MANY_HOTELS',
      message: `Maximum ${hotelsPerReadMax} hotels can be retrieved at a time`,
      hint: 'Split the request',
    },
  },
}

const exampleHotel = {
  hotelId: 'H1',
  hotelName: 'Hôtel de la Gare',
  currency: 'USD',
  isAvailable: true,
  minChildAge: 3,
  maxChildAge: 12,
  countryCodeISO2: 'FR',
  city: 'Paris',
  email: 'desk@hoteldelagare.example',
  chainCode: 'GARE',
  latitude: 48.8809,
  longitude: 2.3553,
  state: 'Île-de-France',
  address: ['18 rue de Dunkerque', '75010 Paris'],
  phone: { CountryAccessCode: '+33', phoneNumber: '155501234' },
  timezone: 'Europe/Paris',
}

export const hotelRoutes = {
  pushHotels: route({
    method: 'POST',
    path: '/push/hotels',
    access: 'supplier',
    tag: 'Hotels',
    summary: 'Create or update hotels',
    description: [
      'At most 500 hotels, all or none: if one element is invalid, the push is refused, and the answer lists every invalid element.',
      'Each element is the full state of its hotel: an optional field that is left out is cleared. Posting the same again changes nothing.',
      'Changing the currency keeps the stored prices, but they cannot be sold until they are pushed again.',
      'A city that is not found in the reference data, or a missing timezone, is a warning, never an error.',
    ].join('\n'),
    body: Type.Array(hotel, {
      minItems: 1,
      maxItems: hotelsPerPushMax,
      errors: {
        minItems: {
          type: 'TOO_FEW',
          message: 'At least one hotel is required',
          hint: 'Send an array of hotels',
        },
        maxItems: hotelErrors.tooManyHotels,
      },
    }),
    answer: Type.Object({
      ...success,
      requestId: Type.String(),
      created: count,
      updated: count,
      unchanged: count,
      warnings: Type.Array(warning),
    }),
    errors: { 400: 'At least one hotel breaks a rule; nothing was applied' },
    pushKind: 'hotels',
    examples: [
      {
        summary: 'One hotel with all its fields',
        request: [exampleHotel],
        answer: { status: 200, body: { code: '200', message: 'Hotels updated successfully' } },
      },
    ],
  }),
  getHotels: route({
    method: 'POST',
    path: '/push/getHotels',
    access: 'supplier',
    tag: 'Hotels',
    summary: 'Read hotels back',
    description: [
      'Hotels as pushed, with the values that the platform derived from them, and the progress of each on the go-live checklist.',
      'Takes an object with `hotelIds` or the bare array. Codes that are unknown to this account are listed in `notFound`.',
    ].join('\n'),
    // One schema for both forms: each keyword applies to its own type only, so the errors stay simple.
    body: Type.Unsafe<string[] | { hotelIds: string[] }>({
      type: ['object', 'array'],
      items: code(),
      ...hotelIds,
      properties: { hotelIds: Type.Array(code(), { ...hotelIds, description: 'Codes of the hotels' }) },
      required: ['hotelIds'],
    }),
    answer: Type.Object({
      ...success,
      hotels: Type.Array(storedHotel),
      notFound: Type.Array(Type.String(), {
        description: 'Requested codes that are not hotels of this account',
      }),
    }),
    examples: [
      {
        summary: 'One hotel that exists and one that does not',
        request: { hotelIds: ['H1', 'H9'] },
        answer: { status: 200, body: { code: '200', message: 'Hotels retrieved successfully' } },
      },
      {
        summary: 'The bare array',
        request: ['H1'],
        answer: { status: 200, body: { code: '200', message: 'Hotels retrieved successfully' } },
      },
    ],
  }),
}
