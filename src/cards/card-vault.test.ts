import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import {
  bookingBody,
  expectStatus,
  idOf,
  openShop,
  platformOf,
  type Shop,
} from '../../test/stage/scenes/booking.ts'
import { until } from '../../test/stage/scenes/deliveries.ts'
import { client, startGateway, type GatewayOptions, type TestGateway } from '../../test/stage/harness.ts'
import {
  httpAnswer,
  startReceiver,
  type ReceivedCall,
  type Receiver,
} from '../../test/stage/servers/receiver.ts'
import { expectOk, problemsOf } from '../../test/stage/story.ts'
import { setAccount } from '../keys/suppliers.ts'
import { destroyOldCards } from './store.ts'
import type { DeliveryWorker } from '../deliveries/worker/worker.ts'
import { runHourly } from '../deliveries/worker/hourly-run.ts'
import { openVault, vaultKeyId, type SealedCard } from './vault.ts'
import { forgetCards, selectVaultKeys } from './vault-keys.ts'

/**
 * Processes with the store's vault key, with a different key, and with none; then a new key for all of them.
 */

const key = Buffer.alloc(32, 7)
const newKey = Buffer.alloc(32, 8)
const wrongKey = Buffer.alloc(32, 9)
const card = {
  holderName: 'Ada Lovelace',
  type: 'VI',
  number: '4111111111111111',
  expiry: '01/2030',
  cvv: '837',
}
const paying = { payment: { type: 'Channel Collect', card } }
const outbound: GatewayOptions = { allowPrivate: true, outbound: { reach: (to) => to } }

let gateway: TestGateway
let shop: Shop
let receiver: Receiver
let answer = 200
before(async () => {
  receiver = await startReceiver((socket) => socket.write(httpAnswer(answer, '{}')))
})
after(() => receiver.close())

const stops: (() => Promise<void>)[] = []
beforeEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
  answer = 200
  gateway = await startGateway({ ...outbound, vaultKey: key })
  stops.push(gateway.stop)
  shop = await openShop(gateway, 'Acme', { inventory: 99 })
  await setAccount(gateway.db, 'Acme', { deliversCards: true })
  const webhook = `http://127.0.0.1:${receiver.port}/book`
  expectOk(await shop.supplier.post('/push/webhook/pushbook', { webhook }))
  receiver.calls.length = 0
})
after(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

/** Another process on the same store. */
async function processWith(keys: { vaultKey?: Buffer | undefined; vaultKeysPrevious?: Buffer[] }) {
  const other = await gateway.second({ vaultKey: undefined, ...keys })
  const platform = await platformOf(other)
  const book = (more: Record<string, unknown> = {}) =>
    platform.post('/booking/reservations', bookingBody('Acme', more))
  return { ...other, platform, book }
}

function delivering({ app }: Pick<TestGateway, 'app'>): DeliveryWorker {
  const worker = app.startDeliveries()
  stops.push(worker.close)
  return worker
}

async function statusesOf(...ids: string[]): Promise<string[]> {
  const { rows } = await gateway.db.query<{ status: string }>(
    'select status from delivery where reservation_id = any($1::int8[]) order by reservation_id, version',
    [ids],
  )
  return rows.map(({ status }) => status)
}

const untilAre = (ids: string[], ...statuses: string[]) =>
  until(`${ids.join()} are ${statuses.join()}`, async () =>
    (await statusesOf(...ids)).every((status, index) => status === statuses[index]),
  )

function sentIn(call: ReceivedCall | undefined): Record<string, unknown> {
  return JSON.parse(call?.body.toString() ?? '{}').reservations.reservation[0]
}
const sent = () =>
  receiver.calls.map((call) => {
    const { reservation_id: id, status, paymentcarddetail } = sentIn(call)
    return [id, status, Object(paymentcarddetail).CardNumber, Object(paymentcarddetail).cvv]
  })

async function readyz({ url }: TestGateway): Promise<string> {
  return (await fetch(`${url}/readyz`)).text()
}

async function metric({ url }: TestGateway, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}

const closed = [
  [
    'without a key',
    undefined,
    'missing',
    /^ready\nwarning: ARI_VAULT_KEY is not set, but the store has cards/,
  ],
  [
    'with another key',
    wrongKey,
    'foreign',
    /^ready\nwarning: ARI_VAULT_KEY \(\w{16}\) is not the store's key \w{16}/,
  ],
] as const

const isClosed = ([named, vaultKey, state, remark]: (typeof closed)[number]) =>
  describe(`a process ${named}`, () => {
    test('says so, accepts no card, and takes bookings without one', async () => {
      const there = await processWith({ vaultKey })
      assert.equal(there.vault.status().state, state)
      assert.match(await readyz(there), remark)
      assert.equal(await metric(there, 'ari_vault_closed'), 1)
      assert.equal(await readyz(gateway), 'ready\n')
      assert.equal(await metric(gateway, 'ari_vault_closed'), 0)
      const refused = expectStatus(await there.book(paying), 503)
      assert.deepEqual(problemsOf(refused), [
        ['/payment/card', 'CARDS_NOT_ACCEPTED_NOW', 'Cards are not accepted at present'],
      ])
      assert.equal(refused.headers.get('retry-after'), '10')
      const id = idOf(await there.book())
      const modified = await there.platform.put(`/booking/reservations/${id}`, bookingBody('Acme', paying))
      expectStatus(modified, 503)
      assert.doesNotMatch(modified.text, /411111/)
      const { rows } = await gateway.db.query('select from reservation_card')
      assert.equal(rows.length, 0)
      const { body } = expectOk(await (await there.operator('viewer')).get('/overview'))
      assert.equal(Object(body['vault']).state, state)
    })

    test('delivers bookings without a card and every cancellation, and leaves bookings with one to other processes, including the CVV', async () => {
      const there = await processWith({ vaultKey })
      const [withCard, cancelled] = [idOf(await shop.book(paying)), idOf(await shop.book(paying))]
      expectStatus(await there.platform.post(`/booking/reservations/${cancelled}/cancel`, {}), 200)
      const plain = idOf(await shop.book())
      const worker = delivering(there)
      await untilAre([withCard, cancelled, plain], 'queued', 'superseded', 'delivered', 'delivered')
      assert.deepEqual(
        sent().sort(([left], [right]) => Number(left) - Number(right)),
        [
          [cancelled, 'Cancel', undefined, undefined],
          [plain, 'Confirm', undefined, undefined],
        ],
      )
      // Not on demand either.
      const { apiKey } = shop.supplier
      const asked = await fetch(`${there.url}/v1/push/webhook/booking`, {
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ hotelId: 'H1', reservation_id: withCard }),
      })
      assert.deepEqual([asked.status, Object(await asked.json()).errors[0].type], [503, 'BOOKING_HELD_BACK'])
      const { rows } = await gateway.db.query(
        'select attempts, lane from delivery where reservation_id = $1',
        [withCard],
      )
      assert.deepEqual(rows, [{ attempts: 0, lane: 'first' }])
      await worker.close()
      receiver.calls.length = 0
      delivering(gateway)
      await untilAre([withCard], 'delivered')
      assert.deepEqual(sent(), [[withCard, 'Confirm', card.number, card.cvv]])
    })
  })
for (const one of closed) void isClosed(one)

test('if two processes bring the first key, one wins, and the other reports that its key differs', async () => {
  await gateway.db.query('delete from vault_key')
  const [one, other] = await Promise.all([
    processWith({ vaultKey: newKey }),
    processWith({ vaultKey: wrongKey }),
  ])
  const states = [one.vault.status().state, other.vault.status().state]
  assert.deepEqual(states.toSorted(), ['foreign', 'open'])
  const [opened, closedOne] = states[0] === 'open' ? [one, other] : [other, one]
  idOf(await opened.book(paying))
  expectStatus(await closedOne.book(paying), 503)
})

test('a store without a vault and a process without a key: cards are refused, and no error is reported', async () => {
  await gateway.db.query('delete from vault_key')
  const there = await processWith({})
  assert.deepEqual([there.vault.status().state, await readyz(there)], ['unused', 'ready\n'])
  expectStatus(await there.book(paying), 400)
  const worker = delivering(there)
  const id = idOf(await there.book())
  await untilAre([id], 'delivered')
  await worker.close()
})

describe('cards from before keys had names', () => {
  beforeEach(async () => {
    idOf(await shop.book(paying))
    idOf(await shop.book(paying))
    await gateway.db.query('update reservation_card set key_id = null')
    await gateway.db.query('delete from vault_key')
  })

  test('make the key that sealed them the store’s, and get its name', async () => {
    const there = await processWith({ vaultKey: key })
    assert.equal(there.vault.status().state, 'open')
    assert.equal(there.vault.status().cardsToRewrap, 2)
    await there.vault.look()
    const { rows } = await gateway.db.query('select distinct key_id from reservation_card')
    assert.deepEqual(rows, [{ key_id: vaultKeyId(key) }])
    assert.equal(there.vault.status().cardsToRewrap, 0)
  })

  test('let no other key become the store’s, and no process without one deliver them', async () => {
    const [foreign, missing] = [await processWith({ vaultKey: wrongKey }), await processWith({})]
    assert.deepEqual([foreign.vault.status().state, missing.vault.status().state], ['foreign', 'missing'])
    assert.match(await readyz(foreign), /is not the key that sealed the store's cards/)
    const workers = [delivering(foreign), delivering(missing)]
    const plain = idOf(await foreign.book())
    await untilAre([plain], 'delivered')
    assert.deepEqual(sent(), [[plain, 'Confirm', undefined, undefined]])
    for (const worker of workers) await worker.close()
    assert.deepEqual(await selectVaultKeys(gateway.db), [])
  })
})

describe('a new key with the one before beside it', () => {
  const both = { vaultKey: newKey, vaultKeysPrevious: [key] }
  const keysOf = async () => (await selectVaultKeys(gateway.db)).map(({ id, isCurrent }) => [id, isCurrent])
  const cardsByKey = async () => {
    const { rows } = await gateway.db.query<{ key_id: string; count: number }>(
      `select key_id, count(*)::int from reservation_card where card is not null group by 1 order by key_id = $1`,
      [vaultKeyId(newKey)],
    )
    return rows.map((row) => [row.key_id, row.count])
  }
  const beLate = () => gateway.db.query(`update vault_key set since = since - interval '16 minutes'`)

  test('takes over while processes with the old one go on, wraps all cards anew, and lets the old one be destroyed', async () => {
    const earlier = [idOf(await shop.book(paying)), idOf(await shop.book(paying))]
    const there = await processWith(both)
    assert.equal(there.vault.status().state, 'open')
    assert.equal(await metric(there, 'ari_vault_cards_to_rewrap'), 2)
    await gateway.vault.look()
    assert.equal(gateway.vault.status().state, 'behind')
    const between = idOf(await shop.book(paying))
    assert.deepEqual(await cardsByKey(), [[vaultKeyId(key), 3]])
    const fresh = idOf(await there.book(paying))

    // The process with the old key leaves deliveries it can't decrypt to the process that can.
    const worker = delivering(gateway)
    await untilAre([...earlier, between, fresh], 'delivered', 'delivered', 'delivered', 'queued')
    await worker.close()
    await there.vault.look()
    assert.deepEqual(await cardsByKey(), [[vaultKeyId(newKey), 4]])
    assert.equal(await metric(there, 'ari_vault_cards_to_rewrap'), 0)
    assert.deepEqual(await keysOf(), [
      [vaultKeyId(newKey), true],
      [vaultKeyId(key), false],
    ])
    delivering(there)
    await untilAre([fresh], 'delivered')
    assert.deepEqual(
      sent().map(([, , number, cvv]) => [number, cvv]),
      Array.from({ length: 4 }, () => [card.number, card.cvv]),
    )

    // After the time allowed for restarting all processes, the old key may no longer seal.
    await beLate()
    await there.vault.look()
    assert.deepEqual(await keysOf(), [[vaultKeyId(newKey), true]])
    expectStatus(await shop.book(paying), 503)
    await gateway.vault.look()
    assert.equal(gateway.vault.status().state, 'foreign')
    const alone = await processWith({ vaultKey: newKey })
    assert.equal(alone.vault.status().state, 'open')
    assert.equal(alone.vault.status().fault, undefined)
  })

  test('is not struck out while a card is under it', async () => {
    idOf(await shop.book(paying))
    await processWith(both)
    await beLate()
    // A process without the old key can't rewrap cards that are under it.
    const alone = await processWith({ vaultKey: newKey })
    await alone.vault.look()
    assert.equal((await keysOf()).length, 2)
    assert.match(
      await readyz(alone),
      /^ready\nwarning: 1 cards are under keys that are not configured here: their bookings wait/,
    )
    assert.equal(await metric(alone, 'ari_vault_cards_unreadable'), 1)
  })

  test('knows a booking from before by its Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'before-the-new-key' }
    const authorization = `Bearer ${await gateway.token('platform')}`
    const path = '/booking/reservations'
    const first = client(gateway.url, { authorization })
    const id = idOf(await first.post(path, bookingBody('Acme', paying), headers))
    const there = client((await processWith(both)).url, { authorization })
    assert.equal(idOf(await there.post(path, bookingBody('Acme', paying), headers)), id)
    const other = { payment: { type: 'Channel Collect', card: { ...card, number: '5555555555554444' } } }
    expectStatus(await there.post(path, bookingBody('Acme', other), headers), 422)
  })

  test('a card that was destroyed does not come back from a backup with the key that is there now', async () => {
    const id = idOf(await shop.book(paying))
    const { rows: backup } = await gateway.db.query<SealedCard>(
      `select key_id as "keyId", card_key as "cardKey", card, cvv_key as "cvvKey", cvv from reservation_card
       where reservation_id = $1`,
      [id],
    )
    expectStatus(await shop.platform.post(`/booking/reservations/${id}/cancel`, {}), 200)
    gateway.clock.set('2027-03-02T12:00:00Z')
    await destroyOldCards(gateway.db, gateway.clock.now())
    const there = await processWith(both)
    await beLate()
    await there.vault.look()
    assert.deepEqual(await keysOf(), [[vaultKeyId(newKey), true]])
    const [restored] = backup
    assert.ok(restored)
    assert.deepEqual(openVault(key).open(id, restored), card)
    assert.throws(() => openVault(newKey).open(id, restored), /no vault key here opens/)
    assert.throws(() => openVault(newKey).open(id, { ...restored, keyId: null }), /no vault key here opens/)
  })

  test('a store restored from before the new key says so, holds cards back, and goes on when they are forgotten', async () => {
    const id = idOf(await shop.book(paying))
    const there = await processWith({ vaultKey: newKey })
    assert.equal(there.vault.status().state, 'foreign')
    delivering(there)
    assert.equal(await forgetCards(gateway.db, openVault(newKey)), 1)
    await there.vault.look()
    assert.equal(there.vault.status().state, 'open')
    await untilAre([id], 'delivered')
    assert.deepEqual(sent(), [[id, 'Confirm', undefined, undefined]])
    idOf(await there.book(paying))
    await gateway.vault.look()
    assert.equal(gateway.vault.status().state, 'foreign')
  })
})

describe('a delivery that is given up takes the CVV with it', () => {
  const isCvvStored = async (id: string) => {
    const { rows } = await gateway.db.query<{ is: boolean }>(
      'select cvv is not null as is from reservation_card where reservation_id = $1',
      [id],
    )
    return rows[0]?.is
  }
  const later = (hours: number) =>
    gateway.clock.set(new Date(gateway.clock.now() + hours * 3_600_000).toISOString())

  test('after the last attempt', async () => {
    answer = 500
    const id = idOf(await shop.book(paying))
    // As after a retry that Retry-After postponed.
    later(70)
    await gateway.db.query('update delivery set give_up_at = $2 where reservation_id = $1', [
      id,
      new Date(gateway.clock.now()),
    ])
    delivering(gateway)
    await untilAre([id], 'dead')
    assert.equal(await isCvvStored(id), false)
  })

  test('for want of a URL, and for want of a key', async () => {
    const held = idOf(await shop.book(paying))
    await gateway.db.query('update api_key set pushbook_webhook = null')
    const nowhere = idOf(await shop.book(paying))
    later(73)
    const vault = { openableKeyIds: () => [] }
    await runHourly({ db: gateway.db, clock: gateway.clock, vault })
    assert.deepEqual(await statusesOf(held, nowhere), ['dead', 'dead'])
    assert.deepEqual([await isCvvStored(held), await isCvvStored(nowhere)], [false, false])
  })
})
