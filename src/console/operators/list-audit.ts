import { selectAudit, type AuditFilter } from '../../operators/audit-store.ts'
import { answer, onEveryProblem, type Judge, type Mounted } from '../../http/mount.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { readableQuery, readPlace, writeCursor } from '../../http/query.ts'
import { rejectIfAny } from '../../http/rejected.ts'
import type { AnswerOf } from '../../http/route.ts'
import { auditPageLimit, auditRoutes } from './contract.ts'

/** GET /audit. */
export const listAudit = ({ db }: { db: Queryable }): Mounted =>
  onEveryProblem(auditRoutes.listAudit, judge, async ({ read: { limit, ...filter } }) => {
    // One row more than requested, to learn whether there is another page.
    const found = await selectAudit(db, filter, limit + 1)
    const changes = found.slice(0, limit)
    const last = found.length > limit ? changes.at(-1) : undefined
    const page: AnswerOf<typeof auditRoutes.listAudit> = {
      changes,
      nextCursor: last ? writeCursor(last.id) : null,
    }
    return answer(200, page)
  })

const judge: Judge<AuditFilter & { limit: number }> = (sent, shapeProblems) => {
  const query = readableQuery(sent, shapeProblems)
  const wrong = [...shapeProblems]
  const place = readPlace(query, auditPageLimit, wrong)
  rejectIfAny(wrong)
  const { operator, action, subject } = query
  return { operator, action, subject, ...place }
}
