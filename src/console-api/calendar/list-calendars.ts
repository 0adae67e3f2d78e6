import { createHash } from 'node:crypto'
import { dayIn, formatNight, monthOf, type DayNumber } from '../../base/calendar.ts'
import { todayIn } from '../../hotels/hotel-clock.ts'
import { answer, onEveryProblem, type Mounted } from '../../http/calls/mount.ts'
import { judgeQuery, readId } from '../../http/calls/query.ts'
import type { Problem } from '../../http/rejected.ts'
import { partiesOf } from '../../offers/party.ts'
import type { HotelStay } from '../../offers/stays/stays.ts'
import { readPosition, writePosition } from '../hotels/hotel-position.ts'
import type { HotelQuery } from '../hotels/hotel-conditions.ts'
import { selectHotels, type HotelFoundRow } from '../hotels/select-hotels.ts'
import { selectSearchWords } from '../hotels/store.ts'
import { invalid, readNumber } from '../list-query.ts'
import { calendarLine } from './calendar-columns.ts'
import {
  calendarCellsMax,
  calendarRoutes,
  linesPerPage,
  nightsOfLines,
  type CalendarHotel,
  type CalendarParty,
} from './contract.ts'
import { daysBackShown, type CalendarNeeds } from './get-calendar.ts'
import { readParty } from './party-query.ts'
import { selectOptionalCalendarHotel } from './store.ts'

/** GET /calendars. */
export const listCalendars = (needs: CalendarNeeds): Mounted =>
  onEveryProblem(calendarRoutes.listCalendars, judge, async ({ query, read }) => {
    const nowMs = needs.clock.now()
    const today = dayIn('UTC', nowMs)
    const window = { from: today - daysBackShown, days: nightsOfLines }
    const typed = query.search?.trim() ?? ''
    const words = typed === '' ? undefined : await selectSearchWords(needs.db, typed)
    const asked: HotelQuery = {
      search: { supplierId: read.supplierId, words },
      order: 'name',
      after: read.after,
      exact: { hotelIds: read.hotelIds, isOnly: read.hotelIds.length > 0 },
      limit: linesPerPage + 1,
      nowMs,
      thisMonth: monthOf(today),
    }
    // Nothing is named by punctuation alone.
    const found = words?.length === 0 ? [] : await selectHotels(needs.db, asked)
    const { page, last } = await readPage(needs, found, window)
    const nextCursor = last ? writePosition('name', last) : null
    const version = versionOf(page, today, read.party, nextCursor)
    if (query.since === version) return answer(200, { isUnchanged: true, version })
    const hotels: CalendarHotel[] = []
    for (const one of page) hotels.push(await lineOf(one, window, read.party))
    return answer(200, {
      isUnchanged: false,
      version,
      today: formatNight(today),
      from: formatNight(window.from),
      to: formatNight(window.from + window.days - 1),
      party: read.party,
      hotels,
      nextCursor,
    })
  })

const judge = judgeQuery(({ supplierId, hotelIds, adults, childAges, cursor }, problems) => ({
  after: readPosition(cursor, 'name', problems),
  supplierId: readNumber('supplierId', { supplierId }, problems),
  hotelIds: readHotelIds(hotelIds, problems),
  party: readParty({ adults, childAges }, problems),
}))

function readHotelIds(text: string | undefined, problems: Problem[]): number[] {
  if (text === undefined || text === '') return []
  const ids = text.split(',').map((id) => readId(id))
  const known = ids.filter((id) => id !== undefined)
  if (known.length === ids.length && ids.length <= linesPerPage) return known
  const what = `must be up to ${linesPerPage} platformHotelIds separated by commas, for example 7,12`
  problems.push(invalid('hotelIds', text, what))
  return []
}

type Window = { from: DayNumber; days: number }
type HotelNights = { row: HotelFoundRow; today: DayNumber; stay: HotelStay }

/** As many of the hotels as one answer may hold, read one by one: together they could be too much at once. */
async function readPage(
  { db, clock, stays }: CalendarNeeds,
  found: readonly HotelFoundRow[],
  { from, days }: Window,
): Promise<{ page: HotelNights[]; last: HotelFoundRow | undefined }> {
  const page: HotelNights[] = []
  let cells = 0
  for (const row of found) {
    const { hotelId } = row
    const hotel = await selectOptionalCalendarHotel(db, hotelId)
    const range = { firstDay: from, lastDay: from + days - 1 }
    const stay = (await stays.read([hotelId], range)).get(hotelId)
    // Gone since the list was read.
    if (!hotel || !stay) continue
    cells += stay.catalog.roomRates.length * days
    if (page.length === linesPerPage || (page.length > 0 && cells > calendarCellsMax))
      return { page, last: page.at(-1)?.row }
    page.push({ row, today: todayIn(hotel, clock.now()), stay })
  }
  return { page, last: undefined }
}

async function lineOf(
  { row, today, stay }: HotelNights,
  window: Window,
  party: CalendarParty,
): Promise<CalendarHotel> {
  const { hotelId, supplier, code, name, timeZone } = row
  const { currency, minorDigits, isAvailable } = stay.catalog
  const line = await calendarLine(stay, { ...window, today, parties: partiesOf([party], stay.catalog) })
  return { hotelId, supplier, code, name, currency, minorDigits, timeZone, isAvailable, ...line }
}

/** Differs if any hotel of the page does, or its order. */
function versionOf(
  page: readonly HotelNights[],
  today: DayNumber,
  party: CalendarParty,
  nextCursor: string | null,
): string {
  const hotels = page.map(({ row: { hotelId, name, supplier }, today: ofHotel, stay }) => [
    hotelId,
    name,
    supplier,
    ofHotel,
    stay.revision,
    stay.catalog.version,
  ])
  const all = JSON.stringify([today, party, nextCursor, hotels])
  return createHash('sha256').update(all).digest('base64url')
}
