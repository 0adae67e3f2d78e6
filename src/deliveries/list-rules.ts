import type { Queryable } from '../postgres/postgres.ts'
import type { DeliveryState } from './list-contract.ts'
import type { ReservationStatus } from '../bookings/state.ts'
import type { Trigger } from '../bookings/delivery-schedule.ts'
import type { PageAsked } from './page-query.ts'
import { stateOf } from './store.ts'

/** A supplier's deliveries with their attempts: all SQL, in whole statements. */

type DeliverySearch = PageAsked<string> & {
  reservationId: number | undefined
  state: DeliveryState | undefined
}

export type DeliveryRow = {
  id: string
  hotelCode: string
  reservationId: number
  version: number
  reservationStatus: ReservationStatus
  state: DeliveryState
  createdAtMs: number
  deliveredAtMs: number | null
  /** Null: no next attempt. Infinity: in the hourly run after `notBeforeMs`. */
  dueAtMs: number | null
  notBeforeMs: number | null
  giveUpAtMs: number
  /** How far the account's test clock is ahead of these three. */
  aheadMs: number
  /** Total size of the answers to its attempts. */
  answerBytes: number
}

const closedStates: readonly (DeliveryState | undefined)[] = ['delivered', 'superseded', undefined]

/** Newest first. */
export async function selectDeliveriesOfSupplier(
  db: Queryable,
  supplierId: number,
  { hotelId, reservationId, state, sinceMs, untilMs, after, limit }: DeliverySearch,
): Promise<DeliveryRow[]> {
  const { rows } = await db.query<DeliveryRow>(
    `select delivery.id, hotel.code as "hotelCode", reservation_id as "reservationId", version,
       reservation_status as "reservationStatus", ${stateOf('delivery')} as state,
       epoch_ms(delivery.created_at) as "createdAtMs", epoch_ms(delivered_at) as "deliveredAtMs",
       case when status = 'queued' and endpoint <> 0 then epoch_ms(due_at) end as "dueAtMs",
       epoch_ms(not_before) as "notBeforeMs", epoch_ms(give_up_at) as "giveUpAtMs",
       hotel.clock_ahead_ms as "aheadMs",
       (select coalesce(sum(octet_length(answer)), 0)::float8 from delivery_attempt where delivery_id = delivery.id)
         as "answerBytes"
     from delivery join hotel on hotel.id = delivery.hotel_id
     where delivery.supplier_id = $1 and ($2::int is null or delivery.hotel_id = $2)
       and ($3::int8 is null or reservation_id = $3) and ($4::text is null or ${stateOf('delivery')} = $4)
       ${closedStates.includes(state) ? '' : `and status in ('queued', 'sending', 'dead')`}
       and ($5::float8 is null or delivery.created_at >= instant($5))
       and ($6::float8 is null or delivery.created_at < instant($6))
       and ($7::float8 is null or (delivery.created_at, delivery.id) < (instant($7), $8::uuid))
     order by delivery.created_at desc, delivery.id desc limit $9`,
    [
      supplierId,
      hotelId ?? null,
      reservationId ?? null,
      state ?? null,
      sinceMs ?? null,
      untilMs ?? null,
      after?.atMs ?? null,
      after?.id ?? null,
      limit,
    ],
  )
  return rows
}

export type AttemptRow = {
  deliveryId: string
  attempt: number
  atMs: number
  trigger: Trigger
  webhookId: string | null
  outcome: string
  httpStatus: number | null
  durationMs: number
  answer: string | null
}

/** Oldest first. */
export async function selectAttemptsOfDeliveries(
  db: Queryable,
  deliveryIds: readonly string[],
): Promise<AttemptRow[]> {
  const { rows } = await db.query<AttemptRow>(
    `select delivery_id as "deliveryId", attempt, epoch_ms(at) as "atMs", trigger,
       nullif(message_id, '') as "webhookId", outcome, http_status as "httpStatus", duration_ms as "durationMs", answer
     from delivery_attempt where delivery_id = any($1::uuid[]) order by delivery_id, attempt`,
    [deliveryIds],
  )
  return rows
}
