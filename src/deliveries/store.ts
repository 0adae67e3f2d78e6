import { numberArray, textArray, unseen, type Queryable } from '../postgres/postgres.ts'
import { isHeldBack } from '../cards/store.ts'
import type { Lane, Trigger } from '../bookings/delivery-schedule.ts'
import type { Allotted, Place } from './slots.ts'
import type { ReservationStatus } from '../bookings/state.ts'
import { sweep } from '../postgres/sweep.ts'

/**
 * The SQL of the delivery worker: what is due is found, claimed with a lease, and settled. An attempt belongs to who
 * claimed it: its number is counted when it begins, and is settled only under that number.
 */

/** A delivery that this process has until its lease ends. */
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
  /** How far the test clock of the account is ahead. */
  aheadMs: number
}

export const claimedColumns = `delivery.id, delivery.attempts as attempt, delivery.trigger, delivery.lane, delivery.retries,
  delivery.is_alone as "isAlone", delivery.is_repeat as "isRepeat", delivery.endpoint, delivery.hotel_id as "hotelId",
  delivery.reservation_id as "reservationId", delivery.version, delivery.reservation_status as "reservationStatus",
  epoch_ms(delivery.created_at) as "createdAtMs", epoch_ms(delivery.give_up_at) as "giveUpAtMs",
  (select clock_ahead_ms from supplier where id = delivery.supplier_id) as "aheadMs"`

// Of a reservation one at a time, and of two that wait the older one first. By the lease, which all that are being sent
// have: so no index of what is open can be mistaken for the one to look in.
const isFree = `not exists (
  select from delivery as other where other.reservation_id = delivery.reservation_id and (
    other.leased_until is not null
    or (other.status = 'queued' and (other.created_at, other.id) < (delivery.created_at, delivery.id))))`

/** What may be claimed: of which endpoint, in which lane, how many; hotels in turn, those after the given one first. */
export type Wanted = Allotted & { afterHotelId: number }
/** Of a process that sends no booking without the card that it has to carry: `openableKeys` open what it may send. */
export type Lease = { nowMs: number; leasedUntilMs: number; openableKeys: readonly string[] }

/** With the most that its hotel could have had: who has so many may have more. */
export type ClaimedInTurn = Claimed & { share: number }

const isDue = `status = 'queued' and lane = wanted.lane and endpoint = wanted.endpoint
  and due_at <= instant(${unseen('$5::float8')}) and ${isFree} and not ${isHeldBack('$7', '$5')}`

/** Hops over the hotels that have something due, after one id and up to another. */
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
 * What is due of each lane and endpoint: of its hotels in turn, of a hotel the first. Those that another process is
 * claiming are left to it.
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
        from unnest(${unseen('$1::text[]')}, $2::int8[], $3::int[], $4::int[]) as wanted (lane, endpoint, room, after_hotel)
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

/** For the hourly run: of each endpoint those that go into one body, being of one hotel in one status. */
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
            and due_at <= instant($2) and ${isFree} and not ${isHeldBack('$5', '$2')}
          order by hotel_id, reservation_status, is_alone, reservation_id limit 1
        ) as head
        cross join lateral (
          select id from delivery
          where status = 'queued' and lane = 'hourly' and endpoint = wanted.endpoint
            and hotel_id = head.hotel_id and reservation_status = head.reservation_status
            and is_alone = head.is_alone
            and due_at <= instant($2) and ${isFree} and not ${isHeldBack('$5', '$2')}
          order by reservation_id limit case when head.is_alone then 1 else $4::int end
          for update of delivery skip locked
        ) as due
      )
      update delivery set status = 'sending', attempts = attempts + 1, trigger = 'hourly',
        leased_until = instant($3)
      from picked where delivery.id = picked.id
      returning ${claimedColumns}`,
    values: [numberArray(endpoints), nowMs, leasedUntilMs, bodyMax, textArray(openableKeys)],
  })
  return rows
}

/** Which endpoints have something due: one hop of an index for each that has anything queued. */
export async function selectDue(db: Queryable, nowMs: number): Promise<Place[]> {
  const { rows } = await db.query<Place>({
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
      select lane, endpoint from hop where due_at <= instant($1)`,
    values: [nowMs],
  })
  return rows
}

/** Attempts whose process ended, or was too late: the next one begins. Whether the supplier got them is not known. */
export async function requeueLost(db: Queryable, nowMs: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'requeue-lost-deliveries',
    text: `
      with lost as (
        select id from delivery where status = 'sending' and leased_until < instant($1)
        order by leased_until limit ${lostAtOnceMax} for update skip locked
      ), requeued as (
        update delivery set status = case when is_outdated then 'superseded' else 'queued' end,
          due_at = instant($1), leased_until = null
        from lost where delivery.id = lost.id
        returning delivery.id, attempts, trigger, ${accountTime('$1', 'delivery.supplier_id')} as at
      ), noted as (
        insert into delivery_attempt (delivery_id, attempt, at, trigger, message_id, duration_ms, outcome)
        select id, attempts, at, trigger, '', 0, 'lost' from requeued
        on conflict do nothing
      )
      select count(*)::int as count from requeued`,
    values: [nowMs],
  })
  return rows[0]?.count ?? 0
}

const lostAtOnceMax = 1_000

/** Claimed, but its hotel's URL is another one by now, or there is none: it was no attempt. */
export async function readdress(
  db: Queryable,
  moved: readonly { claimed: Claimed; endpoint: number }[],
): Promise<void> {
  await db.query({
    name: 'readdress-deliveries',
    text: `
      update delivery set
        status = case when is_outdated then 'superseded' else 'queued' end, leased_until = null,
        attempts = attempts - 1, endpoint = moved.endpoint,
        lane = case when moved.endpoint = 0 then 'hourly' else lane end,
        due_at = case when moved.endpoint = 0 then 'infinity' else due_at end
      from unnest($1::uuid[], $2::int[], $3::int8[]) as moved (id, attempt, endpoint)
      where delivery.id = moved.id and delivery.attempts = moved.attempt and delivery.status = 'sending'`,
    values: [
      textArray(moved.map(({ claimed }) => claimed.id)),
      numberArray(moved.map(({ claimed }) => claimed.attempt)),
      numberArray(moved.map(({ endpoint }) => endpoint)),
    ],
  })
}

/**
 * What is to be done is timed by the database's clock, also for an account of the sandbox whose clock is ahead: an advance moves
 * it up. What is noted of reservations and deliveries bears the account's own time.
 */

/** SQL: what the clock of an account says when ours says `ms`, a parameter. */
export function accountTime(ms: string, supplierId: string): string {
  return `instant(${ms}::float8 + (select clock_ahead_ms from supplier where supplier.id = ${supplierId}))`
}

export const attemptsKeptDays = 90

/** Attempts of long ago, and the marks of the hourly runs of then. Deliveries themselves are kept. How many. */
export async function deleteOldAttempts(db: Queryable, beforeMs: number): Promise<number> {
  await db.query('delete from hourly_run where hour < instant($1)', [beforeMs])
  return sweep(
    db,
    `delete from delivery_attempt where (delivery_id, attempt) in (
       select delivery_id, attempt from delivery_attempt where at < instant($1)
       order by at limit $2)`,
    beforeMs,
  )
}

/** How a delivery stands, in the words that are shown: a `DeliveryState`. */
export const stateOf = (delivery: string): string => `case
  when ${delivery}.status = 'queued' and ${delivery}.endpoint = 0 then 'no_url'
  when ${delivery}.status in ('queued', 'sending') and ${delivery}.first_failed_at is not null then 'failing'
  else ${delivery}.status end`
