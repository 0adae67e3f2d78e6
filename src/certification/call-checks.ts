import { minuteMs } from '../base/calendar.ts'
import {
  evidenceOf,
  failing,
  missing,
  proven,
  type AttemptFact,
  type BookingFact,
  type Facts,
  type CheckVerdict,
} from './facts.ts'

/** The checks of calls and bookings: pure functions over the newest ones, newest first. */

/** This share of calls may fail. */
const tolerated = 0.05
const acknowledgedWithinMs = 10_000
const priceCheckWithinMs = 2_000
const priceChecksMin = 5
const availabilityWithinMs = 5 * minuteMs
const bookingsMin = 1

type Dated = Parameters<typeof evidenceOf>[0]

/** By the share of bad ones; the newest bad or good one is the evidence. */
function judgeShare<One extends Dated>(
  all: readonly One[],
  isBad: (one: One) => boolean,
  words: { bad: string; good: string; none: string; min: number },
): CheckVerdict {
  const bad = all.filter(isBad)
  const [newestBad] = bad
  const newestGood = all.find((one) => !isBad(one))
  if (newestBad && bad.length > all.length * tolerated)
    return failing(evidenceOf(newestBad), `${words.bad}: ${bad.length} of the last ${all.length}`)
  if (!newestGood || all.length < words.min) return missing(words.none)
  return proven(evidenceOf(newestGood), `${words.good}: ${all.length - bad.length} of the last ${all.length}`)
}

export function judgeAcknowledged({ attempts }: Facts): CheckVerdict {
  return judgeShare(
    attempts.filter(({ outcome }) => outcome === 'accepted' || outcome === 'timeout'),
    ({ outcome, durationMs }) => outcome === 'timeout' || durationMs >= acknowledgedWithinMs,
    {
      bad: 'Deliveries not acknowledged within 10 s',
      good: 'Deliveries acknowledged within 10 s',
      none: 'No reservation was delivered yet',
      min: 1,
    },
  )
}

/** By the newest attempt of its kind that was answered. */
function judgeNewest(
  attempts: readonly AttemptFact[],
  isOne: (attempt: AttemptFact) => boolean,
  what: string,
): CheckVerdict {
  const newest = attempts.find((attempt) => isOne(attempt) && attempt.outcome !== 'timeout')
  if (!newest) return missing(`No ${what} was delivered yet`)
  return newest.outcome === 'accepted'
    ? proven(evidenceOf(newest), `A ${what} was accepted`)
    : failing(evidenceOf(newest), `A ${what} was not accepted: ${newest.outcome}`)
}

export function judgeDuplicate({ attempts }: Facts): CheckVerdict {
  return judgeNewest(attempts, ({ isRepeat }) => isRepeat, 'repeat of a delivery')
}

export function judgeModification({ attempts }: Facts): CheckVerdict {
  return judgeNewest(
    attempts,
    ({ version, status, isRepeat }) => version > 1 && status === 'Confirm' && !isRepeat,
    'modification',
  )
}

export function judgeCancellation({ attempts }: Facts): CheckVerdict {
  return judgeNewest(attempts, ({ status, isRepeat }) => status === 'Cancel' && !isRepeat, 'cancellation')
}

export function judgeForgery({ notes }: Facts): CheckVerdict {
  const sent = (['forgery.availability', 'forgery.pushbook'] as const).flatMap((subject) => {
    const note = notes.get(subject)
    return note ? [note] : []
  })
  const accepted = sent.find(({ isGood }) => !isGood)
  if (accepted) return failing(evidenceOf(accepted), accepted.detail)
  const [refused] = sent
  return refused
    ? proven(evidenceOf(refused), refused.detail)
    : missing('No call with a wrong signature was sent yet')
}

export function judgePriceCheckTime({ priceChecks }: Facts): CheckVerdict {
  const asked = priceChecks.filter(
    ({ outcome }) => outcome !== 'not_registered' && outcome !== 'circuit_open',
  )
  return judgeShare(
    asked,
    ({ outcome, durationMs }) => outcome === 'timeout' || durationMs >= priceCheckWithinMs,
    {
      bad: 'Price checks that took 2 s or more',
      good: 'Price checks answered within 2 s',
      none: `Fewer than ${priceChecksMin} price checks were answered`,
      min: priceChecksMin,
    },
  )
}

export function judgePriceCheckPrice({ priceChecks }: Facts): CheckVerdict {
  const compared = priceChecks.filter(({ difference }) => difference !== null)
  return judgeShare(compared, ({ difference }) => difference !== 0, {
    bad: 'Price checks answered with another price than the pushed one',
    good: 'Price checks answered with the pushed price',
    none: `Fewer than ${priceChecksMin} price checks were answered with a price`,
    min: priceChecksMin,
  })
}

export function judgeAvailability(facts: Facts): CheckVerdict {
  const oldestReadMs = facts.pushes.findLast(({ ari }) => ari)?.atMs ?? Infinity
  const judged = facts.bookings
    .filter(({ atMs }) => atMs >= oldestReadMs)
    .map((booking) => ({ ...booking, requestId: pushAfter(booking, facts)?.requestId ?? null }))
    // The others still have time.
    .filter(({ requestId, atMs }) => requestId !== null || facts.nowMs - atMs > availabilityWithinMs)
  return judgeShare(judged, ({ requestId }) => requestId === null, {
    bad: 'Bookings not followed by a push of the lower availability within 5 minutes',
    good: 'Bookings followed by a push of the lower availability within 5 minutes',
    none: 'No booking was followed by a push of the room yet',
    min: bookingsMin,
  })
}

/** A push within five minutes that states fewer units for the room on the night of arrival than the push before the booking. */
function pushAfter({ atMs, hotelId, roomId, arrival }: BookingFact, { pushes }: Facts) {
  const units = (push: (typeof pushes)[number]): number | undefined =>
    push.hotelId === hotelId
      ? push.ari?.inventories.findLast(
          (one) => one.roomId === roomId && one.firstNight <= arrival && arrival <= one.lastNight,
        )?.units
      : undefined
  const before = pushes.find((push) => push.atMs < atMs && units(push) !== undefined)
  const most = before ? (units(before) ?? Infinity) : Infinity
  return pushes.find((push) => {
    const stated = units(push)
    const isInTime = push.atMs >= atMs && push.atMs - atMs <= availabilityWithinMs
    return stated !== undefined && isInTime && stated < most
  })
}
