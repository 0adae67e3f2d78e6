import { numberArray, textArray, unseen, type Queryable } from '../postgres/postgres.ts'
import { hourMs, type Lane } from '../bookings/delivery-schedule.ts'
import { forgetCvvsOf } from '../cards/store.ts'
import type { Claimed } from './store.ts'

/** What a delivery becomes after an attempt; null for an instant: with the next hourly run. */
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
  /** By the clock of the account. */
  atMs: number
  messageId: string
  durationMs: number
  outcome: string
  httpStatus: number | undefined
  answer: string | undefined
  standing: Standing
}

export type Settled = {
  id: string
  status: 'queued' | 'delivered' | 'superseded' | 'dead'
  /** There is a newer version, which had to wait for this attempt. */
  isOutdated: boolean
}

/** How far the account's clock was advanced while the call was under way; what follows it moves up by as much. */
const leapMs = '((select clock_ahead_ms from supplier where supplier.id = delivery.supplier_id) - done.ahead)'

/**
 * Notes attempts and what became of their deliveries, in one statement: with it a card's verification value is
 * destroyed when it was delivered, or is given up. A delivery that somebody else settled meanwhile (its lease was over, or the supplier
 * acknowledged it) keeps what it became.
 */
export async function settleAttempts(db: Queryable, attempts: readonly Attempted[]): Promise<Settled[]> {
  const queued = attempts.map(({ standing }) => (standing.status === 'queued' ? standing : undefined))
  const { rows } = await db.query<Settled>({
    name: 'settle-deliveries',
    text: `
      with done as (
        select * from unnest(${unseen('$1::uuid[]')}, $2::int[], $3::float8[], $4::text[], $5::text[], $6::int[], $7::float8[],
          $8::float8[], $9::boolean[], $16::float8[])
          as done (id, attempt, at, status, lane, retries, due_at, not_before, is_alone, ahead)
      ), settled as (
        update delivery set
          status = case when is_outdated and done.status <> 'delivered' then 'superseded' else done.status end,
          lane = coalesce(done.lane, delivery.lane), retries = coalesce(done.retries, delivery.retries),
          due_at = case when done.due_at is not null then instant(done.due_at - ${leapMs})
            when done.status = 'queued' and ${leapMs} >= ${hourMs} then instant(done.at - done.ahead)
            else 'infinity' end,
          not_before = instant(done.not_before - ${leapMs}),
          is_alone = coalesce(done.is_alone, delivery.is_alone), trigger = 'retry', leased_until = null,
          first_failed_at = case when done.status = 'delivered' then first_failed_at
            else coalesce(first_failed_at, instant(done.at)) end,
          delivered_at = case when done.status = 'delivered' then instant(done.at) end
        from done
        where delivery.id = done.id and delivery.attempts = done.attempt and delivery.status = 'sending'
        returning delivery.id, delivery.reservation_id, delivery.version, delivery.status, delivery.is_outdated as "isOutdated",
          delivery.delivered_at
      ), noted as (
        insert into delivery_attempt
          (delivery_id, attempt, at, trigger, message_id, duration_ms, outcome, http_status, answer)
        -- A reset of the sandbox may have removed the delivery.
        select * from (
          select id, attempt, instant(at), trigger, message_id, duration_ms, outcome, http_status, answer
          from unnest(${unseen('$1::uuid[]')}, $2::int[], $3::float8[], $10::text[], $11::text[], $12::int[], $13::text[],
            $14::int[], $15::text[]) as made
            (id, attempt, at, trigger, message_id, duration_ms, outcome, http_status, answer)
        ) as made
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
    values: [
      textArray(attempts.map(({ claimed }) => claimed.id)),
      numberArray(attempts.map(({ claimed }) => claimed.attempt)),
      numberArray(attempts.map(({ atMs }) => atMs)),
      textArray(attempts.map(({ standing }) => standing.status)),
      textArray(queued.map((next) => next?.lane ?? null)),
      numberArray(queued.map((next) => next?.retries ?? null)),
      numberArray(queued.map((next) => next?.dueAtMs ?? null)),
      numberArray(queued.map((next) => next?.notBeforeMs ?? null)),
      queued.map((next) => next?.isAlone ?? null),
      textArray(attempts.map(({ claimed }) => claimed.trigger)),
      textArray(attempts.map(({ messageId }) => messageId)),
      numberArray(attempts.map(({ durationMs }) => durationMs)),
      textArray(attempts.map(({ outcome }) => outcome)),
      numberArray(attempts.map(({ httpStatus }) => httpStatus ?? null)),
      textArray(attempts.map(({ answer }) => answer ?? null)),
      numberArray(attempts.map(({ claimed }) => claimed.aheadMs)),
    ],
  })
  return rows
}
