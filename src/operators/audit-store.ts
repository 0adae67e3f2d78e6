import type { Queryable } from '../postgres/postgres.ts'
import type { AuditedChange } from './contract.ts'

export type AuditFilter = {
  operator: string | undefined
  action: string | undefined
  subject: string | undefined
  sinceMs: number | undefined
  untilMs: number | undefined
  /** Only rows older than this one. */
  beforeId: number | undefined
}

/** Newest first. There are few changes, so filters without an index scan in order of time. */
export async function selectAudit(
  db: Queryable,
  filter: AuditFilter,
  rowsMax: number,
): Promise<AuditedChange[]> {
  const { rows } = await db.query<Omit<AuditedChange, 'at'> & { at: Date }>(
    `select id, at, operator_id as "operatorId", operator_name as operator, role, action, subject, before, after,
       request_id as "requestId", address
     from audit_log
     where ($1::text is null or operator_name = $1)
       and ($2::text is null or starts_with(action, $2))
       and ($3::text is null or position(lower($3) in lower(subject)) > 0)
       and ($4::float8 is null or at >= instant($4))
       and ($5::float8 is null or at < instant($5))
       and ($6::bigint is null or (at, id) < (select at, id from audit_log where id = $6))
     order by at desc, id desc limit $7`,
    [
      filter.operator ?? null,
      filter.action ?? null,
      filter.subject ?? null,
      filter.sinceMs ?? null,
      filter.untilMs ?? null,
      filter.beforeId ?? null,
      rowsMax,
    ],
  )
  return rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() }))
}
