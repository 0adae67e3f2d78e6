import type { BookingCatalog } from '../../offers/stays/booking-catalog.ts'
import type { HotelFinder } from '../../offers/stay-request.ts'
import { readSetBy, type SetBy } from '../../offers/explain/set-by.ts'
import type { StayReader } from '../../offers/stays/stays.ts'
import { formatNight } from '../../base/calendar.ts'
import type { Gate } from '../../base/gate.ts'
import type { OwnedKey } from '../../http/calls/call.ts'
import type { Answered } from '../../http/calls/mount.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { overloaded, Rejected } from '../../http/rejected.ts'
import { transaction, type Transaction } from '../../postgres/transaction.ts'
import { selectCallback } from '../../webhooks/store.ts'
import type { RefusalDetails } from '../answer-contract.ts'
import { reservationErrors } from '../errors-contract.ts'
import type { BookingCalls } from './booking-calls.ts'
import { storeAnswer, repeatable, selectStoredAnswer, type Repeatable } from './stored-answers.ts'
import type { CardVault } from '../../cards/card-vault.ts'
import type { PriceChecker } from '../../price-check/checker.ts'
import { type DeliveryBell, endpointOf, noEndpoint, type QueuedDelivery } from '../outbox/delivery-queue.ts'
import { isSoldOut } from '../sale/tested-rate.ts'
import type { Forbidden } from '../sale/order.ts'
import { lockHotelForBooking, type LockedHotel } from '../store.ts'

export type BookNeeds = Needs & {
  stays: StayReader
  hotelsNamed: HotelFinder
  priceChecks: Pick<PriceChecker, 'check' | 'heard'>
  vault: CardVault
  deliveryBell: DeliveryBell
  /** Bookings of one hotel queue here, without holding a connection, instead of at its database lock. */
  bookingTurns: Gate
  bookingCalls: BookingCalls
  /** Who reads the answers, if not the platform: a supplier reads that the platform stopped a sale, but not who did. */
  reader?: 'supplier'
}

/** A locked hotel, and the endpoint where its supplier receives reservations. */
export type BookedHotel = LockedHotel & { endpoint: number }

/** One commits while the next prepares. */
export const bookingTurnsMax = { passing: 2, waiting: 1_000 }

/** An answer with the follow-up work it causes, from a transaction that is ready to commit. */
export type Booked<Body> = {
  answer: Answered<Body>
  queued: QueuedDelivery | undefined
  outcome: 'confirmed' | 'modified' | 'cancelled' | 'reported' | 'unchanged' | 'repeated'
}

type Call = {
  idempotencyKey: OwnedKey | undefined
  route: string
  reservationId?: string
  body?: Record<string, unknown>
}

/** The steps of a call, in order. */
type Steps<Found extends { hotelId: number }, Prepared, Opened, Body> = {
  find: () => Promise<Found>
  /** The slow work, before anything is locked. */
  prepare: (found: Found) => Promise<Prepared>
  /** Reads and locks made in the round trip that locks the hotel, after that lock. */
  open: (connection: Transaction, found: Found) => Promise<Opened>
  work: (
    connection: Transaction,
    context: { hotel: BookedHotel; opened: Opened; found: Found; prepared: Prepared },
  ) => Promise<Booked<Body>>
}

/**
 * Books, changes or cancels in one transaction, in the hotel's turn, and stores the answer for repeats. A
 * request that repeats another under the same Idempotency-Key gets the stored answer; none of the steps runs.
 * While the first call is under way, a repeat waits for it, or is told so if another process works on it.
 */
export async function runIdempotentBooking<Found extends { hotelId: number }, Prepared, Opened, Body>(
  needs: BookNeeds,
  { idempotencyKey, route, reservationId, body }: Call,
  steps: Steps<Found, Prepared, Opened, Body>,
): Promise<Answered<Body>> {
  const nowMs = needs.clock.now()
  if (body?.['dryRun'] === true) return rehearse(needs, steps)
  const request = repeatable(idempotencyKey, { route, reservationId, body }, needs.vault)
  if (!request) return book(needs, steps, undefined, nowMs)
  return needs.bookingCalls.run(needs.db, needs.log, { request, nowMs }, () =>
    book(needs, steps, request, nowMs),
  )
}

/** Ends the transaction of a dry run, so that nothing of it stays. */
class Rehearsed<Body> extends Error {
  readonly answer: Answered<Body>

  constructor(answer: Answered<Body>) {
    super('nothing is stored')
    this.answer = answer
  }
}

/** Does all of a call but its end. */
async function rehearse<Found extends { hotelId: number }, Prepared, Opened, Body>(
  needs: BookNeeds,
  steps: Steps<Found, Prepared, Opened, Body>,
): Promise<Answered<Body>> {
  try {
    const found = await steps.find()
    const [prepared] = await Promise.allSettled([steps.prepare(found)])
    return await inTurn(needs, found.hotelId, () =>
      transaction(needs.db, async (connection): Promise<never> => {
        const nowMs = needs.clock.now()
        const { answer } = await bookLocked(connection, { found, prepared }, steps, undefined, nowMs)
        throw new Rehearsed(answer)
      }),
    )
  } catch (error) {
    if (error instanceof Rehearsed) return error.answer
    throw error instanceof StayForbidden ? await refusalOf(needs, error) : error
  }
}

async function book<Found extends { hotelId: number }, Prepared, Opened, Body>(
  needs: BookNeeds,
  steps: Steps<Found, Prepared, Opened, Body>,
  request: Repeatable | undefined,
  nowMs: number,
): Promise<Answered<Body>> {
  try {
    const found = await steps.find()
    const [prepared] = await Promise.allSettled([steps.prepare(found)])
    // The first of two calls may still be booking: the refusal of the second one waits for its answer.
    if (prepared.status === 'rejected' && !(request && isRefusal(prepared.reason))) throw prepared.reason
    const { answer, queued, outcome } = await inTurn(needs, found.hotelId, () =>
      transaction(needs.db, (connection) =>
        bookLocked(connection, { found, prepared }, steps, request, nowMs),
      ),
    )
    needs.telemetry.bookings.inc({ outcome })
    if (queued) needs.deliveryBell.ring(queued)
    return answer
  } catch (error) {
    // The source of each rule is looked up only after the transaction has released the hotel.
    const thrown = error instanceof StayForbidden ? await refusalOf(needs, error) : error
    if (thrown instanceof Rejected && thrown.status === 409)
      needs.telemetry.bookings.inc({ outcome: thrown.problems[0]?.type.toLowerCase() ?? '' })
    throw thrown
  }
}

async function inTurn<Result>(
  needs: BookNeeds,
  hotelId: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const turn = needs.bookingTurns.enter(hotelId)
  if (!turn) {
    needs.telemetry.limited.inc({ limit: 'bookings_of_hotel' })
    throw overloaded()
  }
  await turn
  try {
    return await work()
  } finally {
    needs.bookingTurns.leave(hotelId)
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof StayForbidden || (error instanceof Rejected && error.status === 409)
}

/** Locks the hotel, does the work and stores its answer. */
async function bookLocked<Found extends { hotelId: number }, Prepared, Opened, Body>(
  connection: Transaction,
  { found, prepared }: { found: Found; prepared: PromiseSettledResult<Prepared> },
  { open, work }: Steps<Found, Prepared, Opened, Body>,
  request: Repeatable | undefined,
  nowMs: number,
): Promise<Booked<Body>> {
  const { hotelId } = found
  const [locked, callback, again, opened] = await connection.pipelined(() => [
    lockHotelForBooking(connection, hotelId),
    selectCallback(connection, hotelId, 'pushbook', nowMs),
    // The first of two concurrent calls has answered by now: both concern this hotel.
    request ? selectStoredAnswer<Body>(connection, request, nowMs) : Promise.resolve(undefined),
    open(connection, found),
  ])
  if (again) return { answer: again, queued: undefined, outcome: 'repeated' }
  if (prepared.status === 'rejected') throw prepared.reason
  const hotel = { ...locked, endpoint: callback ? endpointOf(callback.url) : noEndpoint }
  const booked = await work(connection, { hotel, opened, found, prepared: prepared.value })
  if (request) connection.lastly((later) => storeAnswer(later, request, booked.answer, nowMs))
  return booked
}

/** Thrown when rooms are unavailable; `runIdempotentBooking` turns it into an answer. */
export class StayForbidden extends Error {
  readonly catalog: BookingCatalog
  readonly forbidden: readonly Forbidden[]

  constructor(catalog: BookingCatalog, forbidden: readonly Forbidden[]) {
    super('the stay is forbidden')
    this.catalog = catalog
    this.forbidden = forbidden
  }
}

async function refusalOf(
  { db, reader }: BookNeeds,
  { catalog, forbidden }: StayForbidden,
): Promise<Rejected> {
  const setBy = await readSetBy(db, [{ catalog, tested: forbidden }])
  const rules = forbidden.flatMap(({ rooms, roomRate, rules: failed }) =>
    failed.map(({ days, origin, ...rule }) => {
      const by = setBy(catalog, roomRate, origin)
      const where = { rooms, roomId: roomRate.room.code, rateId: roomRate.rate.code }
      return {
        ...where,
        ...rule,
        dates: days.map(formatNight),
        ...(by ? { setBy: namedFor(reader, by) } : {}),
      }
    }),
  )
  const [first] = forbidden
  const error = isSoldOut(forbidden) ? reservationErrors.soldOut : reservationErrors.notBookable
  const extra: RefusalDetails = { rules }
  return new Rejected(409, { ...error, path: `/rooms/${first?.rooms[0] ?? 0}` }, { extra })
}

function namedFor(reader: BookNeeds['reader'], setBy: SetBy): SetBy {
  return reader === 'supplier' && 'operator' in setBy ? { ...setBy, operator: 'platform' } : setBy
}
