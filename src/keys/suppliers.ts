import type { Queryable } from '../postgres/postgres.ts'
import { Rejected, shown } from '../http/rejected.ts'

/** Operators' actions on suppliers. */

/** Creates a supplier; refuses a name that is taken. */
export async function createSupplier(db: Queryable, name: string): Promise<{ supplierId: number }> {
  checkName('Supplier', name)
  const created = await insertOptionalSupplier(db, name)
  if (created !== undefined) return { supplierId: created }
  throw new Rejected(409, { type: 'SUPPLIER_EXISTS', message: `Supplier "${name}" exists already` })
}

export type ListedSupplier = { supplierId: number; name: string; createdAt: string; activeKeys: number }

export async function selectSuppliers(db: Queryable, nowMs: number): Promise<ListedSupplier[]> {
  const { rows } = await db.query<ListedSupplier>(
    `select s.id as "supplierId", s.name, ${instant('s.created_at')} as "createdAt",
       count(k.id) filter (where k.revoked_at is null
         and (k.expires_at is null or k.expires_at > instant($1)))::int as "activeKeys"
     from supplier s left join api_key k on k.supplier_id = s.id
     group by s.id order by s.name`,
    [nowMs],
  )
  return rows
}

export async function supplierIdOf(db: Queryable, name: string): Promise<number> {
  const supplierId = await selectOptionalSupplierId(db, name)
  if (supplierId === undefined) throw supplierNotFound(name)
  return supplierId
}

export async function selectOptionalSupplierId(db: Queryable, name: string): Promise<number | undefined> {
  const { rows } = await db.query<{ id: number }>('select id from supplier where name = $1', [name])
  return rows[0]?.id
}

/** Undefined if the name is taken. */
export async function insertOptionalSupplier(
  connection: Queryable,
  name: string,
): Promise<number | undefined> {
  const { rows } = await connection.query<{ id: number }>(
    'insert into supplier (name) values ($1) on conflict do nothing returning id',
    [name],
  )
  return rows[0]?.id
}

/** For lists filtered by supplier: a misspelt name must not look like a supplier without entries. */
export async function refuseUnknownSupplier(db: Queryable, name: string): Promise<void> {
  const { rowCount } = await db.query('select from supplier where name = $1', [name])
  if (rowCount !== 1) throw supplierNotFound(name)
}

export function supplierNotFound(name: string): Rejected {
  return new Rejected(404, {
    type: 'SUPPLIER_NOT_FOUND',
    message: `Supplier "${String(shown(name))}" not found`,
    hint: 'supplier list shows the names; upper and lower case matter',
  })
}

const nameLengthMax = 100

/** Names of suppliers, channel managers and tokens. */
export function checkName(what: string, name: string): void {
  if (name.length <= nameLengthMax && /^[^\p{C}\s]+(?: [^\p{C}\s]+)*$/u.test(name)) return
  throw new Rejected(400, {
    type: 'INVALID_NAME',
    message: `${what} name must be 1 to ${nameLengthMax} printable characters, with single blanks inside only`,
    value: shown(name),
  })
}

/** A column's time as lists show it. */
export function instant(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`
}
