import type { AriNeeds } from '../../ari/push/accept-ari.ts'
import { guardErrors } from '../../ari/guard/contract.ts'
import { discardHolds } from '../../ari/holds/discard-holds.ts'
import { holdIdOf, readHoldId } from '../../ari/guard/hold-id.ts'
import { holdStates } from '../../ari/guard/holds-contract.ts'
import { submitRelease } from '../../ari/holds/submit-release.ts'
import { hotelNotFound } from '../../hotels/hotel-rules.ts'
import { lockHotel } from '../../hotels/store.ts'
import { answer, on, onEveryProblem, type Mounted } from '../../http/calls/mount.ts'
import { judgeQuery, pageOf, readLimit } from '../../http/calls/query.ts'
import { Rejected, reportedValue } from '../../http/rejected.ts'
import { audit } from '../../operators/accounts/audit.ts'
import type { Needs, Queryable } from '../../postgres/postgres.ts'
import { transaction } from '../../postgres/transaction.ts'
import { readNumber, readPosition, writePosition } from '../list-query.ts'
import { platformPush } from '../pushes/platform-push.ts'
import { consoleHoldsPerPage, holdConsoleRoutes } from './contract.ts'
import { searchHoldRows, selectOptionalHoldOwner, type HoldOwner, type HoldSearch } from './store.ts'

/** GET /holds. */
export const searchHolds = ({ db, clock }: Needs): Mounted =>
  onEveryProblem(holdConsoleRoutes.searchHolds, judgeSearch, async ({ read }) => {
    const { limit } = read
    const rows = await searchHoldRows(db, { ...read, limit: limit + 1 }, clock.now())
    const { page, last } = pageOf(rows, limit)
    return answer(200, {
      holds: page.map(({ id, atUs: _at, ...row }) => ({ holdId: holdIdOf(id), ...row })),
      nextCursor: last ? writePosition([last.atUs, last.id]) : null,
    })
  })

const positionText = /^(\d{1,17}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

const judgeSearch = judgeQuery((query, problems): HoldSearch => {
  const [atUs, id] = readPosition(query, positionText, problems) ?? []
  return {
    supplierId: readNumber('supplierId', query, problems),
    hotelId: readNumber('hotelId', query, problems),
    state: holdStates.find((one) => one === query['state']) ?? 'open',
    before: atUs === undefined || id === undefined ? undefined : { atUs, id },
    limit: readLimit(query['limit'], consoleHoldsPerPage, problems),
  }
})

/** POST /holds/{holdId}/release: as the supplier could, but logged as a push of the platform. */
export const releaseHold = (needs: AriNeeds): Mounted =>
  on(holdConsoleRoutes.releaseHold, async ({ params: { holdId }, body: { reason }, operator, requestId }) => {
    const { db, clock } = needs
    const owner = await ownerOf(db, holdId)
    // Before the release: a change that nobody recorded must not be possible.
    const after = { holdId, ...(reason === undefined ? {} : { reason }) }
    await audit(db, { operator, requestId, action: 'hold.release', subject: subjectOf(owner), after })
    const { hotelCode } = owner
    const sent = { hotelId: hotelCode, holdIds: [holdId] }
    const push = platformPush('release', owner, { requestId, body: sent, nowMs: clock.now() })
    return submitRelease(needs, push, { hotelCode, holdIds: [holdId], by: 'platform' })
  })

/** POST /holds/{holdId}/discard. */
export const discardHold = ({ db, clock }: Needs): Mounted =>
  on(holdConsoleRoutes.discardHold, async ({ params: { holdId }, body: { reason }, operator, requestId }) => {
    const owner = await ownerOf(db, holdId)
    const { supplierId, hotelCode } = owner
    const discarded = await transaction(db, async (connection) => {
      const hotel = await lockHotel(connection, supplierId, hotelCode)
      if (!hotel) throw new Rejected(404, hotelNotFound(hotelCode))
      const after = { holdId, ...(reason === undefined ? {} : { reason }) }
      await audit(connection, {
        operator,
        requestId,
        action: 'hold.discard',
        subject: subjectOf(owner),
        after,
      })
      return discardHolds(connection, hotel, { holdIds: [holdId], by: 'platform', nowMs: clock.now() })
    })
    return answer(200, { discarded })
  })

async function ownerOf(db: Queryable, holdId: string): Promise<HoldOwner> {
  const id = readHoldId(holdId)
  const owner = id === undefined ? undefined : await selectOptionalHoldOwner(db, id)
  if (owner) return owner
  throw new Rejected(404, { ...guardErrors.holdNotFound, path: 'holdId', value: reportedValue(holdId) })
}

function subjectOf({ hotelId, hotelCode }: HoldOwner): string {
  return `hotel ${hotelId} "${hotelCode}"`
}
