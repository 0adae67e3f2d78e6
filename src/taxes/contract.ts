import { unknownHotelError } from '../push-log/contract.ts'
import Type, { type Static } from 'typebox'
import { assertedCurrency } from '../hotels/asserted-currency.ts'
import { hotelId } from '../hotels/contract.ts'
import { formerCurrency } from '../hotels/former-currency.ts'
import { commonLimits } from '../keys/contract.ts'
import {
  answerMembers,
  code,
  date,
  decimal,
  integer,
  oneOf,
  route,
  success,
  type ConstraintError,
} from '../http/route.ts'

export const taxTypes = ['VAT', 'CITY_TAX', 'LOCAL_TAX', 'GOV_TAX', 'OTHER_TAX'] as const
export const taxValueTypes = ['%', 'fixed'] as const
export const taxBases = ['net', 'net+vat'] as const
export const taxUnits = [
  'per_room_per_night',
  'per_person_per_night',
  'per_room_per_stay',
  'per_person_per_stay',
] as const

export const taxesPerScopeMax = commonLimits.taxesPerScope
export const taxScopesMax = commonLimits.taxScopesPerRequest

/** Ten times the price: far above any real tax, far below a percentage with a misplaced decimal point. */
export const percentMax = 1_000
export const percentDecimalsMax = 6
/** In units of the currency, whatever its number of minor digits. */
export const fixedValueMax = 999_999_999

const notOne = (name: string, of: readonly string[]): { errors: { enum: ConstraintError } } => ({
  errors: {
    enum: {
      type: 'NOT_ALLOWED',
      message: `Tax ${name} must be one of ${of.join(', ')}`,
      hint: 'Values are case-sensitive',
    },
  },
})

/** Faults that involve several fields, or that require the hotel to be known. */
export const taxErrors = {
  nothingSent: {
    type: 'TAXES_REQUIRED',
    message: 'at least one of taxes or products is required',
    hint: 'Send taxes for the property, products for rooms and rates, or both',
  },
  scopeMissing: {
    type: 'TAX_SCOPE_REQUIRED',
    message: 'each product entry requires at least one of roomId or rateId',
    hint: 'Send roomId, rateId or both; taxes of the whole property belong in taxes',
  },
  scopeRepeated: {
    type: 'DUPLICATE_TAX_SCOPE',
    message: 'each product entry must have its own scope',
    hint: 'Put all taxes of one room, rate or room-rate into one entry',
  },
  roomNotFound: {
    type: 'ROOM_NOT_FOUND',
    message: 'room id not found',
    hint: 'Push the room with POST /push/products first',
  },
  rateNotFound: {
    type: 'RATE_NOT_FOUND',
    message: 'rate id not found',
    hint: 'Push the rate with POST /push/products first',
  },
  hotelNotFound: unknownHotelError,
  vatOnVat: {
    type: 'TAX_APPLIED_ON_INVALID',
    message: 'Tax appliedOn must be net when type is VAT',
    hint: 'VAT is not charged on VAT: send "appliedOn": "net"',
  },
  includedNotPaid: {
    type: 'TAX_PAY_NOW_REQUIRED',
    message: 'Tax payNow must be true when included is true',
    hint: 'A tax that the price contains is charged with it',
  },
  startDateMissing: {
    type: 'TAX_DATES_INCOMPLETE',
    message: 'Tax startDate is required together with endDate',
    hint: 'Send both dates or neither',
  },
  endDateMissing: {
    type: 'TAX_DATES_INCOMPLETE',
    message: 'Tax endDate is required together with startDate',
    hint: 'Send both dates or neither',
  },
  datesReversed: {
    type: 'TAX_DATES_REVERSED',
    message: 'Tax startDate must not be after endDate',
    hint: 'Both dates are inclusive; a single night has the same date twice',
  },
  percentTooLarge: {
    type: 'TAX_VALUE_TOO_LARGE',
    message: `Tax value must be less than or equal to ${percentMax} when valueType is %`,
    hint: 'Send the percentage itself: 10 for 10 %',
  },
  percentTooFine: {
    type: 'TAX_VALUE_TOO_FINE',
    message: `Tax value must have at most ${percentDecimalsMax} decimals when valueType is %`,
    hint: 'Round the percentage',
  },
  fixedTooLarge: {
    type: 'TAX_VALUE_TOO_LARGE',
    message: `Tax value must be less than or equal to ${fixedValueMax} when valueType is fixed`,
    hint: "Send an amount in the hotel's currency",
  },
  fixedTooFine: {
    type: 'TAX_VALUE_TOO_FINE',
    message: 'Tax value must not have more decimals than the currency',
    hint: "Amounts have the minor digits of the hotel's currency by ISO 4217: JPY 0, USD 2, KWD 3",
  },
} as const satisfies Record<string, ConstraintError>

const tax = Type.Object({
  type: oneOf(taxTypes, notOne('type', taxTypes)),
  valueType: oneOf(taxValueTypes, notOne('valueType', taxValueTypes)),
  value: decimal({
    atLeastZero: true,
    description:
      "Percentage, or amount in the hotel's currency; a JSON number or a decimal string, stored exactly",
    errors: {
      decimal: {
        type: 'TAX_VALUE_INVALID',
        message: 'Tax value must be greater than or equal to zero',
        hint: 'Send a number or a decimal string, for example 10 or "2.50"',
      },
    },
  }),
  appliedOn: oneOf(taxBases, {
    ...notOne('appliedOn', taxBases),
    description: '`net+vat` is not permitted when type is VAT',
  }),
  appliedPer: oneOf(taxUnits, notOne('appliedPer', taxUnits)),
  included: Type.Boolean({ description: 'The pushed price contains this tax; true requires payNow true' }),
  payNow: Type.Boolean({
    description: 'The platform charges the tax now; otherwise it is due at the property',
  }),
  startDate: Type.Optional(date({ description: 'First night with this tax; requires endDate' })),
  endDate: Type.Optional(date({ description: 'Last night with this tax; requires startDate' })),
  formerCurrency,
})
export type Tax = Static<typeof tax>

const taxes = (description: string) =>
  Type.Array(tax, {
    maxItems: taxesPerScopeMax,
    description,
    errors: {
      maxItems: {
        type: 'TOO_MANY_TAXES',
        message: `Maximum ${taxesPerScopeMax} taxes can be saved for one scope`,
        hint: 'Merge taxes of the same kind',
      },
    },
  })

const propertyTaxes = taxes('Taxes of the property, with any room and rate; an empty list removes them')
const products = Type.Array(
  Type.Object({
    roomId: Type.Optional(code({ description: 'Alone: this room with any rate' })),
    rateId: Type.Optional(code({ description: 'Alone: this rate with any room' })),
    taxes: taxes('Taxes of this scope; an empty list removes them'),
  }),
  {
    maxItems: taxScopesMax,
    description: 'Taxes of rooms, rates and room-rates, each scope at most once',
    errors: {
      maxItems: {
        type: 'TOO_MANY_SCOPES',
        message: `Maximum ${taxScopesMax} product entries can be saved at a time`,
        hint: 'Split the push: scopes that are not sent stay as they are',
      },
    },
  },
)

export const taxPushOutcomes = ['applied', 'unchanged'] as const

const exampleTaxes = {
  hotelId: 'H1',
  taxes: [
    {
      type: 'VAT',
      valueType: '%',
      value: 10,
      appliedOn: 'net',
      appliedPer: 'per_room_per_night',
      included: true,
      payNow: true,
    },
  ],
  products: [
    {
      roomId: 'DBL',
      taxes: [
        {
          type: 'CITY_TAX',
          valueType: 'fixed',
          value: 2.5,
          appliedOn: 'net',
          appliedPer: 'per_person_per_night',
          included: false,
          payNow: false,
          startDate: '2027-04-01',
          endDate: '2027-10-31',
        },
      ],
    },
  ],
}

export const taxRoutes = {
  pushTaxes: route({
    method: 'POST',
    path: '/push/taxes',
    access: 'supplier',
    tag: 'Taxes',
    summary: 'Replace the taxes of a property, its rooms, rates and room-rates',
    description: [
      'Replaces the taxes of exactly the scopes in the request: `taxes` is the property, each entry of `products` a room with any rate (`roomId` alone), a rate with any room (`rateId` alone) or a room-rate (both). Everything else stays; an empty list removes the taxes of its scope.',
      'Scopes add up: a stay pays the taxes of the property, of its room, of its rate and of its room-rate.',
      'The hotel and every room and rate named must exist. A room-rate need not be a product yet: its taxes apply as soon as it becomes one.',
      'All or none: if one entry is invalid, the push is refused, and the answer lists every invalid entry. Posting the same again changes nothing.',
    ].join('\n\n'),
    body: Type.Object(
      {
        hotelId,
        currency: assertedCurrency,
        taxes: Type.Optional(propertyTaxes),
        products: Type.Optional(products),
      },
      { ignored: [...answerMembers] },
    ),
    answer: Type.Object({
      ...success,
      hotelId: Type.String(),
      outcome: oneOf(taxPushOutcomes, { description: '`unchanged`: the same taxes were already stored' }),
      scopesChanged: integer({ minimum: 0, description: 'Number of scopes whose taxes changed' }),
      revision: integer({
        minimum: 0,
        description: 'The revision of the hotel; increases if something changed',
      }),
      requestId: Type.String(),
    }),
    errors: {
      400: 'At least one entry breaks a rule; nothing was applied',
      404: 'Unknown hotel (`Hotel not found`), room (`room id not found`) or rate (`rate id not found`); nothing was applied',
    },
    pushKind: 'taxes',
    examples: [
      {
        summary: 'VAT for the property, a summer city tax for one room',
        request: exampleTaxes,
        answer: { status: 200, body: { code: '200', message: 'Taxes saved successfully' } },
      },
      {
        summary: 'Nothing to save',
        request: { hotelId: 'H1' },
        answer: {
          status: 400,
          body: { code: '400', message: 'at least one of taxes or products is required' },
        },
      },
    ],
  }),
  getTaxes: route({
    method: 'POST',
    path: '/push/getTaxes',
    access: 'supplier',
    tag: 'Taxes',
    summary: 'Read back the taxes of a hotel',
    description:
      'All taxes of the hotel in the shape of `POST /push/taxes`, so that they can be edited and posted back. An entry of `products` has only the ids that are set. A fixed tax from before a change of the hotel’s currency has `formerCurrency`, and `warnings` names it.',
    body: Type.Object({ hotelId }),
    answer: Type.Object({ ...success, hotelId: Type.String(), taxes: propertyTaxes, products }),
    errors: { 404: 'Unknown hotel (`Hotel not found`)' },
    examples: [
      {
        summary: 'The taxes of an earlier push',
        request: { hotelId: 'H1' },
        answer: {
          status: 200,
          body: { code: '200', message: 'Taxes retrieved successfully', ...exampleTaxes },
        },
      },
    ],
  }),
}
