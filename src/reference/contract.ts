import Type from 'typebox'
import { integer, route, success } from '../http/route.ts'

const described = { description: Type.String() }

export const referenceRoutes = {
  getReference: route({
    method: 'GET',
    path: '/push/reference',
    access: 'supplier',
    tag: 'Reference data',
    summary: 'Room types, meal plans, currencies and cancellation codes',
    description:
      "The values that pushes may name: a product's `roomType` is a name of `roomTypes`, its `mealPlan` a code of `mealPlans`, a hotel's `currency` a code of `currencies`. `cancelCodes` are usual codes for cancellation policies; others are accepted. Operators may add room types and meal plans, and retire them: a retired one is no longer listed.",
    answer: Type.Object({
      ...success,
      roomTypes: Type.Array(Type.Object({ name: Type.String(), ...described })),
      mealPlans: Type.Array(Type.Object({ code: Type.String(), name: Type.String(), ...described })),
      currencies: Type.Array(
        Type.Object({
          code: Type.String({ description: 'ISO 4217' }),
          minorDigits: integer({ minimum: 0, maximum: 4, description: 'How many decimals amounts have' }),
          name: Type.String(),
        }),
      ),
      cancelCodes: Type.Array(Type.Object({ code: Type.String(), ...described })),
    }),
    examples: [
      {
        summary: 'The reference data (here cut to one entry a list)',
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
              { code: 'NRF', description: 'Non-refundable: the full stay at any time after booking' },
            ],
          },
        },
      },
    ],
  }),
}
