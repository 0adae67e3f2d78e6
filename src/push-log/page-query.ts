import type { Judge } from '../http/mount.ts'
import type { Needs } from '../postgres/needs.ts'
import { readableQuery, readPlace, type PlaceInList } from '../http/query.ts'
import { rejectIfAny, shown } from '../http/rejected.ts'
import { unknownHotelFault } from './contract.ts'
import { selectHotelIds } from './store.ts'

/** Which rows a supplier asks for, of what was kept about its hotels. */
type Place = PlaceInList & { hotel: number | undefined }

/** Reads `hotelId`, `since`, `until`, `cursor` and `limit`; all that is wrong with them at once, or 404 for a hotel alone. */
export const judgePage =
  ({ db }: Needs, rowsPerPage: { max: number; usual: number }): Judge<Place, 'supplier'> =>
  async (sent, shapeProblems, { caller: { supplierId } }) => {
    const query = readableQuery(sent, shapeProblems)
    const wrong = [...shapeProblems]
    const place = readPlace(query, rowsPerPage, wrong)
    const { hotelId } = query
    const hotel =
      hotelId === undefined ? undefined : (await selectHotelIds(db, supplierId, [hotelId])).get(hotelId)
    const isUnknown = hotelId !== undefined && hotel === undefined
    const unknown = isUnknown ? [{ ...unknownHotelFault, path: '?hotelId', value: shown(hotelId) }] : []
    rejectIfAny([...unknown, ...wrong], wrong.length > 0 ? 400 : 404)
    return { hotel, ...place }
  }
