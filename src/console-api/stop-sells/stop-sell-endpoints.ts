import type { StoppedRow } from '../../ari/blocks/stop-sell.ts'
import { answer, on, onEveryProblem, type Mounted } from '../../http/calls/mount.ts'
import { judgeQuery, pageOf, readLimit } from '../../http/calls/query.ts'
import { Rejected, reportedValue } from '../../http/rejected.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { transaction } from '../../postgres/transaction.ts'
import { readNumber, readPosition, writePosition } from '../list-query.ts'
import { endStopSell, lockSales, type SalesNeeds } from './change-sales.ts'
import { stopSellRoutes, stopSellsPerPage, type NightsOfRow } from './contract.ts'
import { selectOptionalHotelOfOrder, selectStopSells, type StopSellSearch } from './store.ts'

/** GET /stop-sells. */
export const searchStopSells = ({ db, clock }: Needs): Mounted =>
  onEveryProblem(stopSellRoutes.searchStopSells, judgeSearch, async ({ read }) => {
    const { limit } = read
    const rows = await selectStopSells(db, { ...read, limit: limit + 1 }, clock.now())
    const { page, last } = pageOf(rows, limit)
    return answer(200, { stopSells: page, nextCursor: last ? writePosition([last.stopSellId]) : null })
  })

const judgeSearch = judgeQuery((query, problems): StopSellSearch => {
  const [beforeId] = readPosition(query, /^(\d{1,15})$/, problems) ?? []
  return {
    supplierId: readNumber('supplierId', query, problems),
    hotelId: readNumber('hotelId', query, problems),
    isEnded: query['state'] === 'ended',
    beforeId: beforeId === undefined ? undefined : Number(beforeId),
    limit: readLimit(query['limit'], stopSellsPerPage, problems),
  }
})

/** POST /stop-sells/{stopSellId}/resume. */
export const resumeSales = (needs: SalesNeeds): Mounted =>
  on(stopSellRoutes.resumeSales, async ({ params, operator, requestId }) => {
    const startedMs = performance.now()
    const id = /^[1-9]\d{0,14}$/.test(params.stopSellId) ? Number(params.stopSellId) : undefined
    const hotelId = id === undefined ? undefined : await selectOptionalHotelOfOrder(needs.db, id)
    if (id === undefined || hotelId === undefined) throw stopSellUnknown(params.stopSellId)
    const { changed, kept } = await transaction(needs.db, async (connection) => {
      const sales = await lockSales(connection, needs, hotelId)
      if (!sales) throw stopSellUnknown(params.stopSellId)
      const ended = await endStopSell(connection, sales, id, { operator, requestId, startedMs })
      if (!ended) throw new Rejected(409, alreadyEnded)
      return ended
    })
    const keptNights = kept.map(({ from, to, ...row }) => ({ ...row, nights: to - from + 1 }))
    return answer(200, { changed: nightsOfRows(changed), kept: nightsOfRows(keptNights) })
  })

function nightsOfRows(parts: readonly (StoppedRow & { nights: number })[]): NightsOfRow[] {
  return [...Map.groupBy(parts, ({ roomNo, rateNo }) => `${roomNo}/${rateNo}`).values()]
    .map((ofRow) => ({
      isRate: ofRow[0]?.rateNo !== 0,
      nights: ofRow.reduce((sum, { nights }) => sum + nights, 0),
    }))
    .filter(({ nights }) => nights > 0)
}

const alreadyEnded = {
  type: 'STOP_SELL_ENDED',
  message: 'This stop-sell has already ended',
  hint: 'The list of ended stop-sells says when, and who resumed sales',
} as const

function stopSellUnknown(sent: string): Rejected {
  return new Rejected(404, {
    type: 'STOP_SELL_NOT_FOUND',
    message: 'Stop-sell not found',
    path: 'stopSellId',
    value: reportedValue(sent),
  })
}
