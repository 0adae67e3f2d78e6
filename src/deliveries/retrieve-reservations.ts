import { rejectUnlessEnabled } from '../keys/account.ts'
import { answer, onEveryProblem } from '../http/mount.ts'
import type { Needs } from '../postgres/needs.ts'
import type { Delivery } from '../bookings/callback-contract.ts'
import { deliveryRoutes, reservationsPerPage } from './contract.ts'
import { judgePageAfter, writePlace } from './page-query.ts'
import { selectForSupplier, type Retrieved } from './search.ts'
import { readReservationId } from '../bookings/find-reservation.ts'
import { supplierBody } from './reservation-body.ts'

const listed = { rowsPerPage: reservationsPerPage, readId: readReservationId, writeId: String }

/** GET /push/webhook/pushbook/retrieve. */
export const retrieveReservations = (needs: Needs) =>
  onEveryProblem(
    deliveryRoutes.retrieveReservations,
    judgePageAfter(needs, listed),
    async ({ query, caller: { supplierId }, read }) => {
      await rejectUnlessEnabled(needs.db, supplierId, 'mayRetrieve')
      const { reservation_id: sentId, status, delivered } = query
      const reservationId = sentId === undefined ? undefined : readReservationId(sentId)
      const isNone = sentId !== undefined && reservationId === undefined
      // One more row than requested tells whether there is another page.
      const found = isNone
        ? []
        : await selectForSupplier(needs.db, supplierId, {
            ...read,
            reservationId,
            status,
            isDelivered: delivered === undefined ? undefined : delivered === 'true',
            limit: read.limit + 1,
          })
      const page = found.slice(0, read.limit)
      const last = found.length > read.limit ? page.at(-1) : undefined
      return answer(200, {
        code: '200',
        message: 'Reservations retrieved successfully',
        data: bodiesOf(page),
        nextCursor: last ? writePlace({ atMs: last.modifiedAtMs, id: Number(last.id) }, listed) : null,
      })
    },
  )

/** Adjacent reservations of one hotel in one status share a body, which keeps the order. */
function bodiesOf(page: readonly Retrieved[]): Delivery[] {
  const groups: [Retrieved, ...Retrieved[]][] = []
  for (const one of page) {
    const group = groups.at(-1)
    if (group && group[0].hotelId === one.hotelId && group[0].status === one.status) group.push(one)
    else groups.push([one])
  }
  return groups.map((group) => supplierBody(group))
}
