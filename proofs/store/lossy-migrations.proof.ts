/** The test of upgrades is tested: whatever a careless migration loses, it notices. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { asAdmin } from '../../test/stage/postgres.ts'
import {
  beside,
  changedAnswers,
  copyOf,
  lostRows,
  recordedOf,
  upgradeOf,
  versions,
  type Upgraded,
} from '../../test/releases/upgraded.ts'

/** Each leaves a store that works, and is not what was stored. */
const losses = {
  'the unit of an amount': `update tax set value = value / 10`,
  'the versions of a reservation': `delete from reservation_version where version > 1`,
  'a month of ARI': `delete from ari_month where month = (select max(month) from ari_month)`,
  'the bodies of pushes': `delete from push_body_batch; delete from push_body_segment`,
  'the attempts of deliveries': `delete from delivery_attempt`,
  'who stopped sales': `update stop_sell_order set reason = ''`,
  'a held value': `delete from hold where id in (select id from hold limit 1)`,
  'a revocation': `update api_key set revoked_at = null`,
  'a cancellation policy': `update room_rate set cancel_policies = '[]'`,
} as const

const [version = ''] = versions.toSorted()
const recorded = recordedOf(version)
let upgraded: Upgraded
before(async () => {
  upgraded = await upgradeOf(version)
})
after(() => upgraded.drop())

for (const [what, sql] of Object.entries(losses))
  test(`a migration that loses ${what} is noticed`, async (t) => {
    t.diagnostic(await noticedOf(sql))
  })

async function noticedOf(sql: string): Promise<string> {
  const address = await copyOf(upgraded.address)
  try {
    await asAdmin(address, sql)
    const lost = await lostRows({ ...upgraded, address })
    const [noticed] = lost.length > 0 ? lost : await changedAnswers(address, recorded, 1)
    assert.ok(noticed !== undefined)
    return noticed
  } finally {
    await asAdmin(beside(address), `drop database ${address.database} with (force)`)
  }
}
