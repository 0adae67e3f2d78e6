import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startGateway, type TestGateway, type TestSupplier } from '../../test/harness.ts'
import { expectOk, problemsOf, pushStoryHotel } from '../../test/story.ts'

let gateway: TestGateway
before(async () => {
  gateway = await startGateway()
})
after(() => gateway.stop())

let suppliers = 0
async function storySupplier(hotel: Record<string, unknown> = {}): Promise<TestSupplier> {
  const supplier = await gateway.supplier(`supplier ${++suppliers}`)
  await pushStoryHotel(supplier, hotel)
  return supplier
}

test('a push is acknowledged with what changed, and read back as it was sent', async () => {
  const supplier = await storySupplier()
  const ari = [
    {
      roomId: 'DBL',
      startDate: '2027-04-15',
      endDate: '2027-05-15',
      inventory: 6,
      rates: [
        {
          rateId: 'BAR',
          minLengthStay: 2,
          prices: [
            { ageCategory: 'adult', guests: 1, amount: 90 },
            { ageCategory: 'adult', guests: 2, amount: 110.5 },
            { ageCategory: 'child', guests: 1, amount: 15 },
          ],
        },
      ],
    },
  ]
  const pushed = expectOk(
    await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'guest', ari }, { 'x-request-id': 'r1' }),
  )
  assert.deepEqual(pushed.body, {
    code: '200',
    message: 'ARI updated successfully',
    hotelId: 'H1',
    revision: 3,
    requestId: 'r1',
    summary: { items: 1, applied: 1, partial: 0, rejected: 0, superseded: 0, unchanged: 0, cellsChanged: 62 },
    results: [{ index: 0, status: 'applied', cellsChanged: 62 }],
  })
  const read = expectOk(
    await supplier.post('/push/getAri', { hotelId: 'H1', startDate: '2027-04-01', endDate: '2027-05-31' }),
  )
  assert.deepEqual(read.body, {
    code: '200',
    message: 'ARI retrieved successfully',
    hotelId: 'H1',
    revision: 3,
    currency: 'USD',
    pricingModel: 'guest',
    ari,
  })
})

test('an unknown room or rate is refused with the text of the specification', async () => {
  const supplier = await storySupplier()
  const room = await supplier.post('/push/ari', {
    hotelId: 'H1',
    ari: [{ roomId: 'X1', date: '2027-04-15', inventory: 1 }],
  })
  assert.equal(room.status, 404)
  assert.deepEqual(problemsOf(room), [['/ari/0/roomId', 'ROOM_NOT_FOUND', 'RoomID not found']])
})
