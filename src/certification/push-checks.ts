import { minuteMs } from '../base/calendar.ts'
import { rateRestrictions } from '../ari/restrictions.ts'
import {
  evidenceOf,
  failing,
  missing,
  notApplicable,
  proven,
  type AriFact,
  type Facts,
  type CheckVerdict,
  type PushedSwitchOrLimit,
  type PushFact,
} from './facts.ts'

/** The checks of pushes: pure functions over the newest pushes, newest first. */

/** A fault counts until this many pushes of its kind came without another one. */
const forgivenAfter = 50
/** Pushes of one item for one hotel within a minute, from which they should be one push. */
const singleItemsMax = 30
const itemsOfBatch = 10
/** The same refused push within ten minutes, from which it is a storm. */
const storm = { times: 5, withinMs: 10 * minuteMs }
/** Time to mend a refused push. */
const mendWithinMs = 15 * minuteMs
const deltas = { pushesMin: 10, unchangedMax: 0.5, smallFrom: 0.2 }
const fallingSequencesMin = 3

const tookEffect: readonly string[] = ['applied', 'unchanged', 'partial']
const accepted: readonly string[] = ['applied', 'unchanged']

/** The newest fault among the newest pushes of a kind, unless enough came since without one. */
function unforgiven(pushes: readonly PushFact[], isFault: (push: PushFact) => boolean): PushFact | undefined {
  return pushes.slice(0, forgivenAfter + 1).find(isFault)
}

const staticDataMissing: readonly string[] = ['HOTEL_NOT_FOUND', 'ROOM_NOT_FOUND', 'RATE_NOT_FOUND']

export function judgeOrder({ pushes }: Facts): CheckVerdict {
  const ofHotels = pushes.filter(({ kind }) => kind === 'products' || kind === 'taxes' || kind === 'ari')
  const fault = unforgiven(ofHotels, ({ problemTypes }) =>
    problemTypes.some((type) => staticDataMissing.includes(type)),
  )
  if (fault)
    return failing(
      evidenceOf(fault),
      `A push named a hotel, room or rate before it was pushed (${fault.problemTypes.join(', ')})`,
    )
  const ari = ofHotels.find(({ kind, outcome }) => kind === 'ari' && accepted.includes(outcome))
  return ari
    ? proven(evidenceOf(ari), 'Hotels, products and ARI were pushed in this order')
    : missing('No push of ARI was applied yet')
}

export function judgeDays({ hotels, pushes }: Facts): CheckVerdict {
  const least = hotels.toSorted((one, other) => one.nightsPriced - other.nightsPriced)[0]
  if (!least) return missing('No push of ARI was applied yet')
  const { hotelId, nightsPriced, nightsUnsold } = least
  const push = pushes.find((one) => one.hotelId === hotelId && one.kind === 'ari')
  const evidence = push ? evidenceOf(push) : null
  const unsold =
    nightsUnsold === 0
      ? ''
      : `; it has prices for ${nightsUnsold} more, which are not sold because a tax, fee or penalty is of a former currency`
  const why = `${hotelId} has prices for ${nightsPriced} of the next 365 nights${unsold}`
  return nightsPriced === 365 ? proven(evidence, why) : failing(evidence, why)
}

export function judgeDeltas({ pushes }: Facts): CheckVerdict {
  const ari = pushes.filter(({ kind, outcome }) => kind === 'ari' && tookEffect.includes(outcome))
  const recent = ari.slice(0, forgivenAfter)
  const unchanged = recent.filter(({ outcome }) => outcome === 'unchanged')
  const [newest] = unchanged
  if (newest && recent.length >= deltas.pushesMin && unchanged.length / recent.length > deltas.unchangedMax)
    return failing(
      evidenceOf(newest),
      `${unchanged.length} of the last ${recent.length} pushes of ARI changed nothing: they repeat what is stored`,
    )
  const small = ari.find((push, index) => push.cellsChanged > 0 && isSmall(push, ari.slice(index + 1)))
  return small
    ? proven(evidenceOf(small), `A push changed only ${small.cellsChanged} cells`)
    : missing('No push changed a part of what an earlier one had set')
}

/** Much smaller than an earlier push for the hotel. */
function isSmall({ hotelId, cellsChanged }: PushFact, before: readonly PushFact[]): boolean {
  return before.some((one) => one.hotelId === hotelId && cellsChanged <= one.cellsChanged * deltas.smallFrom)
}

export function judgeBatches({ pushes }: Facts): CheckVerdict {
  const ari = pushes.flatMap((push) => (push.kind === 'ari' && push.ari ? [{ ...push, ari: push.ari }] : []))
  const single = ari.filter((push) => push.ari.items === 1).slice(0, 2 * singleItemsMax)
  for (const newest of single) {
    const together = single.filter(
      ({ hotelId, atMs }) =>
        hotelId === newest.hotelId && atMs <= newest.atMs && newest.atMs - atMs < minuteMs,
    )
    if (together.length > singleItemsMax)
      return failing(
        evidenceOf(newest),
        `${together.length} pushes of one item each came for ${newest.hotelId} within a minute`,
      )
  }
  const batch = ari.find((push) => push.ari.items >= itemsOfBatch)
  return batch
    ? proven(evidenceOf(batch), `A push had ${batch.ari.items} items`)
    : missing(`No push had ${itemsOfBatch} items or more`)
}

export function judgeRetryAfter({ notes }: Facts): CheckVerdict {
  const note = notes.get('retryAfter')
  if (!note) return notApplicable('No request was refused with 429')
  return note.isGood ? proven(evidenceOf(note), note.detail) : failing(evidenceOf(note), note.detail)
}

export function judgeStorm({ pushes }: Facts): CheckVerdict {
  const refused = pushes.filter(({ outcome }) => outcome === 'rejected')
  const [newest] = refused
  if (!newest) return notApplicable('No push was refused')
  for (const one of refused.slice(0, forgivenAfter)) {
    const same = refused.filter(
      (other) => isSamePush(one, other) && Math.abs(one.atMs - other.atMs) <= storm.withinMs,
    )
    if (same.length >= storm.times)
      return failing(
        evidenceOf(one),
        `The same push was refused ${same.length} times within ten minutes (${one.problemTypes.join(', ')})`,
      )
  }
  return proven(evidenceOf(newest), 'Refused pushes were not repeated as they were')
}

function isSamePush(one: PushFact, other: PushFact): boolean {
  return (
    one.keyId === other.keyId &&
    one.kind === other.kind &&
    one.hotelId === other.hotelId &&
    one.bodyBytes === other.bodyBytes &&
    one.problemMessage === other.problemMessage
  )
}

const reused = 'IDEMPOTENCY_KEY_REUSED'

export function judgeIdempotency({ pushes, notes }: Facts): CheckVerdict {
  const fault = unforgiven(pushes, ({ problemTypes }) => problemTypes.includes(reused))
  if (fault) return failing(evidenceOf(fault), 'An Idempotency-Key was used again with another body')
  const note = notes.get('idempotency')
  return note
    ? proven(evidenceOf(note), note.detail)
    : missing('No push was repeated with its Idempotency-Key')
}

type SequencedPush = PushFact & { ari: AriFact & { sequence: number } }

export function judgeSequences({ pushes }: Facts): CheckVerdict {
  const sequenced = pushes.flatMap((push): SequencedPush[] => {
    const { ari } = push
    return ari?.sequence === undefined ? [] : [{ ...push, ari: { ...ari, sequence: ari.sequence } }]
  })
  const [newest] = sequenced
  if (!newest) return missing('No push of ARI has a sequence')
  const highest = new Map<string, number>()
  const falling: PushFact[] = []
  for (const push of sequenced.slice(0, forgivenAfter).toReversed()) {
    const key = `${push.keyId} ${push.hotelId}`
    const before = highest.get(key) ?? -1
    if (push.ari.sequence <= before) falling.push(push)
    highest.set(key, Math.max(before, push.ari.sequence))
  }
  const last = falling.at(-1)
  if (last && falling.length >= fallingSequencesMin)
    return failing(
      evidenceOf(last),
      `${falling.length} pushes had a sequence that an earlier one had reached`,
    )
  return proven(evidenceOf(newest), `The newest sequence is ${newest.ari.sequence}`)
}

export type Seen = 'set' | 'cleared'

/** Whether each restriction was set, or cleared, at least once; `known`: those of earlier traffic. */
export function judgeRestrictions({ pushes }: Facts, how: Seen, known: ReadonlySet<string>): CheckVerdict {
  const lacking = rateRestrictions.filter((name) => !known.has(`${how}.${name}`))
  const newest = pushes.find(({ ari }) => ari && rateRestrictions.some((name) => ari[how].has(name)))
  const evidence = newest ? evidenceOf(newest) : null
  return lacking.length === 0
    ? proven(evidence, `Every restriction was ${how}`)
    : missing(`Not ${how} yet: ${lacking.join(', ')}`)
}

export function judgeClosure({ pushes }: Facts, how: Seen, known: ReadonlySet<string>): CheckVerdict {
  const newest = pushes.find(({ ari }) => ari?.[how].has('closed') === true)
  const what = how === 'set' ? 'closed' : 'reopened'
  return known.has(`${how}.closed`)
    ? proven(newest ? evidenceOf(newest) : null, `Nights were ${what}`)
    : missing(`No night was ${what} yet`)
}

/** The names of what the pushes set and cleared. */
export function seenIn({ pushes }: Facts): Set<string> {
  const seen = new Set<string>()
  const add = (how: Seen, names: ReadonlySet<PushedSwitchOrLimit>) => {
    for (const name of names) seen.add(`${how}.${name}`)
  }
  for (const { ari } of pushes) {
    if (!ari) continue
    add('set', ari.set)
    add('cleared', ari.cleared)
  }
  return seen
}

export function judgeBuckets({ hotels, pushes }: Facts): CheckVerdict {
  const priced = hotels.filter(({ usesGuestPrices }) => usesGuestPrices)
  if (priced.length === 0) return notApplicable('No hotel has prices by number of guests')
  const lacking = priced.find(({ bucketsLacking }) => bucketsLacking.length > 0)
  const hotelId = (lacking ?? priced[0])?.hotelId ?? null
  const push = pushes.find((one) => one.hotelId === hotelId && one.kind === 'ari')
  const evidence = push ? evidenceOf(push) : null
  return lacking
    ? failing(evidence, `${lacking.hotelId} has no price for ${lacking.bucketsLacking.join(', ')}`)
    : proven(evidence, 'Every number of guests that the products allow has a price')
}

/** A repeat with another body is a check of its own. */
function isMendable({ outcome, problemTypes }: PushFact): boolean {
  return (outcome === 'rejected' || outcome === 'partial') && !problemTypes.includes(reused)
}

export function judgeMended({ pushes, nowMs }: Facts): CheckVerdict {
  const refused = pushes.filter(isMendable)
  if (refused.length === 0) return notApplicable('No push was refused')
  const isMended = ({ id, kind, hotelId }: PushFact): boolean =>
    pushes.some(
      (later) =>
        later.id > id &&
        later.kind === kind &&
        (hotelId === null || later.hotelId === hotelId || later.hotelId === null) &&
        accepted.includes(later.outcome),
    )
  const open = refused.filter((push) => !isMended(push))
  const late = open.find(({ atMs }) => nowMs - atMs > mendWithinMs)
  if (late) return failing(evidenceOf(late), `No later push fixed this one (${late.problemTypes.join(', ')})`)
  const fixed = refused.find((push) => !open.includes(push))
  return fixed
    ? proven(evidenceOf(fixed), 'A later push fixed the refused one')
    : missing('A refused push waits to be fixed')
}
