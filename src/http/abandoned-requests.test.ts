import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { test } from 'node:test'
import { gatewayForTests } from '../../test/harness.ts'
import { until } from '../../test/pace.ts'
import { expectOk, pushStoryHotel } from '../../test/story.ts'
import { transaction } from '../postgres/transaction.ts'

const logged: string[] = []
const gateway = await gatewayForTests({ onLog: (line) => void logged.push(line) })

test('a caller who leaves before a long answer is sent is no failure of the service', async () => {
  const supplier = await gateway.supplier('Hasty')
  await pushStoryHotel(supplier)
  const year = { roomId: 'DBL', startDate: '2027-04-01', endDate: '2028-03-31' }
  const ari = [{ ...year, inventory: 3, rates: [{ rateId: 'BAR', price: 110 }] }]
  expectOk(await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari }))
  const waiting = async (): Promise<number> => {
    const { rows } = await gateway.db.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows[0]?.count ?? 0
  }
  const readings = 5
  await transaction(gateway.db, async (connection) => {
    await connection.query('lock table ari_month in access exclusive mode')
    for (let reading = 0; reading < readings; reading++) {
      const left = request(`${gateway.url}/v1/push/getAri`, {
        method: 'POST',
        agent: false,
        headers: {
          'x-api-key': supplier.apiKey,
          'content-type': 'application/json',
          'accept-encoding': 'gzip',
        },
      })
      left.on('error', () => undefined)
      left.end(JSON.stringify({ hotelId: 'H1', startDate: year.startDate, endDate: year.endDate }))
      await until(async () => (await waiting()) > reading)
      left.destroy()
      await once(left, 'close')
    }
  })
  await until(async () => (await waiting()) === 0)
  expectOk(
    await supplier.post('/push/getAri', { hotelId: 'H1', startDate: '2027-04-01', endDate: '2027-04-02' }),
  )
  assert.deepEqual(logged, [])
})
