import { instantOf, optionalInstant } from '../../base/calendar.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { deliveryIdOf, endpointOf, noEndpoint } from '../../bookings/outbox/delivery-queue.ts'
import { hostAndPath } from '../../webhooks/callback.ts'
import type { DisplayedAttempt, DisplayedDelivery, ListedDelivery } from './contract.ts'
import { selectPushbookUrls, type DeliveryRow } from './store.ts'
import type { Reach } from '../bookings/contract.ts'
import type { StoredAttempt } from '../../deliveries/on-request/attempts.ts'

/** Deliveries as the console shows them. */

/** Host and path of each endpoint whose URL a key still has; the rest of a URL may contain secrets. */
export async function endpointTextsOf(
  db: Queryable,
  deliveries: readonly DeliveryRow[],
): Promise<ReadonlyMap<number, string>> {
  const suppliers = new Set(deliveries.map(({ supplierId }) => supplierId))
  const urls = suppliers.size === 0 ? [] : await selectPushbookUrls(db, [...suppliers])
  return new Map(urls.map((url) => [endpointOf(url), hostAndPath(url)]))
}

export function listedDelivery(row: DeliveryRow, endpointTexts: ReadonlyMap<number, string>): ListedDelivery {
  const { id, endpoint, createdAtMs, undeliveredSinceMs, dueAtMs, giveUpAtMs, ...rest } = row
  const { deliveredAtMs, alertedAtMs, arrivesAtMs, ...unchanged } = rest
  return {
    deliveryId: deliveryIdOf(id),
    ...unchanged,
    endpoint:
      endpoint === noEndpoint ? null : { id: String(endpoint), place: endpointTexts.get(endpoint) ?? null },
    createdAt: instantOf(createdAtMs),
    undeliveredSince: instantOf(undeliveredSinceMs),
    dueAt: optionalInstant(dueAtMs),
    giveUpAt: instantOf(giveUpAtMs),
    deliveredAt: optionalInstant(deliveredAtMs),
    alertedAt: optionalInstant(alertedAtMs),
    arrivesAt: instantOf(arrivesAtMs),
  }
}

export function deliveryWithTimeline(
  row: DeliveryRow,
  endpointTexts: ReadonlyMap<number, string>,
  attempts: readonly StoredAttempt[],
): DisplayedDelivery {
  return {
    ...listedDelivery(row, endpointTexts),
    timeline: attempts.map(displayedAttempt),
  }
}

function displayedAttempt({ deliveryId: _delivery, atMs, ...attempt }: StoredAttempt): DisplayedAttempt {
  return { ...attempt, at: instantOf(atMs) }
}

/** Whether the hotel has the current version, from all deliveries of the reservation, newest first. */
export function reachOf(
  version: number,
  deliveries: readonly DeliveryRow[],
  attempts: ReadonlyMap<string, readonly StoredAttempt[]>,
): Reach {
  const present = deliveries.filter((one) => one.version === version)
  const arrivedVersions = deliveries.filter((one) => one.state === 'delivered').map((one) => one.version)
  const earlier = arrivedVersions.find((one) => one < version) ?? null
  // The first delivery that arrived: repeats change nothing.
  const arrived = present.findLast(({ state }) => state === 'delivered')
  if (arrived) {
    const ownAttempts = attempts.get(arrived.id) ?? []
    const wasFetched =
      !ownAttempts.some(({ outcome }) => outcome === 'accepted') &&
      (ownAttempts.length > 0 || arrived.attempts === 0)
    const kind = wasFetched ? 'acknowledged' : 'reached'
    const at = optionalInstant(arrived.deliveredAtMs)
    return { kind, at, attempts: arrived.attempts, nextAt: null, earlierVersion: null, lastAttempt: null }
  }
  const [last] = present
  const nothing = { at: null, attempts: 0, nextAt: null, lastAttempt: null }
  if (!last) return { kind: 'unknown', ...nothing, earlierVersion: earlier }
  const lastAttempt = (attempts.get(last.id) ?? []).at(-1)
  return {
    kind: reachByState[last.state],
    at: instantOf(last.undeliveredSinceMs),
    attempts: last.attempts,
    nextAt: optionalInstant(last.dueAtMs),
    earlierVersion: earlier,
    lastAttempt: lastAttempt ? displayedAttempt(lastAttempt) : null,
  }
}

const reachByState: Readonly<Record<DeliveryRow['state'], Reach['kind']>> = {
  queued: 'on_its_way',
  sending: 'on_its_way',
  failing: 'failing',
  no_url: 'no_url',
  dead: 'given_up',
  delivered: 'reached',
  // The newest version is always the current one.
  superseded: 'unknown',
}
