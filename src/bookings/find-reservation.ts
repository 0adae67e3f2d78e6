import type { Queryable } from '../postgres/postgres.ts'
import { Rejected, shown } from '../http/rejected.ts'
import { reservationFaults } from './faults-contract.ts'
import { selectOptionalReservation, type HeldReservation } from './store.ts'

/** Below 2^53, as all that is an id. */
const idText = /^[1-9]\d{0,14}$/

/** The reservation of an id as it was sent; 404 for anything that is none. */
export async function reservationOf(db: Queryable, id: string): Promise<HeldReservation> {
  const held = idText.test(id) ? await selectOptionalReservation(db, Number(id)) : undefined
  if (held) return held
  throw reservationNotFound(id)
}

export function reservationNotFound(id: string): Rejected {
  return new Rejected(404, { ...reservationFaults.notFound, path: 'id', value: shown(id) })
}
