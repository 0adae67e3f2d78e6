import { setTimeout as wait } from 'node:timers/promises'
import { hourMs } from '../../base/calendar.ts'
import { numberArray, textArray, hideFromPlanner, type Queryable } from '../../postgres/postgres.ts'
import type { Lane } from '../../bookings/outbox/delivery-schedule.ts'
import { writeConfirmations, type NewConfirmation } from '../../bookings/told-store.ts'
import { forgetCvvsOf } from '../../cards/store.ts'
import { insertEvents } from '../../changes/write-events.ts'
import type { IgnoredPart } from '../attempt-contract.ts'
import { deliveryEvents } from './events.ts'
import { isBeingSent, passOnTimes, type Claimed } from './store.ts'
import { throttledWarning } from '../../base/log.ts'
import type { DeliveryNeeds } from './needs.ts'

/** The state of a delivery after an attempt; a null instant means the next hourly run. */
export type Standing =
  | { status: 'delivered' }
  | { status: 'dead' }
  | {
      status: 'queued'
      lane: Lane
      retries: number
      dueAtMs: number | null
      notBeforeMs: number | undefined
      isAlone: boolean
    }

export type Attempted = {
  claimed: Claimed
  /** By the account's clock. */
  atMs: number
  messageId: string
  durationMs: number
  outcome: string
  httpStatus: number | undefined
  answer: string | undefined
  /** The supplier had ordered this failure in the sandbox. */
  isOrdered: boolean
  /** The hotel's own numbers of the reservation, and what of the answer was not taken. */
  confirmations: readonly Omit<NewConfirmation, 'atMs'>[]
  ignored: readonly IgnoredPart[]
  standing: Standing
}

export type Settled = {
  id: string
  status: 'queued' | 'delivered' | 'superseded' | 'dead'
  /** A newer version exists, which had to wait for this attempt. */
  isOutdated: boolean
}

type Column<Value> = { type: string; array: (attempts: readonly Attempted[]) => Value }

function texts(type: 'uuid' | 'text', of: (attempted: Attempted) => string | null): Column<string> {
  return { type, array: (attempts) => textArray(attempts.map(of)) }
}

function numbers(type: 'int' | 'float8', of: (attempted: Attempted) => number | null): Column<string> {
  return { type, array: (attempts) => numberArray(attempts.map(of)) }
}

function flags(of: (attempted: Attempted) => boolean | null): Column<(boolean | null)[]> {
  return { type: 'boolean', array: (attempts) => attempts.map(of) }
}

function next({ standing }: Attempted): Extract<Standing, { status: 'queued' }> | undefined {
  return standing.status === 'queued' ? standing : undefined
}

/**
 * The statement's input for each attempt and the new state of its delivery: one parameter per column, each an
 * array over all attempts.
 */
const columns = {
  id: texts('uuid', ({ claimed }) => claimed.id),
  attempt: numbers('int', ({ claimed }) => claimed.attempt),
  at: numbers('float8', ({ atMs }) => atMs),
  ahead: numbers('float8', ({ claimed }) => claimed.aheadMs),
  trigger: texts('text', ({ claimed }) => claimed.trigger),
  message_id: texts('text', ({ messageId }) => messageId),
  duration_ms: numbers('int', ({ durationMs }) => durationMs),
  outcome: texts('text', ({ outcome }) => outcome),
  http_status: numbers('int', ({ httpStatus }) => httpStatus ?? null),
  answer: texts('text', ({ answer }) => answer ?? null),
  is_ordered: flags(({ isOrdered }) => isOrdered),
  ignored: texts('text', ({ ignored }) => (ignored.length === 0 ? null : JSON.stringify(ignored))),
  status: texts('text', ({ standing }) => standing.status),
  lane: texts('text', (attempted) => next(attempted)?.lane ?? null),
  retries: numbers('int', (attempted) => next(attempted)?.retries ?? null),
  due_at: numbers('float8', (attempted) => next(attempted)?.dueAtMs ?? null),
  not_before: numbers('float8', (attempted) => next(attempted)?.notBeforeMs ?? null),
  is_alone: flags((attempted) => next(attempted)?.isAlone ?? null),
  was_given_up: flags(({ claimed }) => claimed.wasGivenUp),
}

const attemptRows = `select * from unnest(${Object.values(columns)
  .map(({ type }, index) => (index === 0 ? hideFromPlanner(`$1::${type}[]`) : `$${index + 1}::${type}[]`))
  .join(', ')}) as made (${Object.keys(columns).join(', ')})`

/**
 * How far the account's clock was advanced during the call; the following times move closer by the same
 * amount.
 */
const leapMs = '((select clock_ahead_ms from supplier where supplier.id = delivery.supplier_id) - made.ahead)'

/**
 * Records attempts and the new states of their deliveries in one statement. It also destroys a card's
 * verification value once the card is delivered or given up. A delivery settled elsewhere meanwhile (because
 * its lease expired, or the supplier acknowledged it) keeps that state.
 */
export async function settleAttempts(
  db: Queryable,
  attempts: readonly Attempted[],
  beforeTimes = () => {},
): Promise<Settled[]> {
  // Before: a delivery that isn't settled is sent again, and answered again.
  await writeConfirmations(
    db,
    attempts.flatMap(({ confirmations, atMs }) => confirmations.map((one) => ({ ...one, atMs }))),
  )
  const { rows } = await db.query<Settled>({
    name: 'settle-deliveries',
    text: `
      with made as (
        ${attemptRows}
      ), settled as (
        update delivery set
          status = case when is_outdated and made.status <> 'delivered' then 'superseded' else made.status end,
          lane = coalesce(made.lane, delivery.lane), retries = coalesce(made.retries, delivery.retries),
          due_at = case when made.due_at is not null then instant(made.due_at - ${leapMs})
            when made.status = 'queued' and ${leapMs} >= ${hourMs} then instant(made.at - made.ahead)
            else 'infinity' end,
          not_before = instant(made.not_before - ${leapMs}),
          is_alone = coalesce(made.is_alone, delivery.is_alone), trigger = 'retry', leased_until = null,
          first_failed_at = case when made.status = 'delivered' then first_failed_at
            else coalesce(first_failed_at, instant(made.at)) end,
          delivered_at = case when made.status = 'delivered' then instant(made.at) end,
          dead_at = case when made.status = 'dead' then coalesce(dead_at, instant(made.at)) end
        from made
        where delivery.id = made.id and delivery.attempts = made.attempt and ${isBeingSent}
        returning delivery.id, delivery.reservation_id, delivery.version, delivery.status, delivery.is_outdated as "isOutdated",
          delivery.delivered_at, delivery.hotel_id,
          -- An attempt by hand leaves one that was given up as it was.
          not delivery.is_repeat and (delivery.status = 'delivered'
            or delivery.status = 'dead' and not made.was_given_up) as has_ended
      ), told as (
        ${insertEvents('delivery', deliveryEvents('settled', 'has_ended'))}
      ), noted as (
        insert into delivery_attempt
          (delivery_id, attempt, at, trigger, message_id, duration_ms, outcome, http_status, answer, is_ordered, ignored)
        select id, attempt, instant(at), trigger, message_id, duration_ms, outcome, http_status, answer, is_ordered,
          ignored from made
        -- A sandbox reset may have removed it.
        where exists (select from delivery where delivery.id = made.id)
        on conflict do nothing
      ), cleared as (
        update delivery_alert set cleared_at = settled.delivered_at from settled
        where settled.status = 'delivered' and delivery_alert.reservation_id = settled.reservation_id
          and delivery_alert.cleared_at is null
      ), forgotten as (
        ${forgetCvvsOf('settled')} and settled.status in ('delivered', 'dead')
      )
      select id, status, "isOutdated" from settled`,
    values: Object.values(columns).map(({ array }) => array(attempts)),
  })
  beforeTimes()
  // What fails from here on, the watch makes up for.
  await passOnTimes(db, rows)
  return rows
}

export type Settler = {
  /** Resolves when the attempts are recorded, or when recording has failed for good. */
  add: (attempts: readonly Attempted[]) => Promise<void>
  close: () => Promise<void>
}

const atOnceMax = 200
const tries = { max: 20, everyMs: 250 }
/**
 * A small batch waits for more attempts: no caller depends on it, and a statement for each would take CPU
 * from bookings.
 */
const few = { count: 16, waitMs: 10 }

/** Settles the attempts that gathered during the previous settlement. */
export function settler(
  needs: Pick<DeliveryNeeds, 'db' | 'log' | 'telemetry' | 'crashPoint'>,
  onFreed: (endpoint: number) => void,
): Settler {
  const { db, log, telemetry } = needs
  const warn = throttledWarning(log, 'results of deliveries could not be stored')
  let waiting: { attempted: Attempted; done: () => void }[] = []
  let settling: Promise<void> | undefined

  const settleAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      if (waiting.length < few.count) await wait(few.waitMs)
      const batch = waiting.slice(0, atOnceMax)
      waiting = waiting.slice(atOnceMax)
      const attempts = batch.map(({ attempted }) => attempted)
      needs.crashPoint?.('before settle')
      const settled = await settleWithTries(attempts)
      needs.crashPoint?.('after settle')
      tell(attempts, settled)
      for (const { done } of batch) done()
    }
  }

  /**
   * If recording is given up, the attempts count as lost once their lease expires, and the deliveries are
   * sent once more.
   */
  const settleWithTries = async (attempts: readonly Attempted[]): Promise<Settled[]> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await settleAttempts(db, attempts, () => needs.crashPoint?.('before times'))
      } catch (error) {
        warn(error instanceof Error ? error.message : String(error))
        if (attempt === tries.max) return []
        await wait(tries.everyMs)
      }
    }
  }

  const tell = (attempts: readonly Attempted[], settled: readonly Settled[]): void => {
    const settledById = new Map(settled.map((one) => [one.id, one]))
    for (const { claimed, outcome, httpStatus, atMs } of attempts) {
      telemetry.deliveryAttempts.inc({ trigger: claimed.trigger, outcome })
      const after = settledById.get(claimed.id)
      if (after?.status === 'delivered') telemetry.deliveryLag.observe((atMs - claimed.createdAtMs) / 1_000)
      if (after?.status === 'dead') {
        const { id: deliveryId, reservationId, hotelId } = claimed
        log.error({ deliveryId, reservationId, hotelId, outcome, httpStatus }, 'a delivery was given up')
      }
      // The newer version had to wait for this one.
      if (after?.isOutdated) onFreed(claimed.endpoint)
    }
  }

  return {
    add: (attempts) => {
      const all = attempts.map((attempted) => new Promise<void>((done) => waiting.push({ attempted, done })))
      settling ??= settleAll().finally(() => {
        settling = undefined
      })
      return Promise.all(all).then(() => undefined)
    },
    close: async () => {
      await settling
    },
  }
}
