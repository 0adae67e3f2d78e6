import type { Queryable } from '../postgres/postgres.ts'
import { Rejected, shown } from '../http/rejected.ts'
import { reservationFaults } from './faults-contract.ts'
import { selectOptionalReservation, type HeldReservation } from './store.ts'

/** Finds a reservation by the id as sent; throws 404 if the text is not a known id. */
export async function reservationOf(db: Queryable, text: string): Promise<HeldReservation> {
  const id = readReservationId(text)
  const held = id === undefined ? undefined : await selectOptionalReservation(db, id)
  if (held) return held
  throw reservationNotFound(text)
}

/** Below 2^53, like every id. */
const idText = /^[1-9]\d{0,14}$/

/**
 * Parses reservation_id as suppliers and the platform write it; undefined if it cannot be one of our ids.
 */
export function readReservationId(text: string): number | undefined {
  return idText.test(text) ? Number(text) : undefined
}

export function reservationNotFound(id: string): Rejected {
  return new Rejected(404, { ...reservationFaults.notFound, path: 'id', value: shown(id) })
}
