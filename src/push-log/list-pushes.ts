import { readLimit, readRange } from '../http/query.ts'
import { answer, onEveryProblem } from '../http/mount.ts'
import type { Needs } from '../postgres/needs.ts'
import { pageLimit, pushLogRoutes } from './contract.ts'
import { judgePage } from './page-query.ts'
import { readPushPage, readPushPlace, writePushPlace } from './pages.ts'

/** GET /push/log. */
export const listPushes = (needs: Needs) =>
  onEveryProblem(
    pushLogRoutes.listPushes,
    judgePage(needs, (query, wrong) => ({
      ...readRange(query, wrong),
      place: readPushPlace(query['cursor'], wrong),
      limit: readLimit(query['limit'], pageLimit, wrong),
    })),
    async ({ query: { kind, outcome, problem }, caller: { supplierId }, read }) => {
      const { hotel: hotelId, sinceMs, untilMs, place, limit } = read
      const filters = { hotelId, kind, outcome, problem, sinceMs, untilMs }
      const from = { place, limit, nowMs: needs.clock.now() }
      const { pushes, next } = await readPushPage(needs.db, supplierId, filters, from)
      return answer(200, {
        code: '200',
        message: 'Pushes retrieved successfully',
        pushes: pushes.map(({ id: _id, ...entry }) => entry),
        nextCursor: next === undefined ? null : writePushPlace(next),
      })
    },
  )
