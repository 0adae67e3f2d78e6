import { randomUUID } from 'node:crypto'
import type { GetAriAnswer, PushAriAnswer, PushAriBody } from '../../packages/client/src/api.ts'
import { failedItems } from '../../packages/client/src/ari-results.ts'
import { supplierClient, type SupplierClient } from '../../packages/client/src/clients.ts'
import { exampleProducts, exampleTaxes, exampleYear } from '../../src/console-api/sandbox/example-hotel.ts'
import { found, refused, shownFetch, shownKeyPrefix } from './client.ts'
import { bookings } from './bookings.ts'
import { fatFinger } from './fat-finger.ts'
import { hotel, hotelId } from './hotel.ts'
import { lostPush } from './lost-push.ts'
import { massMistake } from './mass-mistake.ts'
import { heading, line, paint, plural, printStep, width } from './print.ts'
import type { DemoService } from './service.ts'

/** The final read-back, and the Monday on which the calendar begins. */
export type Stored = { answer: GetAriAnswer; first: Temporal.PlainDate; monday: Temporal.PlainDate }

const nights = 365

/** Every step of the day, shown as it happens. */
export async function firstDay(service: DemoService): Promise<Stored> {
  const { url, apiKey } = service
  const supplier = supplierClient({ url, apiKey, fetch: shownFetch })
  const first = Temporal.Now.plainDateISO(hotel.timezone)
  const monday = first.add({ days: 8 - first.dayOfWeek })
  await staticData(supplier)
  await year(supplier)
  await mistakes(supplier, monday)
  await changes(supplier, monday)
  await lostPush(service, monday)
  await massMistake(service, monday)
  await fatFinger(service, monday)
  await refusedWebhooks(supplier)
  await bookings(supplier, service, monday)
  const answer = await readBack(supplier, first)
  await pushLog(supplier)
  return { answer, first, monday }
}

async function staticData(supplier: SupplierClient): Promise<void> {
  heading('The hotel')
  await supplier.pushHotels([hotel])

  heading('Its rooms and rates')
  printStep('A product is a room with a rate: three rooms with two rates each.')
  await supplier.pushProducts({ hotelId, products: exampleProducts() })

  heading('Its taxes')
  printStep('6 % VAT in the price, and a city tax that guests pay at the hotel.')
  await supplier.pushTaxes({ hotelId, taxes: exampleTaxes })
}

async function year(supplier: SupplierClient): Promise<void> {
  heading('A year of availability, rates and inventory')
  printStep(
    'Prices by guests, higher at weekends and in the high season, when a stay is at least three nights; the suites are closed for two weeks.',
  )
  const { currency } = hotel
  const ari = exampleYear(Date.now())
  summary(await supplier.pushAri({ hotelId, pricingModel: 'guest', currency, ari }))
}

function summary({ summary: { items, rejected, cellsChanged }, revision }: PushAriAnswer): void {
  const failed = rejected > 0 ? `, ${paint('red', `${rejected} rejected`)}` : ''
  const changed = paint('bold', plural(cellsChanged, 'night'))
  found(`${plural(items, 'item')}${failed}; ${changed} of rooms and room-rates changed; revision ${revision}`)
}

async function mistakes(supplier: SupplierClient, monday: Temporal.PlainDate): Promise<void> {
  heading('Mistakes, and how they are reported')
  printStep(
    'A refused push lists everything that is wrong with it, not only the first thing. Nothing of it is applied.',
  )
  const invalidHotel = { ...hotel, hotelId: 'DEMO-OTHER', currency: 'EURO', minChildAge: 0 }
  await refused(supplier.pushHotels([invalidHotel]), 400)
  printStep('In an ARI push each item is judged on its own: the good ones are applied.')
  const date = String(monday)
  const push = {
    hotelId,
    ari: [
      { roomId: 'DBL', date, inventory: 5 },
      { roomId: 'SUITE', date, inventory: 1 },
      { roomId: 'FAM', startDate: date, endDate: String(monday.subtract({ days: 1 })), closed: true },
    ],
  }
  const partly = await supplier.pushAri(push)
  summary(partly)
  if (failedItems(push, partly).length !== 2) throw new Error('two items were to be refused')
}

async function changes(supplier: SupplierClient, monday: Temporal.PlainDate): Promise<void> {
  const day = (days: number) => String(monday.add({ days }))
  heading('A change: only what is sent is touched')
  printStep(
    'The weekend sells well: dearer for two, one unit left, no arrivals on Saturday. The family rooms are closed for repairs.',
  )
  const changed: PushAriBody = {
    hotelId,
    pricingModel: 'guest',
    ari: [
      {
        roomId: 'DBL',
        startDate: day(4),
        endDate: day(5),
        inventory: 1,
        rates: [{ rateId: 'BAR', prices: [{ ageCategory: 'adult', guests: 2, amount: '189.50' }] }],
      },
      { roomId: 'DBL', date: day(5), rates: [{ rateId: 'BAR', closedToArrival: true }] },
      { roomId: 'DBL', startDate: day(4), endDate: day(6), rates: [{ rateId: 'NRF', closed: true }] },
      { roomId: 'DBL', date: day(9), rates: [{ rateId: 'BAR', closedToDeparture: true }] },
      { roomId: 'FAM', startDate: day(8), endDate: day(10), closed: true },
    ],
  }
  printStep('First as a dry run: the same answer, nothing is applied.')
  summary(await supplier.pushAri({ ...changed, dryRun: true }))
  printStep('Then for good. The same once more with the same Idempotency-Key gets the stored answer.')
  const options = { idempotencyKey: `${shownKeyPrefix}${randomUUID()}` }
  const first = await supplier.pushAri(changed, options)
  summary(first)
  const again = await supplier.pushAri(changed, options)
  if (again.requestId !== first.requestId) throw new Error('the answer was not a stored one')
}

async function refusedWebhooks(supplier: SupplierClient): Promise<void> {
  heading('Where the platform reaches you')
  printStep('Its URLs are vetted: nobody can make the platform call where nobody should be called.')
  for (const webhook of ['https://me:secret@pms.example.com/check', 'https://169.254.169.254/check']) {
    await refused(supplier.registerAvailabilityWebhook({ webhook }), 400)
  }
}

async function readBack(supplier: SupplierClient, first: Temporal.PlainDate): Promise<GetAriAnswer> {
  heading('Read back')
  printStep('The stored data, as a push: posting it back changes nothing.')
  const range = { startDate: String(first), endDate: String(first.add({ days: nights - 1 })) }
  const stored = await supplier.getAri({ hotelId, ...range })
  found(`${plural(stored.ari.length, 'item')} at revision ${stored.revision}`)
  const { currency, pricingModel = 'guest', ari } = stored
  summary(await supplier.pushAri({ hotelId, currency, pricingModel, ari }))
  return stored
}

const logColumns = [
  ['kind', 9],
  ['outcome', 10],
  ['status', 6],
  ['cellsChanged', 8],
  ['durationMs', 5],
] as const

async function pushLog(supplier: SupplierClient): Promise<void> {
  heading('The push log')
  printStep(
    'Every push of the hotel, refused ones too; GET /v1/push/log/{requestId} has its body and its answer.',
  )
  const { pushes } = await supplier.listPushes({ hotelId, limit: 18 })
  line(paint('dim', '     time (UTC)  kind       outcome       http    nights     ms  request id'))
  for (const entry of pushes) {
    const { outcome, requestId, at } = entry
    const style = outcome === 'rejected' ? 'red' : outcome === 'partial' ? 'yellow' : 'green'
    const cells = logColumns.map(([name, columns]) => {
      const text = String(entry[name])
      const padded = typeof entry[name] === 'number' ? text.padStart(columns) : text.padEnd(columns)
      return name === 'outcome' ? paint(style, padded) : padded
    })
    const shownId = width() < 110 ? `…${requestId.slice(-8)}` : requestId
    line(`     ${at.slice(11, 19)}    ${cells.join('  ')}  ${paint('dim', shownId)}`)
  }
}
