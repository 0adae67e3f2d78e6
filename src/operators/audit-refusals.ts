import type { Operator } from '../http/call.ts'
import type { Queryable } from '../postgres/postgres.ts'
import type { Route } from '../http/route.ts'

/** Refused sign-ins and roles are in the audit log too, but limited in number, however often somebody tries. */

export type Refusal = {
  /** The owner of the account; undefined if nobody has it. The typed name is never stored: it may be a password. */
  operator: Pick<Operator, 'id' | 'name' | 'role'> | undefined
  action: 'sign-in.refused' | 'operator.password-refused' | 'operator.code-refused' | 'role.refused'
  subject: string
  why: Readonly<Record<string, string>>
  address: string | undefined
  requestId: string | undefined
}

export function auditRoleRefused(
  db: Queryable,
  operator: Operator,
  { method, path, role }: Pick<Route, 'method' | 'path' | 'role'>,
  requestId: string,
): Promise<void> {
  const why = role === undefined ? {} : { needed: role }
  const { address } = operator
  const subject = `${method} ${path}`
  return auditRefusal(db, { operator, action: 'role.refused', subject, why, address, requestId })
}

/** Lines per hour; further refusals are counted in one more line. */
const linesPerHourMax = 200
const nobody = 'nobody'
const subjectLengthMax = 200
const instantNow = `to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`

/** One line per hour for the same refusal of the same caller: its time is the first one, `attempts` counts all. */
export async function auditRefusal(db: Queryable, refusal: Refusal): Promise<void> {
  const { operator, action, subject, why, address, requestId } = refusal
  const subjectStart = subject.slice(0, subjectLengthMax)
  const name = operator?.name ?? nobody
  await db.query(
    `with hour as (select date_trunc('hour', now(), 'UTC') as at),
     key as (select sha256(convert_to(concat_ws(E'\\n', extract(epoch from at), $2::text, $4::text, $5::text, $6::text, $7::text), 'UTF8')) as own,
       sha256(convert_to(concat_ws(E'\\n', extract(epoch from at), 'further'), 'UTF8')) as further from hour),
     room as (
       select exists (select from audit_log where refusal_key = key.own)
         or (select count(*) from audit_log, hour
             where audit_log.at >= hour.at and refusal_key is not null) < $8 as is_left from key),
     line as (
       select $1::int as operator_id, $2::text as name, $3::text as role, $4::text as action, $5::text as subject,
         $6::jsonb as after, $7::text as address, own as key from key, room where is_left
       union all
       select null, '${nobody}', null, 'refused', 'further refusals of this hour', '{}', null, further
         from key, room where not is_left)
     insert into audit_log as held
       (operator_id, operator_name, role, action, subject, after, request_id, address, refusal_key)
     select operator_id, name, role, action, subject,
       after || jsonb_build_object('attempts', 1, 'lastAt', ${instantNow}), $9, address, key from line
     on conflict (refusal_key) where refusal_key is not null do update
       set after = held.after || jsonb_build_object(
         'attempts', (held.after->>'attempts')::int + 1, 'lastAt', ${instantNow})`,
    [
      operator?.id ?? null,
      name,
      operator?.role ?? null,
      action,
      subjectStart,
      JSON.stringify(why),
      address ?? null,
      linesPerHourMax,
      requestId ?? null,
    ],
  )
}
