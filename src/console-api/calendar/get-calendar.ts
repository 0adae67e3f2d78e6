import { todayIn } from '../../hotels/hotel-clock.ts'
import { commonLimits } from '../../keys/contract.ts'
import { partiesOf } from '../../offers/party.ts'
import type { StayReader } from '../../offers/stays/stays.ts'
import { formatNight, parseNight } from '../../base/calendar.ts'
import { answer, onEveryProblem, type Mounted } from '../../http/calls/mount.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { readId, judgeQuery } from '../../http/calls/query.ts'
import { reportedValue } from '../../http/rejected.ts'
import { calendarCellsMax, calendarNightsMax, calendarRoutes } from './contract.ts'
import { calendarRooms } from './calendar-columns.ts'
import { readParty } from './party-query.ts'
import { selectOptionalCalendarHotel } from './store.ts'
import { hotelNotFound, readHotelStay } from '../hotels/store.ts'

export type CalendarNeeds = Needs & { stays: StayReader }

/** Nights before today that are shown by default, because their values can still be useful. */
export const daysBackShown = 7

/** GET /hotels/{hotelId}/calendar. */
export const getCalendar = (needs: CalendarNeeds): Mounted =>
  onEveryProblem(calendarRoutes.getCalendar, judge, async ({ params, query, read }) => {
    const { party } = read
    const hotel = await selectOptionalCalendarHotel(needs.db, readId(params.hotelId))
    if (!hotel) throw hotelNotFound(params.hotelId)
    const today = todayIn(hotel, needs.clock.now())
    const from = read.from ?? today - daysBackShown
    const to = read.to ?? today + commonLimits.ariDaysAhead
    const lastDay = Math.max(from, Math.min(to, from + calendarNightsMax - 1))
    const stay = await readHotelStay(needs.stays, params.hotelId, { firstDay: from, lastDay })
    const { catalog, revision } = stay
    const nightsMax = Math.floor(calendarCellsMax / Math.max(1, catalog.roomRates.length))
    const days = Math.min(lastDay - from + 1, Math.max(1, nightsMax))
    const partyKey = [party.adults, ...party.childAges].join('_')
    const version = [revision, catalog.version, today, from, days, partyKey].join('.')
    if (query.since === version) return answer(200, { isUnchanged: true, version })
    const window = { from, days, today, parties: partiesOf([party], catalog) }
    const { hotelId, supplier, hotelCode, currency, minorDigits, timeZone, isAvailable } = catalog
    const { minChildAge, maxChildAge } = catalog
    return answer(200, {
      isUnchanged: false,
      version,
      hotel: {
        hotelId,
        supplier,
        code: hotelCode,
        name: hotel.name,
        currency,
        minorDigits,
        timeZone,
        isAvailable,
        minChildAge,
        maxChildAge,
      },
      revision,
      today: formatNight(today),
      from: formatNight(from),
      to: formatNight(from + days - 1),
      party,
      rooms: await calendarRooms(stay, window),
    })
  })

const judge = judgeQuery(({ from, to, adults, childAges }, problems) => {
  const [first, last] = [parseNight(from ?? ''), parseNight(to ?? '')]
  if (first !== undefined && last !== undefined && last < first)
    problems.push({
      type: 'DATES_REVERSED',
      message: 'to must not be before from',
      path: '?to',
      value: reportedValue(to),
    })
  const party = readParty({ adults, childAges }, problems)
  return { from: first, to: last, party }
})
