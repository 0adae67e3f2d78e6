import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { untilWaiting } from '../../../test/stage/locks.ts'
import { until } from '../../../test/stage/pace.ts'
import { expectOk, pushStoryHotel } from '../../../test/stage/story.ts'
import { transaction } from '../../postgres/transaction.ts'

const logged: string[] = []
const gateway = await gatewayForTests({ onLog: (line) => void logged.push(line) })

const nightOf = (day: number) => new Date(Date.UTC(2027, 3, 1 + day)).toISOString().slice(0, 10)

test('a caller who leaves before a long answer is sent is no failure of the service', async () => {
  const supplier = await gateway.supplier('Hasty')
  await pushStoryHotel(supplier)
  const nights = 600
  // A price of its own each night, so that the answer has a line for each.
  const ari = Array.from({ length: nights }, (_, day) => ({
    roomId: 'DBL',
    date: nightOf(day),
    inventory: 3,
    rates: [
      { rateId: 'BAR', price: 100 + day },
      { rateId: 'NRF', price: 90 + day },
    ],
  }))
  expectOk(await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari }))
  const all = { hotelId: 'H1', startDate: '2027-04-01', endDate: nightOf(nights - 1) }
  await transaction(gateway.db, async (connection) => {
    await connection.query('lock table ari_month in access exclusive mode')
    for (const [index, encoding] of ['gzip', 'zstd', 'identity'].entries()) {
      const left = request(`${gateway.url}/v1/push/getAri`, {
        method: 'POST',
        agent: false,
        headers: {
          'x-api-key': supplier.apiKey,
          'content-type': 'application/json',
          'accept-encoding': encoding,
        },
      })
      left.end(JSON.stringify(all))
      await untilWaiting(gateway.db, () => index + 1)
      const closed = new Promise((resolve) => left.once('error', () => left.once('close', resolve)))
      left.destroy()
      await closed
    }
  })
  await until(async () => gateway.app.requestsInFlight() === 0)
  // An answer that isn't compressed is sent in pieces beyond this length.
  assert.ok(expectOk(await supplier.post('/push/getAri', all)).text.length > 64 * 1024)
  assert.deepEqual(logged, [])
})
