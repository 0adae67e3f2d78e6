import { hourMs, instantOf, minuteMs } from '../../base/calendar.ts'
import { endpointOf } from '../../bookings/outbox/delivery-queue.ts'
import type { Finding } from '../../findings/store.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { selectCallbacks, selectUrlsOfSuppliers } from '../../webhooks/store.ts'
import { callWatch, settle } from './watch-calls.ts'
import type { WatchNeeds } from './watch-needs.ts'

/** `webhook.failing`: watches over the suppliers' URLs. A URL that no valid key has any more fails no longer. */

export const urlWatch = {
  /** So many calls in a row, all failed. */
  failedInRow: 5,
  /** An undelivered reservation whose calls began to fail so long ago shows a failing URL, too. */
  failingMinutes: 5,
  checksWithinHours: 24,
  /** The newest checks of a supplier with several URLs, among which those of each URL are found. */
  checksOfSeveralUrls: 200,
} as const

/** Subject `pushbook`: reservations wait because calls of a URL fail, and it accepted none of late. */
export async function watchDeliveryUrls({ db }: WatchNeeds, nowMs: number): Promise<void> {
  const failing = await selectFailingEndpoints(db, nowMs)
  const urls = await selectUrlsOfSuppliers(
    db,
    failing.map(({ supplierId }) => supplierId),
    'pushbook',
    nowMs,
  )
  const registered = new Set(urls.map(({ supplierId, url }) => `${supplierId} ${endpointOf(url)}`))
  const bySupplier = Map.groupBy(
    failing.filter(({ supplierId, endpoint }) => registered.has(`${supplierId} ${endpoint}`)),
    ({ supplierId }) => supplierId,
  )
  const findings = [...bySupplier].map(([supplierId, endpoints]): Finding => {
    const evidence = {
      failedCalls: endpoints.reduce((sum, { calls }) => sum + calls, 0),
      reservationsWaiting: endpoints.reduce((sum, { waiting }) => sum + waiting, 0),
      since: instantOf(Math.min(...endpoints.map(({ sinceMs }) => sinceMs))),
    }
    return { supplierId, kind: 'webhook.failing', subject: 'pushbook', evidence }
  })
  await settle(db, 'webhook.failing', { findings, rows: failing.length, nowMs, subject: 'pushbook' })
}

type FailingEndpoint = {
  supplierId: number
  endpoint: number
  calls: number
  waiting: number
  sinceMs: number
}

async function selectFailingEndpoints(db: Queryable, nowMs: number): Promise<FailingEndpoint[]> {
  const { rows } = await db.query<FailingEndpoint>(
    `select delivery.supplier_id as "supplierId", delivery.endpoint::float8 as endpoint, sum(attempts)::int as calls,
       count(*)::int as waiting, epoch_ms(min(first_failed_at)) as "sinceMs"
     from delivery
     where status in ('queued', 'sending') and first_failed_at is not null and not is_outdated and not exists (
       select from delivery_attempt as attempt join delivery as other on other.id = attempt.delivery_id
       where attempt.at > instant($1) - interval '15 minutes' and attempt.outcome = 'accepted'
         and other.supplier_id = delivery.supplier_id and other.endpoint = delivery.endpoint)
     group by 1, 2
     having sum(attempts) >= $2 or min(first_failed_at) <= instant($3)
     order by 1, 2 limit $4`,
    [nowMs, urlWatch.failedInRow, nowMs - urlWatch.failingMinutes * minuteMs, callWatch.findingsMax],
  )
  return rows
}

const failedOutcomes = ['timeout', 'supplier_error', 'invalid_response', 'circuit_open']

/**
 * Subject `availability`: the last price checks of a URL all failed. A check doesn't name the URL that it called, so it
 * counts for the one that its hotel has now.
 */
export async function watchCheckUrls({ db }: WatchNeeds, nowMs: number): Promise<void> {
  const suppliers = await selectFailedChecks(db, nowMs)
  const hotelIds = suppliers.flatMap(({ checks }) => checks.map(({ hotelId }) => hotelId))
  const callbacks = await selectCallbacks(db, [...new Set(hotelIds)], 'availability', nowMs)
  const findings = suppliers.flatMap(({ supplierId, checks }): Finding[] => {
    const called = checks.filter(({ hotelId }) => callbacks.has(hotelId))
    const ofUrls = [...Map.groupBy(called, ({ hotelId }) => callbacks.get(hotelId)?.url).values()]
    const last = ofUrls.map((ofUrl) => ofUrl.slice(0, urlWatch.failedInRow)).find(haveFailed)
    if (!last) return []
    const evidence = {
      lastOutcomes: last.map(({ outcome }) => outcome),
      since: instantOf(Math.min(...last.map(({ atMs }) => atMs))),
    }
    return [{ supplierId, kind: 'webhook.failing', subject: 'availability', evidence }]
  })
  await settle(db, 'webhook.failing', { findings, rows: suppliers.length, nowMs, subject: 'availability' })
}

type Check = { hotelId: number; outcome: string; atMs: number }

function haveFailed(checks: readonly Check[]): boolean {
  return (
    checks.length === urlWatch.failedInRow && checks.every(({ outcome }) => failedOutcomes.includes(outcome))
  )
}

/** Of suppliers of whose checks enough failed: the newest first, since a URL was last registered. */
async function selectFailedChecks(
  db: Queryable,
  nowMs: number,
): Promise<{ supplierId: number; checks: Check[] }[]> {
  const { rows } = await db.query<{ supplierId: number; checks: Check[] }>(
    `select supplier_id as "supplierId", (
         select json_agg(json_build_object('hotelId', hotel_id, 'outcome', outcome, 'atMs', epoch_ms(at))
           order by at desc, id desc)
         from price_check where id = any(ids)
       ) as checks
     from (
       select supplier_id, count(distinct availability_webhook) as urls,
         greatest(instant($1), max(availability_webhook_at)) as since
       from api_key
       where availability_webhook is not null and revoked_at is null and (expires_at is null or expires_at > instant($2))
       group by 1
     ) as called cross join lateral (
       select array_agg(id) as ids
       from (
         -- The index has these columns, so that the checks of those that don't fail aren't read.
         select id, outcome from price_check
         where price_check.supplier_id = called.supplier_id and at >= since and at <= instant($2)
           and outcome <> 'not_registered'
         order by at desc, id desc limit case when urls = 1 then $3::int else $4::int end
       ) as newest
       having count(*) filter (where outcome = any($5::text[])) >= $3
     ) as failed
     order by 1 limit $6`,
    [
      nowMs - urlWatch.checksWithinHours * hourMs,
      nowMs,
      urlWatch.failedInRow,
      urlWatch.checksOfSeveralUrls,
      failedOutcomes,
      callWatch.findingsMax,
    ],
  )
  return rows
}
