import type { Judge } from '../http/mount.ts'
import type { Needs } from '../postgres/needs.ts'
import { readableQuery } from '../http/query.ts'
import { rejectIfAny, shown, type Problem } from '../http/rejected.ts'
import { unknownHotelFault } from './contract.ts'
import { selectHotelIds } from './store.ts'

/**
 * Parses `hotelId` and the `since`, `until`, `cursor` and `limit` of a list about a supplier's hotels.
 * Reports all problems at once, or 404 if only the hotel is wrong.
 */
export const judgePage =
  <Place>(
    { db }: Needs,
    readPage: (query: ReturnType<typeof readableQuery>, wrong: Problem[]) => Place,
  ): Judge<Place & { hotel: number | undefined }, 'supplier'> =>
  async (sent, shapeProblems, { caller: { supplierId } }) => {
    const query = readableQuery(sent, shapeProblems)
    const wrong = [...shapeProblems]
    const page = readPage(query, wrong)
    const { hotelId } = query
    const hotel =
      hotelId === undefined ? undefined : (await selectHotelIds(db, supplierId, [hotelId])).get(hotelId)
    const isUnknown = hotelId !== undefined && hotel === undefined
    const unknown = isUnknown ? [{ ...unknownHotelFault, path: '?hotelId', value: shown(hotelId) }] : []
    rejectIfAny([...unknown, ...wrong], wrong.length > 0 ? 400 : 404)
    return { hotel, ...page }
  }
