import { hotelFaults } from '../hotels/contract.ts'
import { selectOptionalHotel } from '../hotels/store.ts'
import type { Needs } from '../postgres/needs.ts'
import { Rejected, shown } from '../http/rejected.ts'
import type { AnswerOf } from '../http/route.ts'
import { answer, on, type Mounted } from '../http/mount.ts'
import { mappingRoutes } from './mappings-contract.ts'
import { readMappings } from './mappings.ts'

/** POST /push/getRoomRateMappings: every room-rate of a hotel with the platform's identifiers. */
export const getRoomRateMappings = (needs: Needs): Mounted =>
  on(mappingRoutes.getRoomRateMappings, async ({ body: { hotelId }, caller }) => {
    const hotel = await selectOptionalHotel(needs.db, caller.supplierId, hotelId)
    if (!hotel) throw new Rejected(404, { ...hotelFaults.notFound, path: '/hotelId', value: shown(hotelId) })
    const read: AnswerOf<typeof mappingRoutes.getRoomRateMappings> = {
      code: '200',
      message: 'Room and rate mappings retrieved successfully',
      hotelId,
      platformHotelId: String(hotel.id),
      mappings: await readMappings(needs.db, hotel.id),
    }
    return answer(200, read)
  })
