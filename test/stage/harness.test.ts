import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { gatewayForTests } from './harness.ts'
import { assertEveryTableIsKnown } from './stored-state.ts'

test('a request that is answered 500 prints its cause', async () => {
  const gateway = await gatewayForTests()
  const supplier = await gateway.supplier('Acme')
  await gateway.db.query('alter table push_log rename to lost_log')
  const written = mock.method(process.stderr, 'write', () => true)
  try {
    assert.equal((await supplier.get('/push/log')).status, 500)
  } finally {
    written.mock.restore()
  }
  const printed = written.mock.calls.map(({ arguments: [text] }) => String(text)).join('')
  assert.match(printed, /^answered 500: \/push\/log error: relation "push_log" does not exist\n +at /)
})

test('the digests of the proofs know every table', async () => {
  await assertEveryTableIsKnown((await gatewayForTests()).db)
})
