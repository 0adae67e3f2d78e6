import type { Queryable } from '../postgres/postgres.ts'
import { Rejected, shown } from '../http/rejected.ts'
import { reservationFaults } from './faults-contract.ts'
import { selectOptionalReservation, type HeldReservation } from './store.ts'

/** The reservation of an id as it was sent; 404 for anything that is none. */
export async function reservationOf(db: Queryable, text: string): Promise<HeldReservation> {
  const id = readReservationId(text)
  const held = id === undefined ? undefined : await selectOptionalReservation(db, id)
  if (held) return held
  throw reservationNotFound(text)
}

/** Below 2^53, as all that is an id. */
const idText = /^[1-9]\d{0,14}$/

/** reservation_id as suppliers and the platform write it; undefined for what none of ours can be. */
export function readReservationId(text: string): number | undefined {
  return idText.test(text) ? Number(text) : undefined
}

export function reservationNotFound(id: string): Rejected {
  return new Rejected(404, { ...reservationFaults.notFound, path: 'id', value: shown(id) })
}
