import { foldedName } from '../../keys/names.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import type { OperatorRole } from '../../http/route.ts'
import type { StoredOperator } from '../contract.ts'
import type { SessionOwner } from '../sessions/session-store.ts'

/** The SQL of operators; the rules for changing them are in manage.ts. */

/** Names are compared regardless of case and of how accents are encoded. */
export function nameKeyOf(name: string): string {
  return name.normalize('NFKC').toLowerCase()
}

const columns = `id as "operatorId", name, role, supplier_id as "supplierId", password_hash is not null as "hasPassword",
  oidc_subject is not null as "isLinked", totp_secret is not null as "hasSecondFactor",
  created_at as "createdAt", disabled_at as "disabledAt", disabled_by_platform as "disabledByPlatform",
  last_sign_in_at as "lastSignInAt"`

type Row = Omit<StoredOperator, 'createdAt' | 'disabledAt' | 'lastSignInAt'> & {
  createdAt: Date
  disabledAt: Date | null
  lastSignInAt: Date | null
}

function operatorOf({ createdAt, disabledAt, lastSignInAt, ...row }: Row): StoredOperator {
  return {
    ...row,
    createdAt: createdAt.toISOString(),
    disabledAt: disabledAt?.toISOString() ?? null,
    lastSignInAt: lastSignInAt?.toISOString() ?? null,
  }
}

/** The operators, or the people of a supplier. */
export async function selectOperators(
  db: Queryable,
  supplierId: number | null = null,
): Promise<StoredOperator[]> {
  const { rows } = await db.query<Row>(
    `select ${columns} from operator where supplier_id is not distinct from $1 order by name_key`,
    [supplierId],
  )
  return rows.map(operatorOf)
}

/** By number, or by name. */
export async function selectOptionalOperator(
  db: Queryable,
  which: number | string,
): Promise<StoredOperator | undefined> {
  const { rows } = await db.query<Row>(`select ${columns} from operator where ${isOperator(which)}`, [
    typeof which === 'number' ? which : nameKeyOf(which),
  ])
  return rows.map(operatorOf)[0]
}

/** The same; nobody signs in to the account until the end of the transaction. */
export async function lockOptionalOperator(
  db: Queryable,
  which: number | string,
): Promise<StoredOperator | undefined> {
  const { rows } = await db.query<Row>(
    `select ${columns} from operator where ${isOperator(which)} for no key update`,
    [typeof which === 'number' ? which : nameKeyOf(which)],
  )
  return rows.map(operatorOf)[0]
}

function isOperator(which: number | string): string {
  return `${typeof which === 'number' ? 'id' : 'name_key'} = $1`
}

/** With a supplier: one of its people. */
export type NewOperator = { name: string; role: OperatorRole; supplierId?: number | undefined }

/** Undefined if the name is taken. Names that differ in case only by more letters (ß and SS) are one too. */
export async function insertOptionalOperator(
  db: Queryable,
  { name, role, supplierId, nowMs }: NewOperator & { nowMs: number },
): Promise<number | undefined> {
  const { rows: others } = await db.query<{ name: string }>('select name from operator')
  const folded = foldedName(name)
  if (others.some((other) => foldedName(other.name) === folded)) return undefined
  const { rows } = await db.query<{ id: number }>(
    `insert into operator (name, name_key, role, supplier_id, created_at)
     values ($1, $2, $3, $4, instant($5)) on conflict (name_key) do nothing returning id`,
    [name, nameKeyOf(name), role, supplierId ?? null, nowMs],
  )
  return rows[0]?.id
}

export async function updateRole(db: Queryable, operatorId: number, role: OperatorRole): Promise<void> {
  await db.query('update operator set role = $2 where id = $1', [operatorId, role])
}

/** Whom the platform shut out stays so, though the supplier does it too. */
export async function updateDisabled(
  db: Queryable,
  operatorId: number,
  { atMs, byPlatform }: { atMs: number; byPlatform: boolean },
): Promise<void> {
  await db.query(
    `update operator set disabled_at = instant($2), disabled_by_platform = disabled_by_platform or $3 where id = $1`,
    [operatorId, atMs, byPlatform],
  )
}

export async function updateEnabled(db: Queryable, operatorId: number): Promise<void> {
  await db.query('update operator set disabled_at = null, disabled_by_platform = false where id = $1', [
    operatorId,
  ])
}

/** Null: none, until a sign-in by link. */
export async function updatePassword(
  db: Queryable,
  operatorId: number,
  passwordHash: string | null,
): Promise<void> {
  await db.query('update operator set password_hash = $2 where id = $1', [operatorId, passwordHash])
}

/** The same password, kept in another way; false when it was changed meanwhile. */
export async function replacePasswordHash(
  db: Queryable,
  operatorId: number,
  { passwordHash, by }: { passwordHash: string; by: string },
): Promise<boolean> {
  const { rowCount } = await db.query(
    'update operator set password_hash = $3 where id = $1 and password_hash = $2',
    [operatorId, passwordHash, by],
  )
  return rowCount === 1
}

/** The enabled operator with this name, and the hash of the password. */
export async function selectOptionalPassword(
  db: Queryable,
  name: string,
): Promise<(SessionOwner & { passwordHash: string | null }) | undefined> {
  const { rows } = await db.query<SessionOwner & { passwordHash: string | null }>(
    `select id as "operatorId", sessions_ended as "sessionsEnded", password_hash as "passwordHash" from operator
     where name_key = $1 and disabled_at is null`,
    [nameKeyOf(name)],
  )
  return rows[0]
}

/** Locks them until the end of the transaction, so that two admins can't disable each other at the same time. */
export async function lockAdmins(db: Queryable): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `select id from operator where role = 'admin' and disabled_at is null order by id for update`,
  )
  return rows.map(({ id }) => id)
}
