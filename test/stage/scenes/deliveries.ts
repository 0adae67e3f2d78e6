import type { DeliveryNeeds } from '../../../src/deliveries/queue/needs.ts'
import {
  deliveryBell,
  type DeliveryBell,
  endpointOf,
  noEndpoint,
  queueDelivery,
  type QueuedDelivery,
} from '../../../src/bookings/outbox/delivery-queue.ts'
import { startDeliveryWorker, type DeliveryWorker } from '../../../src/deliveries/worker/worker.ts'
import { parseNight } from '../../../src/base/calendar.ts'
import { openLog } from '../../../src/base/log.ts'
import { telemetry } from '../../../src/base/telemetry.ts'
import { transaction } from '../../../src/postgres/transaction.ts'
import type { ReservationContent } from '../../../src/bookings/state.ts'
import { selectCallback } from '../../../src/webhooks/store.ts'
import { startGateway, type GatewayOptions, type TestGateway, type TestSupplier } from '../harness.ts'
import { minutes } from '../pace.ts'
import type { ReceivedCall } from '../servers/receiver.ts'
import { expectOk, pushStoryHotel } from '../story.ts'
import { loopbackNetworks, type OutboundRules } from '../../../src/outbound/vet-url.ts'
import type { CardVault } from '../../../src/cards/card-vault.ts'

/** Suppliers with a URL for reservations, and reservations written as the booking side writes them. */

export type DeliveryTest = {
  gateway: TestGateway
  /** An account with hotel H1, whose reservations go to the URL. */
  supplierAt: (name: string, url: string | undefined) => Promise<DeliverySupplier>
  /** A worker beside the service, as in a process of its own, with the service's clock. */
  worker: (more?: Partial<DeliveryNeeds>) => TestWorker
  stop: () => Promise<void>
}

type TestWorker = DeliveryWorker & { bell: DeliveryBell }

export type DeliverySupplier = TestSupplier & { supplierId: number; hotelId: number }

export type Booked = QueuedDelivery & { reservationId: number; version: number }

/**
 * While the clock stands still, a call given up by real time would wait forever for its retry: a starved
 * machine must not end one.
 */
export const callWithinMs = minutes(10)

export async function startDeliveryTest(options: GatewayOptions = {}): Promise<DeliveryTest> {
  const limit = options.systemTime === true ? {} : { callWithinMs }
  const reach: OutboundRules['reach'] = (to) => to
  const gateway = await startGateway({ allowPrivate: true, outbound: { reach }, ...limit, ...options })
  const workers: DeliveryWorker[] = []
  return {
    gateway,
    supplierAt: async (name, url) => {
      const supplier = await gateway.supplier(name, { requestsPerMinute: 0 })
      await pushStoryHotel(supplier)
      if (url !== undefined) {
        expectOk(await supplier.post('/push/webhook/pushbook', { webhook: url }))
        // The first call to every URL here is a ping.
        expectOk(await supplier.post('/push/webhook/test', { kind: 'pushbook' }))
      }
      const { rows } = await gateway.db.query<{ supplierId: number; hotelId: number }>(
        `select supplier_id as "supplierId", id as "hotelId" from hotel
         where supplier_id = (select supplier_id from api_key where id = $1)`,
        [supplier.keyId],
      )
      const [ids] = rows
      if (!ids) throw new Error('the hotel was not stored')
      return { ...supplier, ...ids }
    },
    worker: (more = {}) => {
      const { db, clock } = gateway
      const log = openLog('fatal')
      const outbound = { privateNetworks: loopbackNetworks, resolve: async () => ['127.0.0.1'] }
      const needs = { db, clock, log, telemetry: telemetry(), outbound, vault: unusedVault, ...limit }
      const bell = deliveryBell({ db, log })
      const worker = startDeliveryWorker({ ...needs, deliveryBell: bell, ...more })
      workers.push(worker)
      return { ...worker, bell }
    },
    stop: async () => {
      for (const worker of workers) await worker.close()
      await gateway.stop()
    },
  }
}

const checkin = '2027-06-01'

/** New reservations, or with `reservationId` a new version of one. */
export async function book(
  { db, clock }: TestGateway,
  { supplierId, hotelId }: DeliverySupplier,
  { count = 1, status = 'Confirm', reservationId, arrival = checkin }: Booking = {},
): Promise<Booked[]> {
  const nowMs = clock.now()
  const content = JSON.stringify(contentOf(arrival))
  return await transaction(db, async (connection) => {
    const { rows } = await (reservationId === undefined
      ? connection.query<{ id: number; version: number }>(
          `insert into reservation (supplier_id, hotel_id, status, version, arrival, departure, rooms, currency,
             total_after_tax, created_at, modified_at)
           select $1, $2, 'Confirm', 1, $3, $3::date + 1, 1, 'USD', 12000, to_timestamp($4::float8 / 1000),
             to_timestamp($4::float8 / 1000)
           from generate_series(1, $5) returning id, version`,
          [supplierId, hotelId, arrival, nowMs, count],
        )
      : connection.query<{ id: number; version: number }>(
          `update reservation set version = version + 1, status = $2, modified_at = to_timestamp($3::float8 / 1000)
           where id = $1 returning id, version`,
          [reservationId, status, nowMs],
        ))
    await connection.query(
      `insert into reservation_version (reservation_id, version, hotel_id, status, at, content)
       select id, version, $3, $4, to_timestamp($5::float8 / 1000), $6
       from unnest($1::int8[], $2::int[]) as made (id, version)`,
      [rows.map(({ id }) => id), rows.map(({ version }) => version), hotelId, status, nowMs, content],
    )
    const callback = await selectCallback(connection, hotelId, 'pushbook', nowMs)
    const endpoint = callback ? endpointOf(callback.url) : noEndpoint
    const booked: Booked[] = []
    for (const { id, version } of rows) {
      const queued = queueDelivery(connection, {
        reservationId: id,
        version,
        status,
        supplierId,
        hotelId,
        timeZone: 'Europe/Paris',
        endpoint,
        arrival: parseNight(arrival) ?? 0,
        nowMs,
        aheadMs: 0,
      })
      booked.push({ ...queued, reservationId: id, version })
    }
    return booked
  })
}

type Booking = {
  count?: number
  status?: 'Confirm' | 'Cancel'
  reservationId?: number
  arrival?: string
}

function contentOf(arrival: string): ReservationContent {
  const total = { beforeTax: 11_000, tax: 1_000, afterTax: 12_000, dueAtProperty: 0 }
  return {
    supplier: 'S',
    hotelCode: 'H1',
    hotelName: 'Sea View',
    checkin: arrival,
    checkout: arrival,
    currency: 'USD',
    minorDigits: 2,
    rooms: [
      {
        roomNo: 1,
        rateNo: 1,
        roomId: 'DBL',
        rateId: 'BAR',
        roomName: 'Room DBL',
        rateName: 'Rate BAR',
        mealPlan: 'RO',
        adults: 2,
        childAges: [],
        party: { adults: 2, childAges: [], infantAges: [] },
        guest: { firstName: 'Ada', lastName: 'Lovelace' },
        nights: [{ date: arrival, beforeTax: 11_000, afterTax: 12_000 }],
        taxes: [{ type: 'VAT', included: false, payNow: true, amount: 1_000 }],
        total,
        cancelPolicy: null,
      },
    ],
    customer: { firstName: 'Ada', lastName: 'Lovelace' },
    payment: { type: 'Channel Collect' },
    total,
    priceChecks: [],
  }
}

/** The reservations of a call, as `id.version`. */
export function namedIn({ body }: ReceivedCall): string[] {
  const { reservations } = JSON.parse(body.toString())
  // A ping names none.
  return (reservations?.reservation ?? []).map(
    (one: Record<string, unknown>) =>
      `${String(one['reservation_id'])}.${String(one['reservation_version'])}`,
  )
}

type Shown = {
  status: string
  lane: string
  attempts: number
  retries: number
  dueInMs: number | null
}

/** The state of a reservation's deliveries, oldest version first. */
export async function deliveriesOf({ db, clock }: TestGateway, reservationId: number): Promise<Shown[]> {
  const { rows } = await db.query<Shown>(
    `select status, lane, attempts, retries, case when due_at = 'infinity' then null
       else round(extract(epoch from due_at) * 1000 - $2)::int end as "dueInMs"
     from delivery where reservation_id = $1 order by version, created_at`,
    [reservationId, clock.now()],
  )
  return rows
}

export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  withinMs = minutes(2),
): Promise<void> {
  const untilMs = performance.now() + withinMs
  while (!(await isSo())) {
    if (performance.now() > untilMs) throw new Error(`not within ${withinMs} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** The vault of a process without a key, on a store without cards. */
export const unusedVault: CardVault = {
  status: () => ({
    state: 'unused',
    fault: undefined,
    cardsToRewrap: 0,
    cardsUnreadable: 0,
    keyAgeSeconds: undefined,
  }),
  acceptsCards: () => false,
  openableKeyIds: () => [],
  seal: () => {
    throw new Error('no card is sealed here')
  },
  open: () => undefined,
  fingerprints: () => [],
  look: async () => {},
  close: async () => {},
}
