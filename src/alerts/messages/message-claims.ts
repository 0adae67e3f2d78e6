import { numberArray, type Database, type Queryable } from '../../postgres/postgres.ts'
import { transaction } from '../../postgres/transaction.ts'
import { criticalKinds } from '../contract.ts'
import { secretsColumn } from '../channels/settings-store.ts'
import { tellLimits, type Channel } from './outbox.ts'
import { alertColumns, type AlertRow } from '../store.ts'

/** Messages on their way: claimed, then sent, settled or withdrawn. All SQL, in whole statements. */

export type AlertMessage = {
  id: number
  supplierId: number | null
  channel: Channel
  address: string
  /** Names the recipient among all. */
  recipient: string
  findingIds: number[]
  findings: number
  isDigest: boolean
  attempts: number
  /** Of the supplier's webhook; null: it was removed meanwhile. */
  webhook: string | null
  signingSecrets: readonly string[]
  /** Whether the address is still one that alerts are sent to; false for webhooks. */
  isConfirmed: boolean
}

const recipientText = `coalesce(alert_message.supplier_id, 0) || ' ' || channel || ' ' || address`

const isDue = `status = 'queued'
  -- None waits for longer than a day: such a one was dated by a clock that has been set back since.
  and (due_at <= instant($1) or due_at > instant($1) + interval '25 hours')`

/**
 * Leases messages that are due: a process that dies loses its lease, and the message is sent again. A recipient
 * gets a few at once, and none while it is one of the busy, so that one that hangs doesn't delay the others.
 */
export async function claimMessages(
  db: Queryable,
  nowMs: number,
  { places, busy }: { places: number; busy: readonly string[] },
): Promise<AlertMessage[]> {
  const { rows } = await db.query<AlertMessage>(
    `with ranked as (
       select id, row_number() over (partition by ${recipientText} order by attempts > 0, due_at, id) as place
       from alert_message where ${isDue} and ${recipientText} <> all($4::text[])
     ), due as (
       select id from alert_message join ranked using (id) where place <= $5 and ${isDue}
       order by attempts > 0, due_at, id limit $2 for update of alert_message skip locked
     ), claimed as (
       update alert_message set attempts = attempts + 1, due_at = instant($1) + make_interval(secs => $3)
       from due where alert_message.id = due.id returning alert_message.*, ${recipientText} as recipient
     )
     select claimed.id::float8 as id, claimed.supplier_id as "supplierId", channel, claimed.address, recipient,
       to_json(finding_ids) as "findingIds", findings, is_digest as "isDigest", attempts,
       settings.webhook, ${secretsColumn('settings', '$1')} as "signingSecrets", email.address is not null as "isConfirmed"
     from claimed left join alert_settings as settings on settings.supplier_id = claimed.supplier_id
       left join alert_email as email on channel = 'email' and email.supplier_id = claimed.supplier_id
         and email.address = claimed.address and confirmed_at is not null
     order by claimed.id`,
    [nowMs, places, tellLimits.leaseSeconds, busy, tellLimits.underWayOfRecipient],
  )
  return rows
}

export type ToldRow = AlertRow & { supplier: string }

/** Those that are still open, the critical ones first. */
export async function selectTold(db: Queryable, ids: readonly number[]): Promise<ToldRow[]> {
  const { rows } = await db.query<ToldRow>(
    `select ${alertColumns}, supplier.name as supplier
     from finding join supplier on supplier.id = finding.supplier_id left join hotel on hotel.id = finding.hotel_id
     where finding.id = any($1::int8[]) and finding.state = 'open'
     order by finding.kind = any($2::text[]) desc, finding.id`,
    [numberArray(ids), criticalKinds],
  )
  return rows
}

export async function settleMessage(
  db: Queryable,
  { id, status, dueMs }: { id: number; status: 'queued' | 'sent' | 'dead'; dueMs: number },
): Promise<void> {
  await db.query('update alert_message set status = $2, due_at = instant($3) where id = $1', [
    id,
    status,
    dueMs,
  ])
}

/**
 * Removes a message that isn't sent because nothing is left to tell, or nobody to tell it to. Findings that are in no
 * other message were told to nobody, so they are told at once if they come back.
 */
export async function withdrawMessage(
  db: Database,
  { id, findingIds }: Pick<AlertMessage, 'id' | 'findingIds'>,
): Promise<void> {
  await transaction(db, async (connection) => {
    await connection.query('delete from alert_message where id = $1', [id])
    // Of the messages of one finding that are withdrawn together, the last one finds no other. Locked in the order
    // in which findings are raised.
    await connection.query(
      `select from finding where id = any($1::int8[])
       order by supplier_id, kind, coalesce(hotel_id, 0), coalesce(key_id, 0), subject for no key update`,
      [numberArray(findingIds)],
    )
    await connection.query(
      `update finding set told_at = null where id = any($1::int8[]) and not exists (
         select from alert_message
         where coalesce(alert_message.supplier_id, 0) in (0, finding.supplier_id) and finding.id = any(finding_ids)
           -- A digest may be older than what was added to it.
           and created_at > finding.told_at - interval '1 hour')`,
      [numberArray(findingIds)],
    )
  })
}
