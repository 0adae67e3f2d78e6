import Type from 'typebox'
import { oneOf } from '../http/route.ts'
import { feeAppliedPers } from '../products/policies/contract.ts'

/** What a stay costs, and the terms of its cancellation, as answers show them. */

/** How a stay can be cancelled. `never`: not without a penalty any more. */
export const cancellations = ['always', 'until', 'never', 'unknown'] as const
export type Cancellation = (typeof cancellations)[number]

export const amount = (description: string) => Type.String({ description, examples: ['110.00'] })

export const stayTotal = Type.Object(
  {
    beforeTax: amount('The prices without the taxes that they include'),
    tax: amount('All taxes that are charged'),
    afterTax: amount('The amount that is charged'),
    dueAtProperty: amount('Taxes with payNow false: paid at the property, in addition'),
    feesAtProperty: amount('Fees of the cancellation policy: paid at the property, in addition'),
    allIn: amount('All that a guest who stays pays: afterTax, dueAtProperty and feesAtProperty'),
  },
  { description: 'For all rooms and nights' },
)

/** How a stay can be cancelled as of now. */
export const cancellationMembers = {
  cancellation: oneOf(cancellations, {
    description:
      'As of now, by deadline penalties above zero. always: free until the arrival; until: free until `freeUntil`; never: no longer free; unknown: the supplier’s terms are not known, so never show it as free',
  }),
  freeUntil: Type.Union([Type.String(), Type.Null()], {
    description: "With `until`: the instant from which the first penalty counts, in the hotel's zone",
    examples: ['2027-04-13T18:00:00+02:00'],
  }),
}

export const digestOfTerms = Type.String({
  description:
    'A hash over the terms: when penalties count, which of them is due now, what they charge, the meal plan, and the definitions of what is due at the property; not over amounts and texts',
  examples: ['6kS2t8LZ1bYv0nQeXw3hRg'],
})

export const cancelPolicyOfStay = Type.Object({
  code: Type.Union([Type.String(), Type.Null()]),
  description: Type.Union([Type.String(), Type.Null()]),
  penalties: Type.Union(
    [
      Type.Array(
        Type.Object({
          from: Type.Union([Type.String(), Type.Null()], {
            description:
              "Instant in the hotel's zone from which the amount is charged; null: from the time of booking",
            examples: ['2027-04-13T18:00:00+02:00'],
          }),
          amount: amount('What cancelling costs: a part of `total.afterTax`'),
          noShow: Type.Optional(Type.Boolean({ description: 'true: charged if the guests do not arrive' })),
        }),
      ),
      Type.Null(),
    ],
    { description: 'Earliest first, no-show last; empty: cancellation is free; null: the terms are unknown' },
  ),
})

export const feeLine = (of: string) =>
  Type.Object({
    name: Type.String(),
    amount: amount(of),
    appliedPer: oneOf(feeAppliedPers),
    payNow: Type.Literal(false, { description: 'Paid at the property, and not part of any total' }),
  })
