import { answer, onEveryProblem, type Mounted } from '../http/mount.ts'
import type { Needs } from '../postgres/needs.ts'
import { readPlace, writeCursor } from '../http/query.ts'
import { judgePage } from '../push-log/page-query.ts'
import type { PriceChecker } from './checker.ts'
import { checksPerPage, priceCheckRoutes } from './contract.ts'
import { listedCheckOf } from './listed-check.ts'
import { readDrift } from './read-drift.ts'
import { selectChecks } from './store.ts'

/** GET /push/priceChecks. */
export const listPriceChecks = (needs: Needs & { priceChecks: PriceChecker }): Mounted =>
  onEveryProblem(
    priceCheckRoutes.listPriceChecks,
    judgePage(needs, (query, wrong) => readPlace(query, checksPerPage, wrong)),
    async ({ query, caller, read }) => {
      await needs.priceChecks.ledger.written()
      const { limit, hotel, ...place } = read
      const { roomId, rateId, outcome } = query
      const filter = { ...place, hotel, roomId, rateId, outcome }
      // One more than requested shows whether there is another page.
      const found = await selectChecks(needs.db, caller.supplierId, filter, limit + 1)
      const page = found.slice(0, limit)
      const last = found.length > limit ? page.at(-1) : undefined
      const isFirstPage = place.beforeId === undefined
      const drift =
        hotel === undefined || !isFirstPage ? undefined : await readDrift(needs.db, { hotel, roomId, rateId })
      return answer(200, {
        code: '200',
        message: 'Price checks retrieved successfully',
        priceChecks: page.map(listedCheckOf),
        nextCursor: last ? writeCursor(last.id) : null,
        ...(drift ? { drift } : {}),
      })
    },
  )
