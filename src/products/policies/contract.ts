import Type, { type Static } from 'typebox'
import { formerCurrency } from '../../hotels/former-currency.ts'
import { date, decimal, integer, nameText, oneOf, text, type ConstraintError } from '../../http/route.ts'

export const cancelPenaltiesPerPolicyMax = 20
export const feesPerPolicyMax = 50
export const penaltyNightsMax = 999

/** Days or hours before arrival. */
export const offsetTimeUnits = ['D', 'H'] as const
export const chargeBases = ['NightBase', 'FullStay'] as const
export const feeValueTypes = ['%', 'fixed'] as const
export const feeAppliedPers = [
  'per_room_per_night',
  'per_person_per_night',
  'per_room_per_stay',
  'per_person_per_stay',
] as const

/** Rules that involve several members. */
export const cancelPolicyErrors = {
  nights: {
    type: 'PENALTY_INVALID',
    message: 'nights must be greater than zero when chargeBase is NightBase',
    hint: 'Send the number of nights to charge',
  },
  percentAndAmount: {
    type: 'PENALTY_INVALID',
    message: 'percent and amount cannot both be charged',
    hint: 'Send one of them; neither means the full stay',
  },
  withNights: {
    type: 'PENALTY_INVALID',
    message: 'percent and amount are charged only when chargeBase is FullStay',
    hint: 'With NightBase, whole nights are charged',
  },
  datesReversed: {
    type: 'DATES_REVERSED',
    message: 'startDate must not be after endDate',
    hint: 'Both dates are included',
  },
  feePercent: {
    type: 'FEE_INVALID',
    message: 'Fee value must be less than or equal to 100 when valueType is %',
    hint: 'Send the percentage, for example 12.5',
  },
  amountDigits: {
    type: 'INVALID_AMOUNT',
    message: 'Amount has more decimals than the currency, or is too large',
    hint: "Send at most the currency's ISO 4217 minor digits",
  },
} as const satisfies Record<string, ConstraintError>

const percentage = Type.Number({
  minimum: 0,
  maximum: 100,
  description: 'Percentage of the stay, with FullStay',
})

/** The same shape as in the price-check answer. */
export const cancelPenalty = Type.Object({
  noShow: Type.Optional(
    Type.Boolean({ description: 'true: charged if the guests do not arrive; false (default): by deadline' }),
  ),
  cancelDeadline: Type.Optional(
    Type.Object(
      {
        offsetTimeUnit: oneOf(offsetTimeUnits, { description: 'D days, H hours before arrival' }),
        offsetTimeValue: integer({ minimum: 0, maximum: 9_999 }),
        deadline: Type.Optional(
          Type.String({
            pattern: '^(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d)?$',
            description: "Time of that day in the hotel's zone, HH:MM; absent: 00:00",
            examples: ['18:00'],
            errors: {
              pattern: {
                type: 'INVALID_TIME',
                message: 'deadline must be a time of day in the form HH:MM',
                hint: 'For example 18:00',
              },
            },
          }),
        ),
      },
      {
        description:
          'The time from which the penalty is charged; without it, it is charged from the time of booking. Ignored for a no-show',
      },
    ),
  ),
  penaltyCharge: Type.Object({
    chargeBase: oneOf(chargeBases),
    nights: Type.Optional(
      integer({
        minimum: 0,
        maximum: penaltyNightsMax,
        description: 'Number of first nights that are charged, with NightBase',
      }),
    ),
    percent: Type.Optional(percentage),
    amount: Type.Optional(
      decimal({ atLeastZero: true, description: "Flat amount in the hotel's currency, with FullStay" }),
    ),
  }),
})

/** Of a pushed policy, an amount may be of a currency that the hotel had before. */
const pushedPenalty = Type.Object({
  ...cancelPenalty.properties,
  penaltyCharge: Type.Object({ ...cancelPenalty.properties.penaltyCharge.properties, formerCurrency }),
})

const fee = Type.Object({
  name: nameText({ maxLength: 255 }),
  valueType: oneOf(feeValueTypes),
  value: decimal({
    atLeastZero: true,
    description: "Percentage, or flat amount in the hotel's currency",
    errors: {
      decimal: {
        type: 'FEE_INVALID',
        message: 'Fee value must be greater than or equal to zero',
        hint: 'Send a number or decimal string',
      },
    },
  }),
  appliedPer: oneOf(feeAppliedPers),
  formerCurrency,
})

/** All members are optional: the specification names only `fees`. */
export const cancelPolicy = Type.Object({
  code: Type.Optional(
    text({ maxLength: 64, description: 'For example one of the cancelCodes of the reference data' }),
  ),
  description: Type.Optional(text({ minLength: 0, description: 'For people' })),
  startDate: Type.Optional(date({ description: 'First arrival date of the policy; absent: always' })),
  endDate: Type.Optional(date({ description: 'Last arrival date, included; absent: always' })),
  cancelPenalties: Type.Optional(Type.Array(pushedPenalty, { maxItems: cancelPenaltiesPerPolicyMax })),
  fees: Type.Optional(
    Type.Array(fee, {
      maxItems: feesPerPolicyMax,
      description: 'Separate from taxes, and not changed by them',
    }),
  ),
})
export type CancelPolicy = Static<typeof cancelPolicy>
