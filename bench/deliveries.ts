import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { setTimeout as wait } from 'node:timers/promises'
import { asAdmin, type TestAddress } from '../test/stage/postgres.ts'
import { httpAnswer, startReceiver } from '../test/stage/servers/receiver.ts'
import {
  bookableNights,
  bookingWorkload,
  openBookingStage,
  type BookingStage,
} from './stage/booking-stage.ts'
import { atRate, expect, quantile, spread } from './stage/client.ts'

import { perSecond, row, type Row } from './stage/table.ts'
import { night } from './stage/workload.ts'

const bookingsPerSecond = 200
const warmSeconds = 3
const queuedPerSecond = 2_000
const settledWithinMs = 60_000

/** An arrival at the supplier: the reservation and the time. */
type Arrival = { id: string; ms: number }

/**
 * The time reservations take to reach a receiver that answers at once: a steady flow of them, then a backlog.
 */
export async function deliveries(server: TestAddress, { seconds = 10 } = {}): Promise<Row[]> {
  const arrivals: Arrival[] = []
  let lastBody = ''
  const receiver = await startReceiver((socket, { body }) => {
    const ms = performance.now()
    lastBody = body.toString()
    socket.write(httpAnswer(200, '{"status":"ok"}'))
    const id = reservationIn(body)
    if (id !== undefined) arrivals.push({ id, ms })
  })
  const booking = await openBookingStage(server, 'pushbook', receiver)
  try {
    await bookFor(booking, warmSeconds)
    await asAutovacuum(booking)
    await bookFor(booking, warmSeconds)
    const booked = await bookFor(booking, seconds)
    await allSettled(booking)
    const lags = lagsOf(booked, arrivals)
    const backlog = await drained(booking, arrivals, queuedPerSecond * seconds)
    const barePerSecond = await barePosts(`http://127.0.0.1:${receiver.port}/pushbook`, lastBody)
    const calls = booked.map(({ ms }) => ms)
    return [
      row(
        `deliveries to a healthy receiver (${backlog.count} queued, ${backlog.again} sent again)`,
        perSecond(backlog.perSecond),
        `bare posts of such a body ${perSecond(barePerSecond)}`,
        backlog.perSecond / barePerSecond,
        { atLeast: 0.35 },
      ),
      row(
        `commit to receipt at ${bookingsPerSecond}/s, counted from the call that books`,
        spread(lags),
        `the call itself ${spread(calls)}`,
        quantile(lags, 0.99) / quantile(calls, 0.99),
        { atMost: 1.5 },
      ),
    ]
  } finally {
    await booking.close()
    await receiver.close()
  }
}

const bareSeconds = 5

async function barePosts(url: string, body: string): Promise<number> {
  const file = resolve(import.meta.dirname, 'peers/bare-posts.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [file, url, body, String(bareSeconds)])
  return Number(stdout)
}

type Booked = { id: string; calledMs: number; ms: number }

/** Books through the API at a steady rate. */
async function bookFor({ platform }: BookingStage, seconds: number): Promise<Booked[]> {
  const booked: Booked[] = []
  await atRate({ perSecond: bookingsPerSecond, seconds }, async (index) => {
    const calledMs = performance.now()
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const { text, ms } = expect(await platform.post('/booking/reservations', wish(index), headers), 201)
    // oxlint-disable-next-line typescript/no-unsafe-assignment -- the service answers so
    const { reservationId }: { reservationId: string } = JSON.parse(text)
    booked.push({ id: reservationId, calledMs, ms })
  })
  return booked
}

function wish(index: number): string {
  const { hotels, roomsPerHotel, ratesPerRoom } = bookingWorkload
  const checkin = 1 + (index % (bookableNights - 3))
  const person = { firstName: 'Ada', lastName: 'Lovelace' }
  const rooms = [
    { roomId: `R${index % roomsPerHotel}`, rateId: `P${index % ratesPerRoom}`, adults: 2, guest: person },
  ]
  return JSON.stringify({
    hotel: { supplier: 'bench', hotelId: `H${index % hotels}` },
    checkin: night(checkin),
    checkout: night(checkin + 2),
    rooms,
    customer: person,
    payment: { type: 'Channel Collect' },
  })
}

/**
 * The instant of a commit is invisible from outside. The call begins before it, so these times are longer
 * than those that the bar refers to.
 */
function lagsOf(booked: readonly Booked[], arrivals: readonly Arrival[]): number[] {
  const arrivedMsById = new Map(arrivals.map(({ id, ms }) => [id, ms]))
  return booked.map(({ id, calledMs }) => {
    const arrivedMs = arrivedMsById.get(id)
    if (arrivedMs === undefined) throw new Error(`reservation ${id} was settled, but did not arrive`)
    return arrivedMs - calledMs
  })
}

/**
 * Replans statements that were planned while the tables were empty: in a running service that happens within
 * a minute.
 */
async function asAutovacuum({ stage }: BookingStage): Promise<void> {
  await asAdmin(stage.address, 'analyze')
}

/**
 * Queues copies of the existing reservations; measures from the first receipt until the last one is settled.
 */
async function drained(
  booking: BookingStage,
  arrivals: readonly Arrival[],
  wanted: number,
): Promise<{ perSecond: number; count: number; again: number }> {
  const copiesEach = Math.ceil(wanted / bookingWorkload.hotels)
  const count = copiesEach * bookingWorkload.hotels
  const before = arrivals.length
  await asAdmin(booking.stage.address, copies(copiesEach))
  await asAutovacuum(booking)
  // Asked all the time, the database would spend a good part of its own on the answers.
  while (arrivals.length - before < count) await wait(10)
  await allSettled(booking)
  const settledMs = performance.now()
  const came = arrivals.slice(before)
  const [first] = came
  const distinct = new Set(came.map(({ id }) => id)).size
  if (!first || distinct !== count) throw new Error(`${distinct} of ${count} reservations arrived`)
  return { perSecond: (count / (settledMs - first.ms)) * 1_000, count, again: came.length - count }
}

/** One reservation of each hotel, copied this many times, each with a delivery that is due. */
const copies = (each: number): string => `
  with model as (
    select distinct on (hotel_id) id, hotel_id from reservation order by hotel_id, id
  ), made as (
    insert into reservation (supplier_id, hotel_id, status, version, arrival, departure, rooms, currency,
      total_after_tax, created_at, modified_at)
    select supplier_id, reservation.hotel_id, status, version, arrival, departure, rooms, currency, total_after_tax,
      created_at, modified_at
    from generate_series(1, ${each}), model join reservation using (id)
    returning id, hotel_id
  ), versions as (
    insert into reservation_version (reservation_id, version, hotel_id, status, at, content)
    select made.id, stored.version, stored.hotel_id, stored.status, stored.at, stored.content
    from made join model using (hotel_id) join reservation_version as stored on stored.reservation_id = model.id
  )
  insert into delivery select copy.*
  from made join model using (hotel_id) join delivery on delivery.reservation_id = model.id
    cross join lateral jsonb_populate_record(delivery, jsonb_build_object('id', gen_random_uuid(),
      'reservation_id', made.id, 'status', 'queued', 'due_at', delivery.created_at, 'trigger', 'realtime',
      'attempts', 0, 'delivered_at', null)) as copy`

async function allSettled({ stage }: BookingStage): Promise<void> {
  const untilMs = performance.now() + settledWithinMs
  for (;;) {
    const { rows } = await stage.db.query<{ open: boolean }>(
      `select exists (select from delivery where status in ('queued', 'sending')) as open`,
    )
    if (rows[0]?.open === false) return
    if (performance.now() > untilMs) throw new Error('deliveries are not settled')
    await wait(10)
  }
}

/** Undefined: a ping. */
function reservationIn(body: Buffer): string | undefined {
  return /"reservation_id":"(\d+)"/.exec(body.toString('latin1'))?.[1]
}
