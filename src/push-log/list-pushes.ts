import type { Needs } from '../postgres/needs.ts'
import { writeCursor } from '../http/query.ts'
import { answer, onEveryProblem } from '../http/mount.ts'
import { pageLimit, pushLogRoutes } from './contract.ts'
import { judgePage } from './page-query.ts'
import { selectPushes } from './store.ts'

/** GET /push/log. */
export const listPushes = (needs: Needs) =>
  onEveryProblem(pushLogRoutes.listPushes, judgePage(needs, pageLimit), async ({ query, caller, read }) => {
    const { limit, ...place } = read
    const filter = { ...place, kind: query.kind, outcome: query.outcome, problem: query.problem }
    // One more than asked for tells whether there is another page.
    const { pushes, searchedToId } = await selectPushes(needs.db, caller.supplierId, filter, limit + 1)
    const page = pushes.slice(0, limit)
    const lastId = pushes.length > limit ? page.at(-1)?.id : searchedToId
    return answer(200, {
      code: '200',
      message: 'Pushes retrieved successfully',
      pushes: page.map(({ id: _id, ...entry }) => entry),
      nextCursor: lastId === undefined ? null : writeCursor(lastId),
    })
  })
