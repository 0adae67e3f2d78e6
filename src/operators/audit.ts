import type { Operator } from '../http/call.ts'
import type { Queryable } from '../postgres/postgres.ts'
import { isRecord } from '../http/validate.ts'

/** One change that a person made, or a program with an operator's token. */
export type AuditEntry = {
  operator: Operator
  /** Of the request; undefined on the command line. */
  requestId: string | undefined
  /** What was done, as `key.rotate` or `ari.stop-sell`. */
  action: string
  /** To what, as `key 7` or `supplier 3 "Sea View"`: people search for it. */
  subject: string
  /** What was changed as it was, and as it is now; undefined where there is nothing to say. */
  before?: object | undefined
  after?: object | undefined
}

/** Hand in the transaction of the change where there is one, so that neither is without the other. */
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
      shownJson(before),
      shownJson(after),
      requestId ?? null,
      operator.address ?? null,
    ],
  )
}

/** Whoever calls leaves these out; a slip must not put a secret where every viewer reads it. */
const neverKept =
  /^(?:.*password.*|.*secret|apiKey|token|.*card|cardNumber|cvv|expireDate|sessionId|cookie)$/i
const hidden = '[hidden]'
const nestingMax = 8

function shownJson(value: object | undefined): string | null {
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
      neverKept.test(name) && member !== null && typeof member !== 'boolean'
        ? hidden
        : withoutSecrets(member, deeper - 1),
    ]),
  )
}
