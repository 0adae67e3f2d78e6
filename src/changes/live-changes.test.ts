import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectStatus } from '../../test/stage/scenes/booking.ts'
import { changesIn, cursorOfNow, getChanges, type Change } from '../../test/stage/scenes/changes.ts'
import {
  gatewayForLiveAnswers,
  liveShop,
  soldOut,
  type LiveShop,
} from '../../test/stage/scenes/live-answers.ts'
import { changesSettled } from '../../test/stage/harness.ts'
import { until } from '../../test/stage/pace.ts'
import { expectOk } from '../../test/stage/story.ts'

/** Changes of kind `live`: what suppliers said when they were asked, for those who keep offers. */

const gateway = await gatewayForLiveAnswers()
const at = '2027-03-01T12:00:00.000Z'

async function toldSince(after: string, { platform }: LiveShop, limit = 200): Promise<Change[]> {
  await changesSettled(gateway.db)
  return changesIn(await getChanges(platform, { after, limit: String(limit) }))
}

test('a live sold_out and another price are told with the stay, and without a revision', async () => {
  const shop = await liveShop(gateway, 'told')
  const cursor = await cursorOfNow(gateway, shop.platform)
  shop.says(soldOut)
  await shop.check({ roomCount: 2, childAges: [7, 3] })
  await until(async () => (await toldSince(cursor, shop)).length === 1)
  shop.says({ amountBeforeTax: [90, 90], amountAfterTax: [99, 99] })
  await shop.check({ rateId: 'NRF' })
  await until(async () => (await toldSince(cursor, shop)).length === 2)
  const [first, second] = await toldSince(cursor, shop)
  const platformHotelId = String(first?.['platformHotelId'])
  const offered = Object.values(await shop.offers({ rooms: [{ adults: 1 }] }))
  const idsOf = (rateId: string) => {
    const { platformRoomId, platformRateId } = Object(offered.find((one) => one['rateId'] === rateId))
    return { roomId: 'DBL', platformRoomId, rateId, platformRateId }
  }
  const members = { kind: 'live', platformHotelId, supplier: 'told', hotelId: 'H1' }
  const stay = { checkin: '2027-04-20', checkout: '2027-04-22' }
  const room = { adults: 2, childAges: [3, 7] }
  const untilThen = '2027-03-01T12:05:00.000Z'
  assert.deepEqual(first, {
    cursor: first?.['cursor'],
    at: first?.['at'],
    ...members,
    live: { outcome: 'sold_out', ...idsOf('BAR'), ...stay, rooms: [room, room], at, until: untilThen },
  })
  assert.deepEqual(second, {
    cursor: second?.['cursor'],
    at: second?.['at'],
    ...members,
    live: {
      outcome: 'price_changed',
      ...idsOf('NRF'),
      ...stay,
      rooms: [{ adults: 2, childAges: [] }],
      total: {
        beforeTax: '180.00',
        tax: '18.00',
        afterTax: '198.00',
        dueAtProperty: '0.00',
        feesAtProperty: '0.00',
        allIn: '198.00',
      },
      at,
      until: untilThen,
    },
  })
})

test('their end before the told time is told, and none of them is skipped', async () => {
  const shop = await liveShop(gateway, 'ended')
  const cursor = await cursorOfNow(gateway, shop.platform)
  const kinds = async (limit?: number): Promise<unknown[]> =>
    (await toldSince(cursor, shop, limit)).map(({ kind, live }) => Object(live).outcome ?? kind)
  const told = async (count: number): Promise<void> =>
    until(async () => (await kinds()).filter((kind) => kind !== 'ari').length === count)
  shop.says(soldOut)
  await shop.check()
  await told(1)
  shop.says({})
  await shop.check()
  await told(2)
  shop.says(soldOut)
  await shop.check()
  await told(3)
  const ari = [{ roomId: 'DBL', date: '2027-04-20', inventory: 5 }]
  expectOk(await shop.supplier.post('/push/ari', { hotelId: 'H1', ari }))
  assert.deepEqual(await kinds(), ['sold_out', 'ended', 'sold_out', 'ended'])
  await shop.check()
  await told(5)
  // The night is set twice: only the later change names it, and each of the others stays.
  for (const inventory of [4, 3])
    expectOk(await shop.supplier.post('/push/ari', { hotelId: 'H1', ari: [{ ...ari[0], inventory }] }))
  const all = await kinds()
  assert.deepEqual(
    all.filter((kind) => kind !== 'ari'),
    ['sold_out', 'ended', 'sold_out', 'ended', 'sold_out', 'ended'],
  )
  assert.equal(all.filter((kind) => kind === 'ari').length, 1)
  // Page by page, and as events, they are the same.
  let after = cursor
  const paged: unknown[] = []
  for (let page = 0; page < 20; page++) {
    const reply = await getChanges(shop.platform, { after, limit: '1' })
    paged.push(...changesIn(reply).map(({ kind, live }) => Object(live).outcome ?? kind))
    after = String(reply.body['cursor'])
    if (reply.body['hasMore'] !== true) break
  }
  assert.deepEqual(paged, all)
  // What was over by itself is not told once more.
  shop.says(soldOut)
  await shop.check()
  await told(7)
  gateway.clock.set('2027-03-01T12:06:00Z')
  expectOk(await shop.supplier.post('/push/ari', { hotelId: 'H1', ari }))
  gateway.clock.set(at)
  assert.equal((await kinds()).filter((kind) => kind === 'ended').length, 3)
  expectStatus(await getChanges(shop.platform, { after }), 200)
})
