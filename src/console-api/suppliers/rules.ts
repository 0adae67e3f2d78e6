import type { Queryable, Needs } from '../../postgres/postgres.ts'
import { readId, readSince } from '../../http/calls/query.ts'
import { Rejected, rejectIfAny, reportedValue, type Problem } from '../../http/rejected.ts'
import { transaction } from '../../postgres/transaction.ts'
import { lockOptionalKey, selectOptionalName, type KeySettings } from './store.ts'

/** Shared by the endpoints of suppliers and keys. */

export type NamedSupplier = { supplierId: number; name: string }

export async function supplierNamed(db: Queryable, text: string): Promise<NamedSupplier> {
  const supplierId = readId(text)
  const name = supplierId === undefined ? undefined : await selectOptionalName(db, supplierId)
  if (supplierId === undefined || name === undefined) throw supplierUnknown(text)
  return { supplierId, name }
}

export function supplierUnknown(text: string): Rejected {
  return new Rejected(404, {
    type: 'SUPPLIER_NOT_FOUND',
    message: `Supplier ${String(reportedValue(text))} not found`,
    hint: 'GET /console/api/suppliers lists all suppliers',
  })
}

/** What is done as the supplier's key does it needs one. */
export function noValidKey({ name }: NamedSupplier): Rejected {
  return new Rejected(409, {
    type: 'NO_VALID_KEY',
    message: `Supplier "${name}" has no valid key`,
    hint: 'Create a key on the page of the supplier first',
  })
}

/** The subject in the audit log, which people search for. */
export const supplierSubject = ({ supplierId, name }: NamedSupplier): string =>
  `supplier ${supplierId} ${JSON.stringify(name)}`

export const keySubject = (keyId: number, { supplier }: Pick<KeySettings, 'supplier'>): string =>
  `key ${keyId} of ${JSON.stringify(supplier)}`

/** Null: never. */
export function endsEarlier({ expiresAt }: Pick<KeySettings, 'expiresAt'>, nextMs: number | null): boolean {
  if (nextMs === null) return false
  return expiresAt === null || nextMs < Date.parse(expiresAt)
}

/** Changes a key in one transaction, which first reads the previous values. */
export function changeKey<Result>(
  { db }: Needs,
  text: string,
  work: (connection: Queryable, keyId: number, before: KeySettings) => Promise<Result>,
): Promise<Result> {
  return transaction(db, async (connection) => {
    const keyId = readId(text)
    const before = keyId === undefined ? undefined : await lockOptionalKey(connection, keyId)
    if (keyId === undefined || !before) throw keyUnknown(text)
    return work(connection, keyId, before)
  })
}

export function keyUnknown(text: string): Rejected {
  return new Rejected(404, {
    type: 'KEY_NOT_FOUND',
    message: `Key ${String(reportedValue(text))} not found`,
    hint: 'The page of the supplier lists its keys',
  })
}

/** A date (its start in UTC) or an instant in a body. */
export function readInstant(member: string, text: string): number {
  const problems: Problem[] = []
  const atMs = readSince(member, text, problems)
  rejectIfAny(problems.map((problem) => ({ ...problem, path: `/${member}` })))
  return atMs ?? 0
}
