import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { commonLimits } from './contract.ts'

const gateway = await gatewayForTests()

const usual = {
  requestsPerMinute: 6_000,
  burst: 1_000,
  bodyBytesMax: 10_485_760,
  ariItemsMax: 1_000,
  ariCellsMax: 200_000,
  ...commonLimits,
}

test('a key without limits of its own has those of the contract', async () => {
  const { status, body } = await (await gateway.supplier('usual')).get('/push/limits')
  assert.equal(status, 200)
  assert.deepEqual(body, { code: '200', message: 'Limits retrieved successfully', limits: usual })
})

test('a key with its own limits reads these, and the absence of a rate limit is null', async () => {
  const own = { bodyBytesMax: 2_048, ariItemsMax: 7, ariCellsMax: 70 }
  const few = await gateway.supplier('few', { ...own, requestsPerMinute: 60, requestsBurst: 5 })
  const limited = await few.get('/push/limits')
  assert.deepEqual(limited.body['limits'], { ...usual, ...own, requestsPerMinute: 60, burst: 5 })
  const free = await gateway.supplier('free', { requestsPerMinute: 0 })
  const unlimited = await free.get('/push/limits')
  assert.deepEqual(unlimited.body['limits'], { ...usual, requestsPerMinute: null, burst: null })
})

test('the published limits are enforced: a body one byte too large and a request above the burst are refused', async () => {
  const supplier = await gateway.supplier('counts', {
    bodyBytesMax: 1_024,
    // The passing of less than a minute allows no other.
    requestsPerMinute: 1,
    requestsBurst: 4,
  })
  const { limits } = (await supplier.get('/push/limits')).body
  const { bodyBytesMax, burst } = Object(limits)
  const body = (bytes: number): string => `"${'x'.repeat(bytes - 2)}"`
  assert.equal((await supplier.post('/push/hotels', body(bodyBytesMax))).status, 400)
  assert.equal((await supplier.post('/push/hotels', body(bodyBytesMax + 1))).status, 413)
  const statuses: number[] = []
  for (let request = 3; request < burst + 1; request++)
    statuses.push((await supplier.get('/push/limits')).status)
  assert.deepEqual(statuses, [200, 429].slice(0, burst - 2))
})
