import { answer, onEveryProblem, type Judge, type Mounted } from '../../http/mount.ts'
import type { Needs } from '../../postgres/needs.ts'
import { readLimit, readSince } from '../../http/query.ts'
import { rejectIfAny } from '../../http/rejected.ts'
import type { AnswerOf } from '../../http/route.ts'
import type { PriceChecker } from '../../price-check/checker.ts'
import { priceCheckOutcomes } from '../../price-check/contract.ts'
import { listedCheckOf } from '../../price-check/listed-check.ts'
import { readNumber, readPlace, writePlace } from '../bookings/booking-query.ts'
import { readQueryOf } from '../deliveries/search.ts'
import {
  consoleChecksPerPage,
  outcomeSearchDays,
  priceCheckConsoleRoutes,
  type ConsoleCheck,
} from './contract.ts'
import { selectConsoleChecks, type CheckSearch, type ConsoleCheckRow } from './store.ts'

const dayMs = 86_400_000

/** GET /price-checks. */
export const searchPriceChecks = (needs: Needs & { priceChecks: PriceChecker }): Mounted =>
  onEveryProblem(priceCheckConsoleRoutes.searchPriceChecks, judge(needs), async ({ read }) => {
    await needs.priceChecks.ledger.written()
    const { limit, sinceMs } = read
    // One row more than shown, to learn whether there is a next page.
    const found = await selectConsoleChecks(needs.db, { ...read, limit: limit + 1 })
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    const said: AnswerOf<typeof priceCheckConsoleRoutes.searchPriceChecks> = {
      priceChecks: page.map(shownCheck),
      since: sinceMs === undefined ? null : new Date(sinceMs).toISOString(),
      nextCursor: last ? writePlace([Math.round(last.atMs), last.id]) : null,
    }
    return answer(200, said)
  })

const judge =
  ({ clock }: Needs): Judge<CheckSearch> =>
  (sent, shapeProblems) => {
    const { query, wrong } = readQueryOf(sent, shapeProblems)
    const outcome = priceCheckOutcomes.find((one) => one === query['outcome'])
    const hotelId = readNumber('hotelId', query, wrong)
    // A rare outcome would be searched for through all checks.
    const isWide = outcome !== undefined && hotelId === undefined
    const farthestMs = isWide ? clock.now() - outcomeSearchDays * dayMs : undefined
    const [atMs, id] = readPlace(query, /^(\d{1,15}) (\d{1,15})$/, wrong) ?? []
    const search = {
      supplierId: readNumber('supplierId', query, wrong),
      hotelId,
      outcome,
      sinceMs: readSince('since', query['since'], wrong) ?? farthestMs,
      after: atMs === undefined ? undefined : { atMs: Number(atMs), id: Number(id) },
      limit: readLimit(query['limit'], consoleChecksPerPage, wrong),
    }
    rejectIfAny(wrong)
    return search
  }

function shownCheck(row: ConsoleCheckRow): ConsoleCheck {
  const { hotelId: hotelCode, ...check } = listedCheckOf(row)
  const { supplierId, supplier, hotelNo: hotelId, hotelName, timeZone, requestId } = row
  return { ...check, hotelCode, supplierId, supplier, hotelId, hotelName, timeZone, requestId }
}
