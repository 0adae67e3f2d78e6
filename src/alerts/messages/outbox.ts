import { findingLimits, type FindingKind } from '../../findings/contract.ts'
import { numberArray, type Database, type Queryable } from '../../postgres/postgres.ts'
import { sweep } from '../../postgres/connections/queryable.ts'
import { transaction } from '../../postgres/transaction.ts'
import { criticalKinds } from '../contract.ts'
import { alertsSubject } from '../channels/settings-store.ts'

/** The messages about findings: queued in the transaction that marks the findings as told, sent later. */

export const tellLimits = {
  /** Messages to one recipient in an hour, and as many about critical alerts; what is beyond them is one digest an hour. */
  messagesPerHour: 20,
  findingsAtOnce: 500,
  /** A digest names these, and counts the others. */
  findingsListed: 50,
  /** Messages that a process sends at the same time, and those of them to one recipient. */
  underWay: 50,
  underWayOfRecipient: 2,
  /** Longer than a call may take. */
  leaseSeconds: 60,
  retriesAfterMinutes: [1, 5, 15, 60, 240, 720, 1_440],
  keptDays: 30,
} as const

export const channels = ['webhook', 'email', 'operators'] as const
export type Channel = (typeof channels)[number]

type Recipient = { supplierId: number | null; channel: Channel; address: string; kinds: FindingKind[] | null }
type DueFinding = { id: number; supplierId: number; kind: FindingKind; subject: string }

/** Queues what is to be told, each finding once however many processes do this. Returns the number of findings. */
export function queueDue(db: Database, nowMs: number, tellsOperators: boolean): Promise<number> {
  return transaction(db, async (connection) => {
    const { rowCount } = await connection.query(`select from finding where ${isDue} limit 1`, [nowMs])
    if (rowCount === 0) return 0
    // One process at a time, so that each sees the messages that the others have queued in this hour.
    await connection.query('select from finding_watch for no key update')
    const due = await claimDue(connection, nowMs)
    if (due.length === 0) return 0
    const supplierIds = [...new Set(due.map(({ supplierId }) => supplierId))]
    const recipients = await selectRecipients(connection, supplierIds)
    if (tellsOperators) recipients.push({ supplierId: null, channel: 'operators', address: '', kinds: null })
    const toldIds = new Set<number>()
    for (const recipient of recipients) {
      const theirs = due.filter((finding) => concerns(finding, recipient))
      if (theirs.length === 0) continue
      await queueFor(connection, recipient, theirs, nowMs)
      for (const { id } of theirs) toldIds.add(id)
    }
    await markTold(connection, due, toldIds, nowMs)
    return due.length
  })
}

/** What is further ahead than it can be was dated by a clock that has been set back since. */
const isDue = `state = 'open' and (tell_at <= instant($1)
  or tell_at > instant($1) + make_interval(hours => ${findingLimits.toldAgainAfterHours}) and tell_at < 'infinity')`

async function claimDue(connection: Queryable, nowMs: number): Promise<DueFinding[]> {
  const { rows } = await connection.query<DueFinding>(
    `select id::float8 as id, supplier_id as "supplierId", kind, subject from finding
     where ${isDue}
     order by kind = any($3::text[]) desc, tell_at, id limit $2 for no key update skip locked`,
    [nowMs, tellLimits.findingsAtOnce, criticalKinds],
  )
  return rows
}

async function selectRecipients(connection: Queryable, supplierIds: readonly number[]): Promise<Recipient[]> {
  const { rows } = await connection.query<Recipient>(
    `select supplier_id as "supplierId", 'webhook' as channel, '' as address, kinds
     from alert_settings where supplier_id = any($1::int[]) and webhook is not null
     union all
     select supplier_id, 'email', address, kinds from alert_email join alert_settings using (supplier_id)
     where supplier_id = any($1::int[]) and confirmed_at is not null
     order by 1, 2, 3`,
    [numberArray(supplierIds)],
  )
  return rows
}

/** That the alerts' own webhook fails is not told to that webhook. */
function concerns({ supplierId, kind, subject }: DueFinding, recipient: Recipient): boolean {
  if (recipient.supplierId !== null && recipient.supplierId !== supplierId) return false
  if (recipient.kinds !== null && !recipient.kinds.includes(kind)) return false
  return !(recipient.channel === 'webhook' && kind === 'webhook.failing' && subject === alertsSubject)
}

async function queueFor(
  connection: Queryable,
  { supplierId, channel, address }: Recipient,
  findings: readonly DueFinding[],
  nowMs: number,
): Promise<void> {
  const recipient = [supplierId, channel, address]
  const { critical, others, digestMs } = await selectOfHour(connection, recipient, nowMs)
  const isCritical = ({ kind }: DueFinding): boolean => criticalKinds.includes(kind)
  const bySeverity = [
    { findings: findings.filter(isCritical), left: tellLimits.messagesPerHour - critical },
    { findings: findings.filter((one) => !isCritical(one)), left: tellLimits.messagesPerHour - others },
  ].map((one) => ({ ...one, left: Math.max(0, one.left) }))
  const single = bySeverity.flatMap((one) => one.findings.slice(0, one.left)).map(({ id }) => id)
  await connection.query(
    `insert into alert_message (supplier_id, channel, address, finding_ids, findings, is_digest, status, due_at, created_at)
     select $1, $2, $3, array[id], 1, false, 'queued', instant($5), instant($5) from unnest($4::int8[]) as id`,
    [...recipient, numberArray(single), nowMs],
  )
  const [first = [], then = []] = bySeverity.map((one) => one.findings.slice(one.left).map(({ id }) => id))
  const many = first.length + then.length
  if (many === 0) return
  // One an hour: what comes meanwhile waits in it.
  const hourMs = 3_600_000
  const dueMs = digestMs === null ? nowMs : Math.max(nowMs, digestMs + hourMs)
  const digest = [...recipient, numberArray(first), numberArray(then), many, dueMs]
  const { rowCount } = await connection.query(
    `update alert_message set findings = findings + $6::int, due_at = least(due_at, instant($7)),
       finding_ids = ($4::int8[] || finding_ids || $5::int8[])[1:${tellLimits.findingsListed}]
     where id = (select id from alert_message
       where ${ofRecipient} and is_digest and status = 'queued' and attempts = 0 order by id limit 1 for no key update)`,
    digest,
  )
  if (rowCount === 1) return
  await connection.query(
    `insert into alert_message (supplier_id, channel, address, finding_ids, findings, is_digest, status, due_at, created_at)
     values ($1, $2, $3, ($4::int8[] || $5::int8[])[1:${tellLimits.findingsListed}], $6::int, true, 'queued', instant($7), instant($7))`,
    digest,
  )
}

const ofRecipient = `coalesce(alert_message.supplier_id, 0) = coalesce($1::int, 0) and channel = $2 and address = $3`

type MessagesOfHour = { critical: number; others: number; digestMs: number | null }

async function selectOfHour(
  connection: Queryable,
  recipient: readonly (string | number | null)[],
  nowMs: number,
): Promise<MessagesOfHour> {
  const { rows } = await connection.query<MessagesOfHour>(
    `select count(*) filter (where not is_digest and kind = any($5::text[]))::int as critical,
       count(*) filter (where not is_digest and (kind = any($5::text[])) is not true)::int as others,
       epoch_ms(max(created_at) filter (where is_digest)) as "digestMs"
     from alert_message left join finding on finding.id = finding_ids[1]
     where ${ofRecipient} and created_at > instant($4) - interval '1 hour'
       -- Later ones are of a clock that has been set back since.
       and created_at < instant($4) + interval '1 minute'`,
    [...recipient, nowMs, criticalKinds],
  )
  return rows[0] ?? { critical: 0, others: 0, digestMs: null }
}

async function markTold(
  connection: Queryable,
  due: readonly DueFinding[],
  toldIds: ReadonlySet<number>,
  nowMs: number,
): Promise<void> {
  await connection.query(
    `update finding set tell_at = 'infinity', told_count = finding.count,
       told_at = case when due.is_told then instant($3) else finding.told_at end
     from unnest($1::int8[], $2::bool[]) as due (id, is_told) where finding.id = due.id`,
    [numberArray(due.map(({ id }) => id)), due.map(({ id }) => toldIds.has(id)), nowMs],
  )
}

export type ChannelMessages = {
  channel: Channel
  waiting: number
  sent: number
  givenUp: number
  lastSentMs: number | null
}

const messageDaysCounted = 7

/** The messages of the last days by channel: those to a supplier, or those to the operators. */
export async function countMessages(
  db: Queryable,
  supplierId: number | undefined,
  nowMs: number,
): Promise<ChannelMessages[]> {
  const { rows } = await db.query<ChannelMessages>(
    `select channel, count(*) filter (where status = 'queued')::int as waiting,
       count(*) filter (where status = 'sent')::int as sent, count(*) filter (where status = 'dead')::int as "givenUp",
       epoch_ms(max(due_at) filter (where status = 'sent')) as "lastSentMs"
     from alert_message
     where coalesce(supplier_id, 0) = $1 and created_at > instant($2) - make_interval(days => ${messageDaysCounted})
     group by 1 order by 1`,
    [supplierId ?? 0, nowMs],
  )
  return rows
}

/** Housekeeping. */
export function deleteOldMessages(db: Queryable, beforeMs: number): Promise<number> {
  return sweep(
    db,
    `delete from alert_message where id in (
       select id from alert_message where status <> 'queued' and created_at < instant($1)
       order by created_at limit $2 for update skip locked)`,
    beforeMs,
  )
}
