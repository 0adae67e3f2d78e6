import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkIds } from '../../src/certification/contract.ts'
import { liveAsSupplier, notProven } from '../../test/stage/servers/good-supplier.ts'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { minutes } from '../../test/stage/pace.ts'

/** A supplier that does one thing wrong fails the check that is about it, and no other. */

const gateway = await gatewayForTests({
  allowPrivate: true,
  outbound: { reach: (vetted) => vetted },
  callWithinMs: minutes(10),
  checkBudgetMs: minutes(10),
})
gateway.app.startDeliveries()

for (const check of checkIds) {
  test(`a supplier that gets "${check}" wrong fails exactly this check`, async () => {
    const supplier = await liveAsSupplier(gateway, `Wrong ${check}`, check)
    const failed = await notProven(supplier)
    assert.deepEqual(
      failed.map((one) => Array.isArray(one) && one[0]),
      [check],
      JSON.stringify(failed),
    )
  })
}
