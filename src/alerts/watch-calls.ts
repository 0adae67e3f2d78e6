import { dayMs, dayIn, formatNight, hourMs, instantOf, minuteMs } from '../base/calendar.ts'
import { arrivalNearMs, raiseAlerts } from '../deliveries/watch.ts'
import { raiseFindings, settleFindings, type Finding } from '../findings/store.ts'
import type { Queryable } from '../postgres/postgres.ts'
import type { WatchNeeds } from './watch-needs.ts'

/** Watches over calls to suppliers, and over their keys. Each reads only rows that are open, or recent. */

export const callWatch = {
  /** So many calls in a row, all failed. */
  failedInRow: 5,
  /** An undelivered reservation whose calls began to fail so long ago shows a failing URL, too. */
  failingMinutes: 5,
  checksRead: 20_000,
  checksWithinHours: 24,
  /** `drift.high`: so many nights of a hotel differ by this share. */
  driftNights: 3,
  driftShare: 0.05,
  keyExpiresWithinDays: 14,
  keyUsedWithinDays: 30,
  /** Per kind and round. If there are more, none is resolved in this round. */
  findingsMax: 5_000,
} as const

async function settle(
  db: Queryable,
  kind: Finding['kind'],
  { findings, nowMs, subject }: { findings: Finding[]; nowMs: number; subject?: string },
): Promise<void> {
  if (findings.length >= callWatch.findingsMax) await raiseFindings(db, findings, nowMs)
  else await settleFindings(db, kind, { findings, nowMs, ...(subject === undefined ? {} : { subject }) })
}

/** `booking.undelivered`: one for each hotel, from the alerts that deliveries raise. */
export async function watchUndelivered(needs: WatchNeeds, nowMs: number): Promise<void> {
  await raiseAlerts(needs)
  const { rows } = await needs.db.query<{
    supplierId: number
    hotelId: number
    count: number
    near: number
    sinceMs: number
    reservationIds: string[]
  }>(
    `select alert.supplier_id as "supplierId", alert.hotel_id as "hotelId", count(*)::int as count,
       count(*) filter (where delivery.arrives_at <= instant($2))::int as near, epoch_ms(min(alert.at)) as "sinceMs",
       (array_agg(alert.reservation_id::text order by alert.at, alert.id))[1:10] as "reservationIds"
     from delivery_alert as alert join delivery on delivery.id = alert.delivery_id
     where alert.cleared_at is null group by 1, 2 order by 1, 2 limit $1`,
    [callWatch.findingsMax, nowMs + arrivalNearMs],
  )
  const findings = rows.map(({ supplierId, hotelId, count, near, sinceMs, reservationIds }): Finding => {
    const evidence = { reservationIds, arrivingWithin48Hours: near, since: instantOf(sinceMs) }
    return { supplierId, kind: 'booking.undelivered', hotelId, count, evidence }
  })
  await settle(needs.db, 'booking.undelivered', { findings, nowMs })
}

/** `webhook.failing`, subject `pushbook`: reservations wait because calls fail, and none arrived of late. */
export async function watchDeliveryUrls({ db }: WatchNeeds, nowMs: number): Promise<void> {
  const { rows } = await db.query<{ supplierId: number; calls: number; waiting: number; sinceMs: number }>(
    `select delivery.supplier_id as "supplierId", sum(attempts)::int as calls, count(*)::int as waiting,
       epoch_ms(min(first_failed_at)) as "sinceMs"
     from delivery
     where status in ('queued', 'sending') and first_failed_at is not null and not is_outdated and not exists (
       select from delivery_attempt as attempt join delivery as other on other.id = attempt.delivery_id
       where attempt.at > instant($1) - interval '15 minutes' and attempt.outcome = 'accepted'
         and other.supplier_id = delivery.supplier_id)
     group by 1
     having sum(attempts) >= $2 or min(first_failed_at) <= instant($3)
     order by 1 limit $4`,
    [nowMs, callWatch.failedInRow, nowMs - callWatch.failingMinutes * minuteMs, callWatch.findingsMax],
  )
  const findings = rows.map(({ supplierId, calls, waiting, sinceMs }): Finding => {
    const evidence = { failedCalls: calls, reservationsWaiting: waiting, since: instantOf(sinceMs) }
    return { supplierId, kind: 'webhook.failing', subject: 'pushbook', evidence }
  })
  await settle(db, 'webhook.failing', { findings, nowMs, subject: 'pushbook' })
}

/** The same for price checks, subject `availability`: the last calls all failed. */
export async function watchCheckUrls({ db }: WatchNeeds, nowMs: number): Promise<void> {
  const { rows } = await db.query<{ supplierId: number; outcomes: string[]; sinceMs: number }>(
    // Ids rise with time, so the newest checks are at the end of the primary key.
    `select supplier_id as "supplierId", array_agg(outcome order by id desc) as outcomes,
       epoch_ms(min(at)) as "sinceMs"
     from (
       select *, row_number() over (partition by supplier_id order by id desc) as place
       from (select id, at, supplier_id, outcome from price_check order by id desc limit $1) as newest
       where at > instant($2) and outcome <> 'not_registered'
     ) as numbered
     where place <= $3 group by 1
     having count(*) = $3 and bool_and(outcome in ('timeout', 'supplier_error', 'invalid_response', 'circuit_open'))
     order by 1 limit $4`,
    [
      callWatch.checksRead,
      nowMs - callWatch.checksWithinHours * hourMs,
      callWatch.failedInRow,
      callWatch.findingsMax,
    ],
  )
  const findings = rows.map(({ supplierId, outcomes, sinceMs }): Finding => {
    const evidence = { lastOutcomes: outcomes, since: instantOf(sinceMs) }
    return { supplierId, kind: 'webhook.failing', subject: 'availability', evidence }
  })
  await settle(db, 'webhook.failing', { findings, nowMs, subject: 'availability' })
}

/** `drift.high`: live prices of several nights ahead differ clearly. */
export async function watchDrift({ db }: WatchNeeds, nowMs: number): Promise<void> {
  const share = '(abs(live - stored)::float8 / greatest(stored, 1)::float8)'
  const { rows } = await db.query<{ supplierId: number; hotelId: number; nights: number; largest: number }>(
    `select hotel.supplier_id as "supplierId", hotel.id as "hotelId", count(*)::int as nights,
       max(${share})::float8 as largest
     from price_drift join hotel on hotel.id = price_drift.hotel_id
     where since_at is not null and ${share} >= $1 and night >= $2::date
     group by 1, 2 having count(*) >= $3 order by 1, 2 limit $4`,
    [
      callWatch.driftShare,
      formatNight(dayIn('UTC', nowMs) - 1),
      callWatch.driftNights,
      callWatch.findingsMax,
    ],
  )
  const findings = rows.map(({ supplierId, hotelId, nights, largest }): Finding => {
    const evidence = { nights, largestPercent: Math.round(largest * 1_000) / 10 }
    return { supplierId, kind: 'drift.high', hotelId, count: nights, evidence }
  })
  await settle(db, 'drift.high', { findings, nowMs })
}

/** `key.expiring`: a key that is in use. */
export async function watchKeys({ db }: WatchNeeds, nowMs: number): Promise<void> {
  const { rows } = await db.query<{ supplierId: number; keyId: number; expiresAtMs: number }>(
    `select supplier_id as "supplierId", id as "keyId", epoch_ms(expires_at) as "expiresAtMs"
     from api_key
     where revoked_at is null and expires_at > instant($1) and expires_at <= instant($2)
       and coalesce(last_used_at, created_at) > instant($3)
     order by 1, 2 limit $4`,
    [
      nowMs,
      nowMs + callWatch.keyExpiresWithinDays * dayMs,
      nowMs - callWatch.keyUsedWithinDays * dayMs,
      callWatch.findingsMax,
    ],
  )
  const findings = rows.map(({ supplierId, keyId, expiresAtMs }): Finding => {
    const evidence = { expiresAt: instantOf(expiresAtMs) }
    return { supplierId, kind: 'key.expiring', keyId, evidence }
  })
  await settle(db, 'key.expiring', { findings, nowMs })
}
