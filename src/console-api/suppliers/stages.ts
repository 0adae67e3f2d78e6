import { ariEnd, suppliersWithWebhooks } from '../hotels/hotel-conditions.ts'
import type { GoLiveStage } from '../hotels/contract.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import type { SupplierGoLive } from './contract.ts'

const stagedMax = 2_000

/**
 * How many hotels of the supplier are at each stage: of the first 2,000, so that a chain's page stays quick. Written
 * like `ofSupplierById`, so that an index is read: the planner would expect them soon in a table in which they
 * may all come last.
 */
export async function countStages(
  db: Queryable,
  { supplierId, nowMs, thisMonth }: { supplierId: number; nowMs: number; thisMonth: number },
): Promise<SupplierGoLive> {
  const { rows } = await db.query<{ stage: GoLiveStage; count: number; open: number; hotelId: number }>(
    `select stage, count(*)::int as count, count(*) filter (where is_available)::int as open, min(id) as "hotelId"
     from (
       select id, is_available, case when not h.is_offered then 'products' when ${ariEnd} < $2::int then 'ari'
         when $1 in (${suppliersWithWebhooks('$3')}) then 'ready' else 'webhooks' end as stage
       from hotel h where (supplier_id, code) >= ($1::int, '') and (supplier_id, code) < ($1::int8 + 1, '')
       order by supplier_id, code limit ${stagedMax} + 1
     ) as few group by stage`,
    [supplierId, thisMonth, nowMs],
  )
  const isMore = rows.reduce((sum, { count }) => sum + count, 0) > stagedMax
  const stages = { products: 0, ari: 0, webhooks: 0, ready: 0 }
  const only: SupplierGoLive['only'] = {}
  for (const { stage, count, hotelId } of rows) {
    stages[stage] = count
    if (count === 1 && !isMore) only[stage] = hotelId
  }
  const open = rows.find(({ stage }) => stage === 'ready')?.open ?? 0
  return { stages, only, open, isMore }
}
