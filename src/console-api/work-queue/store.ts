import { alertKinds } from '../../alerts/contract.ts'
import { alertIdOf } from '../../alerts/render-alert.ts'
import { instantOf } from '../../base/calendar.ts'
import type { FindingKind } from '../../findings/contract.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { sweep } from '../../postgres/connections/queryable.ts'
import { selectStopSells } from '../stop-sells/store.ts'
import { workLimits, type WorkDone, type WorkItem } from './contract.ts'

/** The sources of the work queue, each read up to a limit, and what people did about it. */

/** `newestMs`: when it happened last. What was done before that is work again. */
export type Work = Omit<WorkItem, keyof WorkDone> & { newestMs: number }

const { ofSource, neverPushedRead } = workLimits

export async function selectAlertWork(db: Queryable): Promise<Work[]> {
  type Row = Omit<Work, 'key' | 'severity' | 'since' | 'newestMs' | 'kind' | 'errors'> & {
    id: number
    kind: FindingKind
    openedAtMs: number
  }
  const { rows } = await db.query<Row>(
    `select finding.id::float8 as id, finding.kind, supplier.id as "supplierId", supplier.name as supplier,
       hotel.id as "hotelId", hotel.name as "hotelName", count, subject, evidence, epoch_ms(opened_at) as "openedAtMs"
     from finding join supplier on supplier.id = finding.supplier_id left join hotel on hotel.id = finding.hotel_id
     where state <> 'resolved' order by array_position($2::text[], finding.kind), finding.id limit $1`,
    [ofSource + 1, kindsByWeight],
  )
  return rows.map(({ id, openedAtMs, ...row }) => ({
    key: alertIdOf(id),
    severity: alertKinds[row.kind].severity,
    since: instantOf(openedAtMs),
    newestMs: openedAtMs,
    errors: [],
    ...row,
  }))
}

const weights = { critical: 0, warning: 1, info: 2 } as const
export const weightOf = ({ severity }: Pick<Work, 'severity'>): number => weights[severity]
const kindsByWeight = Object.entries(alertKinds)
  .toSorted(([, left], [, right]) => weightOf(left) - weightOf(right))
  .map(([kind]) => kind)

/** Hotels on sale that never got ARI, of each supplier; of a supplier with very many, the oldest. */
export async function selectNeverPushedWork(db: Queryable): Promise<Work[]> {
  const { rows } = await db.query<{
    supplierId: number
    supplier: string
    hotels: number
    hotelId: number
    hotelName: string
    firstMs: number
    lastMs: number
  }>(
    `select supplier.id as "supplierId", supplier.name as supplier, count(*)::int as hotels,
       min(few.id) as "hotelId", (array_agg(few.name order by few.id))[1] as "hotelName",
       epoch_ms(min(few.created_at)) as "firstMs", epoch_ms(max(few.created_at)) as "lastMs"
     from supplier cross join lateral (
         select id, name, created_at from hotel where supplier_id = supplier.id and is_available and ari_day = 0
         order by id limit $2
       ) as few
     group by supplier.id, supplier.name order by count(*) desc, supplier.id limit $1`,
    [ofSource + 1, neverPushedRead],
  )
  return rows.map(({ supplierId, supplier, hotels, hotelId, hotelName, firstMs, lastMs }) => ({
    key: `never:${supplierId}`,
    kind: 'hotel.neverPushed',
    severity: 'warning',
    supplierId,
    supplier,
    hotelId: hotels === 1 ? hotelId : null,
    hotelName: hotels === 1 ? hotelName : null,
    count: hotels,
    since: instantOf(firstMs),
    subject: '',
    errors: [],
    evidence: {},
    newestMs: lastMs,
  }))
}

export async function selectStoppedWork(db: Queryable, nowMs: number): Promise<Work[]> {
  const every = { supplierId: undefined, hotelId: undefined, isEnded: false, beforeId: undefined }
  const stopSells = await selectStopSells(db, { ...every, limit: ofSource + 1 }, nowMs)
  return stopSells.map(({ stopSellId, hotelId, hotelName, supplierId, supplier, ...stop }) => ({
    key: `stop:${stopSellId}`,
    kind: 'sales.stopped',
    severity: 'info',
    supplierId,
    supplier,
    hotelId,
    hotelName,
    count: 1,
    since: stop.at,
    subject: stop.reason ?? '',
    errors: [],
    evidence: { operator: stop.operator, until: stop.until },
    newestMs: Date.parse(stop.at),
  }))
}

/** What people did about a piece of work; instants in milliseconds. */
export type WorkState = {
  takenBy: string | null
  takenAtMs: number | null
  note: string | null
  noteBy: string | null
  noteAtMs: number | null
  snoozedUntilMs: number | null
  doneAtMs: number | null
  doneBy: string | null
  doneCount: number | null
}

export const untouched: WorkState = {
  takenBy: null,
  takenAtMs: null,
  note: null,
  noteBy: null,
  noteAtMs: null,
  snoozedUntilMs: null,
  doneAtMs: null,
  doneBy: null,
  doneCount: null,
}

const stateColumns = `taken_by as "takenBy", epoch_ms(taken_at) as "takenAtMs", note, note_by as "noteBy",
  epoch_ms(note_at) as "noteAtMs", epoch_ms(snoozed_until) as "snoozedUntilMs", epoch_ms(done_at) as "doneAtMs",
  done_by as "doneBy", done_count as "doneCount"`

export async function selectWorkStates(
  db: Queryable,
  keys: readonly string[],
): Promise<Map<string, WorkState>> {
  if (keys.length === 0) return new Map()
  const { rows } = await db.query<WorkState & { key: string }>(
    `select key, ${stateColumns} from work_item where key = any($1::text[])`,
    [keys],
  )
  return new Map(rows.map(({ key, ...state }) => [key, state]))
}

/** Locks it until the transaction ends. */
export async function lockWorkState(connection: Queryable, key: string, nowMs: number): Promise<WorkState> {
  await connection.query(
    'insert into work_item (key, changed_at) values ($1, instant($2)) on conflict do nothing',
    [key, nowMs],
  )
  const { rows } = await connection.query<WorkState>(
    `select ${stateColumns} from work_item where key = $1 for update`,
    [key],
  )
  return rows[0] ?? untouched
}

export async function writeWorkState(
  connection: Queryable,
  key: string,
  state: WorkState,
  nowMs: number,
): Promise<void> {
  await connection.query(
    `update work_item set taken_by = $3, taken_at = instant($4), note = $5, note_by = $6, note_at = instant($7),
       snoozed_until = instant($8), done_at = instant($9), done_by = $10, done_count = $11, changed_at = instant($2)
     where key = $1`,
    [
      key,
      nowMs,
      state.takenBy,
      state.takenAtMs,
      state.note,
      state.noteBy,
      state.noteAtMs,
      state.snoozedUntilMs,
      state.doneAtMs,
      state.doneBy,
      state.doneCount,
    ],
  )
}

/** Housekeeping: what nobody has touched since the instant. */
export function deleteOldWork(db: Queryable, beforeMs: number): Promise<number> {
  return sweep(
    db,
    `delete from work_item where key in (
       select key from work_item where changed_at < instant($1)
       order by key limit $2 for update skip locked)`,
    beforeMs,
  )
}
