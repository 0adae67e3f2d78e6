import { selectOptionalHotel } from '../hotels/store.ts'
import { answer, onEveryProblem, type Judge, type Mounted } from '../http/mount.ts'
import type { Needs } from '../postgres/needs.ts'
import {
  cursorProblem,
  readableQuery,
  readLimit,
  readSince,
  readUntil,
  refuseEmptyRange,
} from '../http/query.ts'
import { rejectIfAny, type Problem } from '../http/rejected.ts'
import type { AnswerOf } from '../http/route.ts'
import { deliveriesPerPage, deliveryListRoutes } from './list-contract.ts'
import {
  selectAttemptsOfDeliveries,
  selectDeliveriesOfSupplier,
  type AttemptRow,
  type DeliveryPlace,
  type DeliveryRow,
  type DeliverySearch,
} from './list-rules.ts'
import { deliveryIdOf, parseDeliveryId } from '../bookings/delivery-queue.ts'
import { runAfter } from '../bookings/delivery-schedule.ts'
import { readReservationId } from '../bookings/reservation-id.ts'
import { hotelNotFound } from './retrieve-reservations.ts'

/** Of all answers on a page; the first delivery is there whatever its size. */
const answerBytesPerPage = 1_000_000

/** GET /push/deliveries. */
export const listDeliveries = (needs: Needs): Mounted =>
  onEveryProblem(
    deliveryListRoutes.listDeliveries,
    judge(needs),
    async ({ query, caller: { supplierId }, read }) => {
      const { reservation_id: sentId, status: state } = query
      const reservationId = sentId === undefined ? undefined : readReservationId(sentId)
      const isNone = sentId !== undefined && reservationId === undefined
      // One more than asked for tells whether there is another page.
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
        nextCursor: last ? writePlace(last) : null,
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

/** Infinity: with the next hourly run that is not before. */
function nextAttemptMs(dueAtMs: number, notBeforeMs: number | null, nowMs: number): number {
  return dueAtMs === Infinity ? runAfter(Math.max(nowMs, notBeforeMs ?? 0)) : dueAtMs
}

function instantOf(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

const judge =
  ({ db }: Needs): Judge<Omit<DeliverySearch, 'reservationId' | 'state'>, 'supplier'> =>
  async (sent, shapeProblems, { caller: { supplierId } }) => {
    const { hotelId: code, since, until, limit, cursor } = readableQuery(sent, shapeProblems)
    const wrong = [...shapeProblems]
    const sinceMs = readSince('since', since, wrong)
    const untilMs = readUntil('until', until, wrong)
    refuseEmptyRange(sinceMs, untilMs, wrong)
    const most = readLimit(limit, deliveriesPerPage, wrong)
    const after = readPlace(cursor, wrong)
    const hotel = code === undefined ? undefined : await selectOptionalHotel(db, supplierId, code)
    const unknown = code === undefined || hotel ? [] : [hotelNotFound('?hotelId', code)]
    rejectIfAny([...unknown, ...wrong], wrong.length > 0 ? 400 : 404)
    return { hotelId: hotel?.id, sinceMs, untilMs, after, limit: most }
  }

function writePlace({ createdAtMs, id }: DeliveryPlace): string {
  return Buffer.from(`${createdAtMs} ${deliveryIdOf(id)}`).toString('base64url')
}

function readPlace(text: string | undefined, wrong: Problem[]): DeliveryPlace | undefined {
  if (text === undefined) return undefined
  const [, createdAt, deliveryId = ''] =
    /^(\d{1,15}) (\S+)$/.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? []
  const id = parseDeliveryId(deliveryId)
  const place = id === undefined ? undefined : { createdAtMs: Number(createdAt), id }
  if (place && writePlace(place) === text) return place
  wrong.push(cursorProblem(text))
  return undefined
}
