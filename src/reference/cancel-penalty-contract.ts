import Type, { type Static } from 'typebox'
import { decimal, integer, oneOf } from '../http/route.ts'

export const cancelPenaltiesPerPolicyMax = 20
export const penaltyNightsMax = 999

/** Days or hours before arrival. */
export const offsetTimeUnits = ['D', 'H'] as const
export const chargeBases = ['NightBase', 'FullStay'] as const

const percentage = Type.Number({
  minimum: 0,
  maximum: 100,
  description: 'Percentage of the stay, with FullStay',
})

/** The same shape in policies that are pushed, in the list of codes and in answers to price checks. */
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
export type CancelPenalty = Static<typeof cancelPenalty>
