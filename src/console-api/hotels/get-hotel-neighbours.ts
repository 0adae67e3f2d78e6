import { instantOf } from '../../base/calendar.ts'
import { readId } from '../../http/calls/query.ts'
import { answer, on, type Mounted } from '../../http/calls/mount.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { hotelRoutes } from './contract.ts'
import { hotelNotFound, selectOptionalNeighbours } from './store.ts'

/** GET /hotels/{hotelId}/neighbours. */
export const getHotelNeighbours = ({ db, clock }: Needs): Mounted =>
  on(hotelRoutes.getHotelNeighbours, async ({ params }) => {
    const id = readId(params.hotelId)
    const found = id === undefined ? undefined : await selectOptionalNeighbours(db, id)
    if (!found) throw hotelNotFound(params.hotelId)
    const { aheadMs, ...neighbours } = found
    return answer(200, { ...neighbours, now: instantOf(clock.now() + aheadMs) })
  })
