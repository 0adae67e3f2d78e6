import { writeBlocks, writeVersions } from '../ari/store.ts'
import type { HotelStay } from '../offers/stays.ts'
import { parseNight } from '../base/calendar.ts'
import type { Transaction } from '../postgres/transaction.ts'
import { queueDelivery, type QueuedDelivery } from './delivery-queue.ts'
import type { Order, Quoted } from './quote-rooms.ts'
import type { ReservationVersion } from './state.ts'
import type { BookedHotel } from './idempotent-booking.ts'
import type { LockedHotel } from './store.ts'
import { loweredBlocks } from './units.ts'

/**
 * Takes the units of a quote out of the hotel's inventory, together with the commit of the transaction that
 * locked the hotel and made the quote. Returns the revision that shows it; undefined when no revision was
 * needed.
 */
export function lowerInventory(
  connection: Transaction,
  hotel: LockedHotel,
  { stay, order, quoted }: { stay: HotelStay; order: Order; quoted: Quoted },
  nowMs: number,
): number | undefined {
  const revision = hotel.revision + 1
  const { currencyRevision } = hotel
  const stamp = { revision, sequence: undefined, keyId: 0, currencyRevision }
  const lowered = loweredBlocks(stay, quoted.units, order.before, stamp)
  if (lowered.length === 0) return undefined
  const written = { id: stay.catalog.hotelId, revision, revisionBefore: hotel.revision }
  const keys = lowered.map(({ key }) => key)
  connection.lastly((later) => writeBlocks(later, lowered, nowMs))
  connection.lastly((later) => writeVersions(later, [{ hotel: written, keys }], 'reservation', nowMs))
  return revision
}

/** Queues the delivery of a version, together with the commit of the transaction that creates it. */
export function queueVersion(
  connection: Transaction,
  { id, hotelId, version, status, modifiedAtMs, content }: Omit<ReservationVersion, 'createdAtMs'>,
  { supplierId, timeZone, aheadMs, endpoint }: BookedHotel,
): QueuedDelivery {
  return queueDelivery(connection, {
    reservationId: Number(id),
    version,
    status,
    supplierId,
    hotelId,
    timeZone,
    endpoint,
    arrival: parseNight(content.checkin) ?? 0,
    nowMs: modifiedAtMs - aheadMs,
    aheadMs,
  })
}
