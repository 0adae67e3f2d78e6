import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ada, expectStatus, idOf, openShop, type Shop } from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { expectOk } from '../../../test/stage/story.ts'
import { openLog } from '../../base/log.ts'
import { telemetry } from '../../base/telemetry.ts'
import { destroyOldCards } from '../../cards/store.ts'
import { readConfig } from '../../settings/config.ts'
import { doChores } from '../../start/housekeeping.ts'
import { setAccount } from '../../keys/suppliers.ts'

/** Data stored before card numbers were refused, and cards destroyed on cancellation. */

const number = '4111111111111111'
const removed = '[card number removed]'
const choreName = 'stored numbers of cards removed'
const card = { holderName: 'Ada', type: 'VI', number, expiry: '01/2030' }

let shop: Shop
const gateway = await gatewayForTests({ vaultKey: Buffer.alloc(32, 7) })
before(async () => {
  shop = await openShop(gateway, 'Acme', { inventory: 99 })
  await setAccount(gateway.db, 'Acme', { deliversCards: true })
})

async function read(id: string): Promise<Record<string, unknown>> {
  return Object(expectOk(await shop.platform.get(`/booking/reservations/${id}`)).body['reservation'])
}

async function wordsOf(id: string): Promise<string[]> {
  const { rows } = await gateway.db.query<{ word: string }>(
    'select word from reservation_guest where reservation_id = $1 order by word',
    [id],
  )
  return rows.map(({ word }) => word)
}

/** Runs all chores at once, and returns those that report work, with their outcomes. */
async function keepHouse(): Promise<Record<string, unknown>> {
  const worked: Record<string, unknown> = {}
  const log = openLog('info', {
    write: (line) => {
      const { chore, outcome } = JSON.parse(line)
      worked[chore] = outcome
    },
  })
  const { db, clock } = gateway
  await doChores({ db, clock, log, telemetry: telemetry() }, readConfig({}).settings)
  return worked
}

/** Every stored version and guest word with the transaction that wrote it. */
async function rowsWritten(): Promise<unknown[]> {
  const { rows } = await gateway.db.query(
    `select 'version' as kind, reservation_id, version::text as name, xmin::text, content
     from reservation_version
     union all select 'word', reservation_id, word, xmin::text, null from reservation_guest order by 1, 2, 3`,
  )
  return rows
}

test('housekeeping rewrites no reservation without a card number, and logs nothing about it', async () => {
  const { db } = gateway
  idOf(await shop.book({ customer: { ...ada, email: 'ada@guest.example', phone: '+44 20 7946 0018' } }))
  idOf(await shop.book({ customer: { ...ada, remarks: 'Late' }, payment: { type: 'Channel Collect', card } }))
  const written = await rowsWritten()
  assert.equal((await keepHouse())[choreName], undefined)
  assert.deepEqual(await rowsWritten(), written)
  await db.query('truncate stored_card_search')
})

test('card numbers are removed from names, remarks, answers and the search words, and so are cards of cancelled bookings', async () => {
  const { db } = gateway
  const plain = idOf(await shop.book({ customer: { ...ada, remarks: 'Late' } }))
  const untouched = await read(plain)
  const dirty = idOf(await shop.book({ payment: { type: 'Channel Collect', card } }))
  await db.query(
    `update reservation_version set content = jsonb_set(jsonb_set(jsonb_set(content, '{customer}', $2),
       '{rooms,0,guest}', $3), '{payment,card,type}', $4)
     where reservation_id = $1`,
    [
      dirty,
      JSON.stringify({
        firstName: number,
        lastName: 'Lovelace',
        email: `${number}@guest.example`,
        phone: '4111 1111 1111 1111',
        remarks: `Charge ${number}\nplease, cvv 123, or 4222    2222    22222`,
      }),
      JSON.stringify({ firstName: 'Ada', lastName: number }),
      JSON.stringify(number),
    ],
  )
  await db.query('insert into reservation_guest (reservation_id, word) values ($1, $2)', [dirty, number])
  const { rows: deliveries } = await db.query<{ id: string }>(
    'select id from delivery where reservation_id = $1',
    [dirty],
  )
  await db.query(
    `insert into delivery_attempt (delivery_id, attempt, at, trigger, message_id, duration_ms, outcome, answer)
     values ($1, 1, instant($3), 'realtime', '', 0, 'refused', $2)`,
    [deliveries[0]?.id, `{"received":"${number}"}`, gateway.clock.now()],
  )
  const cancelled = idOf(await shop.book({ payment: { type: 'Channel Collect', card } }))
  expectStatus(await shop.platform.post(`/booking/reservations/${cancelled}/cancel`, {}), 200)
  await db.query(
    `update reservation_card set keep_until = '2027-04-30T00:00:00Z' where reservation_id = $1`,
    [cancelled],
  )

  assert.equal((await keepHouse())[choreName], 1, 'of three reservations, one has numbers')
  assert.equal((await keepHouse())[choreName], undefined, 'once')

  const cleaned = await read(dirty)
  assert.deepEqual(cleaned['customer'], {
    firstName: removed,
    lastName: 'Lovelace',
    email: `${removed}@guest.example`,
    phone: removed,
    remarks: `Charge ${removed}\nplease, cvv ${removed}, or ${removed}`,
  })
  assert.equal(Object(cleaned['payment']).card.type, removed)
  assert.deepEqual(await wordsOf(dirty), ['ada', 'card', 'lovelace', 'number', 'removed'])
  const { rows: attempts } = await db.query('select answer from delivery_attempt')
  assert.deepEqual(attempts, [{ answer: `{"received":"${removed}"}` }])
  assert.deepEqual(await read(plain), untouched)
  assert.deepEqual(await wordsOf(plain), ['ada', 'lovelace'])

  gateway.clock.set('2027-03-02T12:00:00Z')
  assert.equal(await destroyOldCards(db, gateway.clock.now()), 1)
  const { rows } = await db.query(
    `select reservation_id::text as id from reservation_card
     where card is not null and reservation_id = any($1)`,
    [[dirty, cancelled]],
  )
  assert.deepEqual(rows, [{ id: dirty }])
})
