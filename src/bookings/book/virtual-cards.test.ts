import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import {
  bookingBody,
  expectRefusal,
  expectStatus,
  idOf,
  openShop,
  pushNights,
  type Shop,
} from '../../../test/stage/scenes/booking.ts'
import { gatewayForCalls, receiverOf, urlOf, type Fields } from '../../../test/stage/under-way/calls.ts'
import type { Reply } from '../../../test/stage/harness.ts'
import { expectOk, problemsOf, pushStoryHotel } from '../../../test/stage/story.ts'
import { selectCards } from '../../cards/store.ts'
import { openVault } from '../../cards/vault.ts'
import { setAccount } from '../../keys/suppliers.ts'

/** Cards that are made for one reservation. The account of the hotel, whose currency is USD, receives cards. */

const plain = {
  holderName: 'Ada Lovelace',
  type: 'VI',
  number: '4111111111111111',
  expiry: '01/2030',
  cvv: '837',
}
const virtual = {
  isVirtual: true,
  validFrom: '2027-04-20',
  validTo: '2027-05-22',
  amount: '220.00',
  currency: 'USD',
}
const delivered = {
  CardHolderName: 'Ada Lovelace',
  CardType: 'VI',
  CardNumber: '4111111111111111',
  ExpireDate: '01/2030',
  cvv: '837',
}

let shop: Shop
const vaultKey = Buffer.alloc(32, 7)
const gateway = await gatewayForCalls({ vaultKey })
const receiver = await receiverOf()
before(async () => {
  shop = await openShop(gateway)
  await setAccount(gateway.db, 'Acme', { deliversCards: true })
  expectOk(await shop.supplier.post('/push/webhook/pushbook', { webhook: urlOf(receiver) }))
})
beforeEach(async () => {
  gateway.clock.set('2027-03-01T12:00:00Z')
  await pushStoryHotel(shop.supplier)
  await pushNights(shop.supplier, { inventory: 9 })
})

const paying = (card: Fields) => ({ payment: { type: 'Channel Collect', card } })
const put = (id: string, more: Fields): Promise<Reply> =>
  shop.platform.put(`/booking/reservations/${id}`, bookingBody('Acme', more))

/** The card as the hotel gets it. */
async function sentCard(id: string): Promise<unknown> {
  const asked = await shop.supplier.post('/push/webhook/booking', { hotelId: 'H1', reservation_id: id })
  assert.equal(Object(expectOk(asked).body['delivery']).status, 'delivered')
  const body = JSON.parse(String(receiver.calls.at(-1)?.body))
  return body.reservations.reservation[0].paymentcarddetail
}

async function shownCard(id: string): Promise<unknown> {
  const { body } = expectOk(await shop.platform.get(`/booking/reservations/${id}`))
  return Object(body['reservation']).payment.card
}

test('a virtual card is kept with its members in the vault, and delivered with them as strings', async () => {
  const id = idOf(await shop.book(paying({ ...plain, ...virtual, amount: 220 })))
  const sealed = (await selectCards(gateway.db, [Number(id)], gateway.clock.now())).get(Number(id))
  assert.ok(sealed)
  const { validFrom, validTo, amount, currency } = virtual
  assert.deepEqual(openVault(vaultKey).open(id, sealed), {
    ...plain,
    virtual: { validFrom, validTo, amount, currency },
  })
  assert.deepEqual(await sentCard(id), {
    ...delivered,
    IsVirtual: '1',
    ValidFrom: '2027-04-20',
    ValidTo: '2027-05-22',
    Amount: '220.00',
    Currency: 'USD',
  })
})

test('a plain card is delivered with the body that it had, and IsVirtual "0"', async () => {
  for (const card of [plain, { ...plain, isVirtual: false }])
    assert.deepEqual(await sentCard(idOf(await shop.book(paying(card)))), { ...delivered, IsVirtual: '0' })
})

test('answers show the masked card with what makes it virtual, and never its number', async () => {
  const booked = await shop.book(paying({ ...plain, ...virtual }))
  const id = idOf(booked)
  const read = expectOk(await shop.platform.get(`/booking/reservations/${id}`))
  const listed = expectOk(await shop.platform.get('/booking/reservations'))
  const fetched = expectOk(await shop.supplier.get(`/push/webhook/pushbook/retrieve?reservation_id=${id}`))
  assert.deepEqual(await shownCard(id), { type: 'VI', number: '411111******1111', ...virtual })
  for (const { text } of [booked, read, listed, fetched])
    for (const secret of [plain.number, plain.holderName, '"837"', 'cvv'])
      assert.ok(!text.includes(secret), text)
})

describe('a change', () => {
  test('without a card keeps the virtual one, with the same one changes nothing', async () => {
    const id = idOf(await shop.book(paying({ ...plain, ...virtual })))
    const shorter = { checkout: '2027-04-21' }
    expectOk(await put(id, shorter))
    const same = expectOk(await put(id, { ...shorter, ...paying({ ...plain, ...virtual }) }))
    assert.equal(same.body['message'], 'Reservation unchanged')
    assert.equal(Object(await sentCard(id)).Amount, '220.00')
  })

  test('with another amount is a new version, which is delivered with it', async () => {
    const id = idOf(await shop.book(paying({ ...plain, ...virtual })))
    assert.equal(expectOk(await put(id, paying({ ...plain, ...virtual, amount: '110' }))).body['version'], 2)
    assert.equal(Object(await sentCard(id)).Amount, '110.00')
    assert.equal(expectOk(await put(id, paying(plain))).body['version'], 3)
    assert.deepEqual(await sentCard(id), { ...delivered, IsVirtual: '0' })
    assert.deepEqual(await shownCard(id), { type: 'VI', number: '411111******1111', isVirtual: false })
  })
})

describe('a wrong virtual card is refused with the field and the remedy, without its values', () => {
  const wrong: [Fields, [string, string]][] = [
    [{ amount: undefined }, ['/payment/card/amount', 'CARD_VIRTUAL_INCOMPLETE']],
    [{ validTo: undefined }, ['/payment/card/validTo', 'CARD_VIRTUAL_INCOMPLETE']],
    [
      { isVirtual: undefined, validTo: undefined, validFrom: undefined, currency: undefined },
      ['/payment/card/amount', 'CARD_NOT_VIRTUAL'],
    ],
    [{ isVirtual: 'true' }, ['/payment/card/isVirtual', 'WRONG_TYPE']],
    [{ validFrom: '2027-05-23' }, ['/payment/card/validFrom', 'CARD_VALIDITY_INVALID']],
    [{ validFrom: '2027-02-01', validTo: '2027-02-28' }, ['/payment/card/validTo', 'CARD_EXPIRED']],
    [{ validTo: '2027-02-30' }, ['/payment/card/validTo', 'INVALID_DATE']],
    [{ amount: '220.001' }, ['/payment/card/amount', 'CARD_AMOUNT_INVALID']],
    [{ amount: '100.5', currency: 'JPY' }, ['/payment/card/amount', 'CARD_AMOUNT_INVALID']],
    [{ amount: '4111111111111111' }, ['/payment/card/amount', 'CARD_AMOUNT_INVALID']],
    [{ amount: 1e21 }, ['/payment/card/amount', 'CARD_AMOUNT_INVALID']],
    [{ currency: 'XXQ' }, ['/payment/card/currency', 'CARD_CURRENCY_INVALID']],
    [{ currency: 'EUR' }, ['/payment/card/currency', 'CARD_CURRENCY_DIFFERS']],
  ]
  const isRefused = (changed: Fields, [path, type]: [string, string]) =>
    test(`${type} at ${path}: ${JSON.stringify(changed)}`, async () => {
      const card = { ...plain, ...virtual, ...changed }
      const reply = await expectRefusal(gateway, () => shop.book(paying(card)), 400)
      assert.deepEqual(
        problemsOf(reply).map((problem) => Object.values(Object(problem)).slice(0, 2)),
        [[path, type]],
      )
      const said = reply.text.replaceAll(String(reply.body['requestId']), '')
      assert.match(said, /"hint"/)
      assert.doesNotMatch(said, /4111|837|220|2027-04-20|2027-05|2027-02|XXQ|"value"/)
    })
  for (const [changed, problem] of wrong) void isRefused(changed, problem)
})

test('a validity of one day, and an amount in a currency without decimals, are accepted', async () => {
  await pushStoryHotel(shop.supplier, { currency: 'JPY' })
  await pushNights(shop.supplier, { inventory: 9 })
  const yen = { ...virtual, validTo: virtual.validFrom, amount: '12000', currency: 'JPY' }
  const id = idOf(await shop.book(paying({ ...plain, ...yen })))
  const { ValidFrom, ValidTo, Amount, Currency } = Object(await sentCard(id))
  assert.deepEqual([ValidFrom, ValidTo, Amount, Currency], ['2027-04-20', '2027-04-20', '12000', 'JPY'])
})

test('a change to another currency needs a card in it where the kept one is virtual', async () => {
  const id = idOf(await shop.book(paying({ ...plain, ...virtual })))
  await pushStoryHotel(shop.supplier, { currency: 'JPY' })
  const rates = [{ rateId: 'BAR', price: 15_000 }]
  await pushNights(shop.supplier, { inventory: 9, rates })
  const longer = { checkout: '2027-04-23', expectedTotal: { afterTax: '49500', currency: 'JPY' } }
  const refused = expectStatus(await put(id, longer), 400)
  assert.deepEqual(problemsOf(refused), [
    [
      '/payment/card',
      'CARD_CURRENCY_DIFFERS',
      'The virtual card is in another currency than the reservation',
    ],
  ])
  assert.match(refused.text, /send a virtual card in JPY, or a card that is not virtual/)
  const yen = { ...plain, ...virtual, amount: '49500', currency: 'JPY' }
  expectOk(await put(id, { ...longer, ...paying(yen) }))
  assert.equal(Object(await sentCard(id)).Amount, '49500')
})
