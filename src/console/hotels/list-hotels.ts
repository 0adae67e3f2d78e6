import { dayIn, monthOf, parseNight, type MonthNumber } from '../../base/calendar.ts'
import { answer, onEveryProblem, type Judge, type Mounted } from '../../http/mount.ts'
import type { Needs } from '../../postgres/needs.ts'
import { cursorProblem, readableQuery, readLimit, readSince } from '../../http/query.ts'
import { rejectIfAny, type Problem } from '../../http/rejected.ts'
import type { AnswerOf } from '../../http/route.ts'
import { invalid, readNumber } from '../bookings/booking-query.ts'
import { hotelOrders, hotelRoutes, hotelsPerPage, type HotelOrder } from './contract.ts'
import {
  selectHotels,
  selectNamedHotels,
  selectSearchWords,
  type HotelFoundRow,
  type HotelPlace,
  type HotelsAsked,
} from './store.ts'
import { shownHotel } from './shown-hotel.ts'

/**
 * GET /hotels. The search text can be part of any name of a hotel; hotels with exactly this id or code come first.
 */
export const listHotels = ({ db, clock }: Needs): Mounted =>
  onEveryProblem(hotelRoutes.listHotels, judge, async ({ query, read }) => {
    const { available, country, currency, goLive, ari, sort: order = 'name' } = query
    const { after, limit, supplierId, staleSinceMs, endsByMonth } = read
    const typed = query.search?.trim() ?? ''
    const words = typed === '' ? undefined : await selectSearchWords(db, typed)
    const hotelIds = typed === '' ? [] : await selectNamedHotels(db, typed)
    const thisMonth = monthOf(dayIn('UTC', clock.now()))
    const asked: HotelsAsked = {
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
      // One row more than requested, to learn whether there is another page.
      limit: limit + 1,
      nowMs: clock.now(),
      thisMonth,
    }
    const isFirstPage = after === undefined
    const exact =
      isFirstPage && hotelIds.length > 0
        ? await selectHotels(db, { ...asked, exact: { hotelIds, isOnly: true } })
        : []
    // Nothing is named by punctuation alone.
    const found = words?.length === 0 ? [] : await selectHotels(db, asked)
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    const said: AnswerOf<typeof hotelRoutes.listHotels> = {
      hotels: [...exact, ...page].map((row) => shownHotel(row, thisMonth)),
      nextCursor: last ? writePlace(order, last) : null,
    }
    return answer(200, said)
  })

type Read = {
  after: HotelPlace | undefined
  limit: number
  supplierId: number | undefined
  staleSinceMs: number | undefined
  endsByMonth: MonthNumber | undefined
}

const judge: Judge<Read> = (sent, shapeProblems) => {
  const query = readableQuery(sent, shapeProblems)
  const wrong = [...shapeProblems]
  const read = {
    after: readPlace(
      query['cursor'],
      hotelOrders.find((order) => order === (query['sort'] ?? 'name')),
      wrong,
    ),
    limit: readLimit(query['limit'], hotelsPerPage, wrong),
    supplierId: readNumber('supplierId', query, wrong),
    staleSinceMs: readSince('staleSince', query['staleSince'], wrong),
    endsByMonth: readMonth(query['endsBy'], wrong),
  }
  rejectIfAny(wrong)
  return read
}

function readMonth(text: string | undefined, wrong: Problem[]): MonthNumber | undefined {
  if (text === undefined) return undefined
  const day = /^\d{4}-\d\d$/.test(text) ? parseNight(`${text}-01`) : undefined
  if (day !== undefined) return monthOf(day)
  wrong.push(invalid('endsBy', text, 'must be a month, as 2027-04'))
  return undefined
}

function writePlace(order: HotelOrder, { sortKey, hotelId }: HotelFoundRow): string {
  return Buffer.from(JSON.stringify([order, sortKey, hotelId])).toString('base64url')
}

function readPlace(
  text: string | undefined,
  order: HotelOrder | undefined,
  wrong: Problem[],
): HotelPlace | undefined {
  if (text === undefined) return undefined
  const place = order && placeOf(Buffer.from(text, 'base64url').toString(), order)
  if (!place) wrong.push(cursorProblem(text))
  return place
}

const isNumber = (key: string): boolean => /^\d{1,9}$/.test(key)

/** Valid sort keys for each order. */
const isKey: Readonly<Record<HotelOrder, (key: string) => boolean>> = {
  name: (key) => !key.includes('\0') && key.isWellFormed(),
  newest: isNumber,
  stalest: (key) =>
    key === '-infinity' || (instantText.test(key) && parseNight(key.slice(0, 10)) !== undefined),
  ending: isNumber,
}
const instantText = /^2\d{3}-\d\d-\d\d (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?\+00$/

function placeOf(json: string, order: HotelOrder): HotelPlace | undefined {
  try {
    const place: unknown = JSON.parse(json)
    if (!Array.isArray(place)) return undefined
    const values: readonly unknown[] = place
    const [madeFor, key, hotelId] = values
    if (madeFor !== order || typeof key !== 'string' || typeof hotelId !== 'number') return undefined
    return isKey[order](key) && isNumber(String(hotelId)) ? { key, hotelId: Number(hotelId) } : undefined
  } catch {
    // Not one of our cursors.
    return undefined
  }
}
