import { setTimeout as wait } from 'node:timers/promises'
import { selectOptionalHotel } from '../../hotels/store.ts'
import { rejectUnlessEnabled } from '../../keys/suppliers.ts'
import { Gate } from '../../base/gate.ts'
import { answer, on, type Answer } from '../../http/calls/mount.ts'
import type { Needs } from '../../postgres/postgres.ts'
import type { OutboundCaller } from '../../outbound/call.ts'
import { overloaded, Rejected, reportedValue } from '../../http/rejected.ts'
import { shuttingDown } from '../../http/server/admission.ts'
import type { CallbackFaults } from '../../webhooks/callback-faults.ts'
import type { CallbackWatch } from '../../webhooks/callback-watch.ts'
import { selectCallback, type Callback } from '../../webhooks/store.ts'
import type { CardVault } from '../../cards/card-vault.ts'
import { claimNow, isWithheldNow, type ClaimedNow } from '../queue/claim-now.ts'
import { type DeliveryBell, deliveryIdOf, endpointOf } from '../../bookings/outbox/delivery-queue.ts'
import { messagesOf } from '../send/messages.ts'
import { deliveryErrors, deliveryRoutes } from '../contract.ts'
import {
  attemptsOf,
  leaseMsOf,
  logUnreadable,
  sendMessage,
  standingOf,
  unreadableAttempt,
  usualCallWithinMs,
} from '../send/send.ts'
import { settleAttempts, type Attempted, type Standing } from '../queue/settle.ts'
import { selectOptionalReservation, readReservationId } from '../../bookings/store.ts'

export type PushBookingNeeds = Needs & {
  deliveryCaller: OutboundCaller
  deliveryBell: DeliveryBell
  vault: CardVault
  callbackFaults?: CallbackFaults | undefined
  callbackWatch?: CallbackWatch | undefined
  callWithinMs?: number | undefined
  /** Aborts when this process ends: calls in progress are then given up, and answered. */
  ending: AbortSignal
}

/**
 * Limited per supplier, because each call may take ten seconds; requests for one reservation wait for each
 * other before they take a place.
 */
const atOnce = { ofSupplier: { passing: 4, waiting: 20 }, ofReservation: { passing: 1, waiting: 4 } }
/** For a delivery that the worker is sending right now: its call, and the time to settle it. */
const turn = { settledWithinMs: 2_000, everyMs: 50 }

/** POST /push/webhook/booking. */
export const pushBooking = (needs: PushBookingNeeds) => {
  const suppliers = new Gate(atOnce.ofSupplier)
  const reservations = new Gate(atOnce.ofReservation)
  return on(deliveryRoutes.pushBooking, async ({ body, caller: { supplierId } }) => {
    await rejectUnlessEnabled(needs.db, supplierId, 'mayPushOnDemand')
    const { reservationId, callback } = await find(needs, supplierId, body)
    return through(needs, reservations, reservationId, () =>
      through(needs, suppliers, supplierId, () => pushNow(needs, reservationId, callback)),
    )
  })
}

async function through(
  { telemetry }: Needs,
  gate: Gate,
  key: number,
  push: () => Promise<Answer>,
): Promise<Answer> {
  const passed = gate.enter(key)
  if (!passed) {
    telemetry.limited.inc({ limit: 'bookings_pushed' })
    throw overloaded()
  }
  await passed
  try {
    return await push()
  } finally {
    gate.leave(key)
  }
}

async function find(
  { db, clock }: Needs,
  supplierId: number,
  sent: { hotelId: string; reservation_id: string },
): Promise<{ reservationId: number; callback: Callback }> {
  const hotel = await selectOptionalHotel(db, supplierId, sent.hotelId)
  const id = readReservationId(sent.reservation_id)
  const stored = hotel && id !== undefined ? await selectOptionalReservation(db, id) : undefined
  if (!hotel || stored?.hotelId !== hotel.id) {
    throw new Rejected(404, {
      ...deliveryErrors.notFound,
      path: '/reservation_id',
      value: reportedValue(sent.reservation_id),
    })
  }
  const callback = await selectCallback(db, hotel.id, 'pushbook', clock.now())
  if (!callback) throw new Rejected(409, deliveryErrors.notRegistered)
  return { reservationId: stored.id, callback }
}

async function pushNow(needs: PushBookingNeeds, reservationId: number, callback: Callback): Promise<Answer> {
  const { db, telemetry, ending } = needs
  const claimed = await inTurn(needs, reservationId, callback)
  const attempts = await attempt(needs, claimed, callback)
  const settled = await settleAttempts(db, attempts)
  for (const { outcome } of attempts) telemetry.deliveryAttempts.inc({ trigger: 'manual', outcome })
  // The newer version had to wait for this one.
  if (settled.some(({ isOutdated }) => isOutdated)) needs.deliveryBell.ring(claimed)
  // We gave up: a remaining process sends it again.
  if (ending.aborted && attempts.some(({ outcome }) => outcome === 'cancelled'))
    throw shuttingDown('We gave up on the call; the reservation is sent again automatically')
  return answerOf(claimed, attempts)
}

async function attempt(
  needs: PushBookingNeeds,
  claimed: ClaimedNow,
  callback: Callback,
): Promise<Attempted[]> {
  const { db, clock, vault } = needs
  const { messages, unreadable } = await messagesOf(db, [[claimed]], { vault, nowMs: clock.now() })
  const [message] = messages
  if (!message) {
    logUnreadable(needs.log, claimed, unreadable[0]?.error)
    const attempted = unreadableAttempt(claimed, { nowMs: clock.now(), isOneOfSeveral: false })
    return [{ ...attempted, standing: standingAsBefore(claimed, attempted.standing) }]
  }
  const called = await sendMessage(message, callback, {
    caller: needs.deliveryCaller,
    faults: needs.callbackFaults,
    watch: needs.callbackWatch,
    nowMs: clock.now(),
    signal: needs.ending,
    callWithinMs: needs.callWithinMs ?? usualCallWithinMs,
  })
  const standingAfter: typeof standingOf = (delivery, result, more) =>
    standingAsBefore(claimed, standingOf(delivery, result, more))
  return attemptsOf(message, called, { nowMs: clock.now(), standingAfter })
}

/** If the worker is already sending the reservation's delivery, waits for it first. */
async function inTurn(
  { db, clock, vault, ending, callWithinMs = usualCallWithinMs }: PushBookingNeeds,
  reservationId: number,
  callback: Callback,
): Promise<ClaimedNow> {
  const untilMs = performance.now() + callWithinMs + turn.settledWithinMs
  for (;;) {
    if (ending.aborted) throw shuttingDown()
    const nowMs = clock.now()
    const openableKeys = vault.openableKeyIds()
    if (await isWithheldNow(db, reservationId, { nowMs, openableKeys }))
      throw new Rejected(503, deliveryErrors.vaultClosed, { headers: { 'retry-after': '10' } })
    const lease = { nowMs, leasedUntilMs: nowMs + leaseMsOf(callWithinMs), openableKeys }
    const claimed = await claimNow(db, reservationId, { ...lease, endpoint: endpointOf(callback.url) })
    if (claimed) return claimed
    // A sandbox reset deleted it in between.
    if (!(await selectOptionalReservation(db, reservationId)))
      throw new Rejected(404, { ...deliveryErrors.notFound, path: '/reservation_id' })
    if (performance.now() > untilMs) throw overloaded()
    await wait(turn.everyMs)
  }
}

/**
 * A manual attempt does not use up the schedule: a delivery that waited for a retry, or was given up, keeps
 * that state.
 */
function standingAsBefore({ before, isAlone, retries }: ClaimedNow, byRule: Standing): Standing {
  if (byRule.status === 'delivered' || !before || before.lane === 'first') return byRule
  if (before.status === 'dead') return { status: 'dead' }
  const { lane, dueAtMs, notBeforeMs } = before
  return { status: 'queued', lane, retries, dueAtMs, notBeforeMs: notBeforeMs ?? undefined, isAlone }
}

function answerOf(claimed: ClaimedNow, attempts: readonly Attempted[]): Answer {
  const isDelivered = attempts.every(({ standing }) => standing.status === 'delivered')
  return answer(200, {
    code: '200',
    message: isDelivered ? 'Booking pushed successfully' : 'Booking could not be delivered',
    delivery: {
      deliveryId: deliveryIdOf(claimed.id),
      status: isDelivered ? 'delivered' : 'failed',
      httpStatus: attempts[0]?.httpStatus ?? null,
      durationMs: attempts[0]?.durationMs ?? 0,
      attempt: claimed.attempt,
    },
  })
}
