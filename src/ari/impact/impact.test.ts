import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openShop, type Shop } from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests, type Reply } from '../../../test/stage/harness.ts'
import { supplierDigests } from '../../../test/stage/stored-state.ts'
import { expectOk, problemsOf, product, pushStoryHotel, storyHotel } from '../../../test/stage/story.ts'
import { isRecord } from '../../http/validation/validate.ts'

const gateway = await gatewayForTests({ now: '2027-03-15T12:00:00Z' })

type Fields = Record<string, unknown>

let shops = 0
/** DBL with BAR at 100.00 and NRF at 80.00, two units, in April 2027. */
const shop = (): Promise<Shop> => openShop(gateway, `planning ${++shops}`)

const push = ({ supplier }: Pick<Shop, 'supplier'>, body: Fields): Promise<Reply> =>
  supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ...body })

function impactOf({ body }: Reply): Fields {
  const { impact } = body
  assert.ok(isRecord(impact), JSON.stringify(body))
  return impact
}

/** Halves three prices of BAR, and sells out a night of the room. */
const change = {
  ari: [
    { roomId: 'DBL', rateId: 'BAR', startDate: '2027-04-10', endDate: '2027-04-12', price: 50 },
    { roomId: 'DBL', date: '2027-04-20', inventory: 0 },
  ],
}

async function planOf(at: Shop, body: Fields = change): Promise<{ impact: Fields; planId: unknown }> {
  const impact = impactOf(expectOk(await push(at, { ...body, dryRun: true, impact: true })))
  return { impact, planId: impact['planId'] }
}

test('a dry run with impact says what the push means for the sale, and the push that follows says the same', async () => {
  const at = await shop()
  const { impact, planId } = await planOf(at)
  const worst = { roomId: 'DBL', rateId: 'BAR', bucket: 'u', before: 100, after: 50, pct: -50 }
  const unsellable = (rateId: string) => ({ roomId: 'DBL', rateId, date: '2027-04-20' })
  assert.match(String(planId), /^r4-[0-9a-f]{32}-[0-9a-f]{8}$/)
  assert.deepEqual(impact, {
    baseRevision: 4,
    planId,
    nights: { touched: 4, changed: 4 },
    price: {
      up: { cells: 0, medianPct: null, maxPct: null },
      down: { cells: 3, medianPct: 50, maxPct: 50 },
      worst: ['2027-04-10', '2027-04-11', '2027-04-12'].map((date) => ({ ...worst, date })),
    },
    inventory: { before: 2, after: 0, zeroed: 1 },
    restrictions: { tighter: 0, looser: 0 },
    sellable: {
      newlyUnsellable: 2,
      newlySellable: 0,
      examples: { newlyUnsellable: [unsellable('BAR'), unsellable('NRF')], newlySellable: [] },
    },
    // Of both rates: 90 arrivals, 7 lengths. A stay of n nights contains the night on n arrivals.
    stays: {
      tested: 2 * 90 * 7 * 2,
      lost: 2 * 28 * 2,
      gained: 0,
      party: [1, 2].map((adults) => ({ adults, tested: 2 * 90 * 7, lost: 2 * 28, gained: 0 })),
    },
    flags: ['pricesHalved', 'unitsZeroed', 'nightsUnsellable'],
    guard: { wouldHold: 0 },
  })
  const pushed = expectOk(await push(at, { ...change, impact: true, planId }))
  assert.equal(pushed.body['revision'], 5)
  assert.deepEqual(impactOf(pushed), impact)
})

test('restrictions are tighter or looser, and stays are won back', async () => {
  const at = await shop()
  const closed = { roomId: 'DBL', date: '2027-04-20', closed: true }
  expectOk(await push(at, { ari: [closed] }))
  const ari = [
    { ...closed, closed: null },
    { roomId: 'DBL', rateId: 'BAR', date: '2027-04-05', minStayArrival: 3, maxStayArrival: 9 },
  ]
  const { impact } = await planOf(at, { ari })
  const { restrictions, stays, sellable, flags } = impact
  assert.deepEqual(restrictions, { tighter: 2, looser: 1 })
  assert.ok(isRecord(stays) && isRecord(sellable))
  // For BAR: stays of one and two nights from 5 April, for two parties.
  assert.deepEqual([stays['lost'], stays['gained']], [4, 2 * 28 * 2])
  assert.deepEqual([sellable['newlySellable'], flags], [2, []])
})

test('a push without impact has none, and one that is refused has none', async () => {
  const at = await shop()
  assert.equal(expectOk(await push(at, change)).body['impact'], undefined)
  const refused = await push(at, { impact: true, ari: [{ roomId: 'TWN', date: '2027-04-20', inventory: 1 }] })
  assert.deepEqual([refused.status, refused.body['impact']], [404, undefined])
})

test('a dry run with impact writes nothing but its entry in the push log', async () => {
  const at = await shop()
  const { rows } = await gateway.db.query<{ id: number }>('select id from supplier')
  const ids = rows.map(({ id }) => id)
  const before = await supplierDigests(gateway.db, ids)
  await planOf(at)
  await planOf(at, { ...change, ari: [...change.ari, { roomId: 'DBL', date: '2028-04-20', inventory: 1 }] })
  assert.deepEqual(await supplierDigests(gateway.db, ids), before)
})

test('a plan is applied only to the state that it was made of', async () => {
  const at = await shop()
  const { planId } = await planOf(at)
  expectOk(await push(at, { ari: [{ roomId: 'DBL', date: '2027-04-25', inventory: 1 }] }))
  const stale = await push(at, { ...change, planId })
  assert.equal(stale.status, 409, stale.text)
  assert.deepEqual(problemsOf(stale), [
    ['/planId', 'PLAN_STALE', 'The hotel is at revision 5, and the plan was made at revision 4'],
  ])
  const again = await planOf(at)
  const applied = expectOk(await push(at, { ...change, planId: again.planId }))
  assert.deepEqual([applied.body['revision'], applied.body['summary']], [6, summaryOf(2, 4)])
})

const summaryOf = (items: number, cellsChanged: number) => ({
  items,
  applied: items,
  partial: 0,
  rejected: 0,
  superseded: 0,
  unchanged: 0,
  cellsChanged,
})

test('a plan from before a reset is not applied to the hotel that is pushed anew', async () => {
  const at = await shop()
  const { planId } = await planOf(at)
  expectOk(await at.supplier.post('/push/sandbox/reset', {}))
  await pushStoryHotel(at.supplier)
  const stale = await push(at, { ...change, planId })
  assert.deepEqual([stale.status, Object(problemsOf(stale)[0])[1]], [409, 'PLAN_STALE'])
})

test('a booking makes a plan stale', async () => {
  const at = await shop()
  const { planId } = await planOf(at)
  assert.equal((await at.book()).status, 201)
  assert.equal((await push(at, { ...change, planId })).status, 409)
})

test('a plan belongs to its body, whatever the order of its members', async () => {
  const at = await shop()
  const { planId } = await planOf(at)
  const other = { ari: [{ roomId: 'DBL', date: '2027-04-20', inventory: 1 }] }
  for (const one of [planId, 'r4-00', 'r4', '4'])
    assert.deepEqual(problemsOf(await push(at, { ...other, planId: one })), [
      ['/planId', 'PLAN_OTHER_BODY', 'planId belongs to another push'],
    ])
  const reordered = change.ari.map((item) => Object.fromEntries(Object.entries(item).toReversed()))
  expectOk(await push(at, { ari: reordered, planId }))
})

test('of racing pushes by the same plan one is applied, and the others are stale', async () => {
  const at = await shop()
  for (let round = 0; round < 5; round++) {
    const ari = [{ roomId: 'DBL', date: '2027-04-20', inventory: 10 + round }]
    const { planId } = await planOf(at, { ari })
    const replies = await Promise.all(Array.from({ length: 8 }, () => push(at, { ari, planId })))
    const statuses = replies.map(({ status }) => status).sort((one, other) => one - other)
    assert.deepEqual(statuses, [200, ...Array.from({ length: 7 }, () => 409)])
  }
})

test('the guard says how many nights it would hold', async () => {
  const at = await shop()
  const rules = [{ kind: 'priceDrop', percent: 30, action: 'hold' }]
  expectOk(await at.supplier.post('/push/guard', { rules }))
  const planned = await push(at, { ...change, dryRun: true, impact: true })
  const { guard, price, nights } = impactOf(planned)
  assert.deepEqual([planned.status, guard], [207, { wouldHold: 3 }])
  // What is held doesn't change.
  assert.deepEqual([nights, isRecord(price) && price['worst']], [{ touched: 4, changed: 1 }, []])
})

test('a year of 50 room-rates is tested by a sample, which is the same for the push that follows', async () => {
  const supplier = await gateway.supplier('large')
  const codes = Array.from({ length: 10 }, (_, index) => `R${index}`)
  const rates = Array.from({ length: 5 }, (_, index) => `P${index}`)
  expectOk(await supplier.post('/push/hotels', [storyHotel()]))
  const products = codes.flatMap((roomId) => rates.map((rateId) => product(roomId, rateId)))
  expectOk(await supplier.post('/push/products', { hotelId: 'H1', products }))
  const year = { startDate: '2027-03-15', endDate: '2028-03-14' }
  const at = (price: number, more: Fields = {}) => ({
    ari: codes.map((roomId) => ({
      roomId,
      ...year,
      inventory: 3,
      rates: rates.map((rateId) => ({ rateId, price, ...more })),
    })),
  })
  expectOk(await push({ supplier }, at(100)))
  const body = at(90, { minStayArrival: 3 })
  const planned = impactOf(expectOk(await push({ supplier }, { ...body, dryRun: true, impact: true })))
  const { stays, planId, nights } = planned
  assert.ok(isRecord(stays))
  const { tested, of, lost } = stays
  assert.deepEqual([of, tested, nights], [63_000, 1_910, { touched: 21_960, changed: 18_300 }])
  // Two of seven lengths; 1,910 is no multiple of 7.
  assert.equal(lost, Math.ceil((1_910 * 2) / 7))
  assert.deepEqual(impactOf(expectOk(await push({ supplier }, { ...body, impact: true, planId }))), planned)
})
