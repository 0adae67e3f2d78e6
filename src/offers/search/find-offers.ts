import { todayIn } from '../../hotels/hotel-clock.ts'
import { inSpan } from '../../base/tracing.ts'
import { withoutCardNumbers } from '../../base/card-number.ts'
import { formatNight, parseNight, type DayNumber } from '../../base/calendar.ts'
import { onEveryProblem, type LongAnswer, type Mounted } from '../../http/calls/mount.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { overloaded, Rejected, rejectIfAny } from '../../http/rejected.ts'
import type { BodyOf } from '../../http/route.ts'
import { heardOf, liveOfOffer } from '../live/heard.ts'
import { roomTexts, type LiveAnswers, type LiveStay } from '../stays/live-answers.ts'
import type { Pauses } from '../live/pauses.ts'
import { AnswerBytes, OfferTexts, textsBeforeNights } from './offer-text.ts'
import type { BookableRoomRate, BookingCatalog } from '../stays/booking-catalog.ts'
import { offerErrors, offerRoutes, offersAnswerMax, type HotelReference } from '../contract.ts'
import { isOffered, quoteOf, wantedStay, type WantedStay } from '../price/evaluate.ts'
import { explain, type TestedRule } from '../explain/explain.ts'
import { type HotelFinder, offerProblems } from '../stay-request.ts'
import { daysMovedMax, nearestOf, type Nearest } from '../explain/nearest.ts'
import { partiesOf, type RequestedRoom, type Parties } from '../party.ts'
import { RoomRateDays } from '../stays/room-rate-days.ts'
import { readSetBy, type SetByOf } from '../explain/set-by.ts'
import type { HotelStay, StayReader } from '../stays/stays.ts'
import { setImmediate as breathe } from 'node:timers/promises'
import { Gate } from '../../base/gate.ts'

export type OfferNeeds = Needs & {
  stays: StayReader
  pauses: Pauses
  hotelsNamed: HotelFinder
  searchTurns: SearchTurns
}

/** POST /booking/offers. */
export const findOffers = (needs: OfferNeeds): Mounted =>
  onEveryProblem(
    offerRoutes.findOffers,
    (body, shapeProblems) => rejectIfAny([...shapeProblems, ...offerProblems(body)]),
    ({ body, tokenId }) =>
      inSpan('offers', { 'ari.hotels': body.hotels.length }, () =>
        needs.searchTurns.run(tokenId, body.hotels.length, async () => {
          const ids = await needs.hotelsNamed(body.hotels)
          // A hotel that is named twice is answered once.
          const distinct = [...new Set(ids.filter((id) => id !== undefined))]
          const search = new Search(needs, body, tokenId)
          const [stays] = await Promise.all([
            needs.stays.read(distinct, search.range),
            needs.pauses.beFresh(),
          ])
          const pausedUntil = await needs.pauses.untilByHotel(stays.values())
          for (const id of distinct) {
            const stay = stays.get(id)
            if (stay) await search.add(stay, pausedUntil.get(id))
          }
          const notFound = body.hotels.filter((_, index) => !stays.has(ids[index] ?? 0))
          return search.answer(notFound.map(repeated))
        }),
      ),
  )

/** The reference as it was sent, of its members only; a card number that was sent as an id is not repeated. */
function repeated({ platformHotelId, supplier, hotelId }: HotelReference): object {
  const names = Object.entries({ platformHotelId, supplier, hotelId })
  return Object.fromEntries(
    names.flatMap(([name, id]) => (id === undefined ? [] : [[name, withoutCardNumbers(id)]])),
  )
}

/** Work done before other requests get a turn of the event loop. */
const workAtOnceMs = 5
/**
 * Number of room-rates between checks of the clock for that limit. After each explained room-rate the clock
 * is checked anyway, because an explanation may take milliseconds.
 */
const roomRatesBetweenLooks = 16

type Requested = { arrival: DayNumber; departure: DayNumber; rooms: readonly RequestedRoom[] }
/** A hotel whose refusals are still to be explained. */
type FoundHotel = {
  catalog: BookingCatalog
  /** Everything except the unavailable room-rates, without the closing brace. */
  parts: readonly string[]
  tested: readonly Unavailable[]
}
type Unavailable = { roomRate: BookableRoomRate; rules: TestedRule[]; nearest: Nearest | undefined }

/** The state of one request while its hotels are evaluated. */
class Search {
  readonly range: { firstDay: DayNumber; lastDay: DayNumber }
  readonly #requested: Requested
  readonly #asked: LiveStay
  readonly #needs: OfferNeeds
  readonly #tokenId: number
  readonly #explains: boolean
  readonly #traces: boolean
  readonly #partiesByAges = new Map<string, Parties>()
  readonly #beforeNights: readonly string[]
  readonly #daysByParties = new Map<Parties, RoomRateDays>()
  readonly #bytes = new AnswerBytes()
  /** Filled only if refusals are explained. */
  readonly #hotels: FoundHotel[] = []
  /** Each day of the range as text, only if refusals are explained. */
  readonly #dates: readonly string[]
  #hotelsAdded = 0
  #characters = 0
  #roomRates = 0
  #turnBeganMs = performance.now()

  constructor(needs: OfferNeeds, body: BodyOf<typeof offerRoutes.findOffers>, tokenId: number) {
    const arrival = parseNight(body.checkin) ?? 0
    const departure = parseNight(body.checkout) ?? 0
    const rooms = body.rooms.map(({ adults, childAges = [] }) => ({ adults, childAges }))
    this.#requested = { arrival, departure, rooms }
    this.#asked = { arrival, departure, rooms: roomTexts(rooms) }
    this.#beforeNights = textsBeforeNights(this.#requested)
    this.#needs = needs
    this.#tokenId = tokenId
    this.#explains = body.explain === true
    this.#traces = body.trace === true
    // Besides the stay itself, the day of departure counts.
    const around = this.#explains ? daysMovedMax : 0
    this.range = { firstDay: arrival - around, lastDay: departure + around }
    const datesWritten = this.#explains ? departure - arrival + 2 * around + 1 : 0
    this.#dates = Array.from({ length: datesWritten }, (_, index) => formatNight(this.range.firstDay + index))
    this.#bytes.add('{"code":"200","message":"Offers retrieved successfully","hotels":[')
  }

  /** `pausedUntilMs`: until when the hotel's supplier is not asked, and nothing booked. */
  async add(stay: HotelStay, pausedUntilMs: number | undefined): Promise<void> {
    const { catalog, revision } = stay
    const { hotelId, supplier, hotelCode, currency } = catalog
    const parties = this.#partiesIn(catalog)
    const nowMs = this.#needs.clock.now()
    const wanted = wantedStay(this.#requested, todayIn(catalog, nowMs), parties)
    const days = this.#daysOf(stay, parties)
    const heard = heardOf(stay, nowMs, pausedUntilMs)
    const texts = new OfferTexts(catalog, wanted, {
      nowMs: nowMs + catalog.aheadMs,
      beforeNights: this.#beforeNights,
      hasTrace: this.#traces,
    })
    const offers: string[] = []
    const unavailable: Unavailable[] = []
    for (const roomRate of catalog.roomRates) {
      const isSold = isOffered(catalog, roomRate, wanted)
      if (!isSold && !this.#explains) continue
      days.turnTo(roomRate)
      const quote = isSold ? quoteOf(days, roomRate, wanted) : undefined
      if (quote && !heard.answers?.soldOut(roomRate.key, this.#asked)) {
        const text = texts.text(roomRate, quote, liveOfOffer(heard, catalog, roomRate, this.#asked))
        this.#count(text)
        offers.push(text)
      } else if (this.#explains)
        unavailable.push(this.#explained(days, catalog, roomRate, { wanted, live: heard.answers }))
      if (this.#explains || ++this.#roomRates % roomRatesBetweenLooks === 0) await this.#breathe()
    }
    const head = { platformHotelId: String(hotelId), supplier, hotelId: hotelCode, currency, revision }
    const parts = [`${JSON.stringify(head).slice(0, -1)},"offers":[`, offers.join(), ']']
    if (this.#explains) this.#hotels.push({ catalog, parts, tested: unavailable })
    else this.#addHotel(parts)
  }

  async answer(notFound: readonly object[]): Promise<LongAnswer> {
    if (this.#explains) {
      const setBy = await readSetBy(this.#needs.db, this.#hotels)
      for (const hotel of this.#hotels)
        this.#addHotel([...hotel.parts, ',"unavailable":[', await this.#unavailableTexts(hotel, setBy), ']'])
    }
    this.#bytes.add(`],"notFound":${JSON.stringify(notFound)}}`)
    return { status: 200, bytes: this.#bytes.all() }
  }

  /** Adds a hotel, without its closing brace, in parts: joining them would copy the long ones once more. */
  #addHotel(parts: readonly string[]): void {
    if (this.#hotelsAdded++ > 0) this.#bytes.add(',')
    for (const part of parts) this.#bytes.add(part)
    this.#bytes.add('}')
  }

  /** One object for all hotels with the same parties: it keeps no state between two hotels. */
  #daysOf(stay: HotelStay, parties: Parties): RoomRateDays {
    const known = this.#daysByParties.get(parties)
    if (known) {
      known.turnToHotel(stay)
      return known
    }
    const { firstDay, lastDay } = this.range
    const days = new RoomRateDays(stay, { from: firstDay, days: lastDay - firstDay + 1 }, parties.priceFields)
    this.#daysByParties.set(parties, days)
    return days
  }

  #partiesIn({ minChildAge, maxChildAge }: BookingCatalog): Parties {
    const key = `${minChildAge}/${maxChildAge}`
    const parties =
      this.#partiesByAges.get(key) ?? partiesOf(this.#requested.rooms, { minChildAge, maxChildAge })
    this.#partiesByAges.set(key, parties)
    return parties
  }

  #explained(
    days: RoomRateDays,
    catalog: BookingCatalog,
    roomRate: BookableRoomRate,
    { wanted, live }: { wanted: WantedStay; live: LiveAnswers | undefined },
  ): Unavailable {
    const requested = this.#requested.rooms
    return {
      roomRate,
      rules: explain(days, catalog, roomRate, wanted, live?.soldOut(roomRate.key, this.#asked)),
      nearest: nearestOf(days, catalog, roomRate, { requested, wanted, live }),
    }
  }

  async #unavailableTexts({ catalog, tested }: FoundHotel, setBy: SetByOf): Promise<string> {
    const texts: string[] = []
    for (const { roomRate, rules, nearest } of tested) {
      const testedRules = rules.map(({ days, origin, ...rule }) => ({
        ...rule,
        dates: days.map((day) => this.#dates[day - this.range.firstDay]),
        setBy: setBy(catalog, roomRate, origin),
      }))
      const text = JSON.stringify({
        roomId: roomRate.room.code,
        rateId: roomRate.rate.code,
        rules: testedRules,
        nearest,
      })
      this.#count(text)
      texts.push(text)
      if (++this.#roomRates % roomRatesBetweenLooks === 0) await this.#breathe()
    }
    return texts.join()
  }

  #count(text: string): void {
    this.#characters += text.length
    if (this.#characters > offersAnswerMax) throw new Rejected(400, offerErrors.answerTooLarge)
  }

  async #breathe(): Promise<void> {
    if (performance.now() - this.#turnBeganMs < workAtOnceMs) return
    await this.#needs.searchTurns.nextSlice(this.#tokenId)
    this.#turnBeganMs = performance.now()
  }
}

/** Searches of more hotels take turns: their answers are large, and many at once would exhaust memory. */
const smallSearchHotelsMax = 20
/** Large searches at once, by token. The last places are reserved for tokens that have no search running. */
export const largeSearchesMax = { passing: 4, waiting: 100, inAll: { passing: 8, keptForOthers: 4 } }

/** Shares the process fairly between tokens, however many searches one token sends at once. */
export class SearchTurns {
  readonly #large = new Gate(largeSearchesMax)
  readonly #slices = new Gate({ passing: 1, waiting: Infinity, inAll: { passing: 1, keptForOthers: 0 } })
  readonly #limited: () => void

  /** `limited` is called for every search that is refused. */
  constructor(limited: () => void) {
    this.#limited = limited
  }

  /** Runs a search when it is its token's turn; throws OVERLOADED if too many of its searches are waiting. */
  async run<Result>(tokenId: number, hotels: number, search: () => Promise<Result>): Promise<Result> {
    if (hotels <= smallSearchHotelsMax) return search()
    const turn = this.#large.enter(tokenId)
    if (!turn) {
      this.#limited()
      throw overloaded()
    }
    await turn
    try {
      return await search()
    } finally {
      this.#large.leave(tokenId)
    }
  }

  /**
   * Called between two slices of a search's work. Handles newly arrived events first. Each turn of the event
   * loop then runs one slice of one search, and the next slice belongs to another token if one is waiting.
   */
  async nextSlice(tokenId: number): Promise<void> {
    await this.#slices.enter(tokenId)
    await breathe()
    setImmediate(() => this.#slices.leave(tokenId))
  }
}
