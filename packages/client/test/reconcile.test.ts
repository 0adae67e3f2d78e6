import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { product, pushStoryHotel } from '../../../test/stage/story.ts'
import { supplierClient } from '../src/clients.ts'
import type { StoredNight } from '../src/digest.ts'
import { reconcile } from '../src/reconcile.ts'
import { storedNights } from '../src/stored-nights.ts'

const gateway = await gatewayForTests()
const range = { hotelId: 'H1', from: '2027-04-01', to: '2027-07-31', minorDigits: 2 }

let suppliers = 0
async function openHotel() {
  const supplier = await gateway.supplier(`reconciler ${++suppliers}`)
  await pushStoryHotel(supplier)
  await supplier.post('/push/products', { hotelId: 'H1', products: [product('SGL', 'BAR')] })
  const client = supplierClient({ url: gateway.url, apiKey: supplier.apiKey })
  const stored = async (): Promise<StoredNight[]> =>
    storedNights(await client.getAri({ hotelId: 'H1', startDate: range.from, endDate: range.to }), 2)
  return { supplier, client, stored }
}

/** A season in which every push has its own dates and values. */
function pushes(seed: number) {
  const day = (number: number): string => new Date(Date.UTC(2027, 3, 1 + number)).toISOString().slice(0, 10)
  return Array.from({ length: 50 }, (_, number) => {
    const drawn = (number * 7_919 + seed * 104_729) % 1_009
    const dates = { startDate: day(drawn % 100), endDate: day((drawn % 100) + (drawn % 9)) }
    const prices = [
      { ageCategory: 'adult' as const, guests: 1, amount: 50 + drawn },
      { ageCategory: 'adult' as const, guests: 1 + (drawn % 2), amount: 80.5 + drawn },
    ].slice(drawn % 2 === 0 ? 1 : 0)
    return [
      { roomId: 'DBL', ...dates, inventory: drawn % 7, closed: drawn % 3 === 0 },
      { roomId: 'DBL', ...dates, rates: [{ rateId: 'BAR', pricingModel: 'guest' as const, prices }] },
      {
        roomId: 'DBL',
        ...range,
        rates: [{ rateId: 'NRF', pricingModel: 'unit' as const, prices: [{ amount: 9 }] }],
      },
      {
        roomId: drawn % 5 === 0 ? 'SGL' : 'DBL',
        ...range,
        rates: [{ rateId: 'BAR', minLengthStay: drawn % 4, closedToArrival: drawn % 2 === 0 }],
      },
    ]
  })
}

test('a supplier that lost a fifth of its pushes is equal again after three calls and one push', async () => {
  for (let seed = 1; seed <= 3; seed++) {
    const [whole, lossy] = [await openHotel(), await openHotel()]
    for (const [number, ari] of pushes(seed).entries()) {
      await whole.client.pushAri({ hotelId: 'H1', ari })
      if (number % 5 !== seed) await lossy.client.pushAri({ hotelId: 'H1', ari })
    }
    const nights = await whole.stored()
    const { body: before } = await lossy.supplier.get('/push/log?kind=ari')
    const { differed, failed, calls } = await reconcile(lossy.client, { ...range, nights })
    const { body: after } = await lossy.supplier.get('/push/log?kind=ari')
    assert.ok(differed.length > 20, `${differed.length} nights differed`)
    assert.deepEqual([calls, failed], [3, []])
    assert.deepEqual(await lossy.stored(), nights)
    assert.equal(pushesIn(after) - pushesIn(before), 1)
    assert.deepEqual(await reconcile(lossy.client, { ...range, nights }), {
      differed: [],
      failed: [],
      calls: 1,
    })
  }
})

function pushesIn(body: Record<string, unknown>): number {
  return Array.isArray(body['pushes']) ? body['pushes'].length : 0
}

test('what only the platform has is cleared, prices of other guests too', async () => {
  const { client, stored } = await openHotel()
  const prices = [
    { ageCategory: 'adult' as const, guests: 1, amount: 90 },
    { ageCategory: 'adult' as const, guests: 2, amount: 110 },
  ]
  const ari = ['2027-05-01', '2027-05-02'].map((date) => ({
    roomId: 'DBL',
    date,
    inventory: 3,
    closed: true,
    rates: [{ rateId: 'BAR', pricingModel: 'guest' as const, prices, maxLengthStay: 5 }],
  }))
  await client.pushAri({ hotelId: 'H1', ari })
  const nights = [{ roomId: 'DBL', rateId: 'BAR', date: '2027-05-02', prices: { a2: 12345 } }]
  const found = await reconcile(client, { ...range, nights, push: false })
  assert.equal(found.differed.length, 4)
  assert.equal((await stored()).length, 4, 'nothing was pushed')
  await reconcile(client, { ...range, nights, groups: ['pri'] })
  const left = (await stored()).map(({ rateId, date, inventory, maxLengthStay, prices: lines }) =>
    JSON.stringify([rateId ?? 'room', date, inventory ?? null, maxLengthStay ?? null, lines ?? null]),
  )
  assert.deepEqual(left.sort(), [
    '["BAR","2027-05-01",null,5,null]',
    '["BAR","2027-05-02",null,5,{"a2":12345}]',
    '["room","2027-05-01",3,null,null]',
    '["room","2027-05-02",3,null,null]',
  ])
  await reconcile(client, { ...range, nights })
  assert.deepEqual(await stored(), nights)
})
