import { performance } from 'node:perf_hooks'
import {
  referenceNotFound,
  type HotelFinder,
  referenceProblems,
  stayProblems,
} from '../offers/stay-request.ts'
import { oneOffer, type Offer } from '../offers/search/one-offer.ts'
import type { BookableRoomRate, BookingCatalog } from '../offers/stays/booking-catalog.ts'
import type { HotelStay, StayReader } from '../offers/stays/stays.ts'
import { parseNight } from '../base/calendar.ts'
import { answer, onEveryProblem, type Mounted } from '../http/calls/mount.ts'
import type { Needs } from '../postgres/postgres.ts'
import { Rejected, rejectIfAny, reportedValue, type Problem } from '../http/rejected.ts'
import type { BodyOf } from '../http/route.ts'
import { isRecord } from '../http/validation/validate.ts'
import type { CheckQuery, PriceCheck, PriceChecker } from './checker.ts'
import { priceCheckErrors, priceCheckRoutes, checksPerPage } from './contract.ts'
import { comparedOf, listedCheckOf, readDrift } from './render-check.ts'
import { readListRange, writeCursor } from '../http/calls/query.ts'
import { judgePage } from '../push-log/read/pages.ts'
import { selectChecks } from './store.ts'
import { warningsOf } from './terms.ts'

export type PriceCheckNeeds = Needs & {
  stays: StayReader
  hotelsNamed: HotelFinder
  priceChecks: PriceChecker
}

type Body = BodyOf<typeof priceCheckRoutes.checkPrice>

/** POST /booking/priceCheck. */
export const checkPrice = (needs: PriceCheckNeeds): Mounted =>
  onEveryProblem(
    priceCheckRoutes.checkPrice,
    (body, shapeProblems) => rejectIfAny([...shapeProblems, ...problemsOf(body)]),
    async ({ body, requestId }) => {
      const beganMs = performance.now()
      const arrival = parseNight(body.checkin) ?? 0
      const departure = parseNight(body.checkout) ?? 0
      const stay = await hotelStay(needs, body, { firstDay: arrival, lastDay: departure })
      const roomRate = roomRateOf(stay.catalog, body)
      const { roomCount = 1, adultCount: adults, childAges = [] } = body
      const room = { adults, childAges }
      const rooms = { roomCount, unitsNeeded: roomCount, room }
      const query = { stay, roomRate, requestId, arrival, departure, ...rooms }
      const checked = await needs.priceChecks.check(query, beganMs)
      const warnings = warningsOf(checked.termsDiffer, '/rateId')
      return answer(200, {
        code: '200',
        message: 'Price checked',
        priceCheckId: checked.priceCheckId,
        ...comparedOf(checked, stay.catalog),
        offer: offerOf(query, checked, needs.clock.now()),
        ...(warnings.length > 0 ? { warnings } : {}),
      })
    },
  )

/** As it would be booked: what is closed by stored data, or refused after the answer, is not offered. */
function offerOf(query: CheckQuery, checked: PriceCheck, nowMs: number): Offer | null {
  const { isBookable, isRejectedForTerms, outcome, live } = checked
  const isSoldLive = outcome === 'price_changed' && !isRejectedForTerms
  if (!isBookable && !isSoldLive) return null
  return oneOffer(query, { said: live, isSoldLive }, nowMs) ?? null
}

function problemsOf(body: unknown): Problem[] {
  return isRecord(body) ? [...referenceProblems(body['hotel'], '/hotel'), ...stayProblems(body)] : []
}

async function hotelStay(
  { stays, hotelsNamed }: PriceCheckNeeds,
  { hotel }: Body,
  range: { firstDay: number; lastDay: number },
): Promise<HotelStay> {
  const [id] = await hotelsNamed([hotel])
  const stay = id === undefined ? undefined : (await stays.read([id], range)).get(id)
  if (!stay) throw referenceNotFound(hotel)
  return stay
}

function roomRateOf({ roomRates }: BookingCatalog, { roomId, rateId }: Body): BookableRoomRate {
  const ofRoom = roomRates.filter(({ room }) => room.code === roomId)
  const found = ofRoom.find(({ rate }) => rate.code === rateId)
  if (found) return found
  const room = { ...priceCheckErrors.roomNotFound, path: '/roomId', value: reportedValue(roomId) }
  const rate = { ...priceCheckErrors.rateNotFound, path: '/rateId', value: reportedValue(rateId) }
  if (ofRoom.length > 0) throw new Rejected(404, rate)
  const isRateKnown = roomRates.some((one) => one.rate.code === rateId)
  throw new Rejected(404, isRateKnown ? room : [room, rate])
}

/** GET /push/priceChecks. */
export const listPriceChecks = (needs: Needs & { priceChecks: PriceChecker }): Mounted =>
  onEveryProblem(
    priceCheckRoutes.listPriceChecks,
    judgePage(needs, (query, problems) => readListRange(query, checksPerPage, problems)),
    async ({ query, caller, read }) => {
      await needs.priceChecks.ledger.written()
      const { limit, hotel, ...place } = read
      const { roomId, rateId, outcome } = query
      const filter = { ...place, hotel, roomId, rateId, outcome }
      // One more than requested shows whether there is another page.
      const found = await selectChecks(needs.db, caller.supplierId, filter, limit + 1)
      const page = found.slice(0, limit)
      const last = found.length > limit ? page.at(-1) : undefined
      const isFirstPage = place.beforeId === undefined
      const drift =
        hotel === undefined || !isFirstPage ? undefined : await readDrift(needs.db, { hotel, roomId, rateId })
      return answer(200, {
        code: '200',
        message: 'Price checks retrieved successfully',
        priceChecks: page.map(listedCheckOf),
        nextCursor: last ? writeCursor(last.id) : null,
        ...(drift ? { drift } : {}),
      })
    },
  )
