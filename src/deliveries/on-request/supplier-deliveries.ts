import { instantOf, optionalInstant } from '../../base/calendar.ts'
import { answer, onEveryProblem, on, type Mounted } from '../../http/calls/mount.ts'
import type { Needs, Queryable } from '../../postgres/postgres.ts'
import type { AnswerOf } from '../../http/route.ts'
import {
  deliveriesPerPage,
  deliveryRoutes,
  deliveryErrors,
  sentAgainMax,
  type DeliveryState,
} from '../contract.ts'
import { deliveryIdOf, parseDeliveryId } from '../../bookings/outbox/delivery-queue.ts'
import { hourlyRunMs } from '../../bookings/outbox/show-delivery.ts'
import { readReservationId } from '../../bookings/store.ts'
import { readRangeAfter, writePageEnd, type RangeAfter } from '../../http/calls/page-end.ts'
import { judgePage } from '../../push-log/read/pages.ts'
import type { ReservationStatus } from '../../bookings/state.ts'
import { selectAttempts, type StoredAttempt } from './attempts.ts'
import { stateOf } from '../queue/store.ts'
import { hotelNotFound } from '../../hotels/hotel-rules.ts'
import { unknownHotelError } from '../../push-log/contract.ts'
import { selectOptionalHotel } from '../../hotels/store.ts'
import { Rejected, rejectIfAny, reportedValue } from '../../http/rejected.ts'
import { transaction } from '../../postgres/transaction.ts'
import { hasCallback } from '../../webhooks/store.ts'
import { sendFailedAgain } from './send-again.ts'

/** Total size of the answers on a page; the first delivery is always included, whatever its size. */
const answerBytesPerPage = 1_000_000

const listed = { rowsPerPage: deliveriesPerPage, readId: parseDeliveryId, writeId: deliveryIdOf }

/** GET /push/deliveries. */
export const listDeliveries = (needs: Needs): Mounted =>
  onEveryProblem(
    deliveryRoutes.listDeliveries,
    judgePage(needs, (query, problems) => readRangeAfter(query, listed, problems)),
    async ({ query, caller: { supplierId }, read }) => {
      const { reservation_id: sentId, status: state } = query
      const reservationId = sentId === undefined ? undefined : readReservationId(sentId)
      const isNone = sentId !== undefined && reservationId === undefined
      // One more row than requested tells whether there is another page.
      const search = { ...read, reservationId, state, limit: read.limit + 1 }
      const rows = isNone ? [] : await selectDeliveriesOfSupplier(needs.db, supplierId, search)
      const page = pageOf(rows, read.limit)
      const last = rows.length > page.length ? page.at(-1) : undefined
      const attempts = await selectAttempts(
        needs.db,
        page.map(({ id }) => id),
      )
      const attemptsById = Map.groupBy(attempts, ({ deliveryId }) => deliveryId)
      const nowMs = needs.clock.now()
      return answer(200, {
        code: '200',
        message: 'Deliveries retrieved successfully',
        deliveries: page.map((row) => renderDelivery(row, attemptsById.get(row.id) ?? [], nowMs)),
        nextCursor: last ? writePageEnd({ atMs: last.createdAtMs, id: last.id }, listed) : null,
      })
    },
  )

function pageOf(rows: readonly DeliveryRow[], limit: number): DeliveryRow[] {
  let answerBytes = 0
  const tooMany = rows.findIndex((row, index) => {
    answerBytes += row.answerBytes
    return index >= limit || (index > 0 && answerBytes > answerBytesPerPage)
  })
  return rows.slice(0, tooMany === -1 ? rows.length : tooMany)
}

type RenderedDelivery = AnswerOf<typeof deliveryRoutes.listDeliveries>['deliveries'][number]

function renderDelivery(
  row: DeliveryRow,
  attempts: readonly StoredAttempt[],
  nowMs: number,
): RenderedDelivery {
  return {
    deliveryId: deliveryIdOf(row.id),
    hotelId: row.hotelCode,
    reservation_id: String(row.reservationId),
    reservation_version: String(row.version),
    reservation_status: row.reservationStatus,
    status: row.state,
    createdAt: instantOf(row.createdAtMs),
    deliveredAt: optionalInstant(row.deliveredAtMs),
    nextAttemptAt: row.dueAtMs === null ? null : instantOf(nextAttemptMs(row.dueAtMs, row, nowMs)),
    giveUpAt: instantOf(row.giveUpAtMs + row.aheadMs),
    attempts: attempts.map(
      ({ attempt, trigger, messageId, outcome, httpStatus, durationMs, answer: text, ignored, atMs }) => ({
        attempt,
        trigger,
        webhookId: messageId === '' ? null : messageId,
        outcome,
        httpStatus,
        durationMs,
        answer: text,
        ...(ignored === null ? {} : { ignored }),
        at: instantOf(atMs),
      }),
    ),
  }
}

/** By the account's clock. Infinity: in the next hourly run. */
function nextAttemptMs(dueAtMs: number, { notBeforeMs, aheadMs }: DeliveryRow, nowMs: number): number {
  return dueAtMs === Infinity ? hourlyRunMs(notBeforeMs, { nowMs, aheadMs }) : dueAtMs + aheadMs
}

/** A supplier's deliveries with their attempts: all SQL, in whole statements. */

type DeliverySearch = RangeAfter<string> & {
  hotel: number | undefined
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
  { hotel, reservationId, state, sinceMs, untilMs, after, limit }: DeliverySearch,
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
      hotel ?? null,
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

/** POST /push/deliveries/sendAgain. */
export const sendDeliveriesAgain = ({ db, clock }: Needs): Mounted =>
  on(deliveryRoutes.sendDeliveriesAgain, async ({ body, caller: { supplierId } }) => {
    const nowMs = clock.now()
    const hotel =
      body.hotelId === undefined ? undefined : await selectOptionalHotel(db, supplierId, body.hotelId)
    if (body.hotelId !== undefined && !hotel)
      throw new Rejected(404, hotelNotFound(body.hotelId, unknownHotelError))
    const own = { supplierId, hotelId: hotel?.id }
    const named = body.deliveryIds && (await namedOf(db, own, body.deliveryIds))
    if (!(await hasCallback(db, supplierId, 'pushbook', nowMs)))
      throw new Rejected(409, deliveryErrors.notRegistered)
    const chosen = named ?? (await selectFailed(db, own, sentAgainMax.failed + 1))
    const ids = chosen.slice(0, sentAgainMax.failed)
    const sent = await transaction(db, (connection) => sendFailedAgain(connection, ids, nowMs))
    const isSent = new Set(sent)
    const left = named?.filter((id) => !isSent.has(id)) ?? []
    const stateById = await selectStates(db, left)
    return answer(200, {
      code: '200',
      message: sent.length === 0 ? 'No delivery was resent' : 'Deliveries were resent',
      sentAgain: sent.length,
      deliveryIds: sent.map(deliveryIdOf),
      left: left.map((id) => ({ deliveryId: deliveryIdOf(id), status: stateById.get(id) ?? 'superseded' })),
      isMore: chosen.length > ids.length,
    })
  })

type Own = { supplierId: number; hotelId: number | undefined }

/** Refuses all of them if any is not the supplier's. */
async function namedOf(
  db: Queryable,
  { supplierId, hotelId }: Own,
  deliveryIds: readonly string[],
): Promise<string[]> {
  const ids = deliveryIds.map(parseDeliveryId)
  const { rows } = await db.query<{ id: string }>(
    `select id from delivery where id = any($1::uuid[]) and supplier_id = $2 and ($3::int is null or hotel_id = $3)`,
    [ids.flatMap((id) => id ?? []), supplierId, hotelId ?? null],
  )
  const known = new Set(rows.map(({ id }) => id))
  const unknown = deliveryIds.flatMap((sent, index) =>
    known.has(ids[index] ?? '')
      ? []
      : [{ ...deliveryErrors.deliveryNotFound, path: `/deliveryIds/${index}`, value: reportedValue(sent) }],
  )
  rejectIfAny(unknown, 404)
  return [...known]
}

async function selectFailed(db: Queryable, { supplierId, hotelId }: Own, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select delivery.id from delivery join reservation
       on reservation.id = delivery.reservation_id and reservation.version = delivery.version
     where delivery.supplier_id = $1 and ($2::int is null or delivery.hotel_id = $2)
       and not delivery.is_outdated and (delivery.status = 'dead'
         or delivery.status = 'queued' and delivery.first_failed_at is not null and delivery.trigger <> 'again')
     order by delivery.created_at, delivery.id limit $3`,
    [supplierId, hotelId ?? null, limit],
  )
  return rows.map(({ id }) => id)
}

async function selectStates(db: Queryable, ids: readonly string[]): Promise<Map<string, DeliveryState>> {
  if (ids.length === 0) return new Map()
  const { rows } = await db.query<{ id: string; state: DeliveryState }>(
    `select id, ${stateOf('delivery')} as state from delivery where id = any($1::uuid[])`,
    [ids],
  )
  return new Map(rows.map(({ id, state }) => [id, state]))
}
