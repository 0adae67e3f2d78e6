import { answer, on, type Mounted } from '../../http/mount.ts'
import type { Needs } from '../../postgres/needs.ts'
import type { AnswerOf } from '../../http/route.ts'
import type { PriceChecker } from '../../price-check/checker.ts'
import { listedCheckOf } from '../../price-check/listed-check.ts'
import type { CheckRow } from '../../price-check/store.ts'
import { deliveryIdOf } from '../../bookings/delivery-queue.ts'
import { reservationNotFound, reservationOf } from '../../bookings/find-reservation.ts'
import { shownReservation } from '../../bookings/show.ts'
import { selectHistory, type HeldReservation } from '../../bookings/store.ts'
import { supplierBody } from '../../deliveries/reservation-body.ts'
import type { ShownDelivery } from '../deliveries/contract.ts'
import {
  selectAttemptsOf,
  selectDeliveriesOf,
  type AttemptRow,
  type DeliveryRow,
} from '../deliveries/store.ts'
import { notesShownMax } from './note-contract.ts'
import { selectNotes } from './note-store.ts'
import { selectChecksOfReservation } from '../price-checks/store.ts'
import { reservationConsoleRoutes, type ShownCard, type ShownVersion } from './contract.ts'
import { selectAlerts, selectOptionalCardTerms, selectOptionalHotelOfReservation } from './store.ts'
import { shownCardFace } from './shown-card.ts'
import {
  instantOf,
  optionalInstant,
  placesOf,
  reachOf,
  shownWithTimeline,
} from '../deliveries/shown-delivery.ts'
import { changesBetween } from '../pushes/version-changes.ts'

/** GET /reservations/{reservationId}. */
export const showReservation = (needs: Needs & { priceChecks: PriceChecker }): Mounted =>
  on(reservationConsoleRoutes.showReservation, async ({ params }) => {
    const { db } = needs
    await needs.priceChecks.ledger.written()
    const held = await reservationOf(db, params.reservationId)
    const [hotel, history, deliveries, notes, card] = await Promise.all([
      selectOptionalHotelOfReservation(db, held.hotelId),
      selectHistory(db, held.id),
      selectDeliveriesOf(db, held.id),
      selectNotes(db, held.id, notesShownMax),
      shownCard(needs, held),
    ])
    // Removed since it was found, with everything that belongs to it.
    if (!hotel || history.length === 0) throw reservationNotFound(params.reservationId)
    const ids = deliveries.map(({ id }) => id)
    const versions = history.map((version): HeldReservation => ({ ...held, ...version }))
    const [attempts, alerts, checks, places] = await Promise.all([
      selectAttemptsOf(db, ids),
      selectAlerts(db, ids),
      selectChecksOfReservation(db, held.supplierId, versions.map(checksNamed)),
      placesOf(db, deliveries),
    ])
    const attemptsById = Map.groupBy(attempts, ({ deliveryId }) => deliveryId)
    const { rooms, customer, payment, total, penalty, checkin, checkout, currency } = shownReservation(held)
    const said: AnswerOf<typeof reservationConsoleRoutes.showReservation> = {
      reservation: {
        reservationId: held.id,
        version: held.version,
        status: held.status,
        supplierId: held.supplierId,
        hotelId: held.hotelId,
        ...hotel,
        checkin,
        checkout,
        currency,
        createdAt: instantOf(held.createdAtMs),
        modifiedAt: instantOf(held.modifiedAtMs),
        rooms,
        customer,
        paymentType: payment.type,
        total,
        penalty,
        card,
        reach: reachOf(held.version, deliveries, attemptsById),
        versions: shownVersions(versions),
        priceChecks: checks.map(withVersion(versions)),
        deliveries: withTimelines(deliveries, places, attemptsById),
        alerts: alerts.map(({ deliveryId, reason, atMs, clearedAtMs }) => ({
          deliveryId: deliveryIdOf(deliveryId),
          reason,
          at: instantOf(atMs),
          clearedAt: optionalInstant(clearedAtMs),
        })),
        notes,
        body: supplierBody([{ ...held, id: String(held.id) }]),
      },
    }
    return answer(200, said)
  })

async function shownCard({ db, clock }: Needs, { id, content }: HeldReservation): Promise<ShownCard | null> {
  const { card } = content.payment
  if (!card) return null
  const kept = await selectOptionalCardTerms(db, id, clock.now())
  return {
    ...shownCardFace(card),
    keptUntil: kept ? instantOf(kept.keptUntilMs) : null,
    isCvvKept: kept?.isCvvKept ?? false,
  }
}

function withTimelines(
  deliveries: readonly DeliveryRow[],
  places: ReadonlyMap<number, string>,
  attemptsById: ReadonlyMap<string, readonly AttemptRow[]>,
): ShownDelivery[] {
  return deliveries.map((one) => shownWithTimeline(one, places, attemptsById.get(one.id) ?? []))
}

/** Newest first. */
function shownVersions(versions: readonly HeldReservation[]): ShownVersion[] {
  return versions
    .map((held, index) => {
      const former = versions[index - 1]
      const { version, status, modifiedAtMs } = held
      const { total } = shownReservation(held)
      const changes = former ? changesBetween(former, held) : { changes: [], moreChanges: 0 }
      return { version, status, at: instantOf(modifiedAtMs), total, ...changes }
    })
    .reverse()
}

/** The price checks that a version refers to, and when the version was made. */
function checksNamed({ modifiedAtMs, content }: HeldReservation): { atMs: number; checkIds: string[] } {
  return { atMs: modifiedAtMs, checkIds: content.priceChecks.map(({ priceCheckId }) => priceCheckId) }
}

/** A check belongs to the first version that refers to it; later versions with the same rooms only repeat it. */
const withVersion = (versions: readonly HeldReservation[]) => (row: CheckRow) => {
  const owner = versions.find(({ content }) =>
    content.priceChecks.some(({ priceCheckId }) => priceCheckId === row.checkId),
  )
  return { ...listedCheckOf(row), version: owner?.version ?? 0 }
}
