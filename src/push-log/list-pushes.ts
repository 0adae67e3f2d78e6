import type { Needs } from '../platform/needs.ts'
import {
  readableQuery,
  readCursor,
  readLimit,
  readSince,
  readUntil,
  refuseEmptyRange,
  writeCursor,
} from '../platform/query.ts'
import { rejectIfAny, shown, type Problem } from '../platform/rejected.ts'
import { answer, onEveryProblem, type Judge } from '../platform/mount.ts'
import { pageLimit, pushLogRoutes } from './contract.ts'
import { selectHotelIds, selectPushes } from './store.ts'

/** GET /push/log. */
export const listPushes = (needs: Needs) =>
  onEveryProblem(pushLogRoutes.listPushes, judge(needs), async ({ query, caller, read }) => {
    const { limit, ...place } = read
    const filter = { ...place, kind: query.kind, outcome: query.outcome }
    // One more than asked for tells whether there is another page.
    const found = await selectPushes(needs.db, caller.supplierId, filter, limit + 1)
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    return answer(200, {
      code: '200',
      message: 'Pushes retrieved successfully',
      pushes: page.map(({ id: _id, ...entry }) => entry),
      nextCursor: last ? writeCursor(last.id) : null,
    })
  })

type Place = {
  hotel: number | undefined
  sinceMs: number | undefined
  untilMs: number | undefined
  beforeId: number | undefined
  limit: number
}

const judge =
  ({ db }: Needs): Judge<Place> =>
  async (sent, shapeProblems, { supplierId }) => {
    const { hotelId, since, until, cursor, limit: most } = readableQuery(sent, shapeProblems)
    const wrong = [...shapeProblems]
    const sinceMs = readSince('since', since, wrong)
    const untilMs = readUntil('until', until, wrong)
    refuseEmptyRange(sinceMs, untilMs, wrong)
    const beforeId = readCursor(cursor, wrong)
    const limit = readLimit(most, pageLimit, wrong)
    const hotel =
      hotelId === undefined ? undefined : (await selectHotelIds(db, supplierId, [hotelId])).get(hotelId)
    const unknown = hotelId === undefined || hotel !== undefined ? [] : [hotelNotFound(hotelId)]
    rejectIfAny([...unknown, ...wrong], wrong.length > 0 ? 400 : 404)
    return { hotel, sinceMs, untilMs, beforeId, limit }
  }

function hotelNotFound(hotelId: string): Problem {
  return {
    type: 'HOTEL_NOT_FOUND',
    message: 'Hotel not found',
    path: '?hotelId',
    value: shown(hotelId),
    hint: 'Push the hotel with POST /push/hotels first',
  }
}
