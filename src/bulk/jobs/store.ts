import type { Problem } from '../../http/rejected.ts'
import { textArray, numberArray, type Queryable } from '../../postgres/postgres.ts'
import { type BulkFormat, type BulkKind, type BulkState, type BulkTask } from '../contract.ts'
import { type BulkEncoding } from '../limits.ts'

export type JobRow = {
  id: string
  task: BulkTask
  /** Of an export: the hotels that it is limited to, and the last one whose lines are stored, by id. */
  hotelCodes: string[] | null
  afterHotel: number
  supplierId: number
  /** Hotels that its account may have; 0: no limit. */
  hotelsMax: number
  keyId: number
  kind: BulkKind
  format: BulkFormat
  stopsAtError: boolean
  isDryRun: boolean
  state: BulkState
  createdMs: number
  startedMs: number | null
  endedMs: number | null
  encoding: BulkEncoding | null
  bytes: number
  bytesAnnounced: number | null
  parts: number
  line: number
  bytesDone: number
  applied: number
  unchanged: number
  partial: number
  refused: number
  refusedBytes: number
  hotels: number
  header: Buffer | null
  failure: Problem | null
}

export const jobColumns = `id, task, after_hotel as "afterHotel", hotel_codes as "hotelCodes", supplier_id as "supplierId",
  (select hotels_max from supplier where supplier.id = supplier_id) as "hotelsMax", key_id as "keyId", kind, format, stops_at_error as "stopsAtError",
  is_dry_run as "isDryRun", state, epoch_ms(created_at) as "createdMs", epoch_ms(started_at) as "startedMs",
  epoch_ms(ended_at) as "endedMs", encoding, bytes, bytes_announced as "bytesAnnounced", parts, line,
  bytes_done as "bytesDone", applied, unchanged, partial, refused, refused_bytes as "refusedBytes", hotels, header, failure`

type NewJob = Pick<JobRow, 'id' | 'supplierId' | 'keyId' | 'kind' | 'format' | 'stopsAtError' | 'isDryRun'>

/** Undefined if the account has too many open jobs. Its row of `supplier` must be locked. */
export async function insertOptionalLoad(
  connection: Queryable,
  job: NewJob,
  openMax: number,
  nowMs: number,
): Promise<JobRow | undefined> {
  const { rows } = await connection.query<JobRow>(
    `insert into bulk_job (id, supplier_id, key_id, task, kind, format, stops_at_error, is_dry_run, state, created_at, touched_at)
     select $1, $2, $3, 'load', $4, $5, $6, $7, 'uploading', instant($9), instant($9)
     where (select count(*) from bulk_job where supplier_id = $2 and state in ('uploading', 'queued', 'running')) < $8
     returning ${jobColumns}`,
    [job.id, job.supplierId, job.keyId, job.kind, job.format, job.stopsAtError, job.isDryRun, openMax, nowMs],
  )
  return rows[0]
}

export async function selectOptionalJob(
  db: Queryable,
  { id, supplierId }: { id: string; supplierId: number },
): Promise<JobRow | undefined> {
  const { rows } = await db.query<JobRow>(
    `select ${jobColumns} from bulk_job where id = $1 and supplier_id = $2`,
    [id, supplierId],
  )
  return rows[0]
}

/**
 * Starts a job whose data is complete. In one statement, because a request may begin to send other data at the same moment.
 */
export async function startLoad(db: Queryable, id: string, nowMs: number): Promise<JobRow | undefined> {
  const { rows } = await db.query<JobRow>(
    `update bulk_job set state = 'queued', touched_at = instant($2), queued_at = instant($2)
     where id = $1 and state = 'uploading' and leased_by is null and bytes > 0 and bytes = coalesce(bytes_announced, bytes)
     returning ${jobColumns}`,
    [id, nowMs],
  )
  return rows[0]
}

/** Undefined if the job has ended. */
export async function cancelJob(db: Queryable, id: string, nowMs: number): Promise<JobRow | undefined> {
  const { rows } = await db.query<JobRow>(
    `update bulk_job set state = 'cancelled', touched_at = instant($2), ended_at = instant($2)
     where id = $1 and state in ('uploading', 'queued', 'running') returning ${jobColumns}`,
    [id, nowMs],
  )
  return rows[0]
}

export type JobLease = { by: string; nowMs: number; untilMs: number }

/** Those that no process works on, of each supplier the first one only. */
function freeJobs(now: string): string {
  return `from bulk_job as job
    where state in ('queued', 'running') and (leased_until is null or leased_until <= instant(${now}))
      and not exists (
        select from bulk_job as earlier
        where earlier.supplier_id = job.supplier_id and earlier.state in ('queued', 'running')
          and (earlier.queued_at, earlier.id) < (job.queued_at, job.id))`
}

/**
 * Takes the next job: of each account the one that was started first, unless a process works on it. A job whose lease has
 * ended goes on at its checkpoint.
 */
export async function takeJob(db: Queryable, { by, nowMs, untilMs }: JobLease): Promise<JobRow | undefined> {
  const { rows } = await db.query<JobRow>(
    `update bulk_job set leased_by = $1, leased_until = instant($3), state = 'running',
       started_at = coalesce(started_at, instant($2))
     where id = (
       select id ${freeJobs('$2')} order by queued_at, id limit 1 for update skip locked)
     returning ${jobColumns}`,
    [by, nowMs, untilMs],
  )
  return rows[0]
}

/** Whether there is a job to take. */
export async function isJobFree(db: Queryable, nowMs: number): Promise<boolean> {
  const { rowCount } = await db.query(`select ${freeJobs('$1')} limit 1`, [nowMs])
  return rowCount === 1
}

/** False if another process has the job, or if it has ended. */
export async function renewLease(db: Queryable, id: string, { by, untilMs }: JobLease): Promise<boolean> {
  const { rowCount } = await db.query(
    `update bulk_job set leased_until = instant($3) where id = $1 and leased_by = $2 and state = 'running'`,
    [id, by, untilMs],
  )
  return rowCount === 1
}

export async function releaseLease(db: Queryable, id: string, by: string): Promise<void> {
  await db.query(`update bulk_job set leased_until = null where id = $1 and leased_by = $2`, [id, by])
}

/** The checkpoint of a job that this process works on. */
export async function selectCheckpoint(db: Queryable, id: string, by: string): Promise<JobRow | undefined> {
  const { rows } = await db.query<JobRow>(
    `select ${jobColumns} from bulk_job where id = $1 and leased_by = $2 and state = 'running'`,
    [id, by],
  )
  return rows[0]
}

export type RefusedLine = { line: number; bytes: Buffer; problems: readonly Problem[] }

/** What a refused line takes, with its reasons. */
export function storedBytesOf({ bytes, problems }: Pick<RefusedLine, 'bytes' | 'problems'>): number {
  return bytes.length + JSON.stringify(problems).length
}

export type Progress = {
  /** The last line before these. */
  after: number
  line: number
  bytesDone: number
  counts: { applied: number; unchanged: number; partial: number; refused: number }
  hotels: readonly string[]
  refused: readonly RefusedLine[]
}

/**
 * Moves the checkpoint, inside the transaction that applies the lines. The statement fails, and with it that transaction,
 * if this process no longer has the job or the job has another checkpoint: the table refuses the state null.
 */
export async function moveCheckpoint(
  connection: Queryable,
  id: string,
  { by, nowMs, untilMs }: JobLease,
  { after, line, bytesDone, counts, hotels, refused }: Progress,
): Promise<void> {
  await connection.query({
    name: 'move-bulk-checkpoint',
    text: `
      with named as (
        insert into bulk_hotel (job_id, code) select $1, code from unnest($10::text[]) as code
        on conflict do nothing returning 1
      ), refused_lines as (
        insert into bulk_refused (job_id, line, bytes, problems)
        select $1, line, decode(hex, 'hex'), problems::json
        from unnest($11::int[], $12::text[], $13::text[]) as sent (line, hex, problems)
      )
      update bulk_job set line = $4, bytes_done = greatest(bytes_done, $5), touched_at = instant($14),
        leased_until = instant($15),
        applied = applied + $6, unchanged = unchanged + $7, partial = partial + $8, refused = refused + $9,
        refused_bytes = refused_bytes + $16, hotels = hotels + (select count(*) from named),
        state = case when leased_by = $2 and line = $3 and state = 'running' then state end
      where id = $1`,
    values: [
      id,
      by,
      after,
      line,
      bytesDone,
      counts.applied,
      counts.unchanged,
      counts.partial,
      counts.refused,
      textArray(hotels),
      numberArray(refused.map((one) => one.line)),
      textArray(refused.map(({ bytes }) => bytes.toString('hex'))),
      textArray(refused.map(({ problems }) => JSON.stringify(problems))),
      nowMs,
      untilMs,
      refused.reduce((sum, one) => sum + storedBytesOf(one), 0),
    ],
  })
}

export async function keepHeader(db: Queryable, id: string, header: Buffer): Promise<void> {
  await db.query('update bulk_job set header = $2 where id = $1 and header is null', [id, header])
}

/** Ends a job that this process works on. Its data is not needed any more. Returns false if another process has it. */
export async function endJob(
  db: Queryable,
  id: string,
  by: string,
  end: { state: 'done' | 'stopped' | 'failed'; failure: Problem | undefined; nowMs: number },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update bulk_job set state = $3, failure = $4, ended_at = instant($5), touched_at = instant($5), bytes_done = case
       when $3 = 'done' then bytes else bytes_done end
     where id = $1 and leased_by = $2 and state = 'running'`,
    [id, by, end.state, end.failure === undefined ? null : JSON.stringify(end.failure), end.nowMs],
  )
  return rowCount === 1
}

/** Refused lines after a line, in order. */
export async function selectRefused(
  db: Queryable,
  id: string,
  afterLine: number,
  most: number,
): Promise<RefusedLine[]> {
  const { rows } = await db.query<RefusedLine>(
    'select line, bytes, problems from bulk_refused where job_id = $1 and line > $2 order by line limit $3',
    [id, afterLine, most],
  )
  return rows
}

/** Deletes jobs that ended, or were left without a start, before these times; and data that is no longer needed. */
export async function deleteOldJobs(
  db: Queryable,
  { endedMs, touchedMs }: { endedMs: number; touchedMs: number },
): Promise<number> {
  for (const table of ['bulk_part', 'bulk_hotel'])
    await db.query(
      `delete from ${table} using bulk_job
       where job_id = id and (state in ('stopped', 'cancelled', 'failed') or state = 'done' and task = 'load')`,
    )
  const { rowCount } = await db.query(
    `delete from bulk_job
     where (ended_at < instant($1)) or (state = 'uploading' and touched_at < instant($2))`,
    [endedMs, touchedMs],
  )
  return rowCount ?? 0
}

/** Removes an account's loads that have ended, except the newest. Its row of `supplier` must be locked. */
export async function deleteOlderLoads(
  connection: Queryable,
  supplierId: number,
  kept: { loads: number; refusedBytes: number },
): Promise<void> {
  await connection.query(
    `delete from bulk_job where id in (
       select id from (
         select id, row_number() over newest as place, sum(refused_bytes) over newest as bytes from bulk_job
         where supplier_id = $1 and task = 'load' and ended_at is not null
         window newest as (order by ended_at desc, id desc)) as ended
       where place > $2 or bytes > $3)`,
    [supplierId, kept.loads, kept.refusedBytes],
  )
}

export async function deleteJobsOf(connection: Queryable, supplierId: number): Promise<void> {
  await connection.query('delete from bulk_job where supplier_id = $1', [supplierId])
}
