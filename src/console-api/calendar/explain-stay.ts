import { setImmediate as breathe } from 'node:timers/promises'
import type { Operator } from '../../http/calls/call.ts'
import { todayIn } from '../../hotels/hotel-clock.ts'
import { answer, besideShape, onEveryProblem, type Mounted } from '../../http/calls/mount.ts'
import { rejectIfAny, type Problem } from '../../http/rejected.ts'
import { formatNight, parseNight } from '../../base/calendar.ts'
import { isOffered, quoteOf, wantedStay, type Quote, type WantedStay } from '../../offers/price/evaluate.ts'
import { explain, type TestedRule } from '../../offers/explain/explain.ts'
import { daysMovedMax, nearestOf, type Nearest } from '../../offers/explain/nearest.ts'
import type { BookableRoomRate, BookingCatalog } from '../../offers/stays/booking-catalog.ts'
import { LiveAnswers, roomTexts } from '../../offers/stays/live-answers.ts'
import { OfferTexts, textsBeforeNights } from '../../offers/search/offer-text.ts'
import { stayProblems } from '../../offers/stay-request.ts'
import { partiesOf, type RequestedRoom } from '../../offers/party.ts'
import { RoomRateDays } from '../../offers/stays/room-rate-days.ts'
import { readSetters } from '../../offers/explain/set-by.ts'
import { isRecord } from '../../http/validation/validate.ts'
import { calendarRoutes } from './contract.ts'
import {
  explainedRoomRatesMax,
  type CellSetter,
  type ExplainedOffer,
  type ExplainedRule,
  type ExplainedStay,
} from './explain-contract.ts'
import { namedSetters } from './store.ts'
import { readHotelStay, roomRateNamed } from '../hotels/store.ts'
import type { CalendarNeeds } from './get-calendar.ts'

/** POST /hotels/{hotelId}/explain: the rules of offers, explained for one room-rate whether or not it can be booked. */
export const explainStay = (needs: CalendarNeeds): Mounted =>
  onEveryProblem(calendarRoutes.explainStay, judgeStay, async ({ params, body, operator }) => {
    const asked = await readAskedStay(needs, params.hotelId, body)
    const { catalog, revision } = asked
    const tested = testedAt(asked, roomRateNamed(catalog, body, '/roomId', '/rateId'))
    const { roomRate, rules, quote, nearest } = tested
    const [setBy = []] = await settersOf(needs, operator, catalog, [tested])
    return answer(200, {
      isBookable: quote !== undefined,
      currency: catalog.currency,
      revision,
      rules: rules.map((rule, index) => explainedRule(rule, setBy[index])),
      offer: quote ? offerOf(asked, roomRate, quote) : null,
      nearest: nearest ? nearestStay(nearest) : null,
    })
  })

/** Room-rates explained before other requests get a turn of the event loop. */
const explainedAtOnce = 5

/** POST /hotels/{hotelId}/explain-all: the same for every room-rate, with the rules that fail. */
export const explainHotel = (needs: CalendarNeeds): Mounted =>
  onEveryProblem(calendarRoutes.explainHotel, judgeStay, async ({ params, body, operator }) => {
    const asked = await readAskedStay(needs, params.hotelId, body)
    const { catalog, revision } = asked
    const all: Tested[] = []
    for (const [index, roomRate] of catalog.roomRates.slice(0, explainedRoomRatesMax).entries()) {
      if (index % explainedAtOnce === explainedAtOnce - 1) await breathe()
      const tested = testedAt(asked, roomRate)
      all.push({ ...tested, rules: tested.rules.filter(({ pass }) => !pass) })
    }
    const setBy = await settersOf(needs, operator, catalog, all)
    return answer(200, {
      currency: catalog.currency,
      revision,
      roomRateCount: catalog.roomRates.length,
      roomRates: all.map(({ roomRate, rules, quote, nearest }, index) => {
        const offer = quote ? offerOf(asked, roomRate, quote) : undefined
        return {
          roomId: roomRate.room.code,
          roomName: roomRate.room.name,
          rateId: roomRate.rate.code,
          rateName: roomRate.rate.name,
          total: offer?.total.afterTax ?? null,
          unitsLeft: offer?.unitsLeft ?? null,
          rules: rules.map((rule, place) => explainedRule(rule, setBy[index]?.[place])),
          nearest: nearest ? nearestStay(nearest) : null,
        }
      }),
    })
  })

function judgeStay(sent: unknown, shapeProblems: readonly Problem[]): void {
  rejectIfAny(besideShape(shapeProblems, isRecord(sent) ? stayProblems(sent) : []))
}

type AskedStay = {
  catalog: BookingCatalog
  revision: number
  wanted: WantedStay
  /** The present moment by the account's clock. */
  nowMs: number
  requested: readonly RequestedRoom[]
  days: RoomRateDays
  live: LiveAnswers | undefined
}

async function readAskedStay(
  needs: CalendarNeeds,
  hotelId: string,
  body: { checkin: string; checkout: string; rooms: readonly { adults: number; childAges?: number[] }[] },
): Promise<AskedStay> {
  const [arrival, departure] = [parseNight(body.checkin) ?? 0, parseNight(body.checkout) ?? 0]
  const range = { firstDay: arrival - daysMovedMax, lastDay: departure + daysMovedMax }
  const stay = await readHotelStay(needs.stays, hotelId, range)
  const { catalog, revision } = stay
  const requested = body.rooms.map(({ adults, childAges = [] }) => ({ adults, childAges }))
  const parties = partiesOf(requested, catalog)
  const nowMs = needs.clock.now()
  const wanted = wantedStay({ arrival, departure }, todayIn(catalog, nowMs), parties)
  const window = { from: range.firstDay, days: range.lastDay - range.firstDay + 1 }
  const days = new RoomRateDays(stay, window, parties.priceFields)
  const live = LiveAnswers.of(stay, nowMs)
  return { catalog, revision, wanted, nowMs: nowMs + catalog.aheadMs, requested, days, live }
}

type Tested = {
  roomRate: BookableRoomRate
  rules: TestedRule[]
  quote: Quote | undefined
  nearest: Nearest | undefined
}

function testedAt({ catalog, wanted, requested, days, live }: AskedStay, roomRate: BookableRoomRate): Tested {
  days.turnTo(roomRate)
  const soldOut = live?.soldOut(roomRate.key, { ...wanted, rooms: roomTexts(requested) })
  const rules = explain(days, catalog, roomRate, wanted, soldOut)
  const mayBeSold = !soldOut && isOffered(catalog, roomRate, wanted)
  const quote = mayBeSold ? quoteOf(days, roomRate, wanted) : undefined
  const nearest = quote ? undefined : nearestOf(days, catalog, roomRate, { requested, wanted, live })
  return { roomRate, rules, quote, nearest }
}

/** What set the value of each rule, in the order of the rules. */
async function settersOf(
  needs: CalendarNeeds,
  reader: Operator,
  catalog: BookingCatalog,
  all: readonly Tested[],
): Promise<(CellSetter | null)[][]> {
  const setterOf = await readSetters(needs.db, [{ catalog, tested: all }])
  const setters = all.map(({ roomRate, rules }) =>
    rules.map(({ origin }) => setterOf(catalog, roomRate, origin)),
  )
  const named = (await namedSetters(needs.db, catalog.hotelId, setters.flat(), reader)).values()
  return setters.map((ofRules) => ofRules.map(() => named.next().value ?? null))
}

function explainedRule(
  { days, origin: _origin, ...rule }: TestedRule,
  setBy: CellSetter | null | undefined,
): ExplainedRule {
  return { ...rule, dates: days.map(formatNight), setBy: setBy ?? null }
}

function nearestStay(nearest: Nearest): NonNullable<ExplainedStay['nearest']> {
  const rooms = nearest.rooms.map(({ adults, childAges }) => ({ adults, childAges: [...childAges] }))
  return { ...nearest, rooms }
}

function offerOf(
  { catalog, wanted, nowMs }: AskedStay,
  roomRate: BookableRoomRate,
  quote: Quote,
): ExplainedOffer {
  const beforeNights = textsBeforeNights(wanted)
  const texts = new OfferTexts(catalog, wanted, { nowMs, beforeNights, hasTrace: true })
  // oxlint-disable-next-line typescript/no-unsafe-assignment -- The boundary: offer-text.ts has just written it.
  const { unitsLeft, rooms, taxes, total, cancelPolicy, fees, trace }: ExplainedOffer = JSON.parse(
    texts.text(roomRate, quote),
  )
  return { unitsLeft, rooms, taxes, total, cancelPolicy, fees, trace }
}
