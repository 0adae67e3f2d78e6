import { updateBlocks, writeVersions } from '../ari/store.ts'
import type { HotelStay } from '../offers/stays.ts'
import { parseNight } from '../platform/calendar.ts'
import type { Queryable } from '../platform/postgres.ts'
import { queueDelivery, type QueuedDelivery } from './delivery-queue.ts'
import type { Order, Quoted } from './quote-rooms.ts'
import type { ReservationVersion } from './state.ts'
import type { LockedHotel } from './store.ts'
import { loweredBlocks } from './units.ts'

/**
 * Takes the units of a quote out of the hotel's inventory, inside the transaction that holds the hotel and has made the
 * quote. Returns the revision that shows it; undefined where none was needed.
 */
export async function lowerInventory(
  connection: Queryable,
  hotel: LockedHotel,
  { stay, order, quoted }: { stay: HotelStay; order: Order; quoted: Quoted },
  nowMs: number,
): Promise<number | undefined> {
  const revision = hotel.revision + 1
  const { currencyRevision } = hotel
  const stamp = { revision, sequence: undefined, keyId: 0, currencyRevision }
  const lowered = loweredBlocks(stay, quoted.units, order.before, stamp)
  if (lowered.length === 0) return undefined
  await updateBlocks(connection, lowered, nowMs)
  const written = { id: stay.catalog.hotelId, revision, revisionBefore: hotel.revision }
  const keys = lowered.map(({ key }) => key)
  await writeVersions(connection, [{ hotel: written, keys }], 'reservation', nowMs)
  return revision
}

/** Queues the delivery of a version, inside the transaction that makes it. */
export function queueVersion(
  connection: Queryable,
  { id, hotelId, version, status, modifiedAtMs, content }: Omit<ReservationVersion, 'createdAtMs'>,
  { supplierId, timeZone }: LockedHotel,
): Promise<QueuedDelivery> {
  return queueDelivery(connection, {
    reservationId: Number(id),
    version,
    status,
    supplierId,
    hotelId,
    timeZone,
    arrival: parseNight(content.checkin) ?? 0,
    nowMs: modifiedAtMs,
  })
}
