import { createHash, randomUUID } from 'node:crypto'
import { dayMs } from '../../base/calendar.ts'
import { noteCause } from '../../base/tracing.ts'
import type { Queryable, Database, Needs } from '../../postgres/postgres.ts'
import type { Transaction } from '../../postgres/transaction.ts'
import { deliverWithinMs } from './delivery-schedule.ts'
import type { ReservationStatus } from '../state.ts'
import type { Log } from '../../base/log.ts'
import type { Connection } from '../../postgres/connections/connection.ts'

/** A version of a reservation to deliver to its supplier. */
type ToDeliver = {
  reservationId: number
  version: number
  status: ReservationStatus
  supplierId: number
  hotelId: number
  /** The hotel's time zone, in which the day number `arrival` is counted. */
  timeZone: string
  arrival: number
  /** The destination; `noEndpoint` while the supplier has registered none. */
  endpoint: number
  nowMs: number
  /** How far the account's test clock is ahead. */
  aheadMs: number
}

/** For the bell, after the commit. */
export type QueuedDelivery = { deliveryId: string; status: 'queued'; endpoint: number }

/**
 * Queues the delivery of a version, together with the commit of the transaction that creates the version. It
 * replaces an older version that is not yet delivered; an older version that is being sent right now is not
 * retried. After the commit, ring the delivery bell with the result: without it the worker finds the delivery
 * a moment later.
 */
export function queueDelivery(connection: Transaction, delivery: ToDeliver): QueuedDelivery {
  const id = randomUUID()
  noteCause(id)
  connection.lastly((later) => insertDelivery(later, id, delivery))
  return { deliveryId: deliveryIdOf(id), status: 'queued', endpoint: delivery.endpoint }
}

async function insertDelivery(connection: Queryable, id: string, delivery: ToDeliver): Promise<void> {
  const { reservationId, version, status, supplierId, hotelId, timeZone, arrival, endpoint } = delivery
  const { nowMs, aheadMs } = delivery
  await connection.query({
    name: 'queue-delivery',
    text: `
      with older as (
        update delivery
        set is_outdated = true, status = case when status = 'sending' then status else 'superseded' end
        where reservation_id = $2 and status not in ('delivered', 'superseded')
        returning status, is_repeat, undelivered_since, alerted_at
      ), untold as (
        -- When the supplier first fell behind; a delivery that is being sent may still arrive.
        select min(undelivered_since) as since, min(alerted_at) as alerted_at
        from older where status = 'superseded' and not is_repeat
      )
      insert into delivery (id, reservation_id, version, reservation_status, supplier_id, hotel_id, status, endpoint,
        lane, due_at, trigger, arrives_at, created_at, undelivered_since, give_up_at, alerted_at)
      select $1, $2, $3, $4, $5, $6, 'queued', $7::int8,
        -- With no endpoint it waits until the supplier registers one (deliveries/worker/watch.ts).
        case when $7::int8 = ${noEndpoint} then 'hourly' else 'first' end,
        case when $7::int8 = ${noEndpoint} then 'infinity' else instant($8) end,
        'realtime', instant($9), instant($10),
        coalesce(untold.since, instant($8)), instant($8::float8 + ${deliverWithinMs}),
        untold.alerted_at
      from untold`,
    values: [
      id,
      reservationId,
      version,
      status,
      supplierId,
      hotelId,
      endpoint,
      nowMs,
      midnightMs(arrival, timeZone) - aheadMs,
      nowMs + aheadMs,
    ],
  })
}

export const noEndpoint = 0

const endpointBits = 48

/**
 * Hashes a URL to a number, by which calls to one URL are counted: an index on URLs would be many times as
 * large.
 */
export function endpointOf(url: string): number {
  // Never 0, which stands for `noEndpoint`.
  return (
    createHash('sha256')
      .update(url)
      .digest()
      .readUIntBE(0, endpointBits / 8) || 1
  )
}

const idPrefix = 'dlv_'

/** The public id of a delivery: its webhook-id, the same in all its attempts. */
export function deliveryIdOf(id: string): string {
  return idPrefix + id
}

const uuidText = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function parseDeliveryId(text: string): string | undefined {
  const id = text.slice(idPrefix.length)
  return text.startsWith(idPrefix) && uuidText.test(id) ? id : undefined
}

function midnightMs(day: number, timeZone: string): number {
  const date = Temporal.Instant.fromEpochMilliseconds(day * dayMs)
    .toZonedDateTimeISO('UTC')
    .toPlainDate()
  return date.toZonedDateTime(timeZone).epochMilliseconds
}

/**
 * Tells the delivery worker that a delivery was queued. Only a hint: the worker's polling finds deliveries it
 * missed.
 */
export type DeliveryBell = {
  /** Call after the commit. Never throws, never waits. */
  ring: (queued: { endpoint: number }) => void
  /** For the worker of this process; while it listens, other processes are not notified. */
  answer: (onRing: (endpoint: number) => void) => void
}

const bellChannel = 'ari_deliveries'

export function deliveryBell({ db, log }: { db: Database; log: Log }): DeliveryBell {
  let listener: ((endpoint: number) => void) | undefined
  let unannounced = new Set<number>()
  let isAnnouncing = false
  // In a transaction of its own: NOTIFY serializes the commits of its transactions, and reservations must not
  // wait for that.
  const announce = async (): Promise<void> => {
    isAnnouncing = true
    while (unannounced.size > 0) {
      const endpoints = [...unannounced]
      unannounced = new Set()
      try {
        await db.query('select pg_notify($1, endpoint) from unnest($2::text[]) as endpoint', [
          bellChannel,
          endpoints.map(String),
        ])
      } catch (error) {
        log.debug({ err: error }, 'other processes were not notified of deliveries; they poll for them')
      }
    }
    isAnnouncing = false
  }
  return {
    ring: ({ endpoint }) => {
      if (listener) return listener(endpoint)
      unannounced.add(endpoint)
      if (!isAnnouncing) void announce()
    },
    answer: (onRing) => {
      listener = onRing
    },
  }
}

const againAfterMs = 1_000

/**
 * Listens for the bells of other processes, on its own connection. While disconnected, the worker relies on
 * polling.
 */
export function listenForBell(
  { db, log }: Needs,
  onRing: (endpoint: number) => void,
): { close: () => Promise<void> } {
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let listening: Connection | undefined

  const open = async (): Promise<void> => {
    // LISTEN does not work through a pooler.
    if (db.address.pooler) return
    try {
      const connection = await db.connect()
      listening = connection
      connection.on('end', again)
      connection.on('notification', ({ payload }) => {
        const endpoint = Number(payload)
        if (Number.isSafeInteger(endpoint)) onRing(endpoint)
      })
      await connection.query(`listen ${bellChannel}`)
    } catch (error) {
      log.debug({ err: error }, "other processes can't be heard; polling for deliveries instead")
      again()
      await listening?.end().catch(() => {})
    }
  }
  const again = (): void => {
    clearTimeout(timer)
    if (isClosed) return
    timer = setTimeout(() => {
      opening = open()
    }, againAfterMs)
  }
  let opening = open()
  return {
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await opening
      await listening?.end().catch(() => {})
    },
  }
}
