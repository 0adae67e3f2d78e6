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
      "The values that pushes may contain: a product's `roomType` is a name from `roomTypes`, its `mealPlan` a code from `mealPlans`, a hotel's `currency` a code from `currencies`. `cancelCodes` are common codes for cancellation policies; others are accepted too. Operators may add room types and meal plans, and retire them: a retired one is no longer listed.",
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
      cancelCodes: Type.Array(Type.Object({ code: Type.String(), ...described })),
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
              { code: 'NRF', description: 'Non-refundable: the full stay at any time after booking' },
            ],
          },
        },
      },
    ],
  }),
}
