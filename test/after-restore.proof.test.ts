import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startGateway, type Reply, type TestGateway, type TestSupplier } from './harness.ts'
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
  // The service that was on it notices, which takes a call at most.
  const cabin = { hotelId: 'H1', products: [product('CABIN', 'CABIN')] }
  const pushed = await supplier.post('/push/products', cabin)
  expectOk(pushed.status === 503 ? await settled(() => supplier.post('/push/products', cabin)) : pushed)
  const later = await idsOf(supplier)
  for (const [name, id] of held) assert.equal(later.get(name), id)
  const made = [...later].filter(([name]) => !held.has(name))
  assert.equal(made.length, 2)
  const highest = Math.max(...[...held.values()].map(numberIn))
  for (const [, id] of made) assert.ok(numberIn(id) > highest + 100, id)
})

async function settled(call: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    await wait(100)
    const reply = await call()
    if (reply.status !== 503) return reply
  }
}

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
