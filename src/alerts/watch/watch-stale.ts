import { hourMs, instantOf } from '../../base/calendar.ts'
import { raiseFindings, type Finding } from '../../findings/store.ts'
import { numberArray, type Queryable } from '../../postgres/postgres.ts'
import { hasWarning } from '../../push-log/conditions.ts'

/** Watches over hotels whose pushes have ended, and notices when they go on. */

const staleWatch = { atLeastHours: 24, timesMedianGap: 6, gapsRead: 15, gapDaysRead: 30 } as const

/**
 * SQL: whether a row of the push log brought ARI that counts: one that changed nothing because it was stored already does,
 * one whose values newer sequences superseded does not.
 */
const broughtAri = `kind = 'ari' and outcome in ('applied', 'unchanged', 'partial')
  and (cells_changed > 0 or not coalesce(${hasWarning("'SUPERSEDED'")}, false))`

type AgedHotel = { hotelId: number; supplierId: number; ariAtMs: number; aheadMs: number }

/** `ariAtMs`: when its ARI was last changed, by its own clock; null: never. */
type Hotel = { id: number; supplierId: number; ariAtMs: number | null; aheadMs: number; isAvailable: boolean }

/** The hotel, if it is on sale and its ARI is older than any that is stale. */
export function agedOf({ id, supplierId, ariAtMs, aheadMs, isAvailable }: Hotel, nowMs: number): AgedHotel[] {
  const isAged = ariAtMs !== null && nowMs + aheadMs - ariAtMs > staleWatch.atLeastHours * hourMs
  return isAged && isAvailable ? [{ hotelId: id, supplierId, ariAtMs, aheadMs }] : []
}

/** `ari.stale`: raises it for hotels without ARI for 24 hours, if that is six times their usual pause. */
export async function raiseStale(db: Queryable, hotels: readonly AgedHotel[], nowMs: number): Promise<void> {
  const gaps = await selectMedianGaps(
    db,
    hotels.map(({ hotelId }) => hotelId),
    nowMs,
  )
  const findings = hotels.flatMap(({ hotelId, supplierId, ariAtMs, aheadMs }): Finding[] => {
    const { medianGapMs, lastMs } = gaps.get(hotelId) ?? { medianGapMs: 0, lastMs: 0 }
    const lastPushMs = Math.max(ariAtMs, lastMs)
    const ageMs = nowMs + aheadMs - lastPushMs
    const allowedMs = Math.max(staleWatch.atLeastHours * hourMs, staleWatch.timesMedianGap * medianGapMs)
    if (ageMs <= allowedMs) return []
    const hours = (ms: number) => Math.round((ms / hourMs) * 10) / 10
    const evidence = {
      lastPushAt: instantOf(lastPushMs),
      usualPauseHours: hours(medianGapMs),
      allowedHours: hours(allowedMs),
    }
    return [{ supplierId, kind: 'ari.stale', hotelId, evidence }]
  })
  await raiseFindings(db, findings, nowMs)
}

type Gap = { medianGapMs: number; lastMs: number }

async function selectMedianGaps(
  db: Queryable,
  hotelIds: readonly number[],
  nowMs: number,
): Promise<Map<number, Gap>> {
  if (hotelIds.length === 0) return new Map()
  const { rows } = await db.query<Gap & { hotelId: number }>(
    `select wanted.id as "hotelId", past.* from unnest($1::int[]) as wanted (id) cross join lateral (
       select coalesce(percentile_cont(0.5) within group (order by gap), 0)::float8 as "medianGapMs",
         coalesce(max(at_ms), 0)::float8 as "lastMs"
       from (
         select epoch_ms(at) as at_ms, epoch_ms(at) - lag(epoch_ms(at)) over (order by at) as gap from (
           select at from push_log
           where hotel_id = wanted.id and ${broughtAri} and at > instant($2)
           order by at desc limit $3
         ) as newest
       ) as pushes
     ) as past`,
    [numberArray(hotelIds), nowMs - staleWatch.gapDaysRead * 24 * hourMs, staleWatch.gapsRead],
  )
  return new Map(rows.map(({ hotelId, ...gap }) => [hotelId, gap]))
}

/** Per round and kind; the rest follows in the next one. */
const resolvedAtOnce = 500

/**
 * Resolves `ari.stale` and `resync.requested` of hotels that got ARI since, and of those that can't be booked any
 * more or whose supplier pushed values that were stored already.
 */
export async function resolvePushed(db: Queryable, nowMs: number): Promise<void> {
  const pushedSince = `exists (select from push_log
    where push_log.hotel_id = hotel.id and ${broughtAri}
      and push_log.at > finding.opened_at and push_log.at > instant($1) - interval '7 days')`
  await db.query(
    `with past as (
       select finding.id from finding join hotel on hotel.id = finding.hotel_id
       where finding.kind in ('ari.stale', 'resync.requested') and finding.state <> 'resolved'
         and (finding.kind = 'ari.stale' and not hotel.is_available
           or hotel.ari_at > finding.opened_at + make_interval(secs => hotel.clock_ahead_ms / 1000.0)
           or ${pushedSince})
       order by finding.supplier_id, finding.kind, finding.hotel_id limit ${resolvedAtOnce} for no key update of finding
     )
     update finding set state = 'resolved', resolved_at = instant($1), tell_at = 'infinity'
     from past where finding.id = past.id and finding.state <> 'resolved'`,
    [nowMs],
  )
}
