import { throttledWarning } from '../../base/log.ts'
import type { Needs } from '../../postgres/postgres.ts'
import type { Called, OutboundCaller } from '../../outbound/call.ts'
import { sendCallback, type CalledBack, type CallbackMeans } from '../../webhooks/callback.ts'
import type { Callback } from '../../webhooks/store.ts'
import { storableAnswer, messagesOf, type Message, type Unreadable } from './messages.ts'
import {
  nextAttempt,
  outcomeOf,
  readRetryAfter,
  runAfter,
  type Outcome,
  type Lane,
} from '../../bookings/outbox/delivery-schedule.ts'
import type { Attempted, Standing, Settler } from '../queue/settle.ts'
import { readdress, type Claimed, type Moved } from '../queue/store.ts'
import { causeOf, inLaterSpan, type Attributes, type SpanContext } from '../../base/tracing.ts'
import { gather } from '../../base/gather.ts'
import type { ClaimedGroup } from '../queue/claims.ts'
import type { DeliveryNeeds } from '../queue/needs.ts'
import { endpointOf, noEndpoint } from '../../bookings/outbox/delivery-queue.ts'
import type { Slot } from '../queue/slots.ts'
import { callbackReader, type CallbackReader } from './callback-reader.ts'
import { endpointHealth, type EndpointHealth } from './endpoint-health.ts'
import { nothingSaid, saidConfirmations, saidOf } from './said-confirmations.ts'
import { settlingOf, type Settling } from './settling.ts'

/**
 * For the whole call: a later 2xx does not count. Only the status of an answer counts, whatever its body.
 */
export const usualCallWithinMs = 10_000

/** The call's time limit, plus as much to begin and to settle it. */
export function leaseMsOf(callWithinMs: number): number {
  return 2 * callWithinMs
}

/** Sends one message and returns the outcome of the attempt. */
export async function sendMessage(
  message: Message,
  callback: Callback,
  {
    nowMs,
    signal,
    callWithinMs,
    ...means
  }: CallbackMeans & { nowMs: number; signal?: AbortSignal; callWithinMs: number },
): Promise<CalledBack> {
  const { id, body, claimed } = message
  const [{ attempt, hotelId }] = claimed
  const limits = { connectWithinMs: callWithinMs / 2, withinMs: callWithinMs, headSuffices: true }
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
  called: CalledBack,
  {
    nowMs,
    isSettling = false,
    standingAfter = standingOf,
  }: { nowMs: number; isSettling?: boolean; standingAfter?: typeof standingOf },
): Attempted[] {
  const { id: messageId, claimed, cards } = message
  const isAnswered = called.kind === 'answered'
  const outcome = isAnswered ? outcomeOf(called.status, { isSettling }) : called.reason
  const said =
    outcome === 'accepted' && isAnswered ? saidConfirmations(called.body, message.delivered) : nothingSaid
  return claimed.map((delivery) => ({
    claimed: delivery,
    atMs: nowMs + delivery.aheadMs,
    messageId,
    durationMs: called.durationMs,
    outcome,
    httpStatus: isAnswered ? called.status : undefined,
    answer: storableAnswer(isAnswered ? called.body : Buffer.from(called.message), cards),
    isOrdered: called.isOrdered === true,
    ...saidOf(said, delivery),
    standing: standingAfter(delivery, called, { nowMs, isSettling, isOneOfSeveral: claimed.length > 1 }),
  }))
}

const notSentAgainMs = 1_000

/** The state after an attempt, by the retry schedule. */
export function standingOf(
  delivery: Claimed,
  called: Called,
  { nowMs, isSettling, isOneOfSeveral }: { nowMs: number; isSettling: boolean; isOneOfSeveral: boolean },
): Standing {
  const { lane, retries, isAlone, giveUpAtMs } = delivery
  const as = { status: 'queued', lane, retries, isAlone, notBeforeMs: undefined } as const
  // We cancelled the call; it says nothing about the supplier and does not use up a retry.
  if (called.kind === 'failed' && called.reason === 'cancelled') return { ...as, dueAtMs: nowMs }
  if (called.kind === 'failed' && called.reason === 'busy') return { ...as, dueAtMs: nowMs + notSentAgainMs }
  const outcome: Outcome =
    called.kind === 'answered' ? outcomeOf(called.status, { isSettling }) : 'unavailable'
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
  // Perhaps one of them breaks the supplier's server, perhaps the server is down. So each is sent alone, but only
  // at the next full hour, and as a retry: in that lane a call that hangs doesn't hold up the other hotels.
  // Those that fail again join the hourly run, where a server that is down gets few calls.
  if (isOneOfSeveral && mayBodyBeTheCause(called)) {
    return { ...as, lane: 'retry', dueAtMs: runAfter(Math.max(nowMs, next.notBeforeMs ?? 0)) }
  }
  return { ...as, lane: 'hourly', dueAtMs: null, notBeforeMs: next.notBeforeMs }
}

const tooManyCalls = 429

/** False also for a supplier that asks for fewer calls: it must not get one for each reservation. */
function mayBodyBeTheCause(called: Called): boolean {
  return called.kind === 'answered' ? called.status !== tooManyCalls : called.bytesSent
}

export function logUnreadable(log: Needs['log'], { id }: Claimed, error: unknown): void {
  log.error({ err: error, deliveryId: id }, 'a reservation to be delivered could not be read')
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
    isOrdered: false,
    ...nothingSaid,
    standing: nowMs > giveUpAtMs ? { status: 'dead' } : { ...waiting, notBeforeMs: undefined },
  }
}

type SenderNeeds = Pick<
  DeliveryNeeds,
  'db' | 'clock' | 'log' | 'vault' | 'callbackFaults' | 'callbackWatch' | 'crashPoint'
> & {
  callWithinMs: number
  slots: NonNullable<DeliveryNeeds['slots']>
  caller: OutboundCaller
  settle: Settler
  signal: AbortSignal
  /** Deliveries are due there now. */
  onDue: (lane: Lane, endpoint: number) => void
  /** A slot is free. */
  onFreed: () => void
}

type Addressed = ClaimedGroup & { callback: Callback }

/** Looks up the URLs and bodies of claimed deliveries, and sends them. Resolves when all are settled. */
export function sender(
  needs: SenderNeeds,
): (all: readonly ClaimedGroup[], claimedMs: number) => Promise<void> {
  const callbackOf = callbackReader(needs)
  const health = endpointHealth(needs.log)
  const settling = settlingOf(needs)
  const giveBack = givingBack(needs)
  return async (all, claimedMs) => {
    const addressed = await address(needs, callbackOf, all)
    if (addressed.length === 0) return
    const { messages, unreadable } = await messagesOf(
      needs.db,
      addressed.map(({ group }) => group),
      { vault: needs.vault, nowMs: needs.clock.now() },
    )
    const oneByGroup = new Map(addressed.map((one) => [one.group, one]))
    for (const { claimed } of unreadable) {
      const one = oneByGroup.get(claimed)
      if (one) needs.slots.leave(one.slot, 'none', performance.now())
    }
    settleUnreadable(needs, unreadable)
    await Promise.all(
      messages.map(async (message) => {
        const one = oneByGroup.get(message.claimed)
        if (!one) return
        const mayBegin = await needs.slots.mayBegin(one.slot)
        // A call must end before its lease does, when other processes may claim the delivery.
        const isLate = performance.now() - claimedMs > needs.callWithinMs / 2
        await (mayBegin && !isLate ? send({ ...needs, health, settling }, message, one) : giveBack(one))
      }),
    )
  }
}

/**
 * Those whose hotel still has the URL for which they were claimed; the others are requeued for its present
 * URL.
 */
async function address(
  { db, slots, onDue }: SenderNeeds,
  callbackOf: CallbackReader,
  all: readonly ClaimedGroup[],
): Promise<Addressed[]> {
  const addressed: Addressed[] = []
  const moved: Moved[] = []
  const callbacks = await Promise.all(all.map(({ group }) => callbackOf(group[0].hotelId)))
  for (const [index, { group, slot }] of all.entries()) {
    const callback = callbacks[index]
    const endpoint = callback ? endpointOf(callback.url) : noEndpoint
    if (callback && endpoint === slot.endpoint) {
      addressed.push({ group, slot, callback })
      continue
    }
    moved.push(...group.map((claimed) => ({ claimed, endpoint })))
    slots.leave(slot, 'none', performance.now())
  }
  if (moved.length > 0) await readdress(db, moved)
  for (const { claimed, endpoint } of moved) if (endpoint !== noEndpoint) onDue(claimed.lane, endpoint)
  return addressed
}

const backReads = { keysMax: 500, readsAtOnceMax: 1 }

/** It was not sent: it is due again, for any process. Without the database it stays with us until its lease ends. */
function givingBack({ db, log, slots, onDue }: SenderNeeds): (one: ClaimedGroup) => Promise<void> {
  const back = gather(async (moved: readonly Moved[]) => {
    await readdress(db, moved)
    return new Map<Moved, true>()
  }, backReads)
  const warn = throttledWarning(log, 'claimed deliveries could not be released')
  return async ({ group, slot }) => {
    const { endpoint, lane } = slot
    try {
      await back(group.map((claimed) => ({ claimed, endpoint })))
    } catch (error) {
      warn(error instanceof Error ? error.message : String(error))
    } finally {
      slots.leave(slot, 'none', performance.now())
    }
    onDue(lane, endpoint)
  }
}

async function send(
  needs: SenderNeeds & { health: EndpointHealth; settling: Settling },
  message: Message,
  { callback, slot }: { callback: Callback; slot: Slot },
): Promise<void> {
  const { clock, signal, slots, crashPoint, caller, callWithinMs } = needs
  const means = { caller, faults: needs.callbackFaults, watch: needs.callbackWatch }
  crashPoint?.('before call')
  const call = { nowMs: clock.now(), signal, callWithinMs }
  const called = await inLaterSpan(causesOf(message), 'delivery', attributesOf(message), () =>
    sendMessage(message, callback, { ...means, ...call }),
  )
  crashPoint?.('after call')
  needs.health.record(callback, message, called)
  const isGood = called.kind === 'answered' && called.status < 500
  const isOurs = called.kind === 'failed' && (called.reason === 'cancelled' || called.reason === 'busy')
  slots.leave(slot, isGood ? 'good' : isOurs ? 'none' : 'bad', performance.now())
  needs.onFreed()
  const isSettling = await needs.settling(callback, called)
  await needs.settle.add(attemptsOf(message, called, { nowMs: clock.now(), isSettling }))
}

/** The bookings whose deliveries these are, as far as this process took them. */
function causesOf({ claimed }: Message): (SpanContext | undefined)[] {
  return claimed.map(({ id }) => causeOf(id))
}

function attributesOf({ id, claimed }: Message): Attributes {
  const [{ attempt }] = claimed
  return { 'ari.message_id': id, 'ari.attempt': attempt, 'ari.deliveries': claimed.length }
}

function settleUnreadable({ log, clock, settle }: SenderNeeds, unreadable: readonly Unreadable[]): void {
  for (const { claimed, error } of unreadable) {
    logUnreadable(log, claimed[0], error)
    const isOneOfSeveral = claimed.length > 1
    void settle.add(claimed.map((one) => unreadableAttempt(one, { nowMs: clock.now(), isOneOfSeveral })))
  }
}
