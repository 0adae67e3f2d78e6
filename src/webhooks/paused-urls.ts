import { instantOf } from '../base/calendar.ts'
import { numberArray, type Queryable } from '../postgres/postgres.ts'
import { insertLiveEvents } from '../hotels/live-touches.ts'
import { callbackRule } from './store.ts'

/** URLs of price checks that some process of the service does not call for a while, because they failed repeatedly. */

/** Pauses that end within so much time of each other are one: several processes find out one after the other. */
const sameWithinMs = 1_000

/** Suppliers that take no booking while their URL `$1` can't be asked. */
const rejecting = `select distinct supplier.id, supplier.name from supplier join api_key k on k.supplier_id = supplier.id
  where supplier.on_failure = 'reject' and k.availability_webhook = $1 and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > instant($2))`

function told(live: string, condition: string): string {
  return insertLiveEvents(`select 0 as hotel_id, jsonb_build_object('supplierId', id, 'live', ${live}) as event
    from (${rejecting}) as rejecting where ${condition} order by id`)
}

/** Notes that a URL is not called until a time, and tells so in the change feed, once a supplier. */
export async function pauseUrl(
  db: Queryable,
  url: string,
  { nowMs, untilMs }: { nowMs: number; untilMs: number },
): Promise<void> {
  await db.query({
    name: 'pause-url',
    text: `
      with paused as (
        insert into paused_url as known (url, until) values ($1, instant($3))
        on conflict (url) do update set until = excluded.until
          where excluded.until > known.until + $5::float8 * interval '1 ms'
        returning url
      )
      ${told("jsonb_build_object('outcome', 'circuit_open', 'until', $4::text)", 'exists (select from paused)')}`,
    values: [url, nowMs, untilMs, instantOf(untilMs), sameWithinMs],
  })
}

/** Notes that a URL answered; followers that know its pause as lasting learn that it is over. */
export async function resumeUrl(db: Queryable, url: string, nowMs: number): Promise<void> {
  await db.query({
    name: 'resume-url',
    text: `
      with resumed as (delete from paused_url where url = $1 returning until)
      ${told(
        "jsonb_build_object('outcome', 'ended', 'at', $3::text)",
        'exists (select from resumed where until > instant($2))',
      )}`,
    values: [url, nowMs, instantOf(nowMs)],
  })
}

/** The names of suppliers of which hotels can't be booked for now because a URL is paused. */
export async function selectPausedSuppliers(db: Queryable, nowMs: number): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>({
    name: 'select-paused-suppliers',
    text: `select distinct supplier.name from paused_url
        join api_key on availability_webhook = url join supplier on supplier.id = supplier_id
      where until > instant($1) and on_failure = 'reject'`,
    values: [nowMs],
  })
  return rows.map(({ name }) => name)
}

/** Until when the URLs of these hotels are paused, as far as that keeps them from being booked. */
export async function selectPauses(
  db: Queryable,
  hotelIds: readonly number[],
  nowMs: number,
): Promise<Map<number, number>> {
  const { rows } = await db.query<{ hotelId: number; untilMs: number }>({
    name: 'select-pauses',
    text: `select hotel.id as "hotelId", epoch_ms(until) as "untilMs"
      from hotel join supplier on supplier.id = hotel.supplier_id and on_failure = 'reject'
        cross join lateral (
          select k.availability_webhook as url from api_key k where ${callbackRule('availability_webhook', '$2')}
        ) as callback
        join paused_url using (url)
      where hotel.id = any($1::int[]) and until > instant($2)`,
    values: [numberArray(hotelIds), nowMs],
  })
  return new Map(rows.map(({ hotelId, untilMs }) => [hotelId, untilMs]))
}
