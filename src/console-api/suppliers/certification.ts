import { dayMs } from '../../base/calendar.ts'
import { previewCertification, type CertifyNeeds } from '../../certification/certify.ts'
import { evidenceLimits } from '../../certification/contract.ts'
import { answer, onEveryProblem, type Mounted } from '../../http/calls/mount.ts'
import { judgeQuery } from '../../http/calls/query.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import type { PriceChecker } from '../../price-check/checker.ts'
import { hasOneOfRequestIds, requestIdLists, requestIdOfRow } from '../../push-log/request-ids.ts'
import { readNumber } from '../list-query.ts'
import { supplierRoutes } from './contract.ts'
import { supplierNamed } from './rules.ts'

/** GET /suppliers/{supplierId}/certification: as the supplier sees it, with links to the pushes. */
export const getSupplierCertification = (needs: CertifyNeeds & { priceChecks: PriceChecker }): Mounted =>
  onEveryProblem(
    supplierRoutes.getSupplierCertification,
    judgeHotel,
    async ({ params, read: { hotelId } }) => {
      const { db, clock, priceChecks } = needs
      const { supplierId } = await supplierNamed(db, params.supplierId)
      await priceChecks.ledger.written()
      const { checks, ...certification } = await previewCertification(needs, { supplierId, hotelId })
      const requestIds = checks.flatMap(({ evidence }) => evidence?.requestId ?? [])
      const pushIds = await selectPushIds(db, { supplierId, requestIds, nowMs: clock.now() })
      return answer(200, {
        ...certification,
        checks: checks.map((check) => ({
          ...check,
          pushId: pushIds.get(check.evidence?.requestId ?? '') ?? null,
        })),
      })
    },
  )

const judgeHotel = judgeQuery((query, problems) => ({ hotelId: readNumber('hotelId', query, problems) }))

/** Of the days that are judged; what was proven earlier is named without a link. */
async function selectPushIds(
  db: Queryable,
  { supplierId, requestIds, nowMs }: { supplierId: number; requestIds: readonly string[]; nowMs: number },
): Promise<Map<string, number>> {
  if (requestIds.length === 0) return new Map()
  const { rows } = await db.query<{ requestId: string; id: number }>(
    // Unnamed, so that it is planned with the actual instant and reads only the newest days of the log.
    `select ${requestIdOfRow} as "requestId", max(id)::float8 as id from push_log
     where supplier_id = $1 and ${hasOneOfRequestIds('$2', '$3')} and at > instant($4)
     group by 1`,
    [supplierId, ...requestIdLists(requestIds), nowMs - evidenceLimits.days * dayMs],
  )
  return new Map(rows.map(({ requestId, id }) => [requestId, id]))
}
