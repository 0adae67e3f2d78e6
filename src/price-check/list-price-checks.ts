import { answer, onEveryProblem, type Judge, type Mounted } from '../platform/mount.ts'
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
import { rejectIfAny, shown } from '../platform/rejected.ts'
import { selectHotelIds } from '../push-log/store.ts'
import type { PriceChecker } from './checker.ts'
import { checksPerPage, ownHotelNotFound, priceCheckRoutes } from './contract.ts'
import { listedCheckOf } from './listed-check.ts'
import { readDrift } from './read-drift.ts'
import { selectChecks } from './store.ts'

/** GET /push/priceChecks. */
export const listPriceChecks = (needs: Needs & { priceChecks: PriceChecker }): Mounted =>
  onEveryProblem(priceCheckRoutes.listPriceChecks, judge(needs), async ({ query, caller, read }) => {
    await needs.priceChecks.ledger.written()
    const { limit, hotel, ...place } = read
    const { roomId, rateId, outcome } = query
    const filter = { ...place, hotel, roomId, rateId, outcome }
    // One more than asked for tells whether there is another page.
    const found = await selectChecks(needs.db, caller.supplierId, filter, limit + 1)
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    const isFirstPage = place.beforeId === undefined
    const drift =
      hotel === undefined || !isFirstPage ? undefined : await readDrift(needs.db, { hotel, roomId, rateId })
    return answer(200, {
      code: '200',
      message: 'Price checks retrieved successfully',
      priceChecks: page.map(listedCheckOf),
      nextCursor: last ? writeCursor(last.id) : null,
      ...(drift ? { drift } : {}),
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
    const limit = readLimit(most, checksPerPage, wrong)
    const hotel =
      hotelId === undefined ? undefined : (await selectHotelIds(db, supplierId, [hotelId])).get(hotelId)
    const isUnknown = hotelId !== undefined && hotel === undefined
    const unknown = isUnknown ? [{ ...ownHotelNotFound, path: '?hotelId', value: shown(hotelId) }] : []
    rejectIfAny([...unknown, ...wrong], wrong.length > 0 ? 400 : 404)
    return { hotel, sinceMs, untilMs, beforeId, limit }
  }
