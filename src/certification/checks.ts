import {
  judgeAcknowledged,
  judgeAvailability,
  judgeCancellation,
  judgeDuplicate,
  judgeForgery,
  judgeModification,
  judgePriceCheckPrice,
  judgePriceCheckTime,
} from './call-checks.ts'
import { checkIds, type CheckId, type CheckLevel, type CheckResult, type CheckState } from './contract.ts'
import type { Facts, CheckVerdict } from './facts.ts'
import {
  judgeBatches,
  judgeBuckets,
  judgeClosure,
  judgeDays,
  judgeDeltas,
  judgeIdempotency,
  judgeMended,
  judgeOrder,
  judgeRestrictions,
  judgeRetryAfter,
  judgeSequences,
  judgeStorm,
} from './push-checks.ts'

type Check = {
  title: string
  level: CheckLevel
  howTo: string
  /** `seen`: what was ever set and cleared. */
  judge: (facts: Facts, seen: ReadonlySet<string>) => CheckVerdict
}

const checks: Readonly<Record<CheckId, Check>> = {
  'order-of-static-data': {
    title: 'Hotels, products, then ARI',
    level: 'required',
    howTo: 'Push a hotel, then its products, then its ARI. Wait for each answer before the next push',
    judge: judgeOrder,
  },
  'days-covered': {
    title: '365 days of prices',
    level: 'required',
    howTo: 'Push prices for each of the next 365 nights, for at least one rate',
    judge: judgeDays,
  },
  deltas: {
    title: 'Changes only',
    level: 'required',
    howTo: 'After the first load, push only the rooms and nights that changed',
    judge: judgeDeltas,
  },
  'batch-sizes': {
    title: 'Several items in a push',
    level: 'recommended',
    howTo: 'Put the changes of a hotel that happen together into one push of several items',
    judge: judgeBatches,
  },
  'retry-after': {
    title: 'Waits for Retry-After',
    level: 'required',
    howTo: 'After 429, send nothing with this key until the seconds of Retry-After are over',
    judge: judgeRetryAfter,
  },
  'no-retry-storm': {
    title: 'Refused pushes are not repeated',
    level: 'required',
    howTo: 'After 400 to 499 (except 429), correct the push before you send it again',
    judge: judgeStorm,
  },
  'idempotency-keys': {
    title: 'Idempotency keys',
    level: 'recommended',
    howTo:
      'Send an Idempotency-Key with a push, and repeat the push with the same key and the same body, as after a lost answer',
    judge: judgeIdempotency,
  },
  sequences: {
    title: 'Sequences rise',
    level: 'recommended',
    howTo:
      'Send a sequence with each push of ARI that is higher than that of the push before, for example the time in milliseconds',
    judge: judgeSequences,
  },
  'restrictions-set': {
    title: 'Every restriction set',
    level: 'recommended',
    howTo: 'Push each restriction once: closedToArrival, minLengthStay and the others',
    judge: (facts, seen) => judgeRestrictions(facts, 'set', seen),
  },
  'restrictions-cleared': {
    title: 'Every restriction cleared',
    level: 'recommended',
    howTo: 'Clear each restriction once: push false for a switch, and null for a number',
    judge: (facts, seen) => judgeRestrictions(facts, 'cleared', seen),
  },
  closed: {
    title: 'Nights closed',
    level: 'required',
    howTo: 'Push "closed": true for a room or a rate',
    judge: (facts, seen) => judgeClosure(facts, 'set', seen),
  },
  reopened: {
    title: 'Nights reopened',
    level: 'required',
    howTo: 'Push "closed": false for a room or a rate',
    judge: (facts, seen) => judgeClosure(facts, 'cleared', seen),
  },
  'guest-buckets': {
    title: 'Prices for every number of guests',
    level: 'required',
    howTo:
      'In the guest model, push a price for each number of adults and of children that the product allows',
    judge: judgeBuckets,
  },
  'errors-mended': {
    title: 'Errors are fixed',
    level: 'required',
    howTo: 'Correct each refused push, and push it again within 15 minutes',
    judge: judgeMended,
  },
  'deliveries-acknowledged': {
    title: 'Reservations acknowledged within 10 s',
    level: 'required',
    howTo: 'Store a delivered reservation, answer 200, and process it afterwards',
    judge: judgeAcknowledged,
  },
  'duplicate-accepted': {
    title: 'A repeated delivery is accepted',
    level: 'required',
    howTo:
      'Answer 200 to a reservation and version that you have already. To get one: order the fault lostReply with POST /push/sandbox/faults, then book with POST /push/sandbox/booking',
    judge: judgeDuplicate,
  },
  'modification-handled': {
    title: 'A modification is accepted',
    level: 'required',
    howTo: 'Modify a test booking with POST /push/sandbox/booking, and answer 200 to its new version',
    judge: judgeModification,
  },
  'cancellation-handled': {
    title: 'A cancellation is accepted',
    level: 'required',
    howTo: 'Cancel a test booking with POST /push/sandbox/booking, and answer 200 to it',
    judge: judgeCancellation,
  },
  'forgery-refused': {
    title: 'A wrong signature is refused',
    level: 'required',
    howTo:
      'Verify webhook-signature and answer 401 if it is wrong; POST /push/sandbox/forgery sends such a call',
    judge: judgeForgery,
  },
  'price-check-time': {
    title: 'Price checks answered within 2 s',
    level: 'required',
    howTo: 'Answer at least 95 of 100 price checks within 2 s; test bookings make price checks',
    judge: judgePriceCheckTime,
  },
  'price-check-price': {
    title: 'Price checks equal the pushed price',
    level: 'required',
    howTo: 'Answer price checks with the price that you pushed, and push a changed price at once',
    judge: judgePriceCheckPrice,
  },
  'availability-after-booking': {
    title: 'Availability pushed after a booking',
    level: 'required',
    howTo: 'Within 5 minutes of a booking, push the lower inventory of the room for its nights',
    judge: judgeAvailability,
  },
}

/** All checks; `seen` and `former` are of earlier traffic, and count where the newest traffic says nothing. */
export function judgeAll(
  facts: Facts,
  seen: ReadonlySet<string>,
  former: ReadonlyMap<CheckId, CheckVerdict>,
): CheckResult[] {
  return checkIds.map((id) => {
    const { title, level, howTo, judge } = checks[id]
    const now = judge(facts, seen)
    const { state, evidence, why } = saysNothing(now)
      ? (former.get(id) ?? now)
      : withFormer(now, former.get(id))
    return { id, title, level, state, evidence, why, howTo }
  })
}

function saysNothing({ state }: CheckVerdict): boolean {
  return state === 'missing' || state === 'notApplicable'
}

/** What was proven by traffic that is no longer read keeps its evidence. */
function withFormer(now: CheckVerdict, former: CheckVerdict | undefined): CheckVerdict {
  return now.evidence === null && former?.state === now.state ? { ...now, evidence: former.evidence } : now
}

/** The states that are kept for later. */
export const lastingStates: readonly CheckState[] = ['proven', 'failing']

export function scoreOf(results: readonly CheckResult[]): number {
  const applicable = results.filter(({ state }) => state !== 'notApplicable')
  const good = applicable.filter(({ state }) => state === 'proven')
  return applicable.length === 0 ? 0 : Math.floor((100 * good.length) / applicable.length)
}

/** A fresh account has nothing that fails, but nothing that is proven either. */
export function areRequiredProven(results: readonly CheckResult[]): boolean {
  return results.every(
    ({ level, state }) => level !== 'required' || state === 'proven' || state === 'notApplicable',
  )
}
