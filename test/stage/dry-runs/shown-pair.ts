import type { Reply } from '../harness.ts'
import type { State } from '../sale/state.ts'

/** What a dry run or a quote showed, and whether the call still finds it so. */

export type Kind = 'book' | 'change' | 'cancel'
/** What was shown to the guest, and the call that it was shown for. */
export type Pair = {
  kind: Kind
  ask: () => Promise<Reply>
  call: (consents: Record<string, unknown>) => Promise<Reply>
  shown: Reply
  /** What the reservation becomes. */
  after: State | undefined
  rooms: number[] | undefined
}
export function penaltyOf({ body }: Reply): Record<string, unknown> {
  return { expectedPenalty: body['penalty'] === null ? null : Object(body['penalty']).amount }
}

/** All that a guest saw. */
export function allOf({ kind, shown: { body } }: Pair): Record<string, unknown> {
  const { afterTax, dueAtProperty } = Object(body['total'])
  return {
    expectedTotal: { afterTax, dueAtProperty, currency: body['currency'] },
    expectedTerms: digests(body),
    ...(kind === 'change' ? { acceptForfeit: body['forfeited'] } : {}),
  }
}

function digests(body: Record<string, unknown>): unknown[] {
  return [...Object(body['reservation']).rooms].map((room) => Object(room).termsDigest)
}

/** The refusal of a call with what was shown; undefined: it is still so. */
export function differing(kind: Kind, { body: then }: Reply, { body: now }: Reply): string | undefined {
  const differs = (of: (body: Record<string, unknown>) => unknown): boolean =>
    JSON.stringify(of(then)) !== JSON.stringify(of(now))
  if (kind === 'cancel')
    return differs(({ penalty }) => Object(penalty ?? {}).amount) ? 'PENALTY_CHANGED' : undefined
  const charged = (body: Record<string, unknown>): unknown[] => {
    const { afterTax, dueAtProperty } = Object(body['total'])
    return [afterTax, dueAtProperty, body['currency']]
  }
  if (differs(charged)) return 'PRICE_CHANGED'
  if (differs(digests)) return 'TERMS_CHANGED'
  return differs(({ forfeited }) => forfeited) ? 'PENALTY_DUE' : undefined
}

const notOfDryRuns = new Set([
  'asks',
  'code',
  'message',
  'requestId',
  'reservationId',
  'delivery',
  'priceChecks',
  'createdAt',
  'modifiedAt',
])

/** Without ids, times and what a dry run can't have; rooms by their numbers. */
export function plain({ body }: Reply): unknown {
  return JSON.parse(
    JSON.stringify(body, (name, value: unknown) => {
      if (notOfDryRuns.has(name)) return undefined
      return name === 'roomReservationId' ? String(value).split('-')[1] : value
    }),
  )
}
