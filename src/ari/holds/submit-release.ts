import type { Push } from '../../http/calls/call.ts'
import type { Answer } from '../../http/calls/mount.ts'
import { Rejected } from '../../http/rejected.ts'
import { todayIn } from '../../hotels/hotel-clock.ts'
import { hotelNotFound } from '../../hotels/hotel-rules.ts'
import type { AriNeeds } from '../push/accept-ari.ts'
import type { HoldEnder } from '../guard/holds-contract.ts'

/** For the lane of a release, whose size is known only under the lock: not that of small pushes. */
const cellsExpected = 5_000

/** Applies what is held of a hotel, in a group with other pushes. */
export async function submitRelease(
  { catalogs, committer, clock }: Pick<AriNeeds, 'catalogs' | 'committer' | 'clock'>,
  push: Push,
  { hotelCode, holdIds, by }: { hotelCode: string; holdIds?: readonly string[] | undefined; by: HoldEnder },
): Promise<Answer> {
  const catalog = await catalogs.of({ supplierId: push.caller.supplierId, hotelCode })
  if (!catalog) throw new Rejected(404, hotelNotFound(hotelCode))
  const nowMs = clock.now()
  return committer.submit({
    push,
    body: { hotelId: hotelCode, ari: [] },
    problemsByItem: new Map(),
    catalog,
    plan: { items: [], cells: cellsExpected, refused: [], nowMs, today: todayIn(catalog, nowMs) },
    release: { holdIds, by },
  })
}
