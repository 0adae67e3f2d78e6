import Type, { type Static } from 'typebox'
import { formerCurrency } from '../../hotels/former-currency.ts'
import { date, decimal, nameText, oneOf, text, type ConstraintError } from '../../http/route.ts'
import { cancelPenaltiesPerPolicyMax, cancelPenalty } from '../../reference/cancel-penalty-contract.ts'

export const feesPerPolicyMax = 50

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
    text({
      maxLength: 64,
      description:
        'A code of the cancelCodes of the reference data means the penalties of the list, unless you send others; with any other code the penalties count alone',
    }),
  ),
  description: Type.Optional(text({ minLength: 0, description: 'For people' })),
  startDate: Type.Optional(date({ description: 'First arrival date of the policy; absent: always' })),
  endDate: Type.Optional(date({ description: 'Last arrival date, included; absent: always' })),
  cancelPenalties: Type.Optional(
    Type.Array(pushedPenalty, {
      maxItems: cancelPenaltiesPerPolicyMax,
      description:
        'Absent, or empty beside a code of the list: the penalties of the list. Empty otherwise: free cancellation. Absent without a code of the list: the terms are unknown',
    }),
  ),
  fees: Type.Optional(
    Type.Array(fee, {
      maxItems: feesPerPolicyMax,
      description: 'Separate from taxes, and not changed by them',
    }),
  ),
})
export type CancelPolicy = Static<typeof cancelPolicy>
export type CancelPenalty = NonNullable<CancelPolicy['cancelPenalties']>[number]
export type Fee = NonNullable<CancelPolicy['fees']>[number]
