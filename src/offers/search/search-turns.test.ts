import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests, client } from '../../../test/stage/harness.ts'
import { expectOk, pushStoryHotel } from '../../../test/stage/story.ts'
import { transaction } from '../../postgres/transaction.ts'
import { largeSearchesMax, SearchTurns } from './find-offers.ts'

test('a search gets every second slice of the process, however many searches another token runs', async () => {
  const turns = new SearchTurns(() => {})
  const slices: string[] = []
  const search = async (tokenId: number, name: string, count: number): Promise<void> => {
    for (let slice = 0; slice < count; slice++) {
      await turns.nextSlice(tokenId)
      slices.push(name)
    }
  }
  const many = Array.from({ length: 16 }, () => search(1, 'many', 20))
  await search(2, 'one', 5)
  const before = slices.length
  await Promise.all(many)
  assert.equal(slices.length, 16 * 20 + 5)
  // Each time, one of the greedy token's searches may already have been waiting.
  assert.ok(before <= 2 * 5 + 1, `${before} slices until the one search was over`)
})

test('large searches of one token wait for each other, and those of another token do not wait for them', async () => {
  const gateway = await gatewayForTests()
  const supplier = await gateway.supplier('Acme')
  await pushStoryHotel(supplier)
  const platform = async () =>
    client(gateway.url, { authorization: `Bearer ${await gateway.token('platform')}` })
  const [greedy, modest] = [await platform(), await platform()]
  const body = {
    hotels: Array.from({ length: 21 }, (_, index) => ({ supplier: 'Acme', hotelId: `H${index + 1}` })),
    checkin: '2027-04-20',
    checkout: '2027-04-21',
    rooms: [{ adults: 2 }],
  }
  const search = (caller: typeof greedy) => caller.post('/booking/offers', body)
  // From here on both tokens are cached.
  expectOk(await search(greedy))
  expectOk(await search(modest))
  const { passing, waiting } = largeSearchesMax
  await transaction(gateway.db, async (connection) => {
    // Searches that pass the gate block on reading hotels.
    await connection.query('lock table hotel in access exclusive mode')
    const asked = Array.from({ length: passing + waiting }, () => search(greedy))
    let refused = 0
    const others: Promise<number>[] = []
    // Until one more is refused, the others are still on their way in.
    while (refused === 0) {
      const one = search(greedy).then(({ status }) => status)
      const early = await Promise.race([one, turnsOfLoop(20)])
      if (early === 503) refused++
      else others.push(one)
    }
    const small = greedy.post('/booking/offers', { ...body, hotels: body.hotels.slice(0, 1) })
    const fair = search(modest)
    await connection.query('commit')
    await connection.query('begin')
    assert.equal((await fair).status, 200)
    assert.equal((await small).status, 200)
    const statuses = [
      ...(await Promise.all(asked)).map(({ status }) => status),
      ...(await Promise.all(others)),
    ]
    assert.equal(statuses.filter((status) => status === 200).length, passing + waiting)
  })
})

async function turnsOfLoop(count: number): Promise<undefined> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => void setTimeout(resolve, 5))
  return undefined
}
