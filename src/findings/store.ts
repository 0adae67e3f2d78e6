import type { Queryable } from '../postgres/postgres.ts'
import { sweep } from '../postgres/connections/queryable.ts'
import { findingLimits, type Evidence, type FindingKind } from './contract.ts'

/**
 * Findings are rows, one for each supplier, kind, key, hotel and subject. Raising and resolving are idempotent:
 * whoever looks at a state may say each time what it is, and only a difference is written.
 */

export type FindingName = {
  supplierId: number
  kind: FindingKind
  /** Absent: it concerns no key in particular. */
  keyId?: number | undefined
  /** Absent: it concerns the account. */
  hotelId?: number | undefined
  /** Tells findings of one kind and hotel apart, such as the code of a rule. */
  subject?: string | undefined
}

export type Finding = FindingName & {
  /** How many of it there are now, such as refused items. Absent: 1. */
  count?: number | undefined
  evidence?: Evidence | undefined
}

export function raiseFinding(db: Queryable, finding: Finding, nowMs: number): Promise<number> {
  return raiseFindings(db, [finding], nowMs)
}

/**
 * Opens findings, or reopens resolved ones; of those that are open already, the count and the evidence follow.
 * No name may occur twice, and the rows of hotels that are gone are left out. Returns how many were written:
 * none, and no row is locked, if all are as they were.
 */
export async function raiseFindings(
  db: Queryable,
  findings: readonly Finding[],
  nowMs: number,
): Promise<number> {
  if (findings.length === 0) return 0
  const { rowCount } = await db.query({
    name: 'raise-findings',
    text: `
      with given as (
        select * from jsonb_to_recordset($1::jsonb)
          as given (supplier_id int, kind text, key_id int, hotel_id int, subject text, count int, evidence jsonb)
      ), news as (
        select given.* from given
        where not exists (
            select from finding where ${isOf('given')} and finding.state <> 'resolved'
              and finding.count = given.count and finding.evidence = given.evidence
              and finding.last_seen_at > instant($2) - make_interval(mins => ${findingLimits.seenEveryMinutes}))
          and (given.hotel_id is null or exists (select from hotel where hotel.id = given.hotel_id))
        -- In one order, so that two of these statements can't deadlock.
        order by given.supplier_id, given.kind, coalesce(given.hotel_id, 0), coalesce(given.key_id, 0), given.subject
      )
      insert into finding (supplier_id, kind, key_id, hotel_id, subject, count, evidence, state,
        opened_at, last_seen_at, tell_at)
      select supplier_id, kind, key_id, hotel_id, subject, count, evidence, 'open', instant($2), instant($2), instant($2)
      from news
      on conflict (supplier_id, kind, coalesce(hotel_id, 0), coalesce(key_id, 0), subject) do update set
        state = case when finding.state = 'resolved' then 'open' else finding.state end,
        opened_at = case when finding.state = 'resolved' then excluded.opened_at else finding.opened_at end,
        acknowledged_at = case when finding.state = 'resolved' then null else finding.acknowledged_at end,
        acknowledged_by = case when finding.state = 'resolved' then null else finding.acknowledged_by end,
        resolved_at = null,
        last_seen_at = excluded.last_seen_at,
        count = excluded.count,
        evidence = excluded.evidence,
        -- It is told again when it comes back or grows, but not before some hours have passed.
        tell_at = case when finding.state = 'resolved' or excluded.count > finding.told_count
          then least(finding.tell_at, greatest(excluded.tell_at,
            -- A clock that was set back doesn't make it wait for longer.
            case when finding.told_at > instant($2) then instant($2) else finding.told_at end
              + make_interval(hours => ${findingLimits.toldAgainAfterHours})))
          else finding.tell_at end`,
    values: [JSON.stringify(findings.map(rowOf)), nowMs],
  })
  return rowCount ?? 0
}

export function resolveFinding(db: Queryable, name: FindingName, nowMs: number): Promise<number> {
  return resolveFindings(db, [name], nowMs)
}

/** Resolves those that are open or acknowledged, and returns how many there were. */
export async function resolveFindings(
  db: Queryable,
  names: readonly FindingName[],
  nowMs: number,
): Promise<number> {
  if (names.length === 0) return 0
  const { rowCount } = await db.query({
    name: 'resolve-findings',
    text: `
      with given as (
        select * from jsonb_to_recordset($1::jsonb)
          as given (supplier_id int, kind text, key_id int, hotel_id int, subject text)
      ), past as (
        select finding.id from finding join given on ${isOf('given')} where finding.state <> 'resolved'
        order by finding.supplier_id, finding.kind, coalesce(finding.hotel_id, 0), coalesce(finding.key_id, 0),
          finding.subject
        for no key update of finding
      )
      update finding set state = 'resolved', resolved_at = instant($2), tell_at = 'infinity'
      from past where finding.id = past.id and finding.state <> 'resolved'`,
    values: [JSON.stringify(names.map(rowOf)), nowMs],
  })
  return rowCount ?? 0
}

/** For a watch that knows all there is of a kind: raises these, and resolves all others of the kind. */
export async function settleFindings(
  db: Queryable,
  kind: FindingKind,
  { findings, subject, nowMs }: { findings: readonly Finding[]; subject?: string; nowMs: number },
): Promise<void> {
  await raiseFindings(db, findings, nowMs)
  await db.query({
    name: 'settle-findings',
    text: `
      with given as (
        select * from jsonb_to_recordset($2::jsonb)
          as given (supplier_id int, kind text, key_id int, hotel_id int, subject text)
      ), past as (
        select id from finding
        where kind = $1 and state <> 'resolved' and ($4::text is null or subject = $4)
          and not exists (select from given where ${isOf('given')})
        order by supplier_id, coalesce(hotel_id, 0), coalesce(key_id, 0), subject for no key update
      )
      update finding set state = 'resolved', resolved_at = instant($3), tell_at = 'infinity'
      from past where finding.id = past.id and finding.state <> 'resolved'`,
    values: [kind, JSON.stringify(findings.map(rowOf)), nowMs, subject ?? null],
  })
}

/** The columns of the unique index. */
function isOf(given: string): string {
  return `finding.supplier_id = ${given}.supplier_id and finding.kind = ${given}.kind
    and coalesce(finding.hotel_id, 0) = coalesce(${given}.hotel_id, 0)
    and coalesce(finding.key_id, 0) = coalesce(${given}.key_id, 0) and finding.subject = ${given}.subject`
}

function rowOf({ supplierId, kind, keyId, hotelId, subject = '', count = 1, evidence = {} }: Finding) {
  return {
    supplier_id: supplierId,
    kind,
    key_id: keyId ?? null,
    hotel_id: hotelId ?? null,
    subject,
    count,
    evidence: bounded(evidence),
  }
}

const { evidenceTextMax, evidenceListMax } = findingLimits

function bounded(evidence: Evidence): Evidence {
  return Object.fromEntries(Object.entries(evidence).map(([name, value]) => [name, boundedValue(value)]))
}

function boundedValue(value: Evidence[string]): Evidence[string] {
  if (typeof value === 'string') return value.slice(0, evidenceTextMax)
  if (typeof value !== 'object' || value === null) return value
  return value.slice(0, evidenceListMax).map((text) => text.slice(0, evidenceTextMax))
}

/** Housekeeping: findings that were resolved before the instant. */
export function deleteOldFindings(db: Queryable, beforeMs: number): Promise<number> {
  return sweep(
    db,
    `delete from finding where id in (
       select id from finding where resolved_at < instant($1)
       order by id limit $2 for update skip locked)`,
    beforeMs,
  )
}
