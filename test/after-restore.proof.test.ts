import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startGateway, type TestGateway, type TestSupplier } from './harness.ts'
import { environOf } from './postgres.ts'
import { runAri } from './programs.ts'
import { expectOk, product, pushStoryHotel } from './story.ts'

/** `ari after-restore`, as an operator runs it on a store that was restored. */

let gateway: TestGateway
before(async () => {
  gateway = await startGateway()
})
after(() => gateway.stop())

test('rooms, rates and hotels keep their platform ids, and new ones get none that may have been given out', async () => {
  const supplier = await gateway.supplier('Acme')
  await pushStoryHotel(supplier)
  const held = await idsOf(supplier)
  const { host = '', port = 0, user = '', database = '' } = gateway.db.pool.options
  const environ = environOf({ host, port, user, database })
  const refused = await runAri(environ, 'after-restore')
  assert.equal(refused.code, 1, refused.stderr)
  assert.match(refused.stderr, /A service or another command works on this store \(\d+ connections\)/)
  assert.deepEqual(await idsOf(supplier), held)
  const { code, stderr } = await runAri(environ, 'after-restore', '--force')
  assert.equal(code, 0, stderr)
  expectOk(await supplier.post('/push/products', { hotelId: 'H1', products: [product('CABIN', 'CABIN')] }))
  const later = await idsOf(supplier)
  for (const [name, id] of held) assert.equal(later.get(name), id)
  const made = [...later].filter(([name]) => !held.has(name))
  assert.equal(made.length, 2)
  const highest = Math.max(...[...held.values()].map(numberIn))
  for (const [, id] of made) assert.ok(numberIn(id) > highest + 100, id)
})

/** Platform ids of rooms and rates, by what they are and the supplier's code. */
async function idsOf(supplier: TestSupplier): Promise<Map<string, string>> {
  const { body } = expectOk(await supplier.post('/push/getRoomRateMappings', { hotelId: 'H1' }))
  const { mappings } = Object(body)
  return new Map(
    Array.from(mappings).flatMap((mapping) => {
      const { roomId, rateId, platformRoomId, platformRateId } = Object(mapping)
      return [
        [`room ${roomId}`, String(platformRoomId)],
        [`rate ${rateId}`, String(platformRateId)],
      ]
    }),
  )
}

function numberIn(platformId: string): number {
  return Number(/-[A-Z](\d+)$/.exec(platformId)?.[1])
}
