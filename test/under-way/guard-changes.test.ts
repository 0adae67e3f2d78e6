import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { cursorOfNow, changesIn, getChanges } from '../stage/scenes/changes.ts'
import { expectStatus, openShop, type Shop } from '../stage/scenes/booking.ts'
import { figuresOf, load } from '../stage/scenes/bulk.ts'
import { gatewayForCalls, typesOf, type Fields } from '../stage/under-way/calls.ts'
import { changesSettled, type Reply } from '../stage/harness.ts'
import { expectOk } from '../stage/story.ts'

/** The rules of a guard are made, changed or removed while something is held or under way. */

const gateway = await gatewayForCalls()
gateway.app.startBulk()
const watch = gateway.app.startHoldWatch()
after(() => watch.close())

const drop = { kind: 'priceDrop', percent: 30, action: 'hold' }

let shops = 0
/** DBL with BAR at 100.00 and NRF at 80.00, two units, in April 2027. */
async function guarded(rules: Fields[], more: Fields = {}): Promise<Shop> {
  const shop = await openShop(gateway, `guard changes ${++shops}`)
  await setRules(shop, rules, more)
  return shop
}

async function setRules({ supplier }: Shop, rules: Fields[], more: Fields = {}): Promise<void> {
  expectOk(await supplier.post('/push/guard', { rules, ...more }))
}

const item = (date: string, price: number): Fields => ({
  roomId: 'DBL',
  date,
  rates: [{ rateId: 'BAR', price }],
})
const push = ({ supplier }: Shop, [date, price]: [string, number], more: Fields = {}, headers = {}) =>
  supplier.post(
    '/push/ari',
    { hotelId: 'H1', pricingModel: 'unit', ari: [item(date, price)], ...more },
    headers,
  )

const statusOf = ({ body }: Reply): unknown => Object(Object(body['results'])[0])['status']

async function priceOn({ supplier }: Shop, date: string): Promise<unknown> {
  const range = { hotelId: 'H1', rateIds: ['BAR'], startDate: date, endDate: date }
  const { body } = expectOk(await supplier.post('/push/getAri', range))
  return Object(body['ari'])[0].rates[0].prices[0].amount
}

async function holdsOf({ supplier }: Shop, more: Fields = {}): Promise<Fields[]> {
  return Object(expectOk(await supplier.post('/push/guard/holds', { hotelId: 'H1', ...more })).body['holds'])
}

const release = ({ supplier }: Shop): Promise<Reply> =>
  supplier.post('/push/guard/release', { hotelId: 'H1' })

const digestOf = async ({ supplier }: Shop): Promise<unknown> =>
  expectOk(
    await supplier.post('/push/getAriDigest', {
      hotelId: 'H1',
      from: '2027-04-01',
      to: '2027-04-30',
      level: 'hotel',
    }),
  ).body['hotel']

test('a rule is about pushes to come: it changes nothing that is stored, and no repeat is judged by it', async () => {
  const shop = await guarded([])
  const key = { 'idempotency-key': 'before-the-rule' }
  const first = expectOk(await push(shop, ['2027-04-10', 10], {}, key))
  const before = await digestOf(shop)
  const cursor = await cursorOfNow(gateway, shop.platform)
  await setRules(shop, [{ ...drop, kind: 'priceFloor', percent: undefined, amount: 50 }])
  assert.deepEqual([await digestOf(shop), await priceOn(shop, '2027-04-10')], [before, 10])
  assert.equal((await push(shop, ['2027-04-10', 10], {}, key)).text, first.text)
  await changesSettled(gateway.db)
  assert.deepEqual(changesIn(await getChanges(shop.platform, { after: cursor })), [])
  assert.equal(statusOf(await push(shop, ['2027-04-11', 10])), 'held')
})

test('a repeat of what was held is answered as it was, after the rule and the hold are gone', async () => {
  const shop = await guarded([drop])
  const key = { 'idempotency-key': 'held' }
  const held = expectStatus(await push(shop, ['2027-04-10', 10], {}, key), 207)
  await setRules(shop, [])
  expectOk(await release(shop))
  const again = await push(shop, ['2027-04-10', 10], {}, key)
  assert.deepEqual([again.status, again.text], [207, held.text])
  assert.equal(await priceOn(shop, '2027-04-10'), 10)
})

test('what is held stays held when its rule changes or goes, carries its sequence, and is released unjudged', async () => {
  const shop = await guarded([drop])
  expectStatus(await push(shop, ['2027-04-10', 10], { sequence: 5 }), 207)
  const before = await digestOf(shop)
  for (const rules of [[{ ...drop, action: 'reject' }], [{ ...drop, percent: 99 }], []]) {
    await setRules(shop, rules)
    assert.deepEqual(
      (await holdsOf(shop)).map(({ rule, cells }) => [rule, cells]),
      [['priceDrop', 1]],
    )
    assert.equal(statusOf(await push(shop, ['2027-04-10', 90], { sequence: 4 })), 'superseded')
    assert.deepEqual(await digestOf(shop), before)
  }
  await setRules(shop, [{ ...drop, action: 'reject' }])
  expectOk(await release(shop))
  assert.equal(await priceOn(shop, '2027-04-10'), 10)
})

test('a hold keeps the end that it was given, whatever expiry is set later', async () => {
  const shop = await guarded([drop], { expiryHours: 24, onExpiry: 'apply' })
  expectStatus(await push(shop, ['2027-04-10', 10]), 207)
  await setRules(shop, [drop], { expiryHours: 1, onExpiry: 'discard' })
  expectStatus(await push(shop, ['2027-04-11', 10]), 207)
  await setRules(shop, [])
  const advance = (advanceBy: string) => shop.supplier.post('/push/sandbox/clock', { advanceBy })
  const open = async () => (await holdsOf(shop)).map(({ onExpiry }) => onExpiry)
  expectOk(await advance('PT2H'))
  await watch.look()
  assert.deepEqual(await open(), ['apply'])
  expectOk(await advance('PT23H'))
  await watch.look()
  assert.deepEqual(
    [await open(), await priceOn(shop, '2027-04-10'), await priceOn(shop, '2027-04-11')],
    [[], 10, 100],
  )
})

test('an undo is no push to be judged: it brings back what a rule of now would hold, and ends holds without one', async () => {
  const shop = await guarded([])
  expectOk(await push(shop, ['2027-04-10', 10]))
  const { revision } = expectOk(await push(shop, ['2027-04-10', 100])).body
  await setRules(shop, [drop])
  const held = expectStatus(await push(shop, ['2027-04-12', 10]), 207)
  expectOk(await shop.supplier.post('/push/undo', { hotelId: 'H1', revision }))
  assert.equal(await priceOn(shop, '2027-04-10'), 10)
  await setRules(shop, [])
  const { requestId } = held.body
  const undone = expectOk(await shop.supplier.post('/push/undo', { hotelId: 'H1', requestId }))
  assert.deepEqual([Object(undone.body['holdsEnded']).length, await holdsOf(shop)], [1, []])
})

test('the alert of what is held stays until the last hold ends, also without the rule', async () => {
  const shop = await guarded([drop])
  const open = async (): Promise<number> => {
    await watch.look()
    const wanted = { kinds: ['guard.held'], states: ['open'] }
    return Object(expectOk(await shop.supplier.post('/push/alerts', wanted)).body['alerts']).length
  }
  expectStatus(await push(shop, ['2027-04-10', 10]), 207)
  assert.equal(await open(), 1)
  await setRules(shop, [])
  assert.equal(await open(), 1)
  const holdIds = (await holdsOf(shop)).map(({ holdId }) => holdId)
  expectOk(await shop.supplier.post('/push/guard/discard', { hotelId: 'H1', holdIds }))
  assert.equal(await open(), 0)
})

test('lines of a load are judged by the rules of their moment, and count as applied only if something was', async () => {
  const shop = await guarded([drop])
  const line = (ari: Fields[]) => `${JSON.stringify({ hotelId: 'H1', pricingModel: 'unit', ari })}\n`
  const lines = [
    line([item('2027-04-10', 10)]),
    line([{ ...item('2027-04-11', 10), inventory: 1 }]),
    line([item('2027-04-12', 90)]),
  ]
  const job = await load(shop.supplier, { kind: 'ari' }, lines.join(''))
  const figures = { state: 'done', lines: 3, applied: 2, unchanged: 1, partial: 0, refused: 0, hotels: 1 }
  assert.deepEqual([figuresOf(job), (await holdsOf(shop)).length], [figures, 2])
  const csv = [
    'hotelId,roomId,rateId,startDate,endDate,inventory,price',
    'H1,DBL,BAR,2027-04-13,2027-04-13,,10',
    'H1,DBL,BAR,2027-04-14,2027-04-14,1,10',
    'H1,DBL,BAR,2027-04-15,2027-04-15,,90',
  ].join('\n')
  const ofCsv = figuresOf(await load(shop.supplier, { kind: 'ari', format: 'csv' }, csv))
  // With the header.
  assert.deepEqual(ofCsv, { ...figures, lines: 4 })
  await setRules(shop, [])
  assert.equal(Object(figuresOf(await load(shop.supplier, { kind: 'ari' }, lines.join(''))))['applied'], 2)
  assert.deepEqual([await priceOn(shop, '2027-04-10'), typesOf(await release(shop))], [10, []])
})
