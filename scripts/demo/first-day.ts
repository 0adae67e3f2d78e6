import { randomUUID } from 'node:crypto'
import { expect, found, listOf, recordOf, shownClient, type Ask, type Json } from './client.ts'
import { bookings } from './bookings.ts'
import { closure, hotel, hotelId, products, taxes, timeZone, yearFrom } from './hotel.ts'
import { heading, line, paint, plural, told, width } from './print.ts'
import type { Shown } from './service.ts'

/** What was read back at the end, and from which Monday on the calendar shows it. */
export type Stored = { answer: Json; first: Temporal.PlainDate; monday: Temporal.PlainDate }

const nights = 365

/** Every step of the day, shown as it happens. */
export async function firstDay(service: Shown): Promise<Stored> {
  const ask = shownClient(service, { 'x-api-key': service.apiKey })
  const first = Temporal.Now.plainDateISO(timeZone)
  const monday = first.add({ days: 8 - first.dayOfWeek })
  await staticData(ask)
  await year(ask, first)
  await mistakes(ask, monday)
  await changes(ask, monday)
  await refusedWebhooks(ask)
  await bookings(ask, service, monday)
  const answer = await readBack(ask, first)
  await pushLog(ask)
  return { answer, first, monday }
}

async function staticData(ask: Ask): Promise<void> {
  heading('The hotel')
  expect(await ask('/push/hotels', [hotel]), 200)

  heading('Its rooms and rates')
  told('A product is a room with a rate: a double room with two rates, a family room with one.')
  expect(await ask('/push/products', { hotelId, products }), 200)

  heading('Its taxes')
  told('6 % VAT in the price, and a city tax that guests pay at the hotel.')
  expect(await ask('/push/taxes', { hotelId, taxes }), 200)
}

async function year(ask: Ask, first: Temporal.PlainDate): Promise<void> {
  heading('A year of availability, rates and inventory')
  told(
    'Three seasons, dearer weekends with two nights at least, three nights in the high season; prices by guests; two weeks closed.',
  )
  const ari = [...yearFrom(first, nights), ...closure(first)]
  const { body } = expect(
    await ask('/push/ari', { hotelId, pricingModel: 'guest', currency: 'EUR', ari }),
    200,
  )
  summary(body)
}

function summary(body: Json): void {
  const { items, rejected, cellsChanged } = recordOf(body['summary'])
  const refused = Number(rejected) > 0 ? `, ${paint('red', `${String(rejected)} rejected`)}` : ''
  const changed = paint('bold', plural(Number(cellsChanged), 'night'))
  found(
    `${plural(Number(items), 'item')}${refused}; ${changed} of rooms and room-rates changed; revision ${String(body['revision'])}`,
  )
}

async function mistakes(ask: Ask, monday: Temporal.PlainDate): Promise<void> {
  heading('Mistakes, and what is said of them')
  told(
    'A refused push lists everything that is wrong with it, not only the first thing. Nothing of it is applied.',
  )
  expect(
    await ask('/push/hotels', [{ ...hotel, hotelId: 'DEMO-OTHER', currency: 'EURO', minChildAge: 0 }]),
    400,
  )
  told('In an ARI push each item is judged on its own: the good ones are applied.')
  const date = String(monday)
  const partly = await ask('/push/ari', {
    hotelId,
    ari: [
      { roomId: 'DBL', date, inventory: 5 },
      { roomId: 'SUITE', date, inventory: 1 },
      { roomId: 'FAM', startDate: date, endDate: String(monday.subtract({ days: 1 })), closed: true },
    ],
  })
  summary(expect(partly, 207).body)
}

async function changes(ask: Ask, monday: Temporal.PlainDate): Promise<void> {
  const day = (days: number) => String(monday.add({ days }))
  heading('A change: only what is sent is touched')
  told(
    'The weekend sells well: dearer for two, one unit left, no arrivals on Saturday. The family rooms are closed for repairs.',
  )
  const changed = {
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
  told('First as a dry run: the same answer, nothing is applied.')
  summary(expect(await ask('/push/ari', { ...changed, dryRun: true }), 200).body)
  told('Then for good. The same once more with the same Idempotency-Key gets the stored answer.')
  const headers = { 'idempotency-key': randomUUID() }
  summary(expect(await ask('/push/ari', changed, { headers }), 200).body)
  const again = expect(await ask('/push/ari', changed, { headers }), 200)
  if (again.headers.get('idempotency-replayed') !== 'true') throw new Error('the answer was not a stored one')
}

async function refusedWebhooks(ask: Ask): Promise<void> {
  heading('Where the platform reaches you')
  told('Its URLs are vetted: nobody can make the platform call where nobody should be called.')
  for (const webhook of ['https://me:secret@pms.example.com/check', 'https://169.254.169.254/check']) {
    expect(await ask('/push/webhook/availability', { webhook }), 400)
  }
}

async function readBack(ask: Ask, first: Temporal.PlainDate): Promise<Json> {
  heading('Read back')
  told('What is held, as a push: posting it back changes nothing.')
  const range = { startDate: String(first), endDate: String(first.add({ days: nights - 1 })) }
  const { body } = expect(await ask('/push/getAri', { hotelId, ...range }), 200)
  found(`${plural(listOf(body['ari']).length, 'item')} at revision ${String(body['revision'])}`)
  const { currency, pricingModel, ari } = body
  summary(expect(await ask('/push/ari', { hotelId, currency, pricingModel, ari }), 200).body)
  return body
}

const logColumns = [
  ['kind', 9],
  ['outcome', 10],
  ['status', 6],
  ['cellsChanged', 8],
  ['durationMs', 5],
] as const

async function pushLog(ask: Ask): Promise<void> {
  heading('The push log')
  told('Every push of the hotel, refused ones too; GET /v1/push/log/{requestId} has its body and its answer.')
  const { body } = expect(await ask(`/push/log?hotelId=${hotelId}&limit=10`), 200)
  line(paint('dim', '     time (UTC)  kind       outcome       http    nights     ms  request id'))
  for (const entry of listOf(body['pushes']).map(recordOf)) {
    const outcome = String(entry['outcome'])
    const style = outcome === 'rejected' ? 'red' : outcome === 'partial' ? 'yellow' : 'green'
    const cells = logColumns.map(([name, columns]) => {
      const text = String(entry[name])
      const padded = typeof entry[name] === 'number' ? text.padStart(columns) : text.padEnd(columns)
      return name === 'outcome' ? paint(style, padded) : padded
    })
    const id = String(entry['requestId'])
    const shownId = width() < 110 ? `…${id.slice(-8)}` : id
    line(`     ${String(entry['at']).slice(11, 19)}    ${cells.join('  ')}  ${paint('dim', shownId)}`)
  }
}
