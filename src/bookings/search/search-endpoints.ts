import { Gate } from '../../base/gate.ts'
import { answer, onEveryProblem, type Judge, type Mounted } from '../../http/calls/mount.ts'
import { pageOf, readableQuery, readCursor, readLimit, writeCursor } from '../../http/calls/query.ts'
import { overloaded } from '../../http/rejected.ts'
import type { AnswerOf } from '../../http/route.ts'
import { renderReservation } from '../book/render-reservation.ts'
import { selectFew } from './narrow.ts'
import { readFilter, type SearchNeeds } from './read-filter.ts'
import { selectReservations, type ReservationFilter, type ReservationSearch } from './reservation-filter.ts'
import { reservationsPerPage, searchRoutes } from './search-contract.ts'
import { summaryOf } from './summary.ts'

/** GET /booking/reservations. */
export const listReservations = (needs: SearchNeeds): Mounted =>
  onEveryProblem(searchRoutes.listReservations, judgeSearch(needs), async ({ read }) => {
    // One more row than the page shows tells whether there is a next page.
    const search = { ...read, limit: read.limit + 1 }
    const rows = await selectReservations(needs.db, search, await selectFew(needs.db, read))
    const { page, last } = pageOf(rows, read.limit)
    const nowMs = needs.clock.now()
    const body: AnswerOf<typeof searchRoutes.listReservations> = {
      code: '200',
      message: 'Reservations retrieved successfully',
      reservations: page.map((stored) => renderReservation(stored, nowMs)),
      nextCursor: last ? writeCursor(last.id) : null,
    }
    return answer(200, body)
  })

const judgeSearch =
  (needs: SearchNeeds): Judge<ReservationSearch> =>
  async (sent, shapeProblems) => {
    const query = readableQuery(sent, shapeProblems)
    const problems = [...shapeProblems]
    const beforeId = readCursor(query['cursor'], problems)
    const limit = readLimit(query['limit'], reservationsPerPage, problems)
    return { ...(await readFilter(needs, query, problems)), beforeId, limit }
  }

/** A summary may read very many reservations. */
const summariesAtOnce = { passing: 2, waiting: 20 }

/** GET /booking/reservations/summary. */
export const summarizeReservations = (needs: SearchNeeds): Mounted => {
  const gate = new Gate<'summary'>(summariesAtOnce)
  return onEveryProblem(searchRoutes.summarizeReservations, judgeSummary(needs), async ({ query, read }) => {
    const { by } = query
    const turn = gate.enter('summary')
    if (!turn) throw overloaded()
    await turn
    try {
      const summary = await summaryOf(needs.db, read, by)
      return answer(200, { code: '200', message: 'Reservations summarized successfully', by, ...summary })
    } finally {
      gate.leave('summary')
    }
  })
}

const judgeSummary =
  (needs: SearchNeeds): Judge<ReservationFilter> =>
  (sent, shapeProblems) =>
    readFilter(needs, readableQuery(sent, shapeProblems), [...shapeProblems])
