import { dayMs, instantOf } from '../../base/calendar.ts'
import { arrivalNearMs, raiseAlerts } from '../../deliveries/worker/watch.ts'
import { raiseFindings, settleFindings, type Finding } from '../../findings/store.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { hotelOfDrift } from '../../price-check/store.ts'
import type { WatchNeeds } from './watch-needs.ts'

/** Watches over reservations, prices and keys. Each reads only rows that are open, or recent. */

export const callWatch = {
  /** `drift.high`: so many nights of a hotel differ by this share. */
  driftNights: 3,
  driftShare: 0.05,
  keyExpiresWithinDays: 14,
  keyUsedWithinDays: 30,
  /** Per kind and round. If there are more, none is resolved in this round. */
  findingsMax: 5_000,
} as const

/** Raises these, and resolves all others of the kind if no rows were left out. */
export async function settle(
  db: Queryable,
  kind: Finding['kind'],
  {
    findings,
    rows = findings.length,
    nowMs,
    subject,
  }: { findings: Finding[]; rows?: number; nowMs: number; subject?: string },
): Promise<void> {
  if (rows >= callWatch.findingsMax) await raiseFindings(db, findings, nowMs)
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

/** `drift.high`: live prices of several nights ahead that are on sale differ clearly. */
export async function watchDrift({ db }: WatchNeeds, nowMs: number): Promise<void> {
  const share = '(abs(live - stored)::float8 / greatest(stored, 1)::float8)'
  const { rows } = await db.query<{ supplierId: number; hotelId: number; nights: number; largest: number }>(
    `select hotel.supplier_id as "supplierId", hotel.id as "hotelId", count(*)::int as nights,
       max(${share})::float8 as largest
     from price_drift d ${hotelOfDrift}
       join room_rate using (hotel_id, room_no, rate_no)
     where since_at is not null and ${share} >= $1
       and night >= (instant($2::float8 + hotel.clock_ahead_ms) at time zone 'UTC')::date - 1
       and hotel.is_available and room_rate.is_available
     group by 1, 2 having count(*) >= $3 order by 1, 2 limit $4`,
    [callWatch.driftShare, nowMs, callWatch.driftNights, callWatch.findingsMax],
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
