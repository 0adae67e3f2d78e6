import type { Needs } from '../postgres/needs.ts'
import type { Called } from '../outbound/call.ts'
import { sendCallback, type CallbackMeans } from '../webhooks/callback.ts'
import type { Callback } from '../webhooks/store.ts'
import { keptAnswer, type Message } from './content.ts'
import { nextAttempt, outcomeOf, readRetryAfter, type Outcome } from '../bookings/delivery-schedule.ts'
import type { Attempted, Standing } from './settle.ts'
import type { Claimed } from './store.ts'

/**
 * For the whole call: a later 2xx does not count. Only the status of an answer counts, whatever its body.
 */
export const callWithinMs = 10_000
const connectWithinMs = 5_000

/** Sends one message and returns the outcome of the attempt. */
export async function sendMessage(
  message: Message,
  callback: Callback,
  {
    nowMs,
    signal,
    withinMs = callWithinMs,
    ...means
  }: CallbackMeans & { nowMs: number; signal?: AbortSignal; withinMs?: number | undefined },
): Promise<Called> {
  const { id, body, claimed } = message
  const [{ attempt, hotelId }] = claimed
  const limits = { connectWithinMs, withinMs, headSuffices: true }
  return await sendCallback(
    means,
    callback,
    { id, requestId: `${id}.${attempt}`, atMs: nowMs, body, about: { calls: 'pushBooking', hotelId } },
    signal ? { ...limits, signal } : limits,
  )
}

/** The attempts of a sent message, with the new state of each delivery. */
export function attemptsOf(
  message: Message,
  called: Called,
  { nowMs, standingAfter = standingOf }: { nowMs: number; standingAfter?: typeof standingOf },
): Attempted[] {
  const { id: messageId, claimed, cardHolders } = message
  const isAnswered = called.kind === 'answered'
  const outcome = isAnswered ? outcomeOf(called.status) : called.reason
  return claimed.map((delivery) => ({
    claimed: delivery,
    atMs: nowMs + delivery.aheadMs,
    messageId,
    durationMs: called.durationMs,
    outcome,
    httpStatus: isAnswered ? called.status : undefined,
    answer: isAnswered
      ? keptAnswer(called.body, cardHolders)
      : keptAnswer(Buffer.from(called.message), cardHolders),
    standing: standingAfter(delivery, called, { nowMs, isOneOfSeveral: claimed.length > 1 }),
  }))
}

const notSentAgainMs = 1_000

/** The state after an attempt, by the retry schedule. */
export function standingOf(
  delivery: Claimed,
  called: Called,
  { nowMs, isOneOfSeveral }: { nowMs: number; isOneOfSeveral: boolean },
): Standing {
  const { lane, retries, isAlone, giveUpAtMs } = delivery
  const as = { status: 'queued', lane, retries, isAlone, notBeforeMs: undefined } as const
  // We cancelled the call; it says nothing about the supplier and does not use up a retry.
  if (called.kind === 'failed' && called.reason === 'cancelled') return { ...as, dueAtMs: nowMs }
  if (called.kind === 'failed' && called.reason === 'busy') return { ...as, dueAtMs: nowMs + notSentAgainMs }
  const outcome: Outcome = called.kind === 'answered' ? outcomeOf(called.status) : 'unavailable'
  if (outcome === 'accepted') return { status: 'delivered' }
  // Perhaps refused because of one of them only: each is sent alone, still in this run.
  if (outcome === 'refused' && isOneOfSeveral) return { ...as, dueAtMs: nowMs, isAlone: true }
  const header = called.kind === 'answered' ? called.headers['retry-after'] : undefined
  const retryAfterMs = readRetryAfter(header, nowMs)
  const next = nextAttempt({ outcome, lane, retries, giveUpAtMs, nowMs, retryAfterMs, chance: Math.random() })
  if (next.kind === 'dead') return { status: 'dead' }
  if (next.kind === 'retry') {
    return { ...as, lane: 'retry', retries: next.retries, dueAtMs: next.dueAtMs }
  }
  return { ...as, lane: 'hourly', dueAtMs: null, notBeforeMs: next.notBeforeMs }
}

export function logUnreadable(log: Needs['log'], { id }: Claimed, error: unknown): void {
  log.error({ err: error, deliveryId: id }, 'a reservation to deliver can not be read')
}

/**
 * The body may become readable once somebody has fixed the cause. Several deliveries in one body are first
 * tried one by one, still in this run.
 */
export function unreadableAttempt(
  claimed: Claimed,
  { nowMs, isOneOfSeveral }: { nowMs: number; isOneOfSeveral: boolean },
): Attempted {
  const { retries, giveUpAtMs } = claimed
  const isAlone = isOneOfSeveral || claimed.isAlone
  const dueAtMs = isOneOfSeveral ? nowMs : null
  const waiting = { status: 'queued', lane: 'hourly', retries, isAlone, dueAtMs } as const
  return {
    claimed,
    atMs: nowMs + claimed.aheadMs,
    messageId: '',
    durationMs: 0,
    outcome: 'unreadable',
    httpStatus: undefined,
    answer: undefined,
    standing: nowMs > giveUpAtMs ? { status: 'dead' } : { ...waiting, notBeforeMs: undefined },
  }
}
