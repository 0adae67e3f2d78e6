import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openShop, type Shop } from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests, type Reply, type TestClient } from '../../../test/stage/harness.ts'
import { expectOk, pushStoryHotel } from '../../../test/stage/story.ts'
import { isRecord } from '../../http/validation/validate.ts'

/** Bounds exactly at their limits, holds that end by themselves, and what must not be held by mistake. */

type Fields = Record<string, unknown>
const recordsOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isRecord) : [])

const gateway = await gatewayForTests({ environment: 'sandbox' })
const watch = gateway.app.startHoldWatch()
await watch.close()

const drop = { kind: 'priceDrop', percent: 30, action: 'hold' }
const pushAri = (supplier: TestClient, ari: Fields[], more: Fields = {}): Promise<Reply> =>
  supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari, ...more })
const priced = (date: string, price: number | string): Fields => ({
  roomId: 'DBL',
  date,
  rates: [{ rateId: 'BAR', price }],
})
const statusesOf = ({ body }: Reply): unknown[] => recordsOf(body['results']).map(({ status }) => status)

async function priceOn(supplier: TestClient, date: string): Promise<unknown> {
  const { body } = expectOk(
    await supplier.post('/push/getAri', { hotelId: 'H1', startDate: date, endDate: date }),
  )
  const [item] = recordsOf(body['ari'])
  const bar = recordsOf(item?.['rates']).find(({ rateId }) => rateId === 'BAR')
  return recordsOf(bar?.['prices'])[0]?.['amount']
}

async function holdsOf(supplier: TestClient, more: Fields = {}): Promise<Fields[]> {
  const { body } = expectOk(await supplier.post('/push/guard/holds', { hotelId: 'H1', ...more }))
  return recordsOf(body['holds'])
}

async function guarded(name: string, settings: Fields): Promise<Shop> {
  const shop = await openShop(gateway, name)
  expectOk(await shop.supplier.post('/push/guard', settings))
  return shop
}

const stored = 10_001
/** The last amounts that rules allow, in minor units, where 10,001 minor units are stored. */
const currencies = [
  { currency: 'JPY', digits: 0, floor: 41, ceiling: 900 },
  { currency: 'USD', digits: 2, floor: 4_001, ceiling: 90_000 },
  { currency: 'KWD', digits: 3, floor: 40_005, ceiling: 900_005 },
]

for (const { currency, digits, floor, ceiling } of currencies)
  test(`${currency}: a value exactly at its bound is applied, one minor unit beyond it is held`, async () => {
    const supplier = await gateway.supplier(`bounds ${currency}`)
    await pushStoryHotel(supplier, { currency })
    const amount = (minor: number): string => (minor / 10 ** digits).toFixed(digits)
    const range = { roomId: 'DBL', startDate: '2027-04-01', endDate: '2027-04-30' }
    const rates = [{ rateId: 'BAR', price: amount(stored) }]
    expectOk(await pushAri(supplier, [{ ...range, inventory: 2, rates }]))
    const rules = [
      { rule: { kind: 'priceDrop', percent: 30 }, allowed: 7_001, step: -1 },
      { rule: { kind: 'priceRise', percent: 30 }, allowed: 13_001, step: 1 },
      { rule: { kind: 'priceFloor', amount: '40.005' }, allowed: floor, step: -1 },
      { rule: { kind: 'priceCeiling', amount: '900.005' }, allowed: ceiling, step: 1 },
    ]
    for (const [index, { rule, allowed, step }] of rules.entries()) {
      expectOk(await supplier.post('/push/guard', { rules: [{ ...rule, action: 'hold' }] }))
      const [at, beyond] = [`2027-04-${10 + index}`, `2027-04-${20 + index}`]
      const reply = await pushAri(supplier, [
        priced(at, amount(allowed)),
        priced(beyond, amount(allowed + step)),
      ])
      assert.deepEqual(statusesOf(reply), ['applied', 'held'], `${rule.kind}: ${reply.text}`)
      const [hold] = recordsOf(recordsOf(reply.body['results'])[1]?.['holds'])
      const { before, after, bound } = recordsOf(hold?.['examples'])[0] ?? {}
      const inMinor = [stored, allowed + step, allowed].map((minor) => Number(amount(minor)))
      assert.deepEqual([before, after, bound], inMinor)
    }
  })

test('a price that is beyond what was learned already may move by two thirds, up and down, and no further', async () => {
  const supplier = await gateway.supplier('beyond')
  await pushStoryHotel(supplier)
  const year = { roomId: 'DBL', startDate: '2027-04-01', endDate: '2027-06-30' }
  const holiday = (date: string): Fields => priced(date, 300)
  const bargain = (date: string): Fields => priced(date, 30)
  const usual = { ...year, inventory: 2, rates: [{ rateId: 'BAR', price: 100 }] }
  expectOk(await pushAri(supplier, [usual, holiday('2027-05-10'), holiday('2027-05-11')]))
  expectOk(await pushAri(supplier, [bargain('2027-05-12'), bargain('2027-05-13')]))
  expectOk(await supplier.post('/push/guard', { learned: true }))
  const reply = await pushAri(supplier, [
    priced('2027-05-10', 501),
    priced('2027-05-11', '501.01'),
    priced('2027-05-12', '17.97'),
    priced('2027-05-13', '17.96'),
  ])
  assert.deepEqual(statusesOf(reply), ['applied', 'held', 'applied', 'held'])
  const bounds = recordsOf(reply.body['results']).flatMap(({ holds }) =>
    recordsOf(holds).map(({ examples }) => recordsOf(examples)[0]?.['bound']),
  )
  assert.deepEqual(bounds, [501, 17.97])
})

test('what a rule does not know is not kept, even what the database could not store', async () => {
  const { supplier } = await guarded('unknown', { rules: [] })
  const rule = { kind: 'inventoryJump', units: 20, action: 'hold' }
  expectOk(await supplier.post('/push/guard', { rules: [{ ...rule, note: 'ours', '\u0000': 1 }] }))
  assert.deepEqual(expectOk(await supplier.get('/push/guard')).body['rules'], [rule])
})

test('an inventory exactly at the bound of a jump is applied, one unit more is held', async () => {
  const { supplier } = await guarded('jump', {
    rules: [{ kind: 'inventoryJump', units: 20, action: 'hold' }],
  })
  const units = (date: string, inventory: number): Fields => ({ roomId: 'DBL', date, inventory })
  const reply = await pushAri(supplier, [units('2027-04-10', 22), units('2027-04-11', 23)])
  assert.deepEqual(statusesOf(reply), ['applied', 'held'])
})

for (const { onExpiry, state, price } of [
  { onExpiry: 'discard', state: 'expired', price: 100 },
  { onExpiry: 'apply', state: 'released', price: 10 },
])
  test(`a hold ends by itself, with ${onExpiry}, when the account's clock jumps past its time, and its alert with it`, async () => {
    const { supplier } = await guarded(`ends by ${onExpiry}`, { rules: [drop], expiryHours: 24, onExpiry })
    const alerts = async (): Promise<unknown[]> => {
      const states = ['open', 'acknowledged', 'resolved']
      const { body } = expectOk(await supplier.post('/push/alerts', { kinds: ['guard.held'], states }))
      return recordsOf(body['alerts']).map((one) => [one['subject'], one['state'], one['count']])
    }
    const advance = (advanceBy: string) => supplier.post('/push/sandbox/clock', { advanceBy })
    const held = await pushAri(supplier, [priced('2027-04-10', 10), priced('2027-04-11', 20)])
    assert.deepEqual(statusesOf(held), ['held', 'held'])
    // One night is corrected: it must stay as corrected.
    assert.deepEqual(statusesOf(await pushAri(supplier, [priced('2027-04-11', 90)])), ['applied'])
    await watch.look()
    await watch.look()
    assert.deepEqual(await alerts(), [['priceDrop', 'open', 1]])
    expectOk(await advance('PT23H'))
    await watch.look()
    assert.equal((await holdsOf(supplier)).length, 1)
    expectOk(await advance('PT1H'))
    await watch.look()
    await watch.look()
    assert.deepEqual(await holdsOf(supplier), [])
    assert.deepEqual(
      (await holdsOf(supplier, { state })).map(({ resolvedBy, cells }) => [resolvedBy, cells]),
      [['expiry', 1]],
    )
    assert.deepEqual(
      [await priceOn(supplier, '2027-04-10'), await priceOn(supplier, '2027-04-11')],
      [price, 90],
    )
    assert.deepEqual(await alerts(), [['priceDrop', 'resolved', 1]])
  })

test('a hotel without history, the first prices of a season and a change of currency are not held', async () => {
  const supplier = await gateway.supplier('no history')
  const rules = [
    drop,
    { kind: 'priceRise', percent: 30, action: 'hold' },
    { kind: 'inventoryJump', units: 5, action: 'hold' },
    { kind: 'massOpen', nights: 20, action: 'hold' },
  ]
  expectOk(await supplier.post('/push/guard', { rules, learned: true }))
  await pushStoryHotel(supplier)
  const season = (startDate: string, endDate: string, price: number): Fields => ({
    roomId: 'DBL',
    startDate,
    endDate,
    inventory: 40,
    rates: [{ rateId: 'BAR', price }],
  })
  expectOk(await pushAri(supplier, [season('2027-03-01', '2027-06-30', 100)]))
  expectOk(await pushAri(supplier, [season('2027-07-01', '2027-09-30', 390)]))
  await pushStoryHotel(supplier, { currency: 'JPY' })
  expectOk(await pushAri(supplier, [season('2027-03-01', '2027-09-30', 16_000)], { currency: 'JPY' }))
  assert.deepEqual(await holdsOf(supplier), [])
  // From then on they are what prices are compared with.
  assert.deepEqual(statusesOf(await pushAri(supplier, [priced('2027-05-01', 1_600)])), ['held'])
})

test('a release names the wrong hold where it stands, and what is released twice counts once', async () => {
  const { supplier } = await guarded('named', { rules: [drop] })
  await pushAri(supplier, [priced('2027-04-10', 10), priced('2027-04-11', 10)])
  const [hold] = await holdsOf(supplier)
  const release = (holdIds: unknown[]) => supplier.post('/push/guard/release', { hotelId: 'H1', holdIds })
  const wrong = 'hld_2f1c7d5e-6d0b-4f0e-9d55-6b2f6a2f3c1d'
  const refused = await release([hold?.['holdId'], hold?.['holdId'], wrong])
  assert.deepEqual(
    [refused.status, recordsOf(refused.body['errors']).map(({ path, value }) => [path, value])],
    [404, [['/holdIds/2', wrong]]],
  )
  assert.equal(await priceOn(supplier, '2027-04-10'), 100)
  const released = expectOk(await release([hold?.['holdId'], hold?.['holdId']]))
  assert.deepEqual([released.body['cellsChanged'], recordsOf(released.body['holds']).length], [2, 1])
  assert.equal((await release([hold?.['holdId']])).status, 409)
})
