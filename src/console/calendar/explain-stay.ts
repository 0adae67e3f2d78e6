import { todayIn } from '../../hotels/hotel-clock.ts'
import { answer, besideShape, onEveryProblem, type Mounted } from '../../http/mount.ts'
import { rejectIfAny } from '../../http/rejected.ts'
import { formatNight, parseNight } from '../../base/calendar.ts'
import { isOffered, quoteOf, wantedStay, type Quote, type WantedStay } from '../../offers/evaluate.ts'
import { explain } from '../../offers/explain.ts'
import { daysMovedMax, nearestOf } from '../../offers/nearest.ts'
import type { BookableRoomRate, BookingCatalog } from '../../offers/booking-catalog.ts'
import { OfferTexts, textsBeforeNights } from '../../offers/offer-text.ts'
import { stayProblems } from '../../offers/stay-request.ts'
import { partiesOf } from '../../offers/party.ts'
import { RoomRateDays } from '../../offers/room-rate-days.ts'
import { readSetters } from '../../offers/set-by.ts'
import { isRecord } from '../../http/validate.ts'
import { calendarRoutes, type ExplainedOffer } from './contract.ts'
import { namedSetters } from './store.ts'
import { readHotelStay, roomRateNamed } from '../hotels/store.ts'
import type { CalendarNeeds } from './get-calendar.ts'

/** POST /hotels/{hotelId}/explain: the rules of offers, explained for one room-rate whether or not it can be booked. */
export const explainStay = (needs: CalendarNeeds): Mounted =>
  onEveryProblem(
    calendarRoutes.explainStay,
    (sent, shapeProblems) =>
      rejectIfAny(besideShape(shapeProblems, isRecord(sent) ? stayProblems(sent) : [])),
    async ({ params, body }) => {
      const [arrival, departure] = [parseNight(body.checkin) ?? 0, parseNight(body.checkout) ?? 0]
      const range = { firstDay: arrival - daysMovedMax, lastDay: departure + daysMovedMax }
      const stay = await readHotelStay(needs.stays, params.hotelId, range)
      const { catalog, revision } = stay
      const roomRate = roomRateNamed(catalog, body, '/roomId', '/rateId')
      const rooms = body.rooms.map(({ adults, childAges = [] }) => ({ adults, childAges }))
      const parties = partiesOf(rooms, catalog)
      const wanted = wantedStay({ arrival, departure }, todayIn(catalog, needs.clock.now()), parties)
      const window = { from: range.firstDay, days: range.lastDay - range.firstDay + 1 }
      const days = new RoomRateDays(stay, window, parties.priceFields)
      days.turnTo(roomRate)
      const rules = explain(days, catalog, roomRate, wanted)
      const quote = isOffered(catalog, roomRate, wanted) ? quoteOf(days, roomRate, wanted) : undefined
      const nearest = quote ? undefined : nearestOf(days, catalog, roomRate, { requested: rooms, wanted })
      const setterOf = await readSetters(needs.db, [{ catalog, tested: [{ roomRate, rules }] }])
      const setBy = await namedSetters(
        needs.db,
        catalog.hotelId,
        rules.map(({ origin }) => setterOf(catalog, roomRate, origin)),
      )
      return answer(200, {
        isBookable: quote !== undefined,
        currency: catalog.currency,
        revision,
        rules: rules.map(({ days: tested, origin: _origin, ...rule }, index) => ({
          ...rule,
          dates: tested.map(formatNight),
          setBy: setBy[index] ?? null,
        })),
        offer: quote ? offerOf(catalog, roomRate, wanted, quote) : null,
        nearest: nearest
          ? {
              ...nearest,
              rooms: nearest.rooms.map(({ adults, childAges }) => ({ adults, childAges: [...childAges] })),
            }
          : null,
      })
    },
  )

function offerOf(
  catalog: BookingCatalog,
  roomRate: BookableRoomRate,
  wanted: WantedStay,
  quote: Quote,
): ExplainedOffer {
  const texts = new OfferTexts(catalog, wanted, { beforeNights: textsBeforeNights(wanted), hasTrace: true })
  // oxlint-disable-next-line typescript/no-unsafe-assignment -- The boundary: offer-text.ts has just written it.
  const { unitsLeft, rooms, taxes, total, cancelPolicy, fees, trace }: ExplainedOffer = JSON.parse(
    texts.text(roomRate, quote),
  )
  return { unitsLeft, rooms, taxes, total, cancelPolicy, fees, trace }
}
