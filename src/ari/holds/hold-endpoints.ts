import { answer, on } from '../../http/calls/mount.ts'
import { cursorProblem, pageOf } from '../../http/calls/query.ts'
import { Rejected, type Problem } from '../../http/rejected.ts'
import { hotelNotFound } from '../../hotels/hotel-rules.ts'
import { lockHotel, selectOptionalHotel } from '../../hotels/store.ts'
import { transaction } from '../../postgres/transaction.ts'
import type { AriNeeds } from '../push/accept-ari.ts'
import { discardHolds as discard } from './discard-holds.ts'
import { guardLimits } from '../guard/contract.ts'
import { holdIdOf, readHoldId } from '../guard/hold-id.ts'
import { selectHolds } from '../guard/hold-store.ts'
import { holdRoutes } from '../guard/holds-contract.ts'
import { submitRelease } from './submit-release.ts'

/** POST /push/guard/holds. */
export const listHolds = ({ db, clock }: AriNeeds) =>
  on(holdRoutes.listHolds, async ({ body, caller: { supplierId } }) => {
    const { hotelId: hotelCode, state = 'open', limit = guardLimits.holdsPerPage.usual, cursor } = body
    const hotel = hotelCode === undefined ? undefined : await selectOptionalHotel(db, supplierId, hotelCode)
    if (hotelCode !== undefined && !hotel) throw new Rejected(404, hotelNotFound(hotelCode))
    const rows = await selectHolds(
      db,
      { supplierId, hotelId: hotel?.id, state, before: readCursor(cursor), limit: limit + 1 },
      clock.now(),
    )
    const { page, last } = pageOf(rows, limit)
    return answer(200, {
      code: '200',
      message: 'Holds retrieved successfully',
      holds: page.map(({ id, reason, atUs: _at, ...rest }) => ({
        holdId: holdIdOf(id),
        rule: reason,
        ...rest,
      })),
      nextCursor: last ? writeCursor(last) : null,
    })
  })

/** POST /push/guard/release. */
export const releaseHolds = (needs: AriNeeds) =>
  on(holdRoutes.releaseHolds, ({ body, push }) =>
    submitRelease(needs, push, { hotelCode: body.hotelId, holdIds: body.holdIds, by: 'supplier' }),
  )

/** POST /push/guard/discard. */
export const discardHolds = ({ db, clock }: AriNeeds) =>
  on(holdRoutes.discardHolds, async ({ body, caller: { supplierId } }) => {
    const { hotelId: hotelCode, holdIds } = body
    const discarded = await transaction(db, async (connection) => {
      const hotel = await lockHotel(connection, supplierId, hotelCode)
      if (!hotel) throw new Rejected(404, hotelNotFound(hotelCode))
      return discard(connection, hotel, { holdIds, by: 'supplier', nowMs: clock.now() })
    })
    return answer(200, {
      code: '200',
      message: 'Holds discarded successfully',
      hotelId: hotelCode,
      discarded,
    })
  })

/** The time and id of the previous page's last hold; opaque to callers, so that the format can change. */
function writeCursor({ atUs, id }: { atUs: string; id: string }): string {
  return Buffer.from(`${atUs} ${holdIdOf(id)}`).toString('base64url')
}

const cursorText = /^(\d{1,17}) (\S+)$/

function readCursor(cursor: string | undefined): { atUs: string; id: string } | undefined {
  if (cursor === undefined) return undefined
  const [, atUs, holdId = ''] = cursorText.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  const id = readHoldId(holdId)
  if (atUs !== undefined && id !== undefined) return { atUs, id }
  const problem: Problem = { ...cursorProblem(cursor), path: '/cursor' }
  throw new Rejected(400, problem)
}
