import type { Needs } from '../platform/needs.ts'
import {
  readCursor,
  readLimit,
  readSince,
  readUntil,
  refuseEmptyRange,
  writeCursor,
} from '../platform/query.ts'
import { Rejected, rejectIfAny, shown, type Problem } from '../platform/rejected.ts'
import { answer, on } from '../platform/mount.ts'
import { pageLimit, pushLogRoutes } from './contract.ts'
import { selectHotelIds, selectPushes } from './store.ts'

/** GET /push/log. */
export const listPushes = (needs: Needs) =>
  on(pushLogRoutes.listPushes, async ({ query, caller }) => {
    const wrong: Problem[] = []
    const sinceMs = readSince('since', query.since, wrong)
    const untilMs = readUntil('until', query.until, wrong)
    refuseEmptyRange(sinceMs, untilMs, wrong)
    const beforeId = readCursor(query.cursor, wrong)
    const limit = readLimit(query.limit, pageLimit, wrong)
    rejectIfAny(wrong)
    const { hotelId, kind, outcome } = query
    const hotel = hotelId === undefined ? undefined : await idOf(needs, caller.supplierId, hotelId)
    const filter = { hotel, sinceMs, untilMs, kind, outcome, beforeId }
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

async function idOf(needs: Needs, supplierId: number, hotelId: string): Promise<number> {
  const id = (await selectHotelIds(needs.db, supplierId, [hotelId])).get(hotelId)
  if (id !== undefined) return id
  throw new Rejected(404, {
    type: 'HOTEL_NOT_FOUND',
    message: 'Hotel not found',
    path: '?hotelId',
    value: shown(hotelId),
    hint: 'Push the hotel with POST /push/hotels first',
  })
}
