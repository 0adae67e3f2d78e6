import { askForEverything } from '../../alerts/resync/resync.ts'
import { instantOf } from '../../base/calendar.ts'
import { answer, on, type Mounted } from '../../http/calls/mount.ts'
import { readId } from '../../http/calls/query.ts'
import { audit } from '../../operators/accounts/audit.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { transaction } from '../../postgres/transaction.ts'
import { hotelRoutes } from './contract.ts'
import { hotelNotFound } from './store.ts'

/** POST /hotels/{hotelId}/resync: asks the supplier for all ARI of the hotel again. */
export const requestHotelResync = ({ db, clock }: Needs): Mounted =>
  on(hotelRoutes.requestHotelResync, async ({ params, operator, requestId }) => {
    const hotelId = readId(params.hotelId)
    if (hotelId === undefined) throw hotelNotFound(params.hotelId)
    const requested = await transaction(db, async (connection) => {
      const asked = await askForEverything(connection, hotelId, clock.now())
      if (!asked) throw hotelNotFound(params.hotelId)
      const subject = `hotel ${hotelId} "${asked.hotelCode}"`
      await audit(connection, { operator, requestId, action: 'hotel.resync', subject })
      return asked
    })
    const { requestedAtMs, isAnnounced } = requested
    return answer(200, { requestedAt: instantOf(requestedAtMs), isAnnounced })
  })
