import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startGateway, type Reply, type TestSupplier } from '../../test/stage/harness.ts'
import { until } from '../../test/stage/pace.ts'
import { postgresProxy } from '../../test/stage/servers/postgres-proxy.ts'
import { expectOk, pushStoryHotel, storyHotel } from '../../test/stage/story.ts'

/** PostgreSQL is away, breaks connections, or hangs for a moment; silent-store.proof.ts has one that is silent for long. */

const inventory = (count: number) => ({
  hotelId: 'H1',
  ari: [{ roomId: 'DBL', date: '2027-04-01', inventory: count }],
})

test('without PostgreSQL everything is answered with 503, and with it again the service heals by itself', async () => {
  const proxy = await postgresProxy()
  const service = await startGateway({ through: proxy.through })
  try {
    const supplier = await service.supplier('cut off', { requestsPerMinute: 0 })
    await pushStoryHotel(supplier)
    expectOk(await supplier.post('/push/ari', inventory(1)))
    const requests: (() => Promise<Reply>)[] = [
      () => supplier.post('/push/hotels', [storyHotel()]),
      () => supplier.post('/push/ari', inventory(2)),
      () => supplier.post('/push/taxes', { hotelId: 'H1', taxes: [] }),
      () => supplier.post('/push/getHotels', ['H1']),
      () => supplier.get('/push/log'),
    ]
    await proxy.cut()
    for (let round = 0; round < 3; round++) {
      for (const request of requests) {
        const { status, headers, body } = await request()
        assert.deepEqual(
          [status, headers.get('retry-after'), body['message']],
          [503, '1', 'The store is not available'],
        )
      }
      // Longer than a key is cached.
      await wait(300)
    }
    assert.deepEqual(
      [(await fetch(`${service.url}/readyz`)).status, (await fetch(`${service.url}/livez`)).status],
      [503, 200],
    )

    await proxy.heal()
    for (const request of requests) expectOk(await request())
    await until(async () => (await fetch(`${service.url}/readyz`)).status === 200)
    assert.equal(await storedInventory(supplier), 2)
  } finally {
    await proxy.heal()
    await service.stop()
    await proxy.close()
  }
})

test('a connection that breaks under pushes gives 200 or 503, and what was answered with 200 is there', async () => {
  const proxy = await postgresProxy()
  const service = await startGateway({ through: proxy.through })
  try {
    const supplier = await service.supplier('broken', { requestsPerMinute: 0 })
    await pushStoryHotel(supplier)
    for (let round = 1; round <= 5; round++) {
      const sent = Array.from({ length: 40 }, (_, index) =>
        supplier.post('/push/hotels', [storyHotel({ hotelId: `R${round}-${index}` })]),
      )
      const ari = Array.from({ length: 40 }, (_, index) =>
        supplier.post('/push/ari', inventory(round * 100 + index)),
      )
      await wait(round * 4)
      await proxy.cut()
      await wait(5)
      await proxy.heal()
      const [hotels, pushes] = await Promise.all([Promise.all(sent), Promise.all(ari)])
      const statuses = new Set([...hotels, ...pushes].map(({ status }) => status))
      assert.deepEqual(
        [...statuses].filter((status) => status !== 200 && status !== 503),
        [],
      )
      const accepted = hotels.flatMap(({ status }, index) => (status === 200 ? [`R${round}-${index}`] : []))
      if (accepted.length === 0) continue
      const { body } = expectOk(await supplier.post('/push/getHotels', accepted))
      assert.deepEqual(body['notFound'], [])
    }
    expectOk(await supplier.post('/push/ari', inventory(7)))
    assert.equal(await storedInventory(supplier), 7)
  } finally {
    await service.stop()
    await proxy.close()
  }
})

test('while PostgreSQL hangs the service says that it is not ready, and what waited is applied afterwards', async () => {
  const proxy = await postgresProxy()
  const service = await startGateway({ through: proxy.through })
  try {
    const supplier = await service.supplier('hanging', { requestsPerMinute: 0 })
    await pushStoryHotel(supplier)
    proxy.hold()
    const waiting = Array.from({ length: 10 }, (_, index) => supplier.post('/push/ari', inventory(index + 1)))
    const ready = await fetch(`${service.url}/readyz`)
    assert.deepEqual([ready.status, await ready.text()], [503, 'not ready: the store does not answer\n'])
    assert.equal((await fetch(`${service.url}/livez`)).status, 200)
    proxy.release()
    for (const { status, text } of await Promise.all(waiting)) assert.equal(status, 200, text)
    await until(async () => (await fetch(`${service.url}/readyz`)).status === 200)
  } finally {
    proxy.release()
    await service.stop()
    await proxy.close()
  }
})

async function storedInventory(supplier: TestSupplier): Promise<unknown> {
  const { body } = expectOk(
    await supplier.post('/push/getAri', { hotelId: 'H1', startDate: '2027-04-01', endDate: '2027-04-01' }),
  )
  const items = Array.isArray(body['ari']) ? body['ari'] : []
  return items[0]?.inventory
}
