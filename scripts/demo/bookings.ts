import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { systemClock } from '../../src/platform/clock.ts'
import type { SimulatedCall } from '../../src/simulate/call.ts'
import { readFaultOrder } from '../../src/simulate/faults.ts'
import { shownCall } from '../../src/simulate/show.ts'
import { startSupplier, type SimulatedSupplier } from '../../src/simulate/supplier.ts'
import { expect, found, listOf, recordOf, shownClient, spelled, type Ask, type Json } from './client.ts'
import { hotelId } from './hotel.ts'
import { cut, heading, line, paint, plural, told, width } from './print.ts'
import type { Shown } from './service.ts'

/** The other half of the day: what was pushed is sold, and the supplier hears of it. */

/** What the steps share: the two sides that ask, and the supplier's server between them. */
type Stage = {
  supplier: Ask
  platform: Ask
  server: SimulatedSupplier
  /** Shows the calls that the server got since the last time. */
  showCalls: () => void
  /** Until a version of the reservation has arrived. */
  arrived: (reservationId: string, version: number) => Promise<void>
}

/** Friday to Monday, and who comes. */
type Wanted = { hotel: Json; checkin: string; checkout: string; rooms: readonly [Json] }

export async function bookings(supplier: Ask, service: Shown, monday: Temporal.PlainDate): Promise<void> {
  const { platformToken } = service
  if (platformToken === undefined) {
    told('Offers and bookings are the platform’s to ask for: set ARI_PLATFORM_TOKEN as well to see them.')
    return
  }
  const platform = shownClient(service, { authorization: `Bearer ${platformToken}` })
  const day = (days: number) => String(monday.add({ days }))
  const stay = { checkin: day(4), checkout: day(7), rooms: [{ adults: 2, childAges: [] }] as const }
  const server = await openServer(supplier, service)
  const wanted: Wanted = { hotel: await platformHotel(supplier), ...stay }
  await offers(platform, wanted)
  await explain(platform, { ...wanted, checkin: day(5), checkout: day(8) })
  if (!server) return
  const stage = { supplier, platform, ...server }
  try {
    await priceChecks(stage, wanted)
    const booked = await reserve(stage, wanted)
    await cancel(stage, booked)
    await giveBack(stage, day)
  } finally {
    await server.server.close()
    if (!service.isOwn) await takeOff(supplier)
  }
}

const arrivesWithinMs = 10_000
const pollMs = 10

async function openServer(
  supplier: Ask,
  service: Shown,
): Promise<Omit<Stage, 'supplier' | 'platform'> | undefined> {
  heading("The supplier's server")
  told(
    'A simulated supplier, as ari simulate supplier starts one: it registers its two URLs, and gets its signing secret once.',
  )
  const { body } = expect(await supplier('/push/webhook'), 200)
  if (typeof body['availability'] === 'string' || typeof body['pushbook'] === 'string') {
    told('Your key has URLs already: they stay, so there are no price checks and no bookings here.')
    return undefined
  }
  const calls: SimulatedCall[] = []
  const options = { ...service, host: '127.0.0.1', port: 0, secrets: [], faults: [], clock: systemClock }
  const server = await startSupplier({ ...options, told: (call) => calls.push(call) }).catch(
    (error: unknown) => found(paint('yellow', error instanceof Error ? error.message : String(error))),
  )
  if (!server) return undefined
  const { urls, newSecret, hasSecret } = server
  found(`Price checks at ${paint('bold', urls.priceCheck)}, reservations at ${paint('bold', urls.booking)}`)
  if (newSecret !== undefined) found(`Signing secret ${paint('bold', `${newSecret.slice(0, 12)}…`)}`)
  if (!hasSecret) found('The key got its secret earlier: this server can verify nothing with it.')
  const showCalls = (): void => {
    for (const call of calls.splice(0)) showCall(call)
  }
  showCalls()
  return {
    server,
    showCalls,
    arrived: async (reservationId, version) => {
      const untilMs = performance.now() + arrivesWithinMs
      while ((server.held(reservationId)?.version ?? 0) < version) {
        if (performance.now() > untilMs) throw new Error(`reservation ${reservationId} was not delivered`)
        await wait(pollMs)
      }
      // The supplier holds it a moment before its answer is on its way, and shown.
      await wait(pollMs)
    },
  }
}

/** What the supplier's server sees, set apart from what the two sides send. */
function showCall(call: SimulatedCall): void {
  for (const [index, text] of shownCall(call, paint).entries()) {
    const mark = paint('magenta', index === 0 ? '⇒ supplier ' : '           ')
    line(`     ${mark} ${text}`)
  }
}

async function platformHotel(supplier: Ask): Promise<Json> {
  const { body } = expect(await supplier('/push/getHotels', [hotelId]), 200)
  const { platformHotelId, goLive } = recordOf(listOf(body['hotels'])[0])
  const missing = Object.entries(recordOf(goLive)).filter(
    ([, step]) => recordOf(step)['status'] === 'missing',
  )
  found(
    missing.length === 0
      ? 'Ready to go live'
      : `Missing for go-live: ${missing.map(([name]) => name).join(', ')}`,
  )
  return { platformHotelId }
}

async function offers(platform: Ask, { hotel, ...stay }: Wanted): Promise<void> {
  heading('What the platform offers')
  told('Two adults, from Friday to Monday: made at once of all that was acknowledged.')
  const { body } = expect(await platform('/booking/offers', { hotels: [hotel], ...stay }), 200)
  const answered = recordOf(listOf(body['hotels'])[0])
  for (const offer of listOf(answered['offers']).map(recordOf))
    showOffer(offer, spelled(answered['currency']))
}

function showOffer(offer: Json, currency: string): void {
  const { roomId, rateId, unitsLeft, mealPlan } = offer
  const nights = listOf(recordOf(listOf(offer['rooms'])[0])['nights']).map(
    (night) => recordOf(night)['amount'],
  )
  const { afterTax, dueAtProperty } = recordOf(offer['total'])
  const price = `${nights.map(spelled).join(' + ')} = ${paint('bold', `${spelled(afterTax)} ${currency}`)}`
  found(
    `${paint('bold', `${spelled(roomId)} ${spelled(rateId)}`)} ${spelled(mealPlan)}  ${price}, ${plural(Number(unitsLeft), 'unit')} left`,
  )
  const taxes = listOf(offer['taxes'])
    .map(recordOf)
    .map(
      ({ type, amount, included }) =>
        `${spelled(type)} ${spelled(amount)}${included === true ? ' included' : ''}`,
    )
  found(paint('dim', `       ${taxes.join(', ')}; due at the hotel ${spelled(dueAtProperty)}`))
}

async function explain(platform: Ask, { hotel, ...stay }: Wanted): Promise<void> {
  heading('Why not?')
  told(
    'The same from Saturday. With explain, what cannot be booked says why, which push set it, and what would do.',
  )
  const asked = { hotels: [hotel], ...stay, explain: true }
  const { body } = expect(await platform('/booking/offers', asked), 200)
  const answered = recordOf(listOf(body['hotels'])[0])
  for (const one of listOf(answered['unavailable']).map(recordOf)) {
    line(`     ${paint('bold', `${spelled(one['roomId'])} ${spelled(one['rateId'])}`)}`)
    const failed = listOf(one['rules'])
      .map(recordOf)
      .filter(({ pass }) => pass === false)
    for (const { rule, held, dates, setBy } of failed) {
      const on = listOf(dates).length > 0 ? ` on ${listOf(dates).map(spelled).join(', ')}` : ''
      const { requestId, item } = recordOf(setBy)
      const by =
        requestId === undefined ? '' : `, set by push …${spelled(requestId).slice(-8)} item ${spelled(item)}`
      line(
        `       ${paint('red', '✗')} ${cut(`${spelled(rule)}${on}: held ${spelled(held)}${by}`, width() - 9)}`,
      )
    }
    const { change } = recordOf(one['nearest'])
    if (change !== undefined) line(`       ${paint('green', '→')} ${spelled(change)}`)
  }
}

const bestRate = { roomId: 'DBL', rateId: 'BAR' }

async function priceChecks({ platform, server, showCalls }: Stage, wanted: Wanted): Promise<void> {
  heading('The live price')
  told('Before a booking the supplier is asked, and its answer compared with what it pushed.')
  const { hotel, checkin, checkout } = wanted
  const asked = { hotel, ...bestRate, checkin, checkout, roomCount: 1, adultCount: 2, childAges: [] }
  const check = async (): Promise<void> => {
    const { body } = expect(await platform('/booking/priceCheck', asked), 200)
    showCalls()
    const { outcome, difference } = body
    const style = outcome === 'available' ? 'green' : 'yellow'
    found(
      `${paint([style, 'bold'], spelled(outcome))}, difference to the stored price ${spelled(difference)}`,
    )
  }
  await check()
  told(
    'Now the supplier has become dearer without pushing it: nobody is booked at a price that does not hold.',
  )
  const order = readFaultOrder('dearer:1')
  if ('wrong' in order) throw new Error(order.wrong)
  server.order(order)
  await check()
}

async function reserve({ platform, showCalls, arrived }: Stage, wanted: Wanted): Promise<string> {
  heading('A reservation')
  told(
    'Checked once more, taken from the inventory and queued for delivery in one transaction; then it is delivered.',
  )
  const guest = { firstName: 'Ada', lastName: 'Lovelace' }
  const body = {
    ...wanted,
    rooms: [{ ...bestRate, ...wanted.rooms[0], guest }],
    customer: { ...guest, email: 'ada@guest.example' },
    payment: { type: 'Channel Collect' },
  }
  const headers = { 'idempotency-key': randomUUID() }
  const made = expect(await platform('/booking/reservations', body, { headers }), 201).body
  const id = spelled(made['reservationId'])
  const { afterTax } = recordOf(made['total'])
  found(
    `Reservation ${paint('bold', id)} version ${spelled(made['version'])}, ${spelled(afterTax)} ${spelled(made['currency'])}`,
  )
  await arrived(id, 1)
  showCalls()
  told('That was the last unit of the weekend. Whoever comes next is refused, with the reason.')
  expect(await platform('/booking/reservations', body, { headers: { 'idempotency-key': randomUUID() } }), 409)
  showCalls()
  return id
}

async function cancel({ platform, showCalls, arrived }: Stage, id: string): Promise<void> {
  heading('It is cancelled')
  told('Delivered like the booking, as the next version, and signed by the same secret.')
  const { body } = expect(await platform(`/booking/reservations/${id}/cancel`, {}), 200)
  await arrived(id, Number(body['version']))
  showCalls()
}

async function giveBack({ supplier }: Stage, day: (days: number) => string): Promise<void> {
  heading('The supplier sells it again')
  told('A cancellation raises no inventory: the supplier knows best what is free, and pushes it.')
  const ari = [
    { roomId: 'DBL', startDate: day(4), endDate: day(5), inventory: 1 },
    { roomId: 'DBL', date: day(6), inventory: 6 },
  ]
  expect(await supplier('/push/ari', { hotelId, ari }), 200)
}

/** A key that is not the demo's own is left as it was. */
async function takeOff(supplier: Ask): Promise<void> {
  told('The URLs are taken off your key again.')
  for (const kind of ['availability', 'pushbook']) {
    expect(await supplier(`/push/webhook/${kind}`, undefined, { method: 'DELETE' }), 200)
  }
}
