import { textArray, type Queryable } from '../../postgres/postgres.ts'
import type { DataPart } from '../jobs/data-store.ts'
import { jobColumns, type JobRow, type JobLease } from '../jobs/store.ts'

type NewExport = Pick<JobRow, 'id' | 'supplierId' | 'keyId' | 'kind' | 'format' | 'hotelCodes'>

/** Waits for its turn at once. Undefined if the account has too many open jobs. Its row of `supplier` must be locked. */
export async function insertOptionalExport(
  connection: Queryable,
  job: NewExport,
  { openMax, nowMs }: { openMax: number; nowMs: number },
): Promise<JobRow | undefined> {
  const { rows } = await connection.query<JobRow>(
    `insert into bulk_job (id, supplier_id, key_id, task, kind, format, hotel_codes, encoding, state, created_at, touched_at,
       queued_at)
     select $1, $2, $3, 'export', $4, $5, $6, 'gzip', 'queued', instant($8), instant($8), instant($8)
     where (select count(*) from bulk_job where supplier_id = $2 and state in ('uploading', 'queued', 'running')) < $7
     returning ${jobColumns}`,
    [job.id, job.supplierId, job.keyId, job.kind, job.format, job.hotelCodes, openMax, nowMs],
  )
  return rows[0]
}

/** Removes an account's exports that have ended, except the newest. Its row of `supplier` must be locked. */
export async function deleteOlderExports(
  connection: Queryable,
  supplierId: number,
  kept: number,
): Promise<void> {
  await connection.query(
    `delete from bulk_job where id in (
       select id from bulk_job where supplier_id = $1 and task = 'export' and ended_at is not null
       order by ended_at desc, id desc offset $2)`,
    [supplierId, kept],
  )
}

/** An account's exports, newest first. */
export async function selectExports(db: Queryable, supplierId: number, limit: number): Promise<JobRow[]> {
  const { rows } = await db.query<JobRow>(
    `select ${jobColumns} from bulk_job where supplier_id = $1 and task = 'export' order by created_at desc, id desc limit $2`,
    [supplierId, limit],
  )
  return rows
}

/** The codes among these that the supplier has. */
export async function selectKnownCodes(
  db: Queryable,
  supplierId: number,
  codes: readonly string[],
): Promise<Set<string>> {
  const { rows } = await db.query<{ code: string }>(
    'select code from hotel where supplier_id = $1 and code = any($2::text[])',
    [supplierId, textArray(codes)],
  )
  return new Set(rows.map(({ code }) => code))
}

export type HotelToExport = { id: number; code: string }

export async function selectNextHotels(
  db: Queryable,
  { supplierId, hotelCodes }: JobRow,
  after: number,
  most: number,
): Promise<HotelToExport[]> {
  const { rows } = await db.query<HotelToExport>(
    `select id, code from hotel where supplier_id = $1 and id > $2 and ($3::text[] is null or code = any($3))
     order by id limit $4`,
    [supplierId, after, hotelCodes, most],
  )
  return rows
}

/** The largest number of guests of each kind that any product to be exported accepts. */
export async function selectGuestsMax(
  db: Queryable,
  { supplierId, hotelCodes }: JobRow,
): Promise<{ adult: number; child: number; infant: number }> {
  const { rows } = await db.query<{ adult: number; child: number; infant: number }>(
    `select coalesce(max(least(max_adult, max_occupancy)), 0)::int as adult,
       coalesce(max(least(max_child, max_occupancy)), 0)::int as child,
       coalesce(max(least(max_infant, max_occupancy)), 0)::int as infant
     from hotel join room_rate on room_rate.hotel_id = hotel.id
     where supplier_id = $1 and ($2::text[] is null or hotel.code = any($2))`,
    [supplierId, hotelCodes],
  )
  return rows[0] ?? { adult: 0, child: 0, infant: 0 }
}

/** What an export has stored up to a hotel. */
export type ExportProgress = Pick<JobRow, 'afterHotel' | 'parts' | 'line' | 'bytes' | 'hotels'>

/**
 * Stores parts and moves the checkpoint behind them, in one transaction. False, and nothing may be stored, if this process
 * no longer has the job or the job has another checkpoint.
 */
export async function moveExport(
  connection: Queryable,
  id: string,
  { by, nowMs, untilMs }: JobLease,
  { before, now, parts }: { before: ExportProgress; now: ExportProgress; parts: readonly DataPart[] },
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `update bulk_job set after_hotel = $5, parts = $6, line = $7, bytes = $8, hotels = $9, touched_at = instant($10),
       leased_until = instant($11)
     where id = $1 and leased_by = $2 and state = 'running' and after_hotel = $3 and parts = $4`,
    [
      id,
      by,
      before.afterHotel,
      before.parts,
      now.afterHotel,
      now.parts,
      now.line,
      now.bytes,
      now.hotels,
      nowMs,
      untilMs,
    ],
  )
  if (rowCount === 0) return false
  for (const [index, { length, stored }] of parts.entries()) {
    await connection.query('insert into bulk_part (job_id, part, length, bytes) values ($1, $2, $3, $4)', [
      id,
      before.parts + index + 1,
      length,
      stored,
    ])
  }
  return true
}
