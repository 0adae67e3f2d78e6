import Type from 'typebox'
import type { Problem } from '../http/rejected.ts'
import type { ConstraintError } from '../http/route.ts'

/** Marks an amount in what is read back; of what is pushed with it, the amount stays unknown. */
export const formerCurrency = Type.Optional(
  Type.String({
    pattern: '^[A-Z]{3}$',
    description:
      'The amount is of this currency, which the hotel had before: it is unknown, and what needs it is not sold. Answered by read-backs; push the amount in the hotel’s currency without this member',
    examples: ['EUR'],
    errors: {
      pattern: {
        type: 'CURRENCY_INVALID',
        message: 'formerCurrency must be a currency of three capital letters',
        hint: 'Leave it out: an amount is in the hotel’s currency',
      },
    },
  }),
)

/** Of a step of the go-live checklist. */
export const formerReason = Type.Optional(
  Type.Literal('FORMER_CURRENCY', {
    description: 'It is missing because of amounts of a former currency, which must be pushed again',
  }),
)

/** The warning of an amount that is stored or read back as of a former currency; `what` names it. */
export function formerAmountWarning(what: string, path: string): Problem & { hint: string } {
  return {
    type: 'FORMER_CURRENCY',
    message: `${what}: what needs it cannot be sold`,
    path,
    hint: "Push the amount in the hotel's currency, without formerCurrency, also if that is the same again: it is never converted",
  }
}

/** Rules of the guard with an amount of a currency that a hotel no longer has. */
export const ruleLapsed = {
  type: 'GUARD_RULE_LAPSED',
  message: '1 rule of the guard has an amount in EUR and is no longer applied to this hotel',
  hint: 'Send the rules once more with POST /push/guard, with amounts in the new currency; with currency where hotels have different ones',
} as const satisfies ConstraintError
