import { sqlIsoSeconds, type Queryable } from '../postgres/postgres.ts'
import { Rejected, reportedValue } from '../http/rejected.ts'
import type { PriceContract } from './price-contract.ts'
import { checkName, foldedName, refuseLookAlikes } from './names.ts'

/** Operators' actions on suppliers. */

/** Creates a supplier; refuses a name that is taken. */
export async function createSupplier(db: Queryable, name: string): Promise<{ supplierId: number }> {
  checkName('Supplier', name)
  const created = await insertOptionalSupplier(db, name)
  if (created !== undefined) return { supplierId: created }
  throw nameTaken(name, name)
}

export type ListedSupplier = { supplierId: number; name: string; createdAt: string; activeKeys: number }

export async function selectSuppliers(db: Queryable, nowMs: number): Promise<ListedSupplier[]> {
  const { rows } = await db.query<ListedSupplier>(
    `select s.id as "supplierId", s.name, ${sqlIsoSeconds('s.created_at')} as "createdAt",
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

/**
 * Within a transaction. With the guard that operators set for new accounts. Undefined if there is a supplier of the name;
 * refuses one that is not told from another's.
 */
export async function insertOptionalSupplier(
  connection: Queryable,
  name: string,
): Promise<number | undefined> {
  if ((await selectOptionalSupplierId(connection, name)) !== undefined) return undefined
  refuseLookAlikes('Supplier', name)
  // Of two at once with names alike, one is refused.
  await connection.query('lock table supplier in share row exclusive mode')
  const alike = await selectOptionalAlike(connection, name)
  if (alike === name) return undefined
  if (alike !== undefined) throw nameTaken(name, alike)
  const { rows } = await connection.query<{ id: number }>(
    `with created as (insert into supplier (name) values ($1) on conflict do nothing returning id),
       guarded as (
         insert into guard (supplier_id, settings, changed_at)
         select created.id, guard_default.settings, now() from created, guard_default
       )
     select id from created`,
    [name],
  )
  return rows[0]?.id
}

/** The supplier's name that is the same but for case and the ways to write a character. */
export async function selectOptionalAlike(db: Queryable, name: string): Promise<string | undefined> {
  const { rows } = await db.query<{ name: string }>('select name from supplier')
  const folded = foldedName(name)
  return rows.find((supplier) => foldedName(supplier.name) === folded)?.name
}

function nameTaken(name: string, alike: string): Rejected {
  return new Rejected(409, {
    type: 'SUPPLIER_EXISTS',
    message: `Supplier "${name}" exists already${alike === name ? '' : `, as "${alike}"`}`,
    ...(alike === name ? {} : { hint: 'Upper and lower case do not matter in a new name' }),
  })
}

/** For lists filtered by supplier: a misspelt name must not look like a supplier without entries. */
export async function refuseUnknownSupplier(db: Queryable, name: string): Promise<void> {
  const { rowCount } = await db.query('select from supplier where name = $1', [name])
  if (rowCount !== 1) throw supplierNotFound(name)
}

export function supplierNotFound(name: string): Rejected {
  return new Rejected(404, {
    type: 'SUPPLIER_NOT_FOUND',
    message: `Supplier "${String(reportedValue(name))}" not found`,
    hint: 'supplier list prints the names; they are case-sensitive',
  })
}

/** Contract settings of a supplier account, beyond its keys; operators set them. */

/** The reaction to a failed price check: the booking is refused, or made at the stored price. */
export const onFailures = ['reject', 'use_stored'] as const
export type OnFailure = (typeof onFailures)[number]

/** The reaction to a price check whose meal plan or penalties differ from those sold: a warning, or the booking is refused. */
export const onTermsDiffers = ['warn', 'reject'] as const
export type OnTermsDiffer = (typeof onTermsDiffers)[number]

export type Account = PriceContract & {
  onFailure: OnFailure
  onTermsDiffer: OnTermsDiffer
  /** Per cent of the stored total by which the live total may differ, as a decimal: `2.5`. */
  priceTolerance: string
  /** Whether payment cards are delivered with reservations. */
  deliversCards: boolean
  /** Whether POST /push/webhook/booking is enabled. */
  mayPushOnDemand: boolean
  /** Whether reservations may be retrieved and acknowledged. */
  mayRetrieve: boolean
  /** Whether the account gets keys of production only once it is certified. */
  requireCertification: boolean
  /** An operator's word that it is certified, whatever its traffic shows. */
  isCertified: boolean
  /** Active keys up to which its own managers may make more; 0: they make none. */
  managedKeysMax: number
  /** Requests a minute of a key that its own managers make. */
  managedKeyRateMax: number
  /** Hotels that the account may have; 0: no limit. */
  hotelsMax: number
}

const accountColumns = `on_failure as "onFailure", on_terms_differ as "onTermsDiffer", trim_scale(price_tolerance)::text as "priceTolerance",
  prices_are as "pricesAre", trim_scale(commission_percent)::text as "commissionPercent",
  delivers_cards as "deliversCards", may_push_on_demand as "mayPushOnDemand", may_retrieve as "mayRetrieve",
  requires_certification as "requireCertification", certified_at is not null as "isCertified",
  managed_keys_max as "managedKeysMax", managed_key_rate_max as "managedKeyRateMax", hotels_max as "hotelsMax"`

export async function selectAccount(db: Queryable, supplierId: number): Promise<Account> {
  const { rows } = await db.query<Account>({
    name: 'select-account',
    text: `select ${accountColumns} from supplier where id = $1`,
    values: [supplierId],
  })
  const [account] = rows
  if (!account) throw new Error(`supplier ${supplierId} is not there`)
  return account
}

/** Absent settings stay unchanged. Returns the resulting settings. */
export async function setAccount(db: Queryable, name: string, changed: Partial<Account>): Promise<Account> {
  const { rows } = await db.query<Account>(
    `update supplier set on_failure = coalesce($2, on_failure),
       price_tolerance = coalesce($3::numeric, price_tolerance), delivers_cards = coalesce($4, delivers_cards),
       may_push_on_demand = coalesce($5, may_push_on_demand), may_retrieve = coalesce($6, may_retrieve),
       requires_certification = coalesce($7, requires_certification),
       certified_at = case when $8 then coalesce(certified_at, now()) when not $8 then null else certified_at end,
       managed_keys_max = coalesce($9, managed_keys_max), managed_key_rate_max = coalesce($10, managed_key_rate_max),
       hotels_max = coalesce($11, hotels_max), on_terms_differ = coalesce($12, on_terms_differ),
       prices_are = coalesce($13, prices_are), commission_percent = coalesce($14::numeric, commission_percent)
     where name = $1 returning ${accountColumns}`,
    [
      name,
      changed.onFailure ?? null,
      changed.priceTolerance ?? null,
      changed.deliversCards ?? null,
      changed.mayPushOnDemand ?? null,
      changed.mayRetrieve ?? null,
      changed.requireCertification ?? null,
      changed.isCertified ?? null,
      changed.managedKeysMax ?? null,
      changed.managedKeyRateMax ?? null,
      changed.hotelsMax ?? null,
      changed.onTermsDiffer ?? null,
      changed.pricesAre ?? null,
      changed.commissionPercent ?? null,
    ],
  )
  const [account] = rows
  if (!account) throw supplierNotFound(name)
  return account
}

/** A key of production is refused to an account that must be certified first, and is not. */
export async function rejectUnlessCertified(db: Queryable, name: string): Promise<void> {
  const { rowCount } = await db.query(
    `select from supplier
     where name = $1 and requires_certification and certified_at is null
       and not exists (select from certification where supplier_id = supplier.id and is_certified)`,
    [name],
  )
  if (rowCount === 0) return
  throw new Rejected(409, {
    type: 'CERTIFICATION_REQUIRED',
    message: `Supplier "${name}" must be certified before it gets a key for production`,
    hint: 'GET /push/certification shows what is missing. If its traffic in the sandbox proves it, set isCertified: ari supplier set NAME --certified on',
  })
}

const described = {
  mayPushOnDemand: 'On-demand push of a booking',
  mayRetrieve: 'Retrieval of reservations',
} as const

/** Refuses a request for a feature that the account's contract doesn't include. */
export async function rejectUnlessEnabled(
  db: Queryable,
  supplierId: number,
  permission: keyof typeof described,
): Promise<void> {
  const account = await selectAccount(db, supplierId)
  if (account[permission]) return
  throw new Rejected(409, {
    type: 'NOT_ENABLED',
    message: `${described[permission]} is not enabled on this account`,
    hint: 'Ask the platform to enable it',
  })
}
