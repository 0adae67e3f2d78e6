import { instantOf } from '../../base/calendar.ts'
import { runIdempotentCall, type IdempotentNeeds } from '../../bookings/idempotency/idempotent-call.ts'
import { onEveryProblem, answer, type Mounted } from '../../http/calls/mount.ts'
import { rejectIfAny } from '../../http/rejected.ts'
import { isRecord } from '../../http/validation/validate.ts'
import { referenceNotFound, referenceProblems, type HotelFinder } from '../../offers/stay-request.ts'
import { resyncRoutes } from './resync-contract.ts'
import { askForEverything } from './resync.ts'

/** POST /booking/resync */
export const requestResync = (needs: IdempotentNeeds & { hotelsNamed: HotelFinder }): Mounted =>
  onEveryProblem(
    resyncRoutes.requestResync,
    (body, shapeProblems) =>
      rejectIfAny([...shapeProblems, ...(isRecord(body) ? referenceProblems(body['hotel'], '/hotel') : [])]),
    ({ body, idempotencyKey }) =>
      runIdempotentCall(needs, { idempotencyKey, route: 'requestResync', body }, async (connection) => {
        const { hotel } = body
        const [id] = await needs.hotelsNamed([hotel])
        const nowMs = needs.clock.now()
        const requested = id === undefined ? undefined : await askForEverything(connection, id, nowMs)
        if (!requested) throw referenceNotFound(hotel)
        const { supplier, hotelCode, requestedAtMs, isAnnounced } = requested
        return answer(200, {
          code: '200',
          message: 'Resync requested',
          platformHotelId: String(id),
          supplier,
          hotelId: hotelCode,
          requestedAt: instantOf(requestedAtMs),
          isAnnounced,
        })
      }),
  )
