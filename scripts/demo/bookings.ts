import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { systemClock } from '../../src/base/clock.ts'
import type { SimulatedCall } from '../../src/simulate/answer.ts'
import { readFaultOrder } from '../../src/simulate/faults.ts'
import { renderCall } from '../../src/simulate/render-call.ts'
import { startSupplier, type SimulatedSupplier } from '../../src/simulate/supplier.ts'
import type { FindOffersAnswer, FindOffersBody } from '../../packages/client/src/api.ts'
import { bookingClient, type BookingClient, type SupplierClient } from '../../packages/client/src/clients.ts'
import { found, refused, shownFetch, shownKeyPrefix, spelled } from './client.ts'
import { hotelId } from './hotel.ts'
import { cut, heading, line, paint, plural, printStep, width } from './print.ts'
import type { DemoService } from './service.ts'

/**
 * The other half of the day: the platform sells the pushed offers, and the supplier receives the bookings.
 */

/** Shared by the steps: clients of the two sides, and the supplier's server between them. */
type Stage = {
  supplier: SupplierClient
  platform: BookingClient
  server: SimulatedSupplier
  /** Shows the calls that the server got since the last time. */
  showCalls: () => void
  /** Waits until a version of the reservation has arrived. */
  arrived: (reservationId: string, version: number) => Promise<void>
}

/** Friday to Monday, and the guests. */
type Wanted = {
  hotel: FindOffersBody['hotels'][number]
  checkin: string
  checkout: string
  rooms: [{ adults: number; childAges: number[] }]
}
type Answered = FindOffersAnswer['hotels'][number]

export async function bookings(
  supplier: SupplierClient,
  service: DemoService,
  monday: Temporal.PlainDate,
): Promise<void> {
  const { platformToken } = service
  if (platformToken === undefined) {
    printStep(
      'Offers and bookings are the platform’s to ask for: set ARI_PLATFORM_TOKEN as well to see them.',
    )
    return
  }
  const platform = bookingClient({ url: service.url, token: platformToken, fetch: shownFetch })
  const day = (days: number) => String(monday.add({ days }))
  const stay: Omit<Wanted, 'hotel'> = {
    checkin: day(4),
    checkout: day(7),
    rooms: [{ adults: 2, childAges: [] }],
  }
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

const arrivesWithinMs = 60_000
const pollMs = 10

async function openServer(
  supplier: SupplierClient,
  service: DemoService,
): Promise<Omit<Stage, 'supplier' | 'platform'> | undefined> {
  heading("The supplier's server")
  printStep(
    'A simulated supplier, as ari simulate supplier starts one: it registers its two URLs, and gets its signing secret once.',
  )
  const { availability, pushbook } = await supplier.getWebhooks()
  if (availability !== null || pushbook !== null) {
    printStep('Your key has URLs already: they stay, so there are no price checks and no bookings here.')
    return undefined
  }
  const calls: SimulatedCall[] = []
  const options = { ...service, host: '127.0.0.1', port: 0, secrets: [], faults: [], clock: systemClock }
  const server = await startSupplier({ ...options, onCall: (call) => calls.push(call) }).catch(
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
      while ((server.reservation(reservationId)?.version ?? 0) < version) {
        if (performance.now() > untilMs) throw new Error(`reservation ${reservationId} was not delivered`)
        await wait(pollMs)
      }
      // The supplier has it a moment before its answer is sent and shown.
      await wait(pollMs)
    },
  }
}

/** A call as the supplier's server sees it, set apart from the requests of the two sides. */
function showCall(call: SimulatedCall): void {
  for (const [index, text] of renderCall(call, paint).entries()) {
    const mark = paint('magenta', index === 0 ? '⇒ supplier ' : '           ')
    line(`     ${mark} ${text}`)
  }
}

async function platformHotel(supplier: SupplierClient): Promise<Wanted['hotel']> {
  const { hotels } = await supplier.getHotels([hotelId])
  const [hotel] = hotels
  if (!hotel) throw new Error('the hotel is not there')
  const { ready, ...steps } = hotel.goLive
  const missing = Object.entries(steps).filter(([, { status }]) => status === 'missing')
  found(ready ? 'Ready to go live' : `Missing for go-live: ${missing.map(([name]) => name).join(', ')}`)
  return { platformHotelId: hotel.platformHotelId }
}

async function offers(platform: BookingClient, { hotel, ...stay }: Wanted): Promise<void> {
  heading('What the platform offers')
  printStep('Two adults, from Friday to Monday: made at once of all that was acknowledged.')
  const { hotels } = await platform.findOffers({ hotels: [hotel], ...stay })
  for (const answered of hotels) for (const offer of answered.offers) showOffer(offer, answered.currency)
}

function showOffer(offer: Answered['offers'][number], currency: string): void {
  const { roomId, rateId, unitsLeft, mealPlan, rooms, taxes, total } = offer
  const nights = rooms[0]?.nights.map(({ amount }) => amount) ?? []
  const price = `${nights.join(' + ')} = ${paint('bold', `${total.afterTax} ${currency}`)}`
  found(
    `${paint('bold', `${roomId} ${rateId}`)} ${mealPlan ?? ''}  ${price}, ${plural(unitsLeft, 'unit')} left`,
  )
  const lines = taxes.map(({ type, amount, included }) => `${type} ${amount}${included ? ' included' : ''}`)
  found(paint('dim', `       ${lines.join(', ')}; due at the hotel ${total.dueAtProperty}`))
}

async function explain(platform: BookingClient, { hotel, ...stay }: Wanted): Promise<void> {
  heading('Why not?')
  printStep(
    'The same from Saturday. With explain, what cannot be booked says why, which push set it, and what would do.',
  )
  const { hotels } = await platform.findOffers({ hotels: [hotel], ...stay, explain: true })
  for (const { roomId, rateId, rules, nearest } of hotels.flatMap(({ unavailable = [] }) => unavailable)) {
    line(`     ${paint('bold', `${roomId} ${rateId}`)}`)
    for (const { rule, held, dates, setBy } of rules.filter(({ pass }) => !pass)) {
      const on = dates.length > 0 ? ` on ${dates.join(', ')}` : ''
      const by =
        setBy?.requestId === undefined
          ? ''
          : `, set by push …${setBy.requestId.slice(-8)} item ${setBy.item ?? '?'}`
      line(`       ${paint('red', '✗')} ${cut(`${rule}${on}: stored ${spelled(held)}${by}`, width() - 9)}`)
    }
    if (nearest) line(`       ${paint('green', '→')} ${nearest.change}`)
  }
}

const bestRate = { roomId: 'DBL', rateId: 'BAR' }

async function priceChecks({ platform, server, showCalls }: Stage, wanted: Wanted): Promise<void> {
  heading('The live price')
  printStep('Before a booking the supplier is asked, and its answer compared with what it pushed.')
  const { hotel, checkin, checkout } = wanted
  const stayToCheck = { hotel, ...bestRate, checkin, checkout, roomCount: 1, adultCount: 2, childAges: [] }
  const check = async (): Promise<void> => {
    const { outcome, difference } = await platform.checkPrice(stayToCheck)
    showCalls()
    const style = outcome === 'available' ? 'green' : 'yellow'
    found(`${paint([style, 'bold'], outcome)}, difference to the stored price ${difference ?? 'unknown'}`)
  }
  await check()
  printStep(
    'Now the supplier has become dearer without pushing it: nobody is booked at a price that does not hold.',
  )
  const order = readFaultOrder('dearer:1')
  if ('problem' in order) throw new Error(order.problem)
  server.order(order)
  await check()
}

async function reserve({ platform, showCalls, arrived }: Stage, wanted: Wanted): Promise<string> {
  heading('A reservation')
  printStep(
    'Checked once more, taken from the inventory and queued for delivery in one transaction; then it is delivered.',
  )
  const guest = { firstName: 'Ada', lastName: 'Lovelace' }
  const body = {
    ...wanted,
    rooms: [{ ...bestRate, ...wanted.rooms[0], guest }],
    customer: { ...guest, email: 'ada@guest.example' },
    payment: { type: 'Channel Collect' as const },
  }
  const idempotencyKey = `${shownKeyPrefix}${randomUUID()}`
  const made = await platform.createReservation(body, { idempotencyKey })
  const id = made.reservationId
  found(`Reservation ${paint('bold', id)} version ${made.version}, ${made.total.afterTax} ${made.currency}`)
  await arrived(id, 1)
  showCalls()
  printStep('That was the last unit of the weekend. Whoever comes next is refused, with the reason.')
  await refused(platform.createReservation(body), 409)
  showCalls()
  return id
}

async function cancel({ platform, showCalls, arrived }: Stage, id: string): Promise<void> {
  heading('It is cancelled')
  printStep('Delivered like the booking, as the next version, and signed by the same secret.')
  const { version } = await platform.cancelReservation({ id })
  await arrived(id, version)
  showCalls()
}

async function giveBack({ supplier }: Stage, day: (days: number) => string): Promise<void> {
  heading('The supplier sells it again')
  printStep('A cancellation raises no inventory: the supplier knows best what is free, and pushes it.')
  const ari = [
    { roomId: 'DBL', startDate: day(4), endDate: day(5), inventory: 1 },
    { roomId: 'DBL', date: day(6), inventory: 6 },
  ]
  await supplier.pushAri({ hotelId, ari })
}

/** A key that is not the demo's own keeps its settings. */
async function takeOff(supplier: SupplierClient): Promise<void> {
  printStep('The URLs are taken off your key again.')
  await supplier.removeAvailabilityWebhook()
  await supplier.removePushbookWebhook()
}
