import { parseNight } from '../../base/calendar.ts'
import type { OwnedKey } from '../../http/calls/call.ts'
import { answer, type Answered } from '../../http/calls/mount.ts'
import type { Problem } from '../../http/rejected.ts'
import type { Transaction } from '../../postgres/transaction.ts'
import {
  bookRooms,
  hotelIdOf,
  prepareRooms,
  queueVersion,
  acceptCard,
  cardExpiresAtMs,
  maskedCard,
  type PreparedRooms,
} from './book.ts'
import { saveCard, selectDeliversCards } from '../../cards/store.ts'
import { selectOptionalChannel } from '../../keys/store.ts'
import type { BookingAnswer, ReservationBody } from '../contract.ts'
import {
  runIdempotentBooking,
  type BookedHotel,
  type BookNeeds,
  type Booked,
} from '../idempotency/idempotent-booking.ts'
import { asksOf, refuseWithoutConsent } from '../owed/consent.ts'
import { changeOf } from './content.ts'
import { withoutCardsInRemarks } from './reservation-rules.ts'
import { refuseOtherCurrency } from './virtual-card.ts'
import { bookingAnswerOf } from './render-reservation.ts'
import { queuedAnew } from '../outbox/show-delivery.ts'
import { insertReservation, takeReservationId } from '../store.ts'

/** Books a validated body; a repeat under the same Idempotency-Key is booked once. */
export function createReservation(
  needs: BookNeeds,
  {
    body: sent,
    idempotencyKey,
    tokenId,
  }: {
    body: ReservationBody
    idempotencyKey: OwnedKey | undefined
    /** The platform's token, whose channel counts where the request says none. */
    tokenId?: number
  },
): Promise<Answered<BookingAnswer>> {
  const { body, warnings } = withoutCardsInRemarks(sent)
  const call = { idempotencyKey, route: 'createReservation', body }
  const prepare = async ({ hotelId }: { hotelId: number }) => {
    const { card } = body.payment
    if (card) acceptCard(card, await selectDeliversCards(needs.db, hotelId), needs.vault)
    const rooms = await prepareRooms(needs, hotelId, { body, present: undefined })
    refuseOtherCurrency(card, undefined, rooms.agreed.currency)
    return rooms
  }
  return runIdempotentBooking(needs, call, {
    find: async () => ({ hotelId: await hotelIdOf(needs, body.hotel) }),
    prepare,
    open: async (connection) => {
      const [reservationId, channel] = await Promise.all([
        body.dryRun === true ? 0 : takeReservationId(connection),
        body.channel ?? (tokenId === undefined ? undefined : selectOptionalChannel(connection, tokenId)),
      ])
      return { reservationId, ...(channel === undefined ? {} : { channel }) }
    },
    work: (connection, { hotel, opened: { reservationId, ...names }, prepared: rooms }) =>
      create(needs, connection, { hotel, reservationId, body: { ...body, ...names }, rooms, warnings }),
  })
}

async function create(
  needs: BookNeeds,
  connection: Transaction,
  booking: {
    hotel: BookedHotel
    reservationId: number
    body: ReservationBody
    rooms: PreparedRooms
    warnings: readonly Problem[]
  },
): Promise<Booked<BookingAnswer>> {
  const { hotel, reservationId, body, rooms } = booking
  const nowMs = needs.clock.now()
  const atMs = nowMs + hotel.aheadMs
  const { catalog, agreed, checks, lowered, unitsGivenUp } = await bookRooms(
    needs,
    connection,
    hotel,
    { body, present: undefined },
    rooms,
  )
  const { card, warnings: cardWarnings } = acceptCard(body.payment.card, hotel.deliversCards, needs.vault)
  const change = changeOf(body, {
    catalog,
    hotel,
    agreed,
    checks,
    card: card && maskedCard(card),
    present: undefined,
    unitsGivenUp,
    atMs,
  })
  const asks = body.dryRun === true ? asksOf(change) : undefined
  if (!asks) refuseWithoutConsent(body, change)
  const content = change.after
  const status = 'Confirm'
  const { supplierId, hotelId } = hotel
  const newVersion = { status, content, lowered, atMs } as const
  connection.lastly((later) =>
    insertReservation(later, { id: reservationId, supplierId, hotelId }, newVersion),
  )
  const id = String(reservationId)
  if (card) {
    const keepUntilMs = cardExpiresAtMs(parseNight(content.checkout) ?? 0) - hotel.aheadMs
    const sealed = needs.vault.seal(id, card)
    connection.lastly((later) => saveCard(later, reservationId, sealed, { version: 1, nowMs, keepUntilMs }))
  }
  const version = { id, hotelId, version: 1, status, modifiedAtMs: atMs, content } as const
  const queued = queueVersion(connection, version, hotel)
  const warnings = [...booking.warnings, ...cardWarnings, ...checks.warnings]
  const { aheadMs, endpoint } = hotel
  const stored = {
    ...version,
    id: reservationId,
    supplierId,
    createdAtMs: atMs,
    aheadMs,
    delivery: queuedAnew(undefined, { nowMs, aheadMs, endpoint }),
    confirmations: [],
    reports: [],
  }
  const confirmation = asks
    ? { code: '201', message: 'The reservation would be confirmed', warnings, asks }
    : { code: '201', message: 'Reservation confirmed', warnings }
  return {
    answer: answer(201, bookingAnswerOf(stored, nowMs, { ...confirmation, requested: body.rooms })),
    queued,
    outcome: 'confirmed',
  }
}
