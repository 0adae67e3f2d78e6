import { answer, onEveryProblem, type Mounted } from '../http/mount.ts'
import type { Needs } from '../postgres/needs.ts'
import type { AnswerOf } from '../http/route.ts'
import { deliveriesPerPage, deliveryListRoutes } from './list-contract.ts'
import {
  selectAttemptsOfDeliveries,
  selectDeliveriesOfSupplier,
  type AttemptRow,
  type DeliveryRow,
} from './list-rules.ts'
import { deliveryIdOf, parseDeliveryId } from '../bookings/delivery-queue.ts'
import { runAfter } from '../bookings/delivery-schedule.ts'
import { readReservationId } from '../bookings/find-reservation.ts'
import { judgePageAfter, writePlace } from './page-query.ts'

/** Total size of the answers on a page; the first delivery is always included, whatever its size. */
const answerBytesPerPage = 1_000_000

const listed = { rowsPerPage: deliveriesPerPage, readId: parseDeliveryId, writeId: deliveryIdOf }

/** GET /push/deliveries. */
export const listDeliveries = (needs: Needs): Mounted =>
  onEveryProblem(
    deliveryListRoutes.listDeliveries,
    judgePageAfter(needs, listed),
    async ({ query, caller: { supplierId }, read }) => {
      const { reservation_id: sentId, status: state } = query
      const reservationId = sentId === undefined ? undefined : readReservationId(sentId)
      const isNone = sentId !== undefined && reservationId === undefined
      // One more row than requested tells whether there is another page.
      const search = { ...read, reservationId, state, limit: read.limit + 1 }
      const found = isNone ? [] : await selectDeliveriesOfSupplier(needs.db, supplierId, search)
      const page = pageOf(found, read.limit)
      const last = found.length > page.length ? page.at(-1) : undefined
      const attempts = await selectAttemptsOfDeliveries(
        needs.db,
        page.map(({ id }) => id),
      )
      const attemptsById = Map.groupBy(attempts, ({ deliveryId }) => deliveryId)
      const nowMs = needs.clock.now()
      return answer(200, {
        code: '200',
        message: 'Deliveries retrieved successfully',
        deliveries: page.map((row) => shownDelivery(row, attemptsById.get(row.id) ?? [], nowMs)),
        nextCursor: last ? writePlace({ atMs: last.createdAtMs, id: last.id }, listed) : null,
      })
    },
  )

function pageOf(found: readonly DeliveryRow[], limit: number): DeliveryRow[] {
  let answerBytes = 0
  const tooMany = found.findIndex((row, index) => {
    answerBytes += row.answerBytes
    return index >= limit || (index > 0 && answerBytes > answerBytesPerPage)
  })
  return found.slice(0, tooMany === -1 ? found.length : tooMany)
}

type ShownDelivery = AnswerOf<typeof deliveryListRoutes.listDeliveries>['deliveries'][number]

function shownDelivery(row: DeliveryRow, attempts: readonly AttemptRow[], nowMs: number): ShownDelivery {
  return {
    deliveryId: deliveryIdOf(row.id),
    hotelId: row.hotelCode,
    reservation_id: String(row.reservationId),
    reservation_version: String(row.version),
    reservation_status: row.reservationStatus,
    status: row.state,
    createdAt: instantOf(row.createdAtMs),
    deliveredAt: row.deliveredAtMs === null ? null : instantOf(row.deliveredAtMs),
    nextAttemptAt:
      row.dueAtMs === null
        ? null
        : instantOf(nextAttemptMs(row.dueAtMs, row.notBeforeMs, nowMs) + row.aheadMs),
    giveUpAt: instantOf(row.giveUpAtMs + row.aheadMs),
    attempts: attempts.map(({ deliveryId: _delivery, atMs, ...attempt }) => ({
      ...attempt,
      at: instantOf(atMs),
    })),
  }
}

/** Infinity: in the next hourly run at or after that time. */
function nextAttemptMs(dueAtMs: number, notBeforeMs: number | null, nowMs: number): number {
  return dueAtMs === Infinity ? runAfter(Math.max(nowMs, notBeforeMs ?? 0)) : dueAtMs
}

function instantOf(epochMs: number): string {
  return new Date(epochMs).toISOString()
}
