import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { userInfo } from 'node:os'
import { test } from 'node:test'
import { openVault, vaultKeyId } from '../../src/cards/vault.ts'
import { expectStatus, openShop } from '../../test/stage/scenes/booking.ts'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { setAccount } from '../../src/keys/suppliers.ts'
import { environOf } from '../../test/stage/postgres.ts'
import { runAri, type Outcome } from '../../test/stage/programs/programs.ts'

/** `ari vault`, run as operators run it. */

const [key, newKey] = [randomBytes(32), randomBytes(32)]
const card = { holderName: 'Ada', type: 'VI', number: '4111111111111111', expiry: '01/2030' }

const gateway = await gatewayForTests({ vaultKey: key })
const shop = await openShop(gateway)
await setAccount(gateway.db, 'Acme', { deliversCards: true })
expectStatus(await shop.book({ payment: { type: 'Channel Collect', card } }), 201)

function vault(keys: Record<string, string>, ...parameters: string[]): Promise<Outcome> {
  const environ = { ...environOf(gateway.storeAddress), NO_COLOR: '1', ...keys }
  return runAri(environ, 'vault', ...parameters)
}

const old = { ARI_VAULT_KEY: key.toString('base64') }
const both = { ARI_VAULT_KEY: newKey.toString('hex'), ARI_VAULT_KEY_PREVIOUS: key.toString('base64') }
const alone = { ARI_VAULT_KEY: newKey.toString('hex') }

async function adviceWith(keys: Record<string, string>): Promise<string> {
  const { code, stdout } = await vault(keys, 'status', '--json')
  assert.equal(code, 0)
  assert.doesNotMatch(stdout, new RegExp(`${key.toString('hex')}|${newKey.toString('hex')}`))
  return JSON.parse(stdout).advice
}

test('status gives the next step throughout a change of keys, and forget needs --yes', async () => {
  const { stdout } = await vault(old, 'status')
  const [heads, first, advice] = stdout.split('\n')
  assert.match(heads ?? '', /^KEY +ROLE +SINCE +CARDS +SETTING$/)
  assert.match(first ?? '', new RegExp(`^${vaultKeyId(key)} +current +2\\S+Z +1 +ARI_VAULT_KEY$`))
  assert.equal(advice, 'All cards are under ARI_VAULT_KEY')
  assert.equal(await adviceWith({}), 'ARI_VAULT_KEY is not set for this command')
  assert.equal(await adviceWith(alone), "ARI_VAULT_KEY is not one of the store's keys: set the right one")

  const withBoth = () => gateway.second({ vaultKey: newKey, vaultKeysPrevious: [key] })
  // Every ten seconds a service moves the cards, and a machine may take longer for the commands before that.
  const { vault: opened } = await withBoth()
  await opened.close()
  assert.match(await adviceWith(both), /^The earlier key is still needed/)
  assert.match(await adviceWith(old), /^ARI_VAULT_KEY is an earlier key/)
  assert.match(await adviceWith(alone), /^There are cards under keys that are not configured/)
  await gateway.db.query(`update vault_key set since = since - interval '16 minutes'`)
  const { vault: moving } = await withBoth()
  await moving.look()
  // A service with both keys would take over again.
  await moving.close()
  assert.equal(
    await adviceWith(both),
    'ARI_VAULT_KEY_PREVIOUS is no longer needed: remove it everywhere, and destroy the key',
  )
  assert.equal(await adviceWith(alone), 'All cards are under ARI_VAULT_KEY')

  const refused = await vault(old, 'forget')
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /This would destroy 1 cards.*add --yes/)
  const { rows } = await gateway.db.query('select from reservation_card where card is not null')
  assert.equal(rows.length, 1)
  const forgotten = await vault(old, 'forget', '--yes', '--json')
  assert.deepEqual(JSON.parse(forgotten.stdout), { destroyed: 1, key: openVault(key).keyIds[0] })
  assert.equal(await adviceWith(old), 'All cards are under ARI_VAULT_KEY')

  await gateway.vault.look()
  expectStatus(await shop.book({ payment: { type: 'Channel Collect', card } }), 201)
  // So would this one.
  await gateway.vault.close()
  const all = await vault({}, 'forget', '--yes')
  assert.deepEqual(
    [all.code, all.stdout],
    [0, 'Cards destroyed: 1. The store has no vault; running services follow within seconds\n'],
  )
  assert.equal(await adviceWith({}), 'The store has no vault, and ARI_VAULT_KEY is not set')

  const { rows: audited } = await gateway.db.query(
    `select operator_name, action, before, after from audit_log where subject = 'vault' order by id`,
  )
  const [by, keyId] = [`command line (${userInfo().username})`, openVault(key).keyIds[0]]
  const line = (action: string, was: object | null, is: object) => ({
    operator_name: by,
    action,
    before: was,
    after: is,
  })
  assert.deepEqual(audited, [
    line('vault.forget', { cardsByKey: { [vaultKeyId(newKey)]: 1 } }, { key: keyId }),
    line('vault.forgotten', null, { destroyed: 1, key: keyId }),
    line('vault.forget', { cardsByKey: { [vaultKeyId(key)]: 1 } }, { key: null }),
    line('vault.forgotten', null, { destroyed: 1, key: null }),
  ])
})
