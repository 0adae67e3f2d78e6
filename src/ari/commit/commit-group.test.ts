import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bookingBy, expectStatus, pushNights } from '../../../test/stage/scenes/booking.ts'
import {
  client,
  gatewayForTests,
  type Reply,
  type TestClient,
  type TestSupplier,
} from '../../../test/stage/harness.ts'
import { holdHotel } from '../../../test/stage/locks.ts'
import { expectOk, product, pushStoryHotel } from '../../../test/stage/story.ts'

/**
 * Two processes write the same hotels. The first one knows its hotel well enough to apply pushes without reading
 * it; whatever the other one changes meanwhile, the first must notice.
 */

const gateway = await gatewayForTests()
const second = await gateway.second()

type Account = TestSupplier & { elsewhere: TestClient }
type Fields = Record<string, unknown>

let accounts = 0
/** An account with the story's hotel, and the same account as the other process serves it. */
async function newAccount(): Promise<Account> {
  const supplier = await gateway.supplier(`account ${++accounts}`)
  await pushStoryHotel(supplier)
  return { ...supplier, elsewhere: client(second.url, { 'x-api-key': supplier.apiKey }) }
}

const push = (sender: TestClient, item: Fields, more: Fields = {}): Promise<Reply> =>
  sender.post('/push/ari', {
    hotelId: 'H1',
    pricingModel: 'unit',
    ari: [{ roomId: 'DBL', ...item }],
    ...more,
  })
const units = (date: string, inventory: number): Fields => ({ date, inventory })
const bar = (date: string, line: Fields): Fields => ({ date, rates: [{ rateId: 'BAR', ...line }] })

/** More than enough pushes for the process to rely on what it knows of the hotel, whatever was before. */
const familiarPushes = 25

/** Makes the first process familiar with the hotel and the month; returns the hotel's revision. */
async function familiar(account: Account, hotelId = 'H1'): Promise<number> {
  let revision = 0
  for (let inventory = 1; inventory <= familiarPushes; inventory++) {
    const item = { date: '2027-04-30', inventory, rates: [{ rateId: 'BAR', price: 100 + inventory }] }
    revision = Number(expectOk(await push(account, item, { hotelId })).body['revision'])
  }
  return revision
}

/** Pushes once more to the familiar night; returns the hotel's revision. */
async function pushedAgain(account: Account, inventory: number): Promise<unknown> {
  return expectOk(await push(account, units('2027-04-30', inventory))).body['revision']
}

const statuses = ({ body }: Reply): unknown =>
  Array.isArray(body['results']) ? body['results'].map(({ status }: Fields) => status) : body

async function inventories(sender: TestClient): Promise<Record<string, unknown>> {
  const range = { startDate: '2027-04-01', endDate: '2027-04-30' }
  const { ari } = expectOk(await sender.post('/push/getAri', { hotelId: 'H1', ...range })).body
  assert.ok(Array.isArray(ari))
  return Object.fromEntries(
    ari.flatMap(({ startDate, inventory }: Fields) =>
      inventory === undefined ? [] : [[String(startDate), inventory]],
    ),
  )
}

test('nights that another process pushed to the same month are kept, and revisions continue', async () => {
  const account = await newAccount()
  const before = await familiar(account)
  const theirs = expectOk(await push(account.elsewhere, units('2027-04-02', 7)))
  assert.equal(theirs.body['revision'], before + 1)
  assert.equal(await pushedAgain(account, 90), before + 2)
  assert.deepEqual(await inventories(account), { '2027-04-02': 7, '2027-04-30': 90 })
})

test('a sequence that another process stored without changing a value supersedes an older push', async () => {
  const account = await newAccount()
  expectOk(await push(account, units('2027-04-02', 5), { sequence: 1 }))
  const before = await familiar(account)
  const newer = expectOk(await push(account.elsewhere, units('2027-04-02', 5), { sequence: 9 }))
  assert.deepEqual([statuses(newer), newer.body['revision']], [['unchanged'], before])
  const older = expectOk(await push(account, units('2027-04-02', 6), { sequence: 8 }))
  assert.deepEqual([statuses(older), older.body['revision']], [['superseded'], before])
})

test('units that another process sold stay sold', async () => {
  const account = await newAccount()
  await pushNights(account)
  const before = await familiar(account)
  const platform = client(second.url, { authorization: `Bearer ${await gateway.token('platform')}` })
  expectStatus(await bookingBy(platform, account.name)(), 201)
  assert.equal(await pushedAgain(account, 90), before + 2)
  const { '2027-04-20': sold } = await inventories(account)
  assert.equal(sold, 1)
})

test('a currency, products and taxes that another process changed apply to the next push', async () => {
  const account = await newAccount()
  await familiar(account)
  await pushStoryHotel(account.elsewhere, { currency: 'JPY' })
  const inYen = await push(account, bar('2027-04-30', { price: 100.5 }))
  assert.deepEqual([inYen.status, statuses(inYen)], [400, ['rejected']])
  expectOk(await push(account, bar('2027-04-30', { price: 12_000 })))
  const before = await familiar(account)

  const smaller = { occupancy: { maxOccupancy: 1, maxAdult: 1, maxChild: 0 } }
  expectOk(
    await account.elsewhere.post('/push/products', {
      hotelId: 'H1',
      products: [product('DBL', 'BAR', smaller)],
    }),
  )
  const forTwo = bar('2027-04-30', { prices: [{ guests: 2, ageCategory: 'adult', amount: 9_000 }] })
  const refused = await push(account, forTwo, { pricingModel: 'guest' })
  assert.deepEqual([refused.status, statuses(refused)], [400, ['rejected']])
  assert.equal(await pushedAgain(account, 91), before + 2)
})

test('products of a hotel with a long catalog that another process changed apply to the next pushes', async () => {
  const account = await newAccount()
  const rateIds = Array.from({ length: 100 }, (_, number) => `RATE-${number}`)
  const products = rateIds.map((rateId) => product('DBL', rateId))
  expectOk(await account.post('/push/products', { hotelId: 'H1', products }))
  await familiar(account)

  const smaller = { occupancy: { maxOccupancy: 1, maxAdult: 1, maxChild: 0 } }
  const changed = [product('DBL', 'RATE-99', smaller), product('SGL', 'RATE-99', smaller)]
  expectOk(await account.elsewhere.post('/push/products', { hotelId: 'H1', products: changed }))
  const forTwo = { rateId: 'RATE-99', prices: [{ guests: 2, ageCategory: 'adult', amount: 90 }] }
  for (let time = 0; time < 2; time++) {
    const refused = await push(account, { date: '2027-04-30', rates: [forTwo] }, { pricingModel: 'guest' })
    assert.deepEqual([refused.status, statuses(refused)], [400, ['rejected']])
    const single = await push(account, { ...units('2027-04-30', time), roomId: 'SGL' })
    assert.deepEqual([single.status, statuses(single)], [200, ['applied']])
  }
})

test('a hotel that was reset and pushed again through another process has none of its old nights', async () => {
  const account = await newAccount()
  const before = await familiar(account)
  expectOk(await account.elsewhere.post('/push/sandbox/reset', {}))
  await pushStoryHotel(account.elsewhere)
  const after = Number((await push(account, units('2027-04-01', 3))).body['revision'])
  assert.ok(after > before, `${after} after ${before}`)
  assert.deepEqual(await inventories(account), { '2027-04-01': 3 })
})

test('pushes of one moment are answered one by one: applied, unchanged, refused, dry runs and repeated keys', async () => {
  const account = await newAccount()
  const before = await familiar(account)
  const key = { 'idempotency-key': 'moment-1' }
  const body = { hotelId: 'H1', ari: [{ roomId: 'DBL', ...units('2027-04-10', 8) }] }
  const [applied, dry, refused, repeated, other] = await Promise.all([
    push(account, units('2027-04-01', 1)),
    push(account, units('2027-04-02', 2), { dryRun: true }),
    push(account, units('2027-04-03', 3), { currency: 'EUR' }),
    Promise.all([account.post('/push/ari', body, key), account.post('/push/ari', body, key)]),
    push(account, units('2027-04-04', 4)),
  ])
  assert.deepEqual(
    [applied, dry, refused, other].map(({ status }) => status),
    [200, 200, 400, 200],
  )
  const keyed = repeated.map(({ status }) => status).toSorted((low, high) => low - high)
  assert.ok(keyed[0] === 200 && (keyed[1] === 200 || keyed[1] === 409), keyed.join())
  const stored = await inventories(account)
  delete stored['2027-04-30']
  assert.deepEqual(stored, { '2027-04-01': 1, '2027-04-04': 4, '2027-04-10': 8 })
  assert.equal(await pushedAgain(account, 92), before + 4)
})

test('a price of another model is stored as such, and the next push knows', async () => {
  const account = await newAccount()
  const before = await familiar(account)
  const guest = { pricingModel: 'guest' }
  const line = (amount: number) =>
    bar('2027-04-30', { prices: [{ guests: 2, ageCategory: 'adult', amount }] })
  const results: unknown[] = []
  for (const amount of [90, 90, 91, 91, 92]) results.push(statuses(await push(account, line(amount), guest)))
  assert.deepEqual(results, [['applied'], ['unchanged'], ['applied'], ['unchanged'], ['applied']])
  assert.equal(await pushedAgain(account, 93), before + 4)
})

test('a familiar hotel that another transaction has locked delays no other', async (context) => {
  const account = await newAccount()
  await pushStoryHotel(account, { hotelId: 'H2' })
  await familiar(account)
  await familiar(account, 'H2')
  const release = await holdHotel(context, gateway.db, 'H1', account)
  const waiting = push(account, units('2027-04-01', 1))
  const others = await Promise.all(
    [1, 2, 3].map((inventory) => push(account, units('2027-04-01', inventory), { hotelId: 'H2' })),
  )
  for (const other of others) expectOk(other)
  await release()
  expectOk(await waiting)
})

test('two processes push to one hotel at the same time, and every push counts', async () => {
  const account = await newAccount()
  const before = await familiar(account)
  const nights = Array.from({ length: 28 }, (_, index) => `2027-04-${String(index + 1).padStart(2, '0')}`)
  for (const inventory of [1, 2, 3, 4, 5]) {
    await Promise.all(
      nights.map(async (date, index) =>
        expectOk(await push(index % 2 === 0 ? account : account.elsewhere, units(date, inventory))),
      ),
    )
  }
  assert.equal(await pushedAgain(account, 94), before + 5 * nights.length + 1)
  const range = { startDate: '2027-04-01', endDate: '2027-04-28' }
  const { ari } = expectOk(await account.post('/push/getAri', { hotelId: 'H1', ...range })).body
  assert.deepEqual(ari, [{ roomId: 'DBL', ...range, inventory: 5 }])
})
