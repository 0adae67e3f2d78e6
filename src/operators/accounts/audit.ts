import type { Operator } from '../../http/calls/call.ts'
import { sqlIsoSeconds, type Queryable } from '../../postgres/postgres.ts'
import { isRecord } from '../../http/validation/validate.ts'
import type { AuditAction, AuditedChange } from '../contract.ts'
import type { Route } from '../../http/route.ts'

/** One change by an operator, or by a program with an operator's token. */
export type AuditEntry = {
  operator: Operator
  /** Undefined on the command line. */
  requestId: string | undefined
  action: AuditAction
  /** The changed thing, for example `key 7` or `supplier 3 "Sea View"`: people search for it. */
  subject: string
  /** The values before and after; undefined if there are none to record. */
  before?: object | undefined
  after?: object | undefined
}

/** Pass the transaction of the change, if there is one, so that both are committed or neither. */
export async function audit(db: Queryable, entry: AuditEntry): Promise<void> {
  const { operator, requestId, action, subject, before, after } = entry
  await db.query(
    `insert into audit_log (operator_id, operator_name, role, action, subject, before, after, request_id, address)
     values ($1, $2, $3, $4, $5, $6::jsonb, $7::jsonb, $8, $9)`,
    [
      operator.id ?? null,
      operator.name,
      operator.role,
      action,
      subject,
      redactedJson(before),
      redactedJson(after),
      requestId ?? null,
      operator.address ?? null,
    ],
  )
}

/** Callers leave these out; this guards against a slip that would show a secret to every viewer. */
const secretMembers =
  /^(?:.*password.*|.*secret|apiKey|token|.*card|cardNumber|cvv|expireDate|sessionId|cookie)$/i
const hidden = '[hidden]'
const nestingMax = 8

function redactedJson(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(withoutSecrets(value, nestingMax))
}

function withoutSecrets(value: unknown, deeper: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  if (deeper === 0) return '…'
  if (Array.isArray(value)) return value.map((element) => withoutSecrets(element, deeper - 1))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      secretMembers.test(name) && member !== null && typeof member !== 'boolean'
        ? hidden
        : withoutSecrets(member, deeper - 1),
    ]),
  )
}

export type AuditFilter = {
  operator: string | undefined
  action: string | undefined
  subject: string | undefined
  /** Of the hotel itself. */
  hotelId: number | undefined
  /** Of the supplier, its keys, hotels, alerts and test bookings. */
  supplierId: number | undefined
  sinceMs: number | undefined
  untilMs: number | undefined
  /** Only rows older than this one. */
  beforeId: number | undefined
}

/** By the beginnings of subjects, which callers of `audit` write; names that others chose come after them. */
const isOfSupplier = `(
  subject ~ ('^(reservation \\d+ of |alert \\d+ \\([a-zA-Z.-]+\\) of )?supplier ' || $9 || '( |$)')
  or substring(subject from '^hotel (\\d{1,9}) ')::int in (select id from hotel where supplier_id = $9)
  or substring(subject from '^key (\\d{1,9}) ')::int in (select id from api_key where supplier_id = $9)
  or substring(subject from '^reservation (\\d{1,15})( |$)')::bigint in (select id from reservation where supplier_id = $9))`

/** Newest first. There are few changes, so filters without an index scan in order of time. */
export async function selectAudit(
  db: Queryable,
  filter: AuditFilter,
  rowsMax: number,
): Promise<AuditedChange[]> {
  const { rows } = await db.query<Omit<AuditedChange, 'at'> & { at: Date }>(
    `select id, at, operator_id as "operatorId", operator_name as operator, role, action, subject, before, after,
       request_id as "requestId", address,
       (select supplier.name from operator join supplier on supplier.id = supplier_id
        where operator.id = operator_id) as "personOf"
     from audit_log
     where ($1::text is null or operator_name = $1)
       and ($2::text is null or starts_with(action, $2))
       and ($3::text is null or position(lower($3) in lower(subject)) > 0)
       and ($4::float8 is null or at >= instant($4))
       and ($5::float8 is null or at < instant($5))
       and ($6::bigint is null or (at, id) < (select at, id from audit_log where id = $6))
       and ($8::int is null or starts_with(subject, 'hotel ' || $8 || ' "'))
       and ($9::int is null or ${isOfSupplier})
     order by at desc, id desc limit $7`,
    [
      filter.operator ?? null,
      filter.action ?? null,
      filter.subject ?? null,
      filter.sinceMs ?? null,
      filter.untilMs ?? null,
      filter.beforeId ?? null,
      rowsMax,
      filter.hotelId ?? null,
      filter.supplierId ?? null,
    ],
  )
  return rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() }))
}

/** Refused sign-ins and roles are in the audit log too, but limited in number, however often somebody tries. */

export type Refusal = {
  /** The owner of the account; undefined if nobody has it. The typed name is never stored: it may be a password. */
  operator: Pick<Operator, 'id' | 'name' | 'role'> | undefined
  action: Extract<AuditAction, `${string}refused`>
  subject: string
  why: Readonly<Record<string, string>>
  address: string | undefined
  requestId: string | undefined
}

export function auditRoleRefused(
  db: Queryable,
  operator: Operator,
  { method, path, role, roleOfSuppliers }: Pick<Route, 'method' | 'path' | 'role' | 'roleOfSuppliers'>,
  requestId: string,
): Promise<void> {
  const needed = (operator.supplier && roleOfSuppliers) ?? role
  const why = needed === undefined ? {} : { needed }
  const { address } = operator
  const subject = `${method} ${path}`
  return auditRefusal(db, { operator, action: 'role.refused', subject, why, address, requestId })
}

/** Lines per hour; further refusals are counted in one more line. */
const linesPerHourMax = 200
const nobody = 'nobody'
const subjectLengthMax = 200
const instantNow = sqlIsoSeconds('clock_timestamp()')

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
