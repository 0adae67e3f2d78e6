import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import {
  bookingBody,
  changeAsAsked,
  expectStatus,
  idOf,
  openShop,
  pushNights,
  room,
  vat,
  type Shop,
} from '../../../test/stage/scenes/booking.ts'
import type { Reply } from '../../../test/stage/harness.ts'
import { gatewayForCalls, liveUrl, type Fields } from '../../../test/stage/under-way/calls.ts'
import { expectOk, problemsOf, product, pushStoryHotel } from '../../../test/stage/story.ts'

/**
 * What the hotel gets, by the contract of its account. Two nights at 100.00 USD, with 10 % VAT on top: 200.00 without
 * taxes, 220.00 charged.
 */

let shop: Shop
const gateway = await gatewayForCalls()
const admin = await gateway.operator('admin')
const fullStay = { penaltyCharge: { chargeBase: 'FullStay', percent: 100 } }
const halfStay = { penaltyCharge: { chargeBase: 'FullStay', percent: 50 } }
const policy = (...cancelPenalties: Fields[]) => ({ cancelPolicies: [{ code: 'CUSTOM', cancelPenalties }] })

before(async () => {
  gateway.clock.set('2027-03-01T12:00:00Z')
  shop = await openShop(gateway)
})
beforeEach(async () => {
  await contract({ pricesAre: 'sell', commissionPercent: '15' })
  await pushStoryHotel(shop.supplier)
  await sell({})
  await taxed(vat)
  await pushNights(shop.supplier, { inventory: 50 })
})

async function contract(changed: Fields): Promise<void> {
  expectOk(await admin.put(`/suppliers/${await supplierId()}/account`, changed))
}

async function supplierId(): Promise<number | undefined> {
  const { rows } = await gateway.db.query<{ id: number }>(`select id from supplier where name = 'Acme'`)
  return rows[0]?.id
}

async function sell(more: Fields): Promise<void> {
  const products = [product('DBL', 'BAR', more), product('DBL', 'NRF', more)]
  expectOk(await shop.supplier.post('/push/products', { hotelId: 'H1', products }))
}

async function taxed(...taxes: Fields[]): Promise<void> {
  expectOk(await shop.supplier.post('/push/taxes', { hotelId: 'H1', taxes }))
}

/** As the platform reads it. */
async function shown(id: string): Promise<unknown[]> {
  const { body } = expectOk(await shop.platform.get(`/booking/reservations/${id}`))
  const { pricesAre, commissionPercent, commission, amountPayable } = Object(body['reservation'])
  return [pricesAre, commissionPercent, commission, amountPayable]
}

/** As the supplier reads it. */
async function fetched(id: string): Promise<Fields> {
  const path = `/push/webhook/pushbook/retrieve?reservation_id=${id}`
  const { body } = expectOk(await shop.supplier.get(path))
  return Object(body['data'])[0].reservations.reservation[0]
}

async function told(id: string): Promise<unknown[]> {
  const { prices_are: pricesAre, commission, amountpayable } = await fetched(id)
  return [pricesAre, commission, amountpayable]
}

const cancel = (id: string): Promise<Reply> => shop.platform.post(`/booking/reservations/${id}/cancel`, {})

test('commission is the contract’s percentage of the total before tax, and the hotel gets the rest of what is charged: both read it', async () => {
  const id = idOf(await shop.book())
  assert.deepEqual(await shown(id), ['sell', '15', '30.00', '190.00'])
  assert.deepEqual(await told(id), ['sell', '30.00', '190.00'])
  const console = expectOk(await admin.get(`/reservations/${id}`))
  const { pricesAre, commissionPercent, commission, amountPayable, body } = Object(
    console.body['reservation'],
  )
  assert.deepEqual(
    [pricesAre, commissionPercent, commission, amountPayable],
    ['sell', '15', '30.00', '190.00'],
  )
  const [inBody] = body.reservations.reservation
  assert.deepEqual([inBody.prices_are, inBody.commission, inBody.amountpayable], ['sell', '30.00', '190.00'])
})

test('the percentage is exact, and the commission is rounded half up to the minor unit', async () => {
  // 200.00 × 12.3475 % = 24.695; × 12.3474 % = 24.6948.
  for (const [commissionPercent, commission, payable] of [
    ['12.3475', '24.70', '195.30'],
    ['12.3474', '24.69', '195.31'],
    ['100', '200.00', '20.00'],
    ['0', '0.00', '220.00'],
  ]) {
    await contract({ commissionPercent })
    assert.deepEqual(await told(idOf(await shop.book())), ['sell', commission, payable])
  }
})

test('net prices have no commission: the hotel gets what is charged', async () => {
  await contract({ pricesAre: 'net' })
  const id = idOf(await shop.book())
  assert.deepEqual(await shown(id), ['net', '15', '0.00', '220.00'])
  assert.deepEqual(await told(id), ['net', '0.00', '220.00'])
})

test('with Hotel Collect nothing is payable, and the hotel owes the commission', async () => {
  const id = idOf(await shop.book({ payment: { type: 'Hotel Collect' } }))
  assert.deepEqual(await told(id), ['sell', '30.00', '0.00'])
  assert.deepEqual(await shown(id), ['sell', '15', '30.00', '0.00'])
})

test('of a Cancel it is the same of its penalty, whose part without taxes is that of the stay', async () => {
  const cases: [Fields, string, unknown[]][] = [
    [policy(fullStay), '220.00', ['sell', '30.00', '190.00']],
    [policy(halfStay), '110.00', ['sell', '15.00', '95.00']],
    [
      policy({ penaltyCharge: { chargeBase: 'FullStay', amount: '33.33' } }),
      '33.33',
      ['sell', '4.55', '28.78'],
    ],
    [policy(), '0.00', ['sell', '0.00', '0.00']],
  ]
  for (const [sold, penalty, expected] of cases) {
    await sell(sold)
    const id = idOf(await shop.book())
    expectOk(await cancel(id))
    assert.equal(Object((await fetched(id))['penalty']).amount, penalty)
    assert.deepEqual(await told(id), expected)
    assert.deepEqual(await shown(id), ['sell', '15', ...expected.slice(1)])
  }
})

test('a Cancel of a stay with a town’s tax, of which no penalty is taken, has the commission of the stay', async () => {
  await sell(policy(fullStay))
  const town = { ...vat, type: 'CITY_TAX', valueType: 'fixed', value: 5, included: true }
  await taxed(vat, town)
  const id = idOf(await shop.book())
  const [, commission] = await told(id)
  assert.deepEqual([commission, (await fetched(id))['totalamountbeforetax']], ['28.50', '190.00'])
  expectOk(await cancel(id))
  const { penalty, commission: ofPenalty, amountpayable } = await fetched(id)
  assert.deepEqual([Object(penalty).amount, ofPenalty, amountpayable], ['209.00', '28.50', '180.50'])
})

test('of a Cancel with Hotel Collect the hotel owes the commission of its penalty', async () => {
  await sell(policy(halfStay))
  const id = idOf(await shop.book({ payment: { type: 'Hotel Collect' } }))
  expectOk(await cancel(id))
  assert.deepEqual(await told(id), ['sell', '15.00', '0.00'])
})

test('of a Cancel whose terms are unknown neither is told, rather than nothing being due', async () => {
  const id = idOf(await shop.book())
  expectOk(await cancel(id))
  assert.deepEqual(await shown(id), ['sell', '15', null, null])
  assert.deepEqual(await told(id), ['sell', undefined, undefined])
})

test('a later change of the contract changes no reservation that was made, not by its change or cancel either', async () => {
  await sell(policy(halfStay))
  const id = idOf(await shop.book())
  await contract({ pricesAre: 'net', commissionPercent: '20' })
  assert.deepEqual(await told(id), ['sell', '30.00', '190.00'])
  const changed = bookingBody('Acme', { checkout: '2027-04-23' })
  expectOk(await changeAsAsked(shop.platform, id, changed))
  assert.deepEqual(await told(id), ['sell', '45.00', '285.00'])
  expectOk(await cancel(id))
  assert.deepEqual(await told(id), ['sell', '22.50', '142.50'])
  assert.deepEqual(await shown(id), ['sell', '15', '22.50', '142.50'])
  assert.deepEqual(await shown(idOf(await shop.book())), ['net', '20', '0.00', '220.00'])
})

test('a state that was sent again is no change because the contract is another', async () => {
  const id = idOf(await shop.book())
  await contract({ commissionPercent: '20' })
  const again = expectOk(await shop.platform.put(`/booking/reservations/${id}`, bookingBody('Acme')))
  assert.equal(again.body['message'], 'Reservation unchanged')
})

test('offers don’t change by the contract', async () => {
  const ask = async (): Promise<unknown> => {
    const hotels = [{ supplier: 'Acme', hotelId: 'H1' }]
    const [checkin, checkout] = ['2027-04-20', '2027-04-22']
    const stay = { hotels, checkin, checkout, rooms: [{ adults: 2 }] }
    const { body } = expectOk(await shop.platform.post('/booking/offers', stay))
    return Object(body['hotels'])[0].offers
  }
  const offers = await ask()
  await contract({ pricesAre: 'net', commissionPercent: '99' })
  assert.deepEqual(await ask(), offers)
})

test('reservations from before contracts were stored tell of none', async () => {
  const id = idOf(await shop.book())
  await gateway.db.query(
    `update reservation_version set content = content - 'contract' where reservation_id = $1`,
    [id],
  )
  assert.deepEqual(await shown(id), [null, null, null, null])
  assert.deepEqual(await told(id), [undefined, undefined, undefined])
  const changed = bookingBody('Acme', { checkout: '2027-04-23' })
  expectOk(await changeAsAsked(shop.platform, id, changed))
  assert.deepEqual(await told(id), [undefined, undefined, undefined])
})

test('a percentage from 0 to 100 is set by admins, any other is refused with the field', async () => {
  const path = `/suppliers/${await supplierId()}/account`
  for (const commissionPercent of ['100.1', '-1', '1.23456', 'x', '1e1']) {
    const reply = expectStatus(await admin.put(path, { commissionPercent }), 400)
    assert.deepEqual(problemsOf(reply), [
      [
        '/commissionPercent',
        'OUT_OF_RANGE',
        'Commission must be a number from 0 to 100 with at most 4 decimals',
      ],
    ])
  }
  expectStatus(await admin.put(path, { pricesAre: 'gross' }), 400)
})

test('each delivered night has the pushed amount beside before and after tax, and the reservation what is due at the property', async () => {
  const included = { ...vat, included: true }
  const town = {
    ...vat,
    type: 'CITY_TAX',
    valueType: 'fixed',
    value: 3,
    appliedPer: 'per_person_per_night',
    payNow: false,
  }
  await taxed(included, town)
  const rates = [{ rateId: 'BAR', price: 121 }]
  await pushNights(shop.supplier, { startDate: '2027-04-21', endDate: '2027-04-21', inventory: 50, rates })
  const id = idOf(await shop.book())
  const { amountdueatproperty, room: rooms } = await fetched(id)
  assert.equal(amountdueatproperty, '12.00')
  assert.deepEqual(
    Object(rooms)[0].price.map(({ rate_name: _, ...night }: Fields) => night),
    [
      {
        date: '2027-04-20',
        rate_id: 'BAR',
        amount: '100.00',
        amountbeforetax: '90.91',
        amountaftertax: '100.00',
      },
      {
        date: '2027-04-21',
        rate_id: 'BAR',
        amount: '121.00',
        amountbeforetax: '110.00',
        amountaftertax: '121.00',
      },
    ],
  )
})

test('a kept night keeps its pushed amount when a change gives up others', async () => {
  const rates = [{ rateId: 'BAR', price: 121 }]
  await pushNights(shop.supplier, { startDate: '2027-04-21', endDate: '2027-04-21', inventory: 50, rates })
  const id = idOf(await shop.book())
  const shorter = bookingBody('Acme', { checkin: '2027-04-21' })
  expectOk(await shop.platform.put(`/booking/reservations/${id}`, shorter))
  const { room: rooms } = await fetched(id)
  assert.deepEqual(
    Object(rooms)[0].price.map(({ date, amount }: Fields) => [date, amount]),
    [['2027-04-21', '121.00']],
  )
})

test('all new delivered members are strings', async () => {
  const id = idOf(await shop.book({ rooms: [room(), room({ rateId: 'NRF' })] }))
  const {
    prices_are: pricesAre,
    commission,
    amountpayable,
    amountdueatproperty,
    room: rooms,
  } = await fetched(id)
  const amounts = Object(rooms).flatMap(({ price }: Fields) =>
    Object(price).map(({ amount }: Fields) => amount),
  )
  assert.deepEqual(amounts, ['100.00', '100.00', '80.00', '80.00'])
  assert.deepEqual(
    [pricesAre, commission, amountpayable, amountdueatproperty],
    ['sell', '54.00', '342.00', '0.00'],
  )
})

test('a booking has the contract of the moment at which it is stored', async () => {
  const asked = await openShop(gateway, 'Asked', { inventory: 50 })
  const url = await liveUrl(asked)
  const call = await url.held(() => asked.book())
  const { rows } = await gateway.db.query<{ id: number }>(`select id from supplier where name = 'Asked'`)
  expectOk(await admin.put(`/suppliers/${rows[0]?.id}/account`, { commissionPercent: '10' }))
  call.letGo()
  assert.deepEqual(await shown(idOf(await call.answer)), ['sell', '10', '20.00', '200.00'])
})

test('at a live price each night has the live amount: what the supplier answered, with the taxes that its prices include', async () => {
  const live = await openShop(gateway, 'Live', { inventory: 50 })
  const url = await liveUrl(live)
  const nightsOf = async (): Promise<unknown> => {
    const id = idOf(await live.book({ expectedTotal: { afterTax: '233.00' } }))
    const path = `/push/webhook/pushbook/retrieve?reservation_id=${id}`
    const { body } = expectOk(await live.supplier.get(path))
    const [reservation] = Object(body['data'])[0].reservations.reservation
    return reservation.room[0].price.map((night: Fields) => [
      night['amount'],
      night['amountbeforetax'],
      night['amountaftertax'],
    ])
  }
  url.answers({ before: [105, 106], after: [115.5, 117.5] })
  assert.deepEqual(await nightsOf(), [
    ['105.00', '105.00', '115.50'],
    ['106.00', '106.00', '117.50'],
  ])
  await taxedBy(live, { ...vat, included: true })
  // VAT of 21.10 is included, 0.90 is a tax that was not pushed.
  assert.deepEqual(await nightsOf(), [
    ['115.07', '105.00', '115.50'],
    ['117.03', '106.00', '117.50'],
  ])
})

async function taxedBy({ supplier }: Shop, tax: Fields): Promise<void> {
  expectOk(await supplier.post('/push/taxes', { hotelId: 'H1', taxes: [tax] }))
}
