import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { setAccount } from '../../src/keys/suppliers.ts'
import { openVault, vaultKeyId, type SealedCard } from '../../src/cards/vault.ts'
import { expectStatus, openShop } from '../../test/stage/scenes/booking.ts'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { nightAhead } from '../../test/stage/nights.ts'
import { minutes } from '../../test/stage/pace.ts'
import { environOf } from '../../test/stage/postgres.ts'
import { startProgram } from '../../test/stage/programs/programs.ts'

/**
 * A change of the vault's key while there are many cards, by services that are killed in the middle of it.
 */

const count = 20_000
const [old, next] = [randomBytes(32), randomBytes(32)]
const card = { holderName: 'Ada', type: 'VI', number: '4111111111111111', expiry: '12/2099', cvv: '123' }

const gateway = await gatewayForTests({ vaultKey: old, systemTime: true })
const shop = await openShop(gateway, 'Acme', { startDate: nightAhead(1), endDate: nightAhead(30) })
await setAccount(gateway.db, 'Acme', { deliversCards: true })

/** Inserts cards as if that many bookings had been made, which would take minutes. */
async function keepCards(): Promise<void> {
  const vault = openVault(old)
  const { rows } = await gateway.db.query<{ id: number }>(
    `insert into reservation (supplier_id, hotel_id, status, version, arrival, departure, rooms, currency,
       total_after_tax, created_at, modified_at)
     select supplier_id, hotel_id, status, version, arrival, departure, rooms, currency, total_after_tax, created_at,
       modified_at from (select * from reservation limit 1) as one cross join generate_series(1, $1) returning id::float8`,
    [count],
  )
  const sealed = rows.map(({ id }) => vault.seal(String(id), card))
  const column = (name: 'cardKey' | 'card' | 'cvvKey' | 'cvv') => sealed.map((one) => one[name])
  await gateway.db.query(
    `insert into reservation_card (reservation_id, key_id, card_key, card, cvv_key, cvv, keep_until, cvv_until)
     select id, $2, card_key, card, cvv_key, cvv, now() + interval '9 days', now() + interval '1 day'
     from unnest($1::int8[], $3::bytea[], $4::bytea[], $5::bytea[], $6::bytea[]) as made (id, card_key, card, cvv_key, cvv)`,
    [
      rows.map(({ id }) => id),
      vaultKeyId(old),
      column('cardKey'),
      column('card'),
      column('cvvKey'),
      column('cvv'),
    ],
  )
}

async function cardsUnderNext(): Promise<number> {
  const { rows } = await gateway.db.query<{ count: number }>(
    'select count(*)::int from reservation_card where key_id = $1',
    [vaultKeyId(next)],
  )
  return rows[0]?.count ?? 0
}

async function until(isSo: (done: number) => boolean): Promise<number> {
  const endMs = performance.now() + minutes(3)
  for (;;) {
    const done = await cardsUnderNext()
    if (isSo(done)) return done
    assert.ok(performance.now() < endMs, `${done} cards are under the new key`)
    await wait(5)
  }
}

test('a service that is killed while it wraps cards anew is followed by one that goes on, and each card opens', async () => {
  const stay = { checkin: nightAhead(20), checkout: nightAhead(22) }
  expectStatus(await shop.book({ ...stay, payment: { type: 'Channel Collect', card } }), 201)
  await keepCards()
  const environ = {
    ...environOf(gateway.storeAddress),
    PORT: '0',
    ARI_ROLES: 'console',
    ARI_VAULT_KEY: next.toString('base64'),
    ARI_VAULT_KEY_PREVIOUS: old.toString('base64'),
  }
  const killedAt: number[] = []
  for (const share of [0.2, 0.6]) {
    const service = startProgram('serve', environ)
    await until((done) => done >= count * share)
    service.child.kill('SIGKILL')
    await service.ended
    killedAt.push(await cardsUnderNext())
  }
  assert.ok(
    killedAt.every((done) => done < count),
    `killed when ${killedAt.join(' and ')} of ${count} were done`,
  )
  const last = startProgram('serve', environ)
  await until((done) => done === count + 1)
  last.child.kill('SIGTERM')
  assert.equal((await last.ended).code, 0)
  process.stderr.write(`killed when ${killedAt.join(' and ')} of ${count} cards were under the new key\n`)

  const alone = openVault(next)
  const { rows } = await gateway.db.query<SealedCard & { id: number }>(
    `select reservation_id::float8 as id, key_id as "keyId", card_key as "cardKey", card, cvv_key as "cvvKey", cvv
     from reservation_card`,
  )
  assert.equal(rows.length, count + 1)
  for (const { id, ...sealed } of rows) assert.deepEqual(alone.open(String(id), sealed), card)
})
