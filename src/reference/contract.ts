import Type from 'typebox'
import { integer, route, success } from '../http/route.ts'
import { cancelPenalty } from './cancel-penalty-contract.ts'

const described = { description: Type.String() }

export const referenceRoutes = {
  getReference: route({
    method: 'GET',
    path: '/push/reference',
    access: 'supplier',
    tag: 'Reference data',
    summary: 'Room types, meal plans, currencies and cancellation codes',
    description:
      "The values that pushes may contain: a product's `roomType` is a name from `roomTypes`, its `mealPlan` a code from `mealPlans`, a hotel's `currency` a code from `currencies`. `cancelCodes` are codes for cancellation policies: a policy that has one of them and no `cancelPenalties` of its own has those of the list. Operators may add entries, and retire them: a retired one is no longer listed.",
    answer: Type.Object({
      ...success,
      roomTypes: Type.Array(Type.Object({ name: Type.String(), ...described })),
      mealPlans: Type.Array(Type.Object({ code: Type.String(), name: Type.String(), ...described })),
      currencies: Type.Array(
        Type.Object({
          code: Type.String({ description: 'ISO 4217' }),
          minorDigits: integer({ minimum: 0, maximum: 4, description: 'Number of decimals of amounts' }),
          name: Type.String(),
        }),
      ),
      cancelCodes: Type.Array(
        Type.Object({
          code: Type.String(),
          ...described,
          cancelPenalties: Type.Array(cancelPenalty, {
            description: 'What the code means; empty: free cancellation, or with `CUSTOM` nothing by itself',
          }),
        }),
      ),
    }),
    examples: [
      {
        summary: 'The reference data (shortened here to one entry per list)',
        request: {},
        answer: {
          status: 200,
          body: {
            code: '200',
            message: 'Reference data retrieved successfully',
            roomTypes: [{ name: 'Double', description: 'Room for two guests with one large bed' }],
            mealPlans: [{ code: 'RO', name: 'Room only', description: 'No meals' }],
            currencies: [{ code: 'USD', minorDigits: 2, name: 'US Dollar' }],
            cancelCodes: [
              {
                code: 'NRF',
                description: 'Non-refundable: the full stay at any time after booking',
                cancelPenalties: [{ penaltyCharge: { chargeBase: 'FullStay', percent: 100 } }],
              },
            ],
          },
        },
      },
    ],
  }),
}
