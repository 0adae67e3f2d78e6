import { instantOf, optionalInstant } from '../../base/calendar.ts'
import { answer, onEveryProblem, type Mounted, on } from '../../http/calls/mount.ts'
import { minorText } from '../../base/money.ts'
import type { Needs } from '../../postgres/postgres.ts'
import {
  readCursor,
  readLimit,
  readSince,
  readUntil,
  writeCursor,
  judgeQuery,
  pageOf,
  type Query,
} from '../../http/calls/query.ts'
import type { Problem } from '../../http/rejected.ts'
import { invalid, readDay, readNumber } from '../list-query.ts'
import {
  readReservationId,
  reservationNotFound,
  reservationOf,
  selectHistory,
  type StoredReservation,
} from '../../bookings/store.ts'
import {
  reservationConsoleRoutes,
  reservationsPerPage,
  type ListedReservation,
  type ShownCard,
  type ShownVersion,
} from './contract.ts'
import {
  selectReservationRows,
  type ReservationRow,
  type ReservationSearch,
  selectNotes,
  selectAlerts,
  selectOptionalCardTerms,
  selectOptionalHotelOfReservation,
  insertNote,
} from './store.ts'
import type { PriceChecker } from '../../price-check/checker.ts'
import { listedCheckOf } from '../../price-check/render-check.ts'
import type { CheckRow } from '../../price-check/store.ts'
import { deliveryIdOf } from '../../bookings/outbox/delivery-queue.ts'
import { renderReservation, type RenderedReservation } from '../../bookings/book/render-reservation.ts'
import { supplierBody } from '../../deliveries/send/reservation-body.ts'
import { type DisplayedDelivery, notesShownMax, noteRoutes } from '../deliveries/contract.ts'
import { selectDeliveriesOf, type DeliveryRow } from '../deliveries/store.ts'
import { selectChecksOfReservation } from '../price-checks/store.ts'
import { cardFace, changesBetween } from './version-changes.ts'
import { endpointTextsOf, reachOf, deliveryWithTimeline } from '../deliveries/displayed-delivery.ts'
import { audit } from '../../operators/accounts/audit.ts'
import { selectCallback } from '../../webhooks/store.ts'
import { transaction } from '../../postgres/transaction.ts'
import { selectAttempts, type StoredAttempt } from '../../deliveries/on-request/attempts.ts'

/** GET /reservations. */
export const searchReservations = ({ db }: Needs): Mounted =>
  onEveryProblem(reservationConsoleRoutes.searchReservations, judge, async ({ read }) => {
    const rows = await selectReservationRows(db, { ...read, limit: read.limit + 1 })
    const { page, last } = pageOf(rows, read.limit)
    return answer(200, {
      reservations: page.map(listed),
      nextCursor: last ? writeCursor(last.id) : null,
    })
  })

const judge = judgeQuery((query, problems): ReservationSearch => {
  const arrivalFrom = readDay('arrivalFrom', query, problems)
  const arrivalTo = readDay('arrivalTo', query, problems)
  if (arrivalFrom !== undefined && arrivalTo !== undefined && arrivalTo < arrivalFrom)
    problems.push(invalid('arrivalTo', arrivalTo, 'must not be before arrivalFrom'))
  const reservationId =
    query['reservation'] === undefined ? undefined : readReservationId(query['reservation'])
  if (query['reservation'] !== undefined && reservationId === undefined)
    problems.push(
      invalid('reservation', query['reservation'], 'must be the number of a reservation, for example 55191'),
    )
  return {
    supplierId: readNumber('supplierId', query, problems),
    hotelId: readNumber('hotelId', query, problems),
    reservationId,
    status: query['status'] === 'Confirm' || query['status'] === 'Cancel' ? query['status'] : undefined,
    arrivalFrom,
    arrivalTo,
    guest: query['guest'],
    clientReference: query['clientReference'],
    channel: query['channel'],
    ...readCreated(query, problems),
    isUndelivered: query['undelivered'] === 'true',
    beforeId: readCursor(query['cursor'], problems),
    limit: readLimit(query['limit'], reservationsPerPage, problems),
  }
})

function readCreated(
  { createdSince, createdUntil }: Query,
  problems: Problem[],
): Pick<ReservationSearch, 'createdSinceMs' | 'createdUntilMs'> {
  const createdSinceMs = readSince('createdSince', createdSince, problems)
  const createdUntilMs = readUntil('createdUntil', createdUntil, problems)
  if (createdSinceMs !== undefined && createdUntilMs !== undefined && createdUntilMs <= createdSinceMs)
    problems.push(invalid('createdUntil', createdUntil, 'must not be before createdSince'))
  return { createdSinceMs, createdUntilMs }
}

function listed(row: ReservationRow): ListedReservation {
  const { id, afterTax, minorDigits, createdAtMs, modifiedAtMs, state, attempts, ...unchanged } = row
  return {
    reservationId: id,
    ...unchanged,
    afterTax: minorText(afterTax, minorDigits),
    createdAt: instantOf(createdAtMs),
    modifiedAt: instantOf(modifiedAtMs),
    delivery: state ?? 'queued',
    attempts: attempts ?? 0,
  }
}

/** GET /reservations/{reservationId}. */
export const showReservation = (needs: Needs & { priceChecks: PriceChecker }): Mounted =>
  on(reservationConsoleRoutes.showReservation, async ({ params, operator }) => {
    const { db } = needs
    const isOfSupplier = operator.supplier !== undefined
    await needs.priceChecks.ledger.written()
    const reservation = await reservationOf(db, params.reservationId)
    const [hotel, history, deliveries, notes, card] = await Promise.all([
      selectOptionalHotelOfReservation(db, reservation.hotelId),
      selectHistory(db, reservation.id),
      selectDeliveriesOf(db, reservation.id),
      selectNotes(db, reservation.id, notesShownMax),
      isOfSupplier ? null : cardOf(needs, reservation),
    ])
    // Removed since it was found, with everything that belongs to it.
    if (!hotel || history.length === 0) throw reservationNotFound(params.reservationId)
    const ids = deliveries.map(({ id }) => id)
    const versions = history
      .map((version): StoredReservation => ({ ...reservation, ...version }))
      .map((version) => (isOfSupplier ? withoutCard(version) : version))
    const [attempts, alerts, checks, endpointTexts, callback] = await Promise.all([
      selectAttempts(db, ids),
      selectAlerts(db, ids),
      selectChecksOfReservation(db, reservation.supplierId, versions.map(checksNamed)),
      endpointTextsOf(db, deliveries),
      selectCallback(db, reservation.hotelId, 'pushbook', needs.clock.now()),
    ])
    const attemptsById = Map.groupBy(attempts, ({ deliveryId }) => deliveryId)
    const shown = renderReservation(reservation, needs.clock.now())
    return answer(200, {
      reservation: {
        reservationId: reservation.id,
        version: reservation.version,
        status: reservation.status,
        supplierId: reservation.supplierId,
        hotelId: reservation.hotelId,
        ...hotel,
        ...asThePlatformReads(shown),
        card,
        reach: reachOf(reservation.version, deliveries, attemptsById),
        hasUrl: callback !== undefined,
        versions: listedVersions(versions),
        priceChecks: checks.map(withVersion(versions)),
        deliveries: withTimelines(deliveries, endpointTexts, attemptsById),
        alerts: alerts.map(({ deliveryId, reason, atMs, clearedAtMs }) => ({
          deliveryId: deliveryIdOf(deliveryId),
          reason,
          at: instantOf(atMs),
          clearedAt: optionalInstant(clearedAtMs),
        })),
        notes,
        body: supplierBody([{ ...reservation, id: String(reservation.id) }]),
      },
    })
  })

function asThePlatformReads(shown: RenderedReservation) {
  const { checkin, checkout, currency, createdAt, modifiedAt, rooms, customer, total, forfeited } = shown
  const { penalty, pricesAre, commissionPercent, commission, amountPayable, confirmations, reports } = shown
  const { clientReference = null, channel = null, payment } = shown
  return {
    checkin,
    checkout,
    currency,
    createdAt,
    modifiedAt,
    rooms,
    customer,
    paymentType: payment.type,
    total,
    forfeited,
    penalty,
    pricesAre,
    commissionPercent,
    commission,
    amountPayable,
    clientReference,
    channel,
    confirmations,
    reports,
  }
}

function withoutCard(reservation: StoredReservation): StoredReservation {
  const { content } = reservation
  return { ...reservation, content: { ...content, payment: { type: content.payment.type } } }
}

async function cardOf({ db, clock }: Needs, { id, content }: StoredReservation): Promise<ShownCard | null> {
  const { card } = content.payment
  if (!card) return null
  const terms = await selectOptionalCardTerms(db, id, clock.now())
  return {
    ...cardFace(card),
    keptUntil: terms ? instantOf(terms.keptUntilMs) : null,
    isCvvKept: terms?.isCvvKept ?? false,
    virtual: card.virtual ?? null,
  }
}

function withTimelines(
  deliveries: readonly DeliveryRow[],
  endpointTexts: ReadonlyMap<number, string>,
  attemptsById: ReadonlyMap<string, readonly StoredAttempt[]>,
): DisplayedDelivery[] {
  return deliveries.map((one) => deliveryWithTimeline(one, endpointTexts, attemptsById.get(one.id) ?? []))
}

/** Newest first. */
function listedVersions(versions: readonly StoredReservation[]): ShownVersion[] {
  return versions
    .map((reservation, index) => {
      const former = versions[index - 1]
      const { version, status, modifiedAtMs } = reservation
      const { total } = renderReservation(reservation, modifiedAtMs - reservation.aheadMs)
      const changes = former ? changesBetween(former, reservation) : { changes: [], moreChanges: 0 }
      return { version, status, at: instantOf(modifiedAtMs), total, ...changes }
    })
    .reverse()
}

/** The price checks that a version refers to, and when the version was made. */
function checksNamed({ modifiedAtMs, content }: StoredReservation): { atMs: number; checkIds: string[] } {
  return { atMs: modifiedAtMs, checkIds: content.priceChecks.map(({ priceCheckId }) => priceCheckId) }
}

/** A check belongs to the first version that refers to it; later versions with the same rooms only repeat it. */
const withVersion = (versions: readonly StoredReservation[]) => (row: CheckRow) => {
  const owner = versions.find(({ content }) =>
    content.priceChecks.some(({ priceCheckId }) => priceCheckId === row.checkId),
  )
  return { ...listedCheckOf(row), version: owner?.version ?? 0 }
}

/** POST /reservations/{reservationId}/notes. */
export const addReservationNote = ({ db, clock }: Needs): Mounted =>
  on(noteRoutes.addReservationNote, async ({ params, body, operator, requestId }) => {
    const { id } = await reservationOf(db, params.reservationId)
    const note = { at: instantOf(clock.now()), operator: operator.name, text: body.text }
    await transaction(db, async (connection) => {
      if (!(await insertNote(connection, id, note))) throw reservationNotFound(params.reservationId)
      const after = { text: note.text }
      const subject = `reservation ${id}`
      await audit(connection, { operator, requestId, action: 'reservation.note', subject, after })
    })
    return answer(201, { note })
  })
