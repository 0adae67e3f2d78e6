import Type, { type Static } from 'typebox'
import type { ConstraintError } from '../http/route.ts'

/** The terms of a supplier's answer that differ from those that are sold. */

export const orNull = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S, description: string) =>
  Type.Union([schema, Type.Null()], { description })

/** Warnings of terms that differ from those that are sold. */
export const termsWarnings = {
  mealPlan: {
    type: 'MEAL_PLAN_DIFFERS',
    message: 'The supplier’s meal plan differs from the one that is sold',
    hint: 'Tell the guest; the supplier should push the product with the meal plan that it answers',
  },
  cancelPolicy: {
    type: 'CANCEL_POLICY_DIFFERS',
    message: 'The supplier’s cancellation penalties differ from those that are sold',
    hint: 'Tell the guest; the supplier should push the product with the penalties that it answers',
  },
} as const satisfies Record<string, ConstraintError>

/** By when a penalty is due, and its amount for one room. */
const penalties = Type.Array(
  Type.Object({
    from: orNull(Type.String(), 'null: from the time of booking'),
    amount: Type.String({ examples: ['110.00'] }),
    noShow: Type.Optional(Type.Literal(true)),
  }),
)

export const termsDifference = Type.Union([
  Type.Object({
    what: Type.Literal('mealPlan'),
    sold: orNull(Type.String(), 'Meal plan of the product; null: none is pushed'),
    live: Type.String({ description: 'Meal plan of the answer' }),
  }),
  Type.Object({
    what: Type.Literal('cancelPolicy'),
    sold: orNull(
      penalties,
      'Penalties of the pushed policy, at the live price; null: none is pushed, or they are not known',
    ),
    live: orNull(penalties, 'Penalties of the answer, at the live price; null: they cannot be read'),
  }),
])
export type TermsDifference = Static<typeof termsDifference>
