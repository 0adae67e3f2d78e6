import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { ListedTerms } from '../../test/stage/ledger/listed-terms.ts'

/** The terms that suppliers name by a code of the list: to the minor unit, and to the second. */

test('every listed code means what its name says, on six stays in three zones, a second before, at and after each deadline', async (t) => {
  const listed = await ListedTerms.open(await gatewayForTests({ now: '2027-03-01T12:00:00Z' }))
  const codes = await listed.codes()
  await listed.openHotels(codes)
  await listed.passDeadlines()
  t.diagnostic(`${codes.length} codes: ${JSON.stringify(listed.counted)}`)
  assert.ok(listed.counted.cancelled > 100)
})
