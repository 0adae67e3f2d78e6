import type { Queryable } from '../postgres/postgres.ts'
import { Rejected } from '../http/rejected.ts'
import { supplierNotFound } from './suppliers.ts'

/** Contract settings of a supplier account, beyond its keys; operators set them. */

/** The reaction to a failed price check: the booking is refused, or made at the stored price. */
export const onFailures = ['reject', 'use_stored'] as const
export type OnFailure = (typeof onFailures)[number]

export type Account = {
  onFailure: OnFailure
  /** Per cent of the stored total by which the live total may differ, as a decimal: `2.5`. */
  priceTolerance: string
  /** Whether payment cards are delivered with reservations. */
  deliversCards: boolean
  /** Whether POST /push/webhook/booking is enabled. */
  mayPushOnDemand: boolean
  /** Whether reservations may be retrieved and acknowledged. */
  mayRetrieve: boolean
}

const accountColumns = `on_failure as "onFailure", trim_scale(price_tolerance)::text as "priceTolerance",
  delivers_cards as "deliversCards", may_push_on_demand as "mayPushOnDemand", may_retrieve as "mayRetrieve"`

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
       may_push_on_demand = coalesce($5, may_push_on_demand), may_retrieve = coalesce($6, may_retrieve)
     where name = $1 returning ${accountColumns}`,
    [
      name,
      changed.onFailure ?? null,
      changed.priceTolerance ?? null,
      changed.deliversCards ?? null,
      changed.mayPushOnDemand ?? null,
      changed.mayRetrieve ?? null,
    ],
  )
  const [account] = rows
  if (!account) throw supplierNotFound(name)
  return account
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
