import type { Evidence, FindingKind, FindingState } from '../findings/contract.ts'
import { numberArray, type Queryable } from '../postgres/postgres.ts'

/** Findings as they are listed: all SQL, in whole statements. */

export type AlertRow = {
  id: number
  kind: FindingKind
  state: FindingState
  hotelCode: string | null
  keyId: number | null
  subject: string
  count: number
  evidence: Evidence
  openedAtMs: number
  lastSeenAtMs: number
  toldAtMs: number | null
  acknowledgedAtMs: number | null
  /** The operator's name; null: the supplier. */
  acknowledgedBy: string | null
  resolvedAtMs: number | null
}

/** Columns of finding, with its hotel as a left join. */
export const alertColumns = `finding.id::float8 as id, finding.kind, finding.state, hotel.code as "hotelCode",
  finding.key_id as "keyId", finding.subject, finding.count, finding.evidence,
  epoch_ms(finding.opened_at) as "openedAtMs", epoch_ms(finding.last_seen_at) as "lastSeenAtMs",
  epoch_ms(finding.told_at) as "toldAtMs", epoch_ms(finding.acknowledged_at) as "acknowledgedAtMs",
  finding.acknowledged_by as "acknowledgedBy", epoch_ms(finding.resolved_at) as "resolvedAtMs"`

export type AlertSearch = {
  states: readonly FindingState[]
  kinds: readonly FindingKind[] | undefined
  hotelId: number | undefined
  after: { atMs: number; id: number } | undefined
  limit: number
}

/** Newest first. */
export async function selectAlertsOfSupplier(
  db: Queryable,
  supplierId: number,
  { states, kinds, hotelId, after, limit }: AlertSearch,
): Promise<AlertRow[]> {
  const { rows } = await db.query<AlertRow>(
    `select ${alertColumns}
     from finding left join hotel on hotel.id = finding.hotel_id
     where finding.supplier_id = $1 and finding.state = any($2::text[])
       and ($3::text[] is null or finding.kind = any($3)) and ($4::int is null or finding.hotel_id = $4)
       and ($5::float8 is null or (finding.opened_at, finding.id) < (instant($5), $6::int8))
     order by finding.opened_at desc, finding.id desc limit $7`,
    [supplierId, states, kinds ?? null, hotelId ?? null, after?.atMs ?? null, after?.id ?? null, limit],
  )
  return rows
}

/** Those of the given that are the supplier's. */
export async function selectKnownAlerts(
  db: Queryable,
  supplierId: number,
  ids: readonly number[],
): Promise<Set<number>> {
  const { rows } = await db.query<{ id: number }>(
    'select id::float8 as id from finding where supplier_id = $1 and id = any($2::int8[])',
    [supplierId, numberArray(ids)],
  )
  return new Set(rows.map(({ id }) => id))
}

/** Returns how many were open. `by`: an operator's name; null: the supplier itself. */
export async function acknowledge(
  db: Queryable,
  {
    ids,
    supplierId,
    by,
    nowMs,
  }: { ids: readonly number[]; supplierId: number; by: string | null; nowMs: number },
): Promise<number> {
  const { rowCount } = await db.query(
    `with wanted as (
       select id from finding where supplier_id = $1 and id = any($2::int8[]) and state = 'open'
       -- In the order in which findings are raised.
       order by kind, coalesce(hotel_id, 0), coalesce(key_id, 0), subject for no key update
     )
     update finding set state = 'acknowledged', acknowledged_at = instant($3), acknowledged_by = $4
     from wanted where finding.id = wanted.id`,
    [supplierId, numberArray(ids), nowMs, by],
  )
  return rowCount ?? 0
}
