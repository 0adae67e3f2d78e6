import type { Queryable } from '../postgres/postgres.ts'
import { evidenceLimits, type CheckId } from './contract.ts'
import type { AttemptFact, BookingFact, CheckVerdict, Note, NoteSubject, PriceCheckFact } from './facts.ts'

/** An account, or one of its hotels. */
export type CertifiedScope = { supplierId: number; hotelId: number | undefined }

/** Rows of the account that are searched for those of a hotel. */
const searchedMax = 5_000
/**
 * What the service itself did wrong because the supplier ordered it (webhooks/callback-faults.ts). The text counts only for
 * rows of a version that didn't store it: a supplier writes the text of its answers.
 */
const isOrdered = (row: string, text: string): string =>
  `coalesce(${row}.is_ordered, ${row}.${text} like '%(ordered in the sandbox)' or ${row}.${text} like '%/push/sandbox/faults%', false)`

export async function selectAttemptFacts(
  db: Queryable,
  { supplierId, hotelId }: CertifiedScope,
): Promise<AttemptFact[]> {
  const { rows } = await db.query<AttemptFact>(
    `select message_id || '.' || made.attempt as "requestId",
       epoch_ms(made.at) - supplier.clock_ahead_ms as "atMs", hotel.code as "hotelId",
       duration_ms as "durationMs", outcome, version, reservation_status as status,
       is_repeat or exists (
         -- The supplier has it already: only the answer got lost.
         select from delivery_attempt as earlier
         where earlier.delivery_id = made.delivery_id and earlier.attempt < made.attempt and earlier.outcome = 'reset'
       ) as "isRepeat"
     from (
       select * from (
         select * from delivery where supplier_id = $1 order by created_at desc limit ${searchedMax}
       ) as newest where $2::int is null or hotel_id = $2 order by created_at desc limit $3
     ) as delivery
     join delivery_attempt as made on made.delivery_id = delivery.id
     join hotel on hotel.id = delivery.hotel_id join supplier on supplier.id = delivery.supplier_id
     where not ${isOrdered('made', 'answer')}
     order by made.at desc, made.attempt desc limit $3`,
    [supplierId, hotelId ?? null, evidenceLimits.attempts],
  )
  return rows
}

export async function selectPriceCheckFacts(
  db: Queryable,
  { supplierId, hotelId }: CertifiedScope,
): Promise<PriceCheckFact[]> {
  const one = hotelId === undefined ? 'made.supplier_id = $1' : 'made.supplier_id = $1 and made.hotel_id = $3'
  const { rows } = await db.query<PriceCheckFact>(
    `select request_id as "requestId", epoch_ms(at) as "atMs", hotel.code as "hotelId", outcome,
       duration_ms as "durationMs", difference
     from price_check as made join hotel on hotel.id = made.hotel_id
     where ${one} and not ${isOrdered('made', 'message')} order by made.id desc limit $2`,
    [supplierId, evidenceLimits.priceChecks, ...(hotelId === undefined ? [] : [hotelId])],
  )
  return rows
}

export async function selectBookingFacts(
  db: Queryable,
  { supplierId, hotelId }: CertifiedScope,
): Promise<BookingFact[]> {
  const one = hotelId === undefined ? 'supplier_id = $1' : 'supplier_id = $1 and hotel_id = $3'
  const { rows } = await db.query<BookingFact>(
    `select epoch_ms(made.created_at) - supplier.clock_ahead_ms as "atMs", hotel.code as "hotelId",
       content -> 'rooms' -> 0 ->> 'roomId' as "roomId",
       (content ->> 'checkin')::date - '1970-01-01'::date as arrival
     from (select * from reservation where ${one} order by id desc limit $2) as made
     join reservation_version on reservation_id = made.id and reservation_version.version = 1
     join hotel on hotel.id = made.hotel_id join supplier on supplier.id = made.supplier_id
     order by made.id desc`,
    [supplierId, evidenceLimits.bookings, ...(hotelId === undefined ? [] : [hotelId])],
  )
  return rows
}

type NoteRow = Note & { subject: NoteSubject }

export async function selectCheckNotes(db: Queryable, supplierId: number): Promise<Map<NoteSubject, Note>> {
  const { rows } = await db.query<NoteRow>(
    `select subject, is_good as "isGood", epoch_ms(at) as "atMs", request_id as "requestId", detail
     from certification_note where supplier_id = $1`,
    [supplierId],
  )
  return new Map(rows.map(({ subject, ...note }) => [subject, note]))
}

export type NewNote = NoteRow & { supplierId: number }

/** The last one of each subject stays. */
export async function upsertNotes(db: Queryable, notes: readonly NewNote[]): Promise<void> {
  await db.query(
    `insert into certification_note (supplier_id, subject, is_good, at, request_id, detail)
     select distinct on ("supplierId", subject) "supplierId", subject, "isGood", instant("atMs"), "requestId", detail
     from rows from (jsonb_to_recordset($1) as ("supplierId" int, subject text, "isGood" boolean, "atMs" float8,
       "requestId" text, detail text)) with ordinality
       as made ("supplierId", subject, "isGood", "atMs", "requestId", detail, position)
     order by "supplierId", subject, position desc
     on conflict (supplier_id, subject) do update set is_good = excluded.is_good, at = excluded.at,
       request_id = excluded.request_id, detail = excluded.detail`,
    [JSON.stringify(notes)],
  )
}

/** What earlier traffic of an account showed. */
export type StoredCertification = {
  isCertifiedByOperator: boolean
  seen: string[]
  verdicts: [CheckId, CheckVerdict][]
}

export async function selectCertification(db: Queryable, supplierId: number): Promise<StoredCertification> {
  const { rows } = await db.query<StoredCertification>(
    `select certified_at is not null as "isCertifiedByOperator", coalesce(seen, '{}') as seen,
       coalesce(verdicts, '[]') as verdicts
     from supplier left join certification on supplier_id = id where id = $1`,
    [supplierId],
  )
  return rows[0] ?? { isCertifiedByOperator: false, seen: [], verdicts: [] }
}

/** A verdict by older facts doesn't replace one by newer facts. */
export async function upsertCertification(
  db: Queryable,
  supplierId: number,
  {
    seen,
    verdicts,
    isCertified,
    nowMs,
  }: Omit<StoredCertification, 'isCertifiedByOperator'> & {
    isCertified: boolean
    nowMs: number
  },
): Promise<void> {
  await db.query(
    `insert into certification as present (supplier_id, at, seen, verdicts, is_certified)
     values ($1, instant($2), $3, $4, $5)
     on conflict (supplier_id) do update set at = excluded.at, verdicts = excluded.verdicts,
       is_certified = excluded.is_certified,
       seen = array(select distinct name from unnest(present.seen || excluded.seen) as name order by name)
     where present.at <= excluded.at`,
    [supplierId, nowMs, [...seen].sort(), JSON.stringify(verdicts), isCertified],
  )
}

/** Accounts whose keys were used of late and whose verdicts are older than an instant: those never judged come first. */
export async function selectAccountsToJudge(
  db: Queryable,
  { usedSinceMs, judgedBeforeMs, limit }: { usedSinceMs: number; judgedBeforeMs: number; limit: number },
): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `select supplier.id from supplier left join certification on supplier_id = supplier.id
     where (certification.at is null or certification.at <= instant($2))
       and exists (select from api_key where api_key.supplier_id = supplier.id and last_used_at > instant($1))
     order by certification.at nulls first, supplier.id limit $3`,
    [usedSinceMs, judgedBeforeMs, limit],
  )
  return rows.map(({ id }) => id)
}

export type PricedRoomRate = {
  hotelId: number
  roomNo: number
  rateNo: number
  roomId: string
  rateId: string
  pricingModel: string | null
  maxOccupancy: number
  maxAdult: number | null
  maxChild: number | null
  maxInfant: number | null
}

/** Room-rates that are sold, of these hotels. */
export async function selectRoomRates(
  db: Queryable,
  hotelIds: readonly number[],
  limit: number,
): Promise<PricedRoomRate[]> {
  const { rows } = await db.query<PricedRoomRate>(
    `select held.hotel_id as "hotelId", held.room_no as "roomNo", held.rate_no as "rateNo", room.code as "roomId",
       rate.code as "rateId", pricing_model as "pricingModel", max_occupancy as "maxOccupancy", max_adult as "maxAdult",
       max_child as "maxChild", max_infant as "maxInfant"
     from room_rate as held join room on room.hotel_id = held.hotel_id and room.room_no = held.room_no
       join rate on rate.hotel_id = held.hotel_id and rate.rate_no = held.rate_no
     where held.hotel_id = any($1::int[]) and is_available and pricing_model is not null
     order by held.hotel_id, held.room_no, held.rate_no limit $2`,
    [hotelIds, limit],
  )
  return rows
}

export type PricedBlock = { hotelId: number; roomNo: number; rateNo: number; month: number; block: Buffer }

/** Blocks of room-rates. */
export async function selectPricedBlocks(
  db: Queryable,
  hotelIds: readonly number[],
  { fromMonth, toMonth, limit }: { fromMonth: number; toMonth: number; limit: number },
): Promise<PricedBlock[]> {
  const { rows } = await db.query<PricedBlock>(
    `select hotel_id as "hotelId", room_no as "roomNo", rate_no as "rateNo", month, block from ari_month
     where hotel_id = any($1::int[]) and rate_no > 0 and month between $2 and $3
     order by hotel_id, room_no, rate_no, month limit $4`,
    [hotelIds, fromMonth, toMonth, limit],
  )
  return rows
}
