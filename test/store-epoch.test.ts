/** How a running service behaves when its address leads to a store that has lost commits. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { bookingBody, expectStatus, idOf, openShop, pushNights, type Shop } from './booking.ts'
import type { Reply, TestSupplier } from './harness.ts'
import { startAgeingStore, type AgeingStore } from './older-store.ts'
import { changesSettled } from './settled-changes.ts'
import { expectOk, problemsOf, pushStoryHotel } from './story.ts'

let store: AgeingStore
let shop: Shop
let other: TestSupplier

before(async () => {
  store = await startAgeingStore()
  shop = await openShop(store.gateway)
  other = await store.gateway.supplier('Bestbeds')
})
after(() => store.stop())

const night = { checkin: '2027-04-20', checkout: '2027-04-21' }

/** A failed connection is answered with 503 until there is a new one; retries until then. */
async function served(call: () => Promise<Reply>): Promise<Reply> {
  for (let attempt = 0; ; attempt++) {
    const reply = await call()
    if (reply.status !== 503 || attempt === 100) return reply
    await wait(100)
  }
}

async function offers(supplier: string, hotelId: string): Promise<Record<string, unknown>> {
  const body = { hotels: [{ supplier, hotelId }], ...night, rooms: [{ adults: 2, childAges: [] }] }
  return expectOk(await served(() => shop.platform.post('/booking/offers', body))).body
}

/** The total of the cheapest offer of the story's hotel. */
async function priceSold(): Promise<string> {
  const { hotels } = Object(await offers('Acme', 'H1'))
  return String(hotels[0].offers[1].total.afterTax)
}

async function pushHotel(supplier: TestSupplier, hotelId: string): Promise<string> {
  await served(() => supplier.post('/push/getHotels', { hotelIds: ['H1'] }))
  await pushStoryHotel(supplier, { hotelId })
  const item = { roomId: 'DBL', startDate: '2027-04-01', endDate: '2027-04-30', inventory: 2 }
  const rates = [{ rateId: 'BAR', price: 100 }]
  expectOk(await supplier.post('/push/ari', { hotelId, pricingModel: 'unit', ari: [{ ...item, rates }] }))
  const { hotels } = expectOk(await supplier.post('/push/getHotels', { hotelIds: [hotelId] })).body
  return String(Object(hotels)[0].platformHotelId)
}

test('after a store that lost commits took its place, nothing of what was lost is booked, sold, told or given out again', async () => {
  const first = await priceSold()
  const kept = idOf(await shop.book())
  const { cursor } = expectOk(await shop.platform.get('/booking/changes')).body
  await store.copy()

  await served(() => shop.platform.get('/booking/reservations'))
  await pushNights(shop.supplier, { rates: [{ rateId: 'NRF', price: 50 }] })
  const lostHotel = await pushHotel(shop.supplier, 'LOST')
  const lost = idOf(
    await shop.platform.post('/booking/reservations', {
      ...bookingBody('Acme'),
      hotel: { supplier: 'Acme', hotelId: 'LOST' },
    }),
  )
  assert.notEqual(await priceSold(), first)
  const page = expectOk(await shop.platform.get(`/booking/changes?after=${String(cursor)}&wait=30`)).body
  await store.fallBack()

  // With the same codes, so that a caller who takes the new hotel for the lost one can book it.
  const newHotel = await pushHotel(other, 'NEW')
  assert.deepEqual((await offers('Acme', 'LOST'))['notFound'], [{ supplier: 'Acme', hotelId: 'LOST' }])
  const wrong = await shop.platform.post('/booking/reservations', {
    ...bookingBody('Acme'),
    hotel: { supplier: 'Acme', hotelId: 'LOST' },
  })
  expectStatus(wrong, 404)
  assert.equal(await priceSold(), first)
  assert.notEqual(newHotel, lostHotel)
  const made = idOf(await shop.book())
  assert.ok(Number(made) > Number(lost) && Number(lost) > Number(kept), `${kept}, ${lost}, ${made}`)
  for (const former of [cursor, page['cursor']]) {
    const refused = await shop.platform.get(`/booking/changes?after=${String(former)}`)
    expectStatus(refused, 410)
    assert.deepEqual(problemsOf(refused), [
      ['?after', 'FEED_RESTARTED', 'The feed began anew: the database lost changes, or is another one'],
    ])
  }
  await changesSettled(store.gateway.db)
  const { cursor: anew } = expectOk(await shop.platform.get('/booking/changes')).body
  await pushNights(shop.supplier, { rates: [{ rateId: 'NRF', price: 60 }] })
  const told = expectOk(await shop.platform.get(`/booking/changes?after=${String(anew)}&wait=30`)).body
  assert.deepEqual(Object(told)['changes'].length, 1)
})

test('an older copy of the files, which says of itself what the present store says, is known by what it lacks', async () => {
  const { db } = store.gateway
  const { cursor } = expectOk(await shop.platform.get('/booking/changes')).body
  const { number } = db.epoch
  const beatIs = async (): Promise<number> => {
    const { rows } = await db.query<{ beat: number }>('select beat from store_beat')
    return rows[0]?.beat ?? 0
  }
  while ((await beatIs()) < 2) await wait(100)
  // Puts the beats back to an earlier time.
  await db.query('update store_beat set beat = 0')
  while (db.epoch.number === number) await wait(100)
  const refused = await served(() => shop.platform.get(`/booking/changes?after=${String(cursor)}`))
  assert.deepEqual(problemsOf(expectStatus(refused, 410)).flat()[1], 'FEED_RESTARTED')
})
