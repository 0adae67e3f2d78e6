import { penaltyRefusal, refusalDetails, type RefusalDetails } from './answer-contract.ts'

/**
 * The refusals of bookings, changes and cancellations with 409, and the members that each has beside its problem: `always`,
 * or `sometimes`. The client's type of refusals is made from this.
 */
export const refusals = {
  NOT_BOOKABLE: { always: ['rules'], sometimes: [] },
  // By the stored units, or by the supplier's answer.
  SOLD_OUT: { always: [], sometimes: ['rules', 'priceChecks'] },
  PRICE_CHANGED: { always: ['expected', 'total', 'currency'], sometimes: [] },
  PRICE_CHECK_FAILED: { always: ['priceChecks'], sometimes: [] },
  TERMS_DIFFER: { always: ['priceChecks'], sometimes: [] },
  TERMS_CHANGED: { always: ['terms'], sometimes: [] },
  // A change that forfeits something, or one into another currency.
  PENALTY_DUE: { always: [], sometimes: ['forfeited', 'total', 'currency', 'penalty'] },
  PENALTY_CHANGED: { always: ['penalty'], sometimes: [] },
  RESERVATION_CANCELLED: { always: [], sometimes: [] },
  RESERVATION_CHANGED: { always: [], sometimes: [] },
  STAY_BEGUN: { always: [], sometimes: [] },
} as const satisfies Readonly<
  Record<string, Readonly<Record<'always' | 'sometimes', readonly (keyof RefusalDetails)[]>>>
>

/** The shape of these members: a cancellation that costs something else says for which rooms. */
export const detailsOf = (type: string): typeof refusalDetails | typeof penaltyRefusal =>
  type === 'PENALTY_CHANGED' ? penaltyRefusal : refusalDetails
