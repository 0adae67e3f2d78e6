import { isRecord } from '../../http/validation/validate.ts'
import type { AuditedChange } from '../../operators/contract.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import type { MentionedHotel } from './contract.ts'

/** What the audit log mentions by number or code, with names for people. */

/** The hotels that changes are about, and those of their rooms and rates that the changes name. */
export async function selectMentionedHotels(
  db: Queryable,
  changes: readonly AuditedChange[],
): Promise<MentionedHotel[]> {
  const ids = numbersOf(changes, /^hotel (\d{1,9}) /)
  if (ids.length === 0) return []
  const named = changes.flatMap(({ after }) => targetsIn(after))
  const { rows } = await db.query<MentionedHotel>(
    `select id as "hotelId", name,
       array(select jsonb_build_object('code', code, 'name', name) from room
         where hotel_id = hotel.id and code = any($2::text[])) as rooms,
       array(select jsonb_build_object('code', code, 'name', name) from rate
         where hotel_id = hotel.id and code = any($3::text[])) as rates
     from hotel where id = any($1::int[]) order by id`,
    [ids, named.map(({ roomId }) => roomId), named.flatMap(({ rateId }) => rateId ?? [])],
  )
  return rows
}

export async function selectMentionedKeys(
  db: Queryable,
  changes: readonly AuditedChange[],
): Promise<{ keyId: number; supplierId: number }[]> {
  const ids = numbersOf(changes, /^key (\d{1,9}) /)
  if (ids.length === 0) return []
  const { rows } = await db.query<{ keyId: number; supplierId: number }>(
    'select id as "keyId", supplier_id as "supplierId" from api_key where id = any($1::int[]) order by id',
    [ids],
  )
  return rows
}

function numbersOf(changes: readonly AuditedChange[], beginning: RegExp): number[] {
  const numbers = changes.map(({ subject }) => Number(beginning.exec(subject)?.[1]))
  return [...new Set(numbers.filter((number) => !Number.isNaN(number)))]
}

/** Of a stop-sell. */
function targetsIn(after: unknown): { roomId: string; rateId: string | undefined }[] {
  if (!isRecord(after) || !Array.isArray(after['nights'])) return []
  return after['nights'].flatMap((target: unknown) => {
    if (!isRecord(target) || typeof target['roomId'] !== 'string') return []
    const { roomId, rateId } = target
    return { roomId, rateId: typeof rateId === 'string' ? rateId : undefined }
  })
}
