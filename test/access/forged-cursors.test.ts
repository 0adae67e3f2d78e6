import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests } from '../stage/harness.ts'

/** Cursors in the form of their list, with values that no row can have. */

const gateway = await gatewayForTests()

const written = (position: string) => Buffer.from(position).toString('base64url')
const noUuid = '-'.repeat(36)

test('a forged cursor is refused, or begins a page like any other, and is no failure of the service', async () => {
  const viewer = await gateway.operator('viewer')
  const cases: [string, string, number][] = [
    ['/suppliers', 'row 999999999999999', 200],
    ['/reservations', 'row 999999999999999', 200],
    ['/audit', 'row 999999999999999', 200],
    ['/stop-sells', '999999999999999', 200],
    ['/pushes', '999999999999999 999999999999999', 200],
    ['/alerts', '9 999999999999999 999999999999999', 200],
    ['/price-checks', '999999999999999 999999999999999', 200],
    ['/deliveries', '999999999999999 00000000-0000-0000-0000-000000000000', 200],
    ['/holds', '99999999999999999 00000000-0000-0000-0000-000000000000', 200],
    ['/holds', `1 ${noUuid}`, 400],
    ['/drift', '1 9999999999 99999 99999 2027-04-01', 200],
    ['/drift', '1 1 1 1 2027-02-30', 400],
    ['/drift', '1 1 1 1 0000-01-01', 400],
  ]
  for (const [path, position, status] of cases) {
    const reply = await viewer.get(`${path}?cursor=${written(position)}`)
    assert.deepEqual([path, position, reply.status], [path, position, status], reply.text)
  }
  const supplier = await gateway.supplier('Forger')
  const holdsBehind = async (position: string) =>
    (await supplier.post('/push/guard/holds', { cursor: written(position) })).status
  assert.deepEqual(
    [
      await holdsBehind('99999999999999999 hld_00000000-0000-0000-0000-000000000000'),
      await holdsBehind(`1 hld_${noUuid}`),
      await holdsBehind('9999-99-99 99:99:99+00 hld_00000000-0000-0000-0000-000000000000'),
    ],
    [200, 400, 400],
  )
  const noDelivery = '00000000-0000-0000-0000-000000000000'
  const lists: [string, string, number][] = [
    ['/push/log', 'days 999999 999999 row 999999999999999', 200],
    ['/push/log', 'days   row ', 200],
    ['/push/log', 'days 1 2 row x', 400],
    ['/push/log', 'days 1 2 row 9999999999999999', 400],
    ['/push/deliveries', `999999999999999 dlv_${noDelivery}`, 200],
    ['/push/deliveries', `1 dlv_${noUuid}`, 400],
    ['/push/deliveries', `9999999999999999 dlv_${noDelivery}`, 400],
  ]
  for (const [path, position, status] of lists) {
    const reply = await supplier.get(`${path}?cursor=${written(position)}`)
    assert.deepEqual([path, position, reply.status], [path, position, status], reply.text)
  }
})
