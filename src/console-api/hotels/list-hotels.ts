import { dayIn, monthOf, parseNight, type MonthNumber, firstDay, formatNight } from '../../base/calendar.ts'
import { answer, onEveryProblem, type Mounted } from '../../http/calls/mount.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { readLimit, readSince, judgeQuery, pageOf } from '../../http/calls/query.ts'
import type { Problem } from '../../http/rejected.ts'
import { invalid, readNumber } from '../list-query.ts'
import { hotelOrders, hotelRoutes, hotelsPerPage, type GoLiveStage, type HotelListed } from './contract.ts'
import { readPosition, writePosition } from './hotel-position.ts'
import type { HotelQuery } from './hotel-conditions.ts'
import { selectHotels, type HotelFoundRow } from './select-hotels.ts'
import { selectNamedHotels, selectSearchWords } from './store.ts'

/**
 * GET /hotels. The search text can be part of any name of a hotel; hotels with exactly this id or code come first.
 */
export const listHotels = ({ db, clock }: Needs): Mounted =>
  onEveryProblem(hotelRoutes.listHotels, judge, async ({ query: filter, read }) => {
    const { available, country, currency, goLive, ari, sort: order = 'name' } = filter
    const { after, limit, supplierId, staleSinceMs, endsByMonth } = read
    const typed = filter.search?.trim() ?? ''
    const [words, hotelIds] =
      typed === ''
        ? [undefined, []]
        : await Promise.all([selectSearchWords(db, typed), selectNamedHotels(db, typed)])
    const thisMonth = monthOf(dayIn('UTC', clock.now()))
    const query: HotelQuery = {
      search: {
        words,
        supplierId,
        currency,
        country,
        isAvailable: available && available === 'yes',
        goLive,
        hasAri: ari && ari === 'some',
        staleSinceMs,
        endsByMonth,
      },
      order,
      after,
      exact: { hotelIds, isOnly: false },
      limit: limit + 1,
      nowMs: clock.now(),
      thisMonth,
    }
    const isFirstPage = after === undefined
    const exact =
      isFirstPage && hotelIds.length > 0
        ? await selectHotels(db, { ...query, exact: { hotelIds, isOnly: true } })
        : []
    // Nothing is named by punctuation alone.
    const { page, last } = pageOf(words?.length === 0 ? [] : await selectHotels(db, query), limit)
    return answer(200, {
      hotels: [...exact, ...page].map((row) => listedHotel(row, thisMonth)),
      nextCursor: last ? writePosition(order, last) : null,
    })
  })

const judge = judgeQuery((query, problems) => ({
  after: readPosition(
    query['cursor'],
    hotelOrders.find((order) => order === (query['sort'] ?? 'name')),
    problems,
  ),
  limit: readLimit(query['limit'], hotelsPerPage, problems),
  supplierId: readNumber('supplierId', query, problems),
  staleSinceMs: readSince('staleSince', query['staleSince'], problems),
  endsByMonth: readMonth(query['endsBy'], problems),
}))

function readMonth(text: string | undefined, problems: Problem[]): MonthNumber | undefined {
  if (text === undefined) return undefined
  const day = /^\d{4}-\d\d$/.test(text) ? parseNight(`${text}-01`) : undefined
  if (day !== undefined) return monthOf(day)
  problems.push(invalid('endsBy', text, 'must be a month, for example 2027-04'))
  return undefined
}

/** A hotel as shown in lists. */
export function listedHotel(row: HotelFoundRow, thisMonth: MonthNumber): HotelListed {
  return {
    ...plainOf(row),
    createdAt: row.createdAt.toISOString(),
    lastAriAt: row.lastAriAt?.toISOString() ?? null,
    ariUntilMonth: row.ariUntilMonth === null ? null : formatNight(firstDay(row.ariUntilMonth)).slice(0, 7),
    goLive: stageOf(row, thisMonth),
  }
}

function plainOf({
  isOffered: _isOffered,
  hasWebhooks: _hasWebhooks,
  sortKey: _sortKey,
  ...hotel
}: HotelFoundRow) {
  return hotel
}

function stageOf(
  { isOffered, ariUntilMonth, hasWebhooks }: HotelFoundRow,
  thisMonth: MonthNumber,
): GoLiveStage {
  if (!isOffered) return 'products'
  if (ariUntilMonth === null || ariUntilMonth < thisMonth) return 'ari'
  return hasWebhooks ? 'ready' : 'webhooks'
}
