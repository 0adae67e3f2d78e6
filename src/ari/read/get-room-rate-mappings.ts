import { hotelNotFound } from '../../hotels/hotel-rules.ts'
import { selectOptionalHotel } from '../../hotels/store.ts'
import { answer, on } from '../../http/calls/mount.ts'
import { Rejected } from '../../http/rejected.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { mappingRoutes } from '../contract.ts'
import { readMappings } from './mappings.ts'

/** POST /push/getRoomRateMappings: every room-rate of a hotel with the platform's identifiers. */
export const getRoomRateMappings = (needs: Needs) =>
  on(mappingRoutes.getRoomRateMappings, async ({ body: { hotelId }, caller }) => {
    const hotel = await selectOptionalHotel(needs.db, caller.supplierId, hotelId)
    if (!hotel) throw new Rejected(404, hotelNotFound(hotelId))
    return answer(200, {
      code: '200',
      message: 'Room and rate mappings retrieved successfully',
      hotelId,
      platformHotelId: String(hotel.id),
      mappings: await readMappings(needs.db, hotel.id),
    })
  })
