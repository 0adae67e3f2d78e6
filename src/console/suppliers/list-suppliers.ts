import { answer, onEveryProblem, type Judge, type Mounted } from '../../http/mount.ts'
import type { Needs } from '../../postgres/needs.ts'
import { readableQuery, readCursor, readLimit, writeCursor } from '../../http/query.ts'
import { rejectIfAny } from '../../http/rejected.ts'
import type { AnswerOf } from '../../http/route.ts'
import { hotelsCounted, supplierRoutes, suppliersPerPage } from './contract.ts'
import { selectSuppliers } from './store.ts'

/** GET /suppliers: by name. */
export const listSuppliers = ({ db, clock }: Needs): Mounted =>
  onEveryProblem(supplierRoutes.listSuppliers, judge, async ({ query: { search }, read }) => {
    const { limit, afterId } = read
    const hotelsMax = hotelsCounted.inList
    const filter = { supplierId: undefined, search, afterId, hotelsMax, nowMs: clock.now() }
    // One row more than requested, to learn whether there is another page.
    const found = await selectSuppliers(db, filter, limit + 1)
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    const said: AnswerOf<typeof supplierRoutes.listSuppliers> = {
      suppliers: page.map(({ hotels, ...supplier }) => ({
        ...supplier,
        hotels: { count: Math.min(hotels, hotelsMax), isMore: hotels > hotelsMax },
      })),
      nextCursor: last ? writeCursor(last.supplierId) : null,
    }
    return answer(200, said)
  })

const judge: Judge<{ limit: number; afterId: number | undefined }> = (sent, shapeProblems) => {
  const { cursor, limit: most } = readableQuery(sent, shapeProblems)
  const wrong = [...shapeProblems]
  const afterId = readCursor(cursor, wrong)
  const limit = readLimit(most, suppliersPerPage, wrong)
  rejectIfAny(wrong)
  return { limit, afterId }
}
