import { Rejected } from '../../http/rejected.ts'
import type { HotelRow } from '../../hotels/store.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { guardErrors } from '../guard/contract.ts'
import { readHoldId } from '../guard/hold-id.ts'
import { discardOpenHolds, lockHolds } from '../guard/hold-store.ts'
import type { HoldEnder } from '../guard/holds-contract.ts'
import { notOpen } from '../commit/release-holds.ts'

/** Gives up holds of a hotel, which the caller has locked: all of them or none. Returns their number. */
export async function discardHolds(
  connection: Queryable,
  { id: hotelId }: Pick<HotelRow, 'id'>,
  { holdIds, by, nowMs }: { holdIds: readonly string[]; by: HoldEnder; nowMs: number },
): Promise<number> {
  const ids = holdIds.map(readHoldId)
  const known = ids.filter((id) => id !== undefined)
  const holds = new Map((await lockHolds(connection, hotelId, known)).map((hold) => [hold.id, hold]))
  for (const [index, id] of ids.entries()) {
    const hold = id === undefined ? undefined : holds.get(id)
    const value = holdIds[index]
    if (!hold) throw new Rejected(404, { ...guardErrors.holdNotFound, path: `/holdIds/${index}`, value })
    if (hold.state !== 'open') throw notOpen(hold.state, value, index)
  }
  await discardOpenHolds(connection, hotelId, { ids: known, by, nowMs })
  return holds.size
}
