import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { gatewayForTests, type TestSupplier } from '../stage/harness.ts'
import { bookingBy, expectStatus, room } from '../stage/scenes/booking.ts'
import { cityTax, offersStage, push, type Fields, type OffersStage } from '../stage/scenes/offers.ts'
import { expectOk, product, storyHotel } from '../stage/story.ts'

/** A hotel that changes its currency: every amount that was pushed before is unknown until it is pushed again. */

const gateway = await gatewayForTests({ now: '2027-03-01T12:00:00Z' })
let stage: OffersStage
before(async () => {
  stage = await offersStage(gateway)
})

const april = { startDate: '2027-04-01', endDate: '2027-04-30' }
const night = { checkin: '2027-04-20', checkout: '2027-04-21' }
const couple = [{ adults: 2, childAges: [] }]
const withInfant = [{ adults: 2, childAges: [1] }]
const fixedTax = { ...cityTax, value: 3.5, appliedPer: 'per_room_per_night', payNow: true }
const cleaning = { name: 'Cleaning', valueType: 'fixed', value: 12, appliedPer: 'per_room_per_stay' }
const flat = { penaltyCharge: { chargeBase: 'FullStay', amount: 40 } }

/** A hotel in euros at 200 a night for two adults, which now sells in yen at the same number. */
async function movedToYen(
  content: { taxes?: Fields[]; cancelPolicies?: Fields[]; prices?: Fields[] } = {},
): Promise<{ supplier: TestSupplier; moved: Fields }> {
  const { taxes = [], cancelPolicies = [], prices = [] } = content
  const supplier = await stage.storySupplier({ currency: 'EUR' })
  await pushPolicies(supplier, cancelPolicies)
  expectOk(await supplier.post('/push/taxes', { hotelId: 'H1', taxes }))
  await pushPrices(supplier, prices)
  const { body } = expectOk(await supplier.post('/push/hotels', [storyHotel({ currency: 'JPY' })]))
  await pushPrices(supplier)
  return { supplier, moved: body }
}

async function pushPrices(supplier: TestSupplier, more: Fields[] = []): Promise<void> {
  const prices = [{ ageCategory: 'adult', guests: 2, amount: 200 }, ...more]
  await push(supplier, [{ roomId: 'DBL', ...april, inventory: 5, rates: [{ rateId: 'BAR', prices }] }])
}

async function pushPolicies(supplier: TestSupplier, cancelPolicies: unknown): Promise<Fields> {
  const products = [product('DBL', 'BAR', { cancelPolicies })]
  return expectOk(await supplier.post('/push/products', { hotelId: 'H1', products })).body
}

/** The total of the only offer, or the rules that forbid it. */
async function sold(supplier: TestSupplier, more: Fields = {}): Promise<unknown> {
  const asked = { ...night, rooms: couple, explain: true, ...more }
  const { offers, unavailable } = await stage.find(supplier, asked)
  const [offer] = offers.filter(({ rateId }) => rateId === 'BAR')
  if (offer) return offer.total['afterTax']
  const refused = unavailable.find(({ rateId }) => rateId === 'BAR')
  return refused?.rules
    .filter(({ pass }) => !pass)
    .map(({ rule, dates, reason, pushAgain }) => ({ rule, dates, reason, pushAgain }))
}

/** The rule and reason for which a booking of the same stay is refused. */
async function bookingRefused(supplier: TestSupplier, childAges: number[] = []): Promise<unknown> {
  const book = bookingBy(stage.platform, supplier.name)
  const { body } = expectStatus(await book({ ...night, rooms: [room({ childAges })] }), 409)
  return Object(body)['rules'].map(({ rule, reason }: Fields) => ({ rule, reason }))
}

const typesOf = (problems: unknown): unknown =>
  Array.isArray(problems) ? problems.map(({ path, type, message }) => ({ path, type, message })) : problems

test('an infant’s line of a former currency is not free: the party is not sold until it is pushed again or cleared', async () => {
  const infant = { ageCategory: 'infant', guests: 1, amount: 25 }
  const { supplier } = await movedToYen({ prices: [infant] })
  const dates = ['2027-04-20']
  const pushAgain = ['the price for 1 infant']
  assert.deepEqual(
    [await sold(supplier), await sold(supplier, { rooms: withInfant })],
    ['200', [{ rule: 'price', dates, reason: 'FORMER_CURRENCY', pushAgain }]],
  )
  assert.deepEqual(await bookingRefused(supplier, [1]), [{ rule: 'price', reason: 'FORMER_CURRENCY' }])
  await pushPrices(supplier, [infant])
  assert.equal(await sold(supplier, { rooms: withInfant }), '225')
  await pushPrices(supplier, [{ ...infant, amount: null }])
  assert.equal(await sold(supplier, { rooms: withInfant }), '200')
})

test('without an infant’s line ever pushed, infants stay free after a change of currency', async () => {
  const { supplier } = await movedToYen()
  assert.equal(await sold(supplier, { rooms: withInfant }), '200')
})

test('a fixed tax of a former currency is neither converted nor free: its nights are not sold until it is pushed again', async () => {
  const { supplier } = await movedToYen({
    taxes: [{ ...fixedTax, startDate: '2027-04-20', endDate: '2027-04-21' }],
  })
  const pushAgain = ['CITY_TAX of the property, 3.5 EUR']
  const refused = (dates: string[]) => [{ rule: 'taxes', dates, reason: 'FORMER_CURRENCY', pushAgain }]
  assert.deepEqual(await sold(supplier), refused(['2027-04-20']))
  assert.deepEqual(await sold(supplier, { checkout: '2027-04-23' }), refused(['2027-04-20', '2027-04-21']))
  assert.equal(await sold(supplier, { checkin: '2027-04-23', checkout: '2027-04-24' }), '200')
  assert.deepEqual(await bookingRefused(supplier), [{ rule: 'taxes', reason: 'FORMER_CURRENCY' }])
  expectOk(await supplier.post('/push/taxes', { hotelId: 'H1', taxes: [{ ...fixedTax, value: 450 }] }))
  assert.equal(await sold(supplier), '650')
})

test('taxes of a former currency that were cleared are no longer needed', async () => {
  const { supplier } = await movedToYen({ taxes: [fixedTax] })
  expectOk(await supplier.post('/push/taxes', { hotelId: 'H1', taxes: [] }))
  assert.equal(await sold(supplier), '200')
})

test('a fixed tax with the same number as before is new when it is pushed again', async () => {
  const tax = { ...fixedTax, value: 12 }
  const { supplier } = await movedToYen({ taxes: [tax] })
  const { body } = expectOk(await supplier.post('/push/taxes', { hotelId: 'H1', taxes: [tax] }))
  assert.deepEqual([body['outcome'], await sold(supplier)], ['applied', '212'])
})

test('getTaxes marks what is of a former currency; posted back it stays unknown, and the answer warns', async () => {
  const percent = { ...cityTax, type: 'VAT', valueType: '%', value: 10 }
  const { supplier } = await movedToYen({ taxes: [fixedTax, percent] })
  const read = expectOk(await supplier.post('/push/getTaxes', { hotelId: 'H1' }))
  const { taxes, warnings } = Object(read.body)
  assert.deepEqual(taxes, [{ ...fixedTax, formerCurrency: 'EUR' }, percent])
  const warned = [
    {
      path: '/taxes/0/value',
      type: 'FORMER_CURRENCY',
      message: 'CITY_TAX of the property, 3.5 EUR: what needs it cannot be sold',
    },
  ]
  assert.deepEqual(typesOf(warnings), warned)
  const posted = expectOk(await supplier.post('/push/taxes', { ...read.body }))
  assert.deepEqual([posted.body['outcome'], typesOf(posted.body['warnings'])], ['unchanged', warned])
  const edited = expectOk(
    await supplier.post('/push/taxes', { hotelId: 'H1', taxes: [taxes[0], { ...percent, value: 8 }] }),
  )
  assert.deepEqual([edited.body['outcome'], typesOf(edited.body['warnings'])], ['applied', warned])
  const again = expectOk(await supplier.post('/push/getTaxes', { hotelId: 'H1' }))
  assert.deepEqual(Object(again.body).taxes, [
    { ...fixedTax, formerCurrency: 'EUR' },
    { ...percent, value: 8 },
  ])
})

test('a fee and a flat penalty of a former currency are unknown: arrivals under their policy are not sold', async () => {
  const policy = { code: 'HOUSE', startDate: '2027-04-20', endDate: '2027-04-20' }
  const { supplier } = await movedToYen({
    cancelPolicies: [
      { ...policy, cancelPenalties: [flat], fees: [cleaning] },
      { code: 'HALF', cancelPenalties: [{ penaltyCharge: { chargeBase: 'FullStay', percent: 50 } }] },
    ],
  })
  const pushAgain = ['the flat penalty of HOUSE, 40 EUR', 'the fee Cleaning of HOUSE, 12 EUR']
  const refused = [{ rule: 'cancelPolicy', dates: ['2027-04-20'], reason: 'FORMER_CURRENCY', pushAgain }]
  assert.deepEqual(await sold(supplier), refused)
  assert.deepEqual(await bookingRefused(supplier), [{ rule: 'cancelPolicy', reason: 'FORMER_CURRENCY' }])
  assert.equal(await sold(supplier, { checkin: '2027-04-21', checkout: '2027-04-22' }), '200')

  const read = expectOk(await supplier.post('/push/getProducts', { hotelId: 'H1', rateIds: ['BAR'] }))
  const [held] = Object(read.body).products
  assert.deepEqual(
    [held.cancelPolicies[0].cancelPenalties[0].penaltyCharge, held.cancelPolicies[0].fees],
    [{ ...flat.penaltyCharge, formerCurrency: 'EUR' }, [{ ...cleaning, formerCurrency: 'EUR' }]],
  )
  const warned = (path: string, what: string) => ({
    path: `/products/0/cancelPolicies/0/${path}`,
    type: 'FORMER_CURRENCY',
    message: `${what}: what needs it cannot be sold`,
  })
  const both = [
    warned('cancelPenalties/0/penaltyCharge/amount', 'The flat penalty of HOUSE, 40 EUR'),
    warned('fees/0/value', 'The fee Cleaning of HOUSE, 12 EUR'),
  ]
  assert.deepEqual(typesOf(Object(read.body).warnings), both)
  const posted = await pushPolicies(supplier, held.cancelPolicies)
  assert.deepEqual([posted['unchanged'], typesOf(posted['warnings'])], [1, both])
  await pushPolicies(supplier, [{ ...policy, cancelPenalties: [flat], fees: [cleaning] }])
  assert.equal(await sold(supplier), '200')
})

test('the push that changes the currency says what is unknown from then on, and the go-live list which step is', async () => {
  const { supplier, moved } = await movedToYen({
    taxes: [fixedTax, { ...fixedTax, type: 'VAT', valueType: '%' }],
    cancelPolicies: [{ code: 'HOUSE', cancelPenalties: [flat, { ...flat, noShow: true }], fees: [cleaning] }],
  })
  assert.deepEqual(typesOf(moved['warnings']), [
    {
      path: '/0/currency',
      type: 'CURRENCY_CHANGED',
      message: 'Currency was changed: stored prices cannot be sold until they are pushed again',
    },
    {
      path: '/0/currency',
      type: 'FORMER_CURRENCY',
      message:
        'Unknown until pushed again, and what needs them is not sold: prices, 1 fixed tax, 2 flat penalties, 1 fee in EUR',
    },
  ])
  const steps = async (): Promise<unknown> => {
    const { body } = expectOk(await supplier.post('/push/getHotels', { hotelIds: ['H1'] }))
    const { products, taxes, ari, ready } = Object(body).hotels[0].goLive
    return { products, taxes, ari: ari.status, ready }
  }
  const missing = { status: 'missing', reason: 'FORMER_CURRENCY' }
  assert.deepEqual(await steps(), { products: missing, taxes: missing, ari: 'done', ready: false })
  expectOk(await supplier.post('/push/taxes', { hotelId: 'H1', taxes: [{ ...fixedTax, value: 450 }] }))
  await pushPolicies(supplier, [{ code: 'HOUSE', cancelPenalties: [flat] }])
  assert.deepEqual(await steps(), {
    products: { status: 'done' },
    taxes: { status: 'done' },
    ari: 'done',
    ready: false,
  })
})

test('going back to the first currency makes no amount known: it is pushed again as prices are', async () => {
  const { supplier } = await movedToYen({ taxes: [fixedTax] })
  expectOk(await supplier.post('/push/hotels', [storyHotel({ currency: 'EUR' })]))
  await pushPrices(supplier)
  assert.deepEqual(await sold(supplier), [
    {
      rule: 'taxes',
      dates: ['2027-04-20'],
      reason: 'FORMER_CURRENCY',
      pushAgain: ['CITY_TAX of the property, 3.5 EUR'],
    },
  ])
})

test('a second change of currency says of all that is unknown, also since the first', async () => {
  const { supplier } = await movedToYen({
    taxes: [fixedTax],
    cancelPolicies: [{ code: 'HOUSE', cancelPenalties: [flat], fees: [cleaning] }],
  })
  const { body } = expectOk(await supplier.post('/push/hotels', [storyHotel({ currency: 'USD' })]))
  const [, unknown] = Object(body).warnings
  assert.equal(
    unknown.message,
    'Unknown until pushed again, and what needs them is not sold: prices, 1 fixed tax, 1 flat penalty, 1 fee in JPY and EUR',
  )
})

const hinted = (path: string): Fields => ({
  path,
  type: 'CURRENCY_INVALID',
  message: 'formerCurrency must be an ISO 4217 code',
})

test('a mark that names no currency is refused, in taxes, penalties and fees; one that no longer exists is not', async () => {
  const supplier = await stage.storySupplier({ currency: 'EUR' })
  const scope = { roomId: 'DBL', taxes: [{ ...fixedTax, formerCurrency: 'ZZZ' }] }
  const taxes = [{ ...fixedTax, formerCurrency: 'ZZZ' }]
  const taxed = await supplier.post('/push/taxes', { hotelId: 'H1', taxes, products: [scope] })
  const marked = { ...flat.penaltyCharge, formerCurrency: 'ZZZ' }
  const policies = [
    { cancelPenalties: [{ penaltyCharge: marked }], fees: [{ ...cleaning, formerCurrency: 'XQQ' }] },
  ]
  const products = [product('DBL', 'BAR', { cancelPolicies: policies })]
  const priced = await supplier.post('/push/products', { hotelId: 'H1', products })
  const policy = '/products/0/cancelPolicies/0'
  assert.deepEqual(
    [taxed, priced].map((reply) => typesOf(expectStatus(reply, 400).body['errors'])),
    [
      [hinted('/taxes/0/formerCurrency'), hinted('/products/0/taxes/0/formerCurrency')],
      [
        hinted(`${policy}/cancelPenalties/0/penaltyCharge/formerCurrency`),
        hinted(`${policy}/fees/0/formerCurrency`),
      ],
    ],
  )
  const once = [{ ...fixedTax, formerCurrency: 'HRK' }]
  const { body } = expectOk(await supplier.post('/push/taxes', { hotelId: 'H1', taxes: once }))
  assert.equal(Object(body['warnings'])[0].type, 'FORMER_CURRENCY')
})

test('0 is the same in every currency: a mark beside it has no effect, and is not read back', async () => {
  const supplier = await stage.storySupplier({ currency: 'EUR' })
  await pushPrices(supplier)
  const taxes = [{ ...fixedTax, value: 0, formerCurrency: 'USD' }]
  const penaltyCharge = { ...flat.penaltyCharge, amount: '0', formerCurrency: 'USD' }
  const fees = [{ ...cleaning, value: 0, formerCurrency: 'USD' }]
  const taxed = expectOk(await supplier.post('/push/taxes', { hotelId: 'H1', taxes }))
  const pushed = await pushPolicies(supplier, [{ cancelPenalties: [{ penaltyCharge }], fees }])
  assert.deepEqual([taxed.body['warnings'] ?? [], pushed['warnings']], [[], []])
  assert.equal(await sold(supplier), '200.00')
  const read = [
    expectOk(await supplier.post('/push/getTaxes', { hotelId: 'H1' })).text,
    expectOk(await supplier.post('/push/getProducts', { hotelId: 'H1' })).text,
  ]
  for (const text of read) assert.doesNotMatch(text, /formerCurrency|FORMER_CURRENCY/)
})
