import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests, type TestSupplier } from '../../test/stage/harness.ts'
import { expectOk, pushStoryHotel } from '../../test/stage/story.ts'
import { setAccount } from './suppliers.ts'

const gateway = await gatewayForTests()

const booking = (supplier: TestSupplier) =>
  supplier.post('/push/webhook/booking', { hotelId: 'H1', reservation_id: '1' })
const retrieval = (supplier: TestSupplier) => supplier.get('/push/webhook/pushbook/retrieve')

test('the booking endpoints that an account has not are refused to all its keys, and to no other account', async () => {
  const supplier = await gateway.supplier('restricted')
  const second = await gateway.supplier('restricted')
  const other = await gateway.supplier('unrestricted')
  await pushStoryHotel(supplier)
  const statuses = async () => {
    const found: number[] = []
    for (const one of [supplier, second, other]) {
      found.push((await booking(one)).status, (await retrieval(one)).status)
    }
    return found
  }
  assert.deepEqual(await statuses(), [404, 200, 404, 200, 404, 200])
  await setAccount(gateway.db, 'restricted', { mayPushOnDemand: false })
  assert.deepEqual(await statuses(), [409, 200, 409, 200, 404, 200])
  await setAccount(gateway.db, 'restricted', { mayPushOnDemand: true, mayRetrieve: false })
  assert.deepEqual(await statuses(), [404, 409, 404, 409, 404, 200])
  const { body } = await retrieval(second)
  assert.deepEqual(body['errors'], [
    {
      type: 'NOT_ENABLED',
      docUrl: '/docs/guides/errors#NOT_ENABLED',
      message: 'Retrieval of reservations is not enabled on this account',
      hint: 'Ask the platform to enable it',
    },
  ])
  await setAccount(gateway.db, 'restricted', { mayRetrieve: true })
  expectOk(await retrieval(supplier))
})
