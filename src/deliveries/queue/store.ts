import { numberArray, textArray, hideFromPlanner, type Queryable } from '../../postgres/postgres.ts'
import { isWithheld } from '../../cards/store.ts'
import type { Lane, Trigger } from '../../bookings/outbox/delivery-schedule.ts'
import type { Allotted, Destination } from './slots.ts'
import type { ReservationStatus } from '../../bookings/state.ts'
import { areHeld } from './hold.ts'

/**
 * The SQL of the delivery worker, which finds due deliveries, claims them with a lease, and settles them. An
 * attempt belongs to the process that claimed it: it is numbered when it begins, and can only be settled
 * under that number.
 */

/** A delivery that this process owns until its lease ends. */
export type Claimed = {
  id: string
  attempt: number
  trigger: Trigger
  lane: Lane
  retries: number
  isAlone: boolean
  isRepeat: boolean
  endpoint: number
  hotelId: number
  reservationId: number
  version: number
  reservationStatus: ReservationStatus
  createdAtMs: number
  giveUpAtMs: number
  /** It was given up before, and is sent by hand. */
  wasGivenUp: boolean
  /** How far the account's test clock is ahead. */
  aheadMs: number
}

/** What one call carries: a delivery, or in the hourly run several of a hotel. */
export type DeliveryGroup = readonly [Claimed, ...Claimed[]]

export const claimedColumns = `delivery.id, delivery.attempts as attempt, delivery.trigger, delivery.lane, delivery.retries,
  delivery.is_alone as "isAlone", delivery.is_repeat as "isRepeat", delivery.endpoint, delivery.hotel_id as "hotelId",
  delivery.reservation_id as "reservationId", delivery.version, delivery.reservation_status as "reservationStatus",
  epoch_ms(delivery.created_at) as "createdAtMs", epoch_ms(delivery.give_up_at) as "giveUpAtMs",
  delivery.dead_at is not null as "wasGivenUp",
  (select clock_ahead_ms from supplier where id = delivery.supplier_id) as "aheadMs"`

// One delivery of a reservation at a time; if two wait, the older one goes first. Tested by the lease, which
// every delivery being sent has, so that the planner cannot pick the index of open deliveries by mistake.
const isFree = `not exists (
  select from delivery as other where other.reservation_id = delivery.reservation_id and (
    other.leased_until is not null
    or (other.status = 'queued' and (other.created_at, other.id) < (delivery.created_at, delivery.id))))`

/**
 * SQL condition on deliveries that are named by their ids. Written so that it fits no index: if few were being sent when
 * the statement was planned, the planner would read all that are for each of the ids.
 */
export const isBeingSent = `delivery.status || '' = 'sending'`

/** A claim's scope: endpoint, lane and number; hotels take turns, beginning after the given one. */
export type Wanted = Allotted & { afterHotelId: number }
/**
 * The lease of a process that sends no booking without the card it has to carry: it claims cards under
 * `openableKeys`.
 */
export type Lease = { nowMs: number; leasedUntilMs: number; openableKeys: readonly string[] }

/** With its hotel's share: a hotel that used its whole share may have more. */
export type ClaimedInTurn = Claimed & { share: number }

const isDue = `status = 'queued' and lane = wanted.lane and endpoint = wanted.endpoint
  and due_at <= instant(${hideFromPlanner('$5::float8')}) and ${isFree}
  and not ${isWithheld(hideFromPlanner('$7::text[]'), hideFromPlanner('$5::float8'))}`

/** Hops over the hotels with due deliveries, after one id and up to another. */
const hotelsDue = (name: string, after: string, upTo: string): string => `
  ${name} (hotel_id, place) as (
    select ${after}, 0
    union all
    select next.hotel_id, ${name}.place + 1 from ${name} cross join lateral (
      select hotel_id from delivery where ${isDue} and hotel_id > ${name}.hotel_id and hotel_id <= ${upTo}
      order by hotel_id limit 1
    ) as next
    where ${name}.place < wanted.room
  )`
const lastId = '2147483647'

/**
 * The due deliveries of each lane and endpoint: hotels take turns, and each hotel's first delivery goes
 * first. Skips deliveries that another process is claiming.
 */
export async function claimDue(
  db: Queryable,
  wanted: readonly Wanted[],
  { nowMs, leasedUntilMs, openableKeys }: Lease,
): Promise<ClaimedInTurn[]> {
  const { rows } = await db.query<ClaimedInTurn>({
    name: 'claim-deliveries',
    text: `
      with picked as (
        select due.id, turn.share
        from unnest(${hideFromPlanner('$1::text[]')}, $2::int8[], $3::int[], $4::int[]) as wanted (lane, endpoint, room, after_hotel)
        cross join lateral (
          select hotel_id, wanted.room / count(*) over ()
            + case when row_number() over (order by place) <= wanted.room % count(*) over () then 1 else 0 end as share
          from (
            with recursive ${hotelsDue('later', 'wanted.after_hotel', lastId)},
              ${hotelsDue('earlier', '0', 'wanted.after_hotel')}
            select * from (
              select hotel_id, place from later where place > 0
              union all
              select hotel_id, wanted.room + place from earlier where place > 0
            ) as hotel limit wanted.room
          ) as hotel
        ) as turn
        cross join lateral (
          select id from delivery where ${isDue} and hotel_id = turn.hotel_id
          order by due_at limit turn.share for update of delivery skip locked
        ) as due
        where not ${areHeld}
      )
      update delivery set status = 'sending', attempts = attempts + 1,
        trigger = case when trigger = 'again' or lane = 'first' or attempts = 0 then trigger else 'retry' end,
        leased_until = instant($6)
      from picked where delivery.id = picked.id
      returning ${claimedColumns}, picked.share::int as share`,
    values: [
      textArray(wanted.map(({ lane }) => lane)),
      numberArray(wanted.map(({ endpoint }) => endpoint)),
      numberArray(wanted.map(({ room }) => room)),
      numberArray(wanted.map(({ afterHotelId }) => afterHotelId)),
      nowMs,
      leasedUntilMs,
      textArray(openableKeys),
    ],
  })
  return rows
}

/**
 * For the hourly run: for each endpoint, the deliveries that fit into one body because they share hotel and
 * status.
 */
export async function claimHourly(
  db: Queryable,
  endpoints: readonly number[],
  { nowMs, leasedUntilMs, openableKeys, bodyMax }: Lease & { bodyMax: number },
): Promise<Claimed[]> {
  const { rows } = await db.query<Claimed>({
    name: 'claim-hourly-deliveries',
    text: `
      with picked as (
        select due.id from unnest($1::int8[]) as wanted (endpoint)
        cross join lateral (
          select hotel_id, reservation_status, is_alone from delivery
          where status = 'queued' and lane = 'hourly' and endpoint = wanted.endpoint
            and due_at <= instant($2) and ${isFree} and not ${isWithheld('$5', '$2')}
          order by hotel_id, reservation_status, is_alone, reservation_id limit 1
        ) as head
        cross join lateral (
          select id from delivery
          where status = 'queued' and lane = 'hourly' and endpoint = wanted.endpoint
            and hotel_id = head.hotel_id and reservation_status = head.reservation_status
            and is_alone = head.is_alone
            and due_at <= instant($2) and ${isFree} and not ${isWithheld('$5', '$2')}
          order by reservation_id limit case when head.is_alone then 1 else $4::int end
          for update of delivery skip locked
        ) as due
        where not ${areHeld}
      )
      update delivery set status = 'sending', attempts = attempts + 1, trigger = 'hourly',
        leased_until = instant($3)
      from picked where delivery.id = picked.id
      returning ${claimedColumns}`,
    values: [numberArray(endpoints), nowMs, leasedUntilMs, bodyMax, textArray(openableKeys)],
  })
  return rows
}

/** The endpoints with due deliveries: one index hop for each endpoint with a queue. */
export async function selectDue(db: Queryable, nowMs: number): Promise<Destination[]> {
  const { rows } = await db.query<Destination>({
    name: 'select-due-endpoints',
    text: `
      with recursive hop as (
        (select lane, endpoint, due_at from delivery where status = 'queued' order by lane, endpoint, due_at limit 1)
        union all
        select next.lane, next.endpoint, next.due_at from hop cross join lateral (
          select lane, endpoint, due_at from delivery
          where status = 'queued' and (lane, endpoint) > (hop.lane, hop.endpoint)
          order by lane, endpoint, due_at limit 1
        ) as next
      )
      select lane, endpoint from hop where due_at <= instant($1) and not ${areHeld}`,
    values: [nowMs],
  })
  return rows
}

/**
 * Attempts whose process ended or was too late: the next attempt begins. Whether the supplier received them
 * is unknown.
 */
export async function requeueLost(db: Queryable, nowMs: number): Promise<number> {
  const { rows } = await db.query<Left>({
    name: 'requeue-lost-deliveries',
    text: `
      with lost as (
        select id from delivery where status = 'sending' and leased_until < instant($1)
        order by leased_until limit ${lostAtOnceMax} for update skip locked
      ), requeued as (
        update delivery set status = case when is_outdated then 'superseded' else 'queued' end,
          due_at = instant($1), leased_until = null
        from lost where delivery.id = lost.id
        returning delivery.id, status, attempts, trigger, ${accountTime('$1', 'delivery.supplier_id')} as at
      ), noted as (
        insert into delivery_attempt (delivery_id, attempt, at, trigger, message_id, duration_ms, outcome)
        select id, attempts, at, trigger, '', 0, 'lost' from requeued
        on conflict do nothing
      )
      select id, status from requeued`,
    values: [nowMs],
  })
  await passOnTimes(db, rows)
  return rows.length
}

const lostAtOnceMax = 1_000

export type Moved = { claimed: Claimed; endpoint: number }

/** Claimed, but its hotel's URL has changed or been removed since: this was not an attempt. */
export async function readdress(db: Queryable, moved: readonly Moved[]): Promise<void> {
  const { rows } = await db.query<Left>({
    name: 'readdress-deliveries',
    text: `
      update delivery set
        status = case when is_outdated then 'superseded' else 'queued' end, leased_until = null,
        attempts = attempts - 1, endpoint = moved.endpoint,
        lane = case when moved.endpoint = 0 then 'hourly' else lane end,
        due_at = case when moved.endpoint = 0 then 'infinity' else due_at end
      from unnest($1::uuid[], $2::int[], $3::int8[]) as moved (id, attempt, endpoint)
      where delivery.id = moved.id and delivery.attempts = moved.attempt and ${isBeingSent}
      returning delivery.id, delivery.status`,
    values: [
      textArray(moved.map(({ claimed }) => claimed.id)),
      numberArray(moved.map(({ claimed }) => claimed.attempt)),
      numberArray(moved.map(({ endpoint }) => endpoint)),
    ],
  })
  await passOnTimes(db, rows)
}

/** A delivery that is no longer being sent. */
type Left = { id: string; status: string }

/**
 * Deliveries that did not arrive and were superseded meanwhile: for the alert, the newer versions are
 * undelivered since then too, and reported if those were. A statement of its own, because the one that
 * superseded them may have waited for the transaction of a newer version, whose row it doesn't see.
 */
export async function passOnTimes(db: Queryable, left: readonly Left[]): Promise<void> {
  const superseded = left.filter(({ status }) => status === 'superseded')
  if (superseded.length === 0) return
  await db.query({
    name: 'pass-on-delivery-times',
    text: `
      with newer as (
        select delivery.id, older.undelivered_since, older.alerted_at
        from unnest($1::uuid[]) as left_behind (id) join delivery as older using (id)
          join delivery on delivery.reservation_id = older.reservation_id
        where not older.is_repeat and delivery.status in ('queued', 'sending', 'dead') and not delivery.is_outdated
        -- In the order in which the test clock locks them too.
        order by delivery.id for no key update of delivery
      )
      update delivery set undelivered_since = least(delivery.undelivered_since, newer.undelivered_since),
        alerted_at = least(delivery.alerted_at, newer.alerted_at)
      from newer where delivery.id = newer.id`,
    values: [textArray(superseded.map(({ id }) => id))],
  })
}

/**
 * Work is scheduled by the database's clock, even for a sandbox account whose clock is ahead: advancing that
 * clock moves the work closer. Timestamps recorded on reservations and deliveries are in the account's own
 * time.
 */

/** SQL: the time on an account's clock when ours is at `ms`, a parameter. */
export function accountTime(ms: string, supplierId: string): string {
  return `instant(${ms}::float8 + (select clock_ahead_ms from supplier where supplier.id = ${supplierId}))`
}

/** The state of a delivery as shown to suppliers and operators: a `DeliveryState`. */
export const stateOf = (delivery: string): string => `case
  when ${delivery}.status = 'queued' and ${delivery}.endpoint = 0 then 'no_url'
  when ${delivery}.status in ('queued', 'sending') and ${delivery}.first_failed_at is not null then 'failing'
  else ${delivery}.status end`
