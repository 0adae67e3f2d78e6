import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import {
  expectStatus,
  idOf,
  openShop,
  bookingBody,
  pushNights,
  room,
  type Shop,
} from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests, type Reply } from '../../../test/stage/harness.ts'
import { expectOk, problemsOf } from '../../../test/stage/story.ts'
import { setAccount } from '../../keys/suppliers.ts'
import { destroyOldCards, selectCards } from '../../cards/store.ts'
import { openVault, type Card } from '../../cards/vault.ts'

const vaultKey = Buffer.alloc(32, 7)
const withoutCvv = {
  holderName: 'Ada Lovelace',
  type: 'VI',
  number: '4111111111111111',
  expiry: '01/2030',
}
const card = { ...withoutCvv, cvv: '837' }

let shop: Shop
const gateway = await gatewayForTests({ vaultKey })
before(async () => {
  shop = await openShop(gateway)
})
beforeEach(async () => {
  gateway.clock.set('2027-03-01T12:00:00Z')
  await setAccount(gateway.db, 'Acme', { deliversCards: true })
  await pushNights(shop.supplier, { inventory: 9 })
})

const paying = (more: Record<string, unknown> = {}) => ({
  payment: { type: 'Channel Collect', card: { ...card, ...more } },
})

/** The card stored for a reservation, decrypted. */
async function kept(id: string): Promise<Card | undefined> {
  const sealed = (await selectCards(gateway.db, [Number(id)], gateway.clock.now())).get(Number(id))
  return sealed && openVault(vaultKey).open(id, sealed)
}

/** Does what the first accepted delivery does. */
async function destroyCvv(id: string): Promise<void> {
  await gateway.db.query(
    'update reservation_card set cvv_key = null, cvv = null, cvv_until = null where reservation_id = $1',
    [id],
  )
}

async function isCvvStored(id: string): Promise<boolean> {
  const { rows } = await gateway.db.query<{ is: boolean }>(
    'select num_nonnulls(cvv_key, cvv) > 0 as is from reservation_card where reservation_id = $1',
    [id],
  )
  return rows[0]?.is ?? false
}

function modify(id: string, more: Record<string, unknown>): Promise<Reply> {
  return shop.platform.put(`/booking/reservations/${id}`, bookingBody('Acme', more))
}

test('a card is stored encrypted, and only its type and masked number can be read back', async () => {
  const booked = await shop.book(paying())
  const id = idOf(booked)
  assert.deepEqual(await kept(id), card)
  const read = expectOk(await shop.platform.get(`/booking/reservations/${id}`))
  assert.deepEqual(Object(read.body['reservation']).payment, {
    type: 'Channel Collect',
    card: { type: 'VI', number: '411111******1111', isVirtual: false },
  })
  const listed = await shop.platform.get('/booking/reservations')
  for (const { text } of [booked, read, listed])
    // Ids and times may have the digits of a CVV.
    for (const secret of [card.number, card.holderName, `"${card.cvv}"`, 'cvv'])
      assert.ok(!text.includes(secret), text)
})

test('a supplier whose contract excludes cards receives none: none is stored, and the answer warns', async () => {
  await setAccount(gateway.db, 'Acme', { deliversCards: false })
  const reply = await shop.book(paying())
  assert.equal(await kept(idOf(reply)), undefined)
  assert.deepEqual(reply.body['warnings'], [
    {
      type: 'CARD_NOT_KEPT',
      message: 'The account of this hotel receives no cards: the card was not stored',
      hint: 'Omit the card for this supplier',
      path: '/payment/card',
    },
  ])
})

test('without a vault key a card for a supplier that gets cards is refused', async () => {
  const keyless = await gatewayForTests()
  const there = await openShop(keyless)
  await setAccount(keyless.db, 'Acme', { deliversCards: true })
  const reply = expectStatus(await there.book(paying()), 400)
  assert.deepEqual(problemsOf(reply), [
    ['/payment/card', 'CARDS_NOT_ACCEPTED', 'This service stores no cards: it has no vault key'],
  ])
  idOf(await there.book())
})

test('a card that cannot be opened any more is replaced by the one that a modification sends', async () => {
  const id = idOf(await shop.book(paying()))
  await gateway.db.query('update reservation_card set card_key = $2 where reservation_id = $1', [
    id,
    Buffer.alloc(60),
  ])
  expectStatus(await modify(id, paying()), 200)
  assert.deepEqual(await kept(id), card)
})

describe('a wrong card', () => {
  const problems: readonly (readonly [unknown, string, string])[] = [
    [{ ...card, number: '4111111111111112' }, '/payment/card/number', 'CARD_NUMBER_INVALID'],
    [{ ...card, number: '4111-1111-1111-1111' }, '/payment/card/number', 'CARD_NUMBER_INVALID'],
    [{ ...card, number: '41111111111' }, '/payment/card/number', 'CARD_NUMBER_INVALID'],
    [{ ...card, number: 4111111111111111 }, '/payment/card/number', 'WRONG_TYPE'],
    [{ ...card, expiry: '13/2030' }, '/payment/card/expiry', 'CARD_EXPIRY_INVALID'],
    [{ ...card, expiry: '01/30' }, '/payment/card/expiry', 'CARD_EXPIRY_INVALID'],
    [{ ...card, expiry: '02/2027' }, '/payment/card/expiry', 'CARD_EXPIRED'],
    [{ ...card, cvv: '12' }, '/payment/card/cvv', 'CARD_CVV_INVALID'],
    [{ ...card, cvv: 837 }, '/payment/card/cvv', 'WRONG_TYPE'],
    [{ ...card, holderName: '' }, '/payment/card/holderName', 'TOO_SHORT'],
    ['4111111111111111', '/payment/card', 'WRONG_TYPE'],
    [['4111111111111111'], '/payment/card', 'WRONG_TYPE'],
  ]

  const isTold = (sent: unknown, path: string, type: string) =>
    test(`${type} at ${path} is told without its value`, async () => {
      const reply = expectStatus(await shop.book({ payment: { type: 'Channel Collect', card: sent } }), 400)
      assert.deepEqual(
        problemsOf(reply).map((problem) => Object.values(Object(problem)).slice(0, 2)),
        [[path, type]],
      )
      assert.doesNotMatch(saidBy(reply), /4111|11111|837|"value"/)
    })
  for (const [sent, path, type] of problems) void isTold(sent, path, type)

  test('also where the payment is the card, or the body is no JSON', async () => {
    const wrong = await shop.book({ payment: '4111111111111111' })
    const misplaced = await shop.book({ payment: { type: '4111111111111111' } })
    const broken = await shop.platform.post(
      '/booking/reservations',
      '{"payment":{"card":{"number":"4111111111111111" "cvv":"837"}}}',
    )
    for (const reply of [wrong, misplaced, broken]) {
      assert.equal(reply.status, 400)
      assert.doesNotMatch(saidBy(reply), /4111|11111|837/)
    }
  })

  test('a card that ends this month is valid', async () => {
    idOf(await shop.book(paying({ expiry: '03/2027' })))
  })
})

/** Leaves out the request id, whose digits are random. */
function saidBy({ text, body }: Reply): string {
  return text.replaceAll(String(body['requestId']), '')
}

describe('a modification', () => {
  test('without a card keeps the stored one; the same card again changes nothing', async () => {
    const id = idOf(await shop.book(paying()))
    expectStatus(await modify(id, { rooms: [room({ guest: { firstName: 'G', lastName: 'H' } })] }), 200)
    assert.deepEqual(await kept(id), card)
    const same = await modify(id, {
      ...paying(),
      rooms: [room({ guest: { firstName: 'G', lastName: 'H' } })],
    })
    assert.equal(expectStatus(same, 200).body['message'], 'Reservation unchanged')
  })

  test('with another card replaces the stored one, as a new version even if nothing else changed', async () => {
    const id = idOf(await shop.book(paying()))
    const other = { number: '5555555555554444', type: 'MC', cvv: '111' }
    const reply = expectStatus(await modify(id, paying(other)), 200)
    assert.deepEqual([reply.body['message'], reply.body['version']], ['Reservation modified', 2])
    assert.deepEqual(await kept(id), { ...card, ...other })
  })

  test('that brings back the CVV of the same card is a new version', async () => {
    const id = idOf(await shop.book(paying()))
    await destroyCvv(id)
    assert.equal(expectStatus(await modify(id, paying()), 200).body['version'], 2)
    assert.deepEqual(await kept(id), card)
  })
})

describe('destruction of cards', () => {
  test('the card goes when seven days from the departure are over, later where the departure is later', async () => {
    const [id, longer] = [idOf(await shop.book(paying())), idOf(await shop.book(paying()))]
    const expectedTotal = { afterTax: '440.00' }
    expectStatus(await modify(longer, { checkout: '2027-04-24', expectedTotal }), 200)
    gateway.clock.set('2027-04-29T23:59:59Z')
    await destroyOldCards(gateway.db, gateway.clock.now())
    assert.deepEqual(await kept(id), withoutCvv)
    gateway.clock.set('2027-04-30T00:00:00Z')
    assert.equal(await kept(id), undefined, 'it is out of reach before housekeeping comes by')
    const left = async () => {
      const { rows } = await gateway.db.query<{ id: string; left: number }>(
        `select reservation_id::text as id, num_nonnulls(card_key, card, cvv_key, cvv)::int as left from reservation_card
         where reservation_id = any($1::int8[]) order by 1`,
        [[id, longer]],
      )
      return rows.map((row) => row.left)
    }
    assert.ok((await destroyOldCards(gateway.db, gateway.clock.now())) > 0)
    assert.deepEqual(await left(), [0, 2])
    gateway.clock.set('2027-05-02T00:00:00Z')
    assert.equal(await destroyOldCards(gateway.db, gateway.clock.now()), 1)
    assert.deepEqual(await left(), [0, 0])
  })

  test('the CVV goes when it waited for three days, in good time before they are over', async () => {
    const id = idOf(await shop.book(paying()))
    const sealedAtMs = gateway.clock.now()
    const hoursLater = (hours: number) =>
      gateway.clock.set(new Date(sealedAtMs + hours * 3_600_000 - 1).toISOString())
    hoursLater(71)
    await destroyOldCards(gateway.db, gateway.clock.now())
    assert.deepEqual(await kept(id), card)
    hoursLater(71.1)
    assert.deepEqual(await kept(id), withoutCvv, 'it is out of reach before housekeeping comes by')
    await destroyOldCards(gateway.db, gateway.clock.now())
    assert.equal(await isCvvStored(id), false)
  })

  test('a cancellation takes the CVV with it at once, and the card a day later', async () => {
    const id = idOf(await shop.book(paying()))
    const untouched = idOf(await shop.book(paying()))
    expectStatus(await shop.platform.post(`/booking/reservations/${id}/cancel`, {}), 200)
    assert.equal(await isCvvStored(id), false)
    assert.equal(await isCvvStored(untouched), true)
    assert.deepEqual(await kept(id), withoutCvv)
    gateway.clock.set('2027-03-02T12:00:00Z')
    assert.equal(await kept(id), undefined)
    assert.equal(await destroyOldCards(gateway.db, gateway.clock.now()), 1)
    const { rows } = await gateway.db.query(
      'select num_nonnulls(key_id, card_key, card, cvv_key, cvv)::int as left from reservation_card where reservation_id = $1',
      [id],
    )
    assert.deepEqual(rows, [{ left: 0 }])
    assert.deepEqual(await kept(untouched), card)
  })

  test('a cancellation never extends the time for which a card is stored', async () => {
    const id = idOf(await shop.book(paying()))
    await gateway.db.query(
      `update reservation_card set keep_until = '2027-03-01T18:00:00Z' where reservation_id = $1`,
      [id],
    )
    expectStatus(await shop.platform.post(`/booking/reservations/${id}/cancel`, {}), 200)
    gateway.clock.set('2027-03-01T18:00:00Z')
    assert.equal(await kept(id), undefined)
  })
})

test('the Idempotency-Key tells one card from another', async () => {
  const headers = { 'idempotency-key': 'with-card' }
  const id = idOf(await shop.book(paying(), headers))
  assert.equal(idOf(await shop.book(paying(), headers)), id)
  expectStatus(await shop.book(paying({ number: '5555555555554444' }), headers), 422)
})
