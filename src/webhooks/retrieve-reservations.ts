import { selectOptionalHotel } from '../hotels/store.ts'
import type { Needs } from '../platform/needs.ts'
import { cursorProblem, readLimit, readSince, readUntil, refuseEmptyRange } from '../platform/query.ts'
import { Rejected, rejectIfAny, shown, type Problem } from '../platform/rejected.ts'
import { answer, on } from '../platform/mount.ts'
import { webhookRoutes } from './contract.ts'

const pageLimit = { max: 500, usual: 100 }

/** GET /push/webhook/pushbook/retrieve: no supplier has reservations yet, so every search that is valid is empty. */
export const retrieveReservations = (needs: Needs) =>
  on(webhookRoutes.retrieveReservations, async ({ query, caller }) => {
    const wrong: Problem[] = []
    refuseEmptyRange(readSince('since', query.since, wrong), readUntil('until', query.until, wrong), wrong)
    readLimit(query.limit, pageLimit, wrong)
    // None was ever given out.
    if (query.cursor !== undefined) wrong.push(cursorProblem(query.cursor))
    rejectIfAny(wrong)
    const { hotelId } = query
    if (hotelId !== undefined && !(await selectOptionalHotel(needs.db, caller.supplierId, hotelId))) {
      throw new Rejected(404, {
        type: 'HOTEL_NOT_FOUND',
        message: 'Hotel not found',
        path: '?hotelId',
        value: shown(hotelId),
        hint: 'Push the hotel with POST /push/hotels first',
      })
    }
    return answer(200, {
      code: '200',
      message: 'Reservations retrieved successfully',
      data: [],
      nextCursor: null,
    })
  })
