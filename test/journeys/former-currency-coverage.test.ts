import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchOnce } from '../../src/alerts/watch/watch.ts'
import { openLog } from '../../src/base/log.ts'
import { telemetry } from '../../src/base/telemetry.ts'
import { gatewayForTests, type TestSupplier } from '../stage/harness.ts'
import { openShop, pushNights } from '../stage/scenes/booking.ts'
import { cityTax, type Fields } from '../stage/scenes/offers.ts'
import { expectOk, product, storyHotel } from '../stage/story.ts'

/** A night that needs an amount of a former currency can't be sold, so nothing counts it as covered. */

const gateway = await gatewayForTests({ now: '2027-03-01T12:00:00Z' })
const wholeYear = { startDate: '2027-03-01', endDate: '2028-02-28' }
const fixedTax = { ...cityTax, value: 3.5, appliedPer: 'per_room_per_night', payNow: true }
const cleaning = { name: 'Cleaning', valueType: 'fixed', value: 12, appliedPer: 'per_room_per_stay' }

/** Sells in dollars, then in yen: every price is pushed again, and none of the amounts given here. */
async function movedToYen(
  name: string,
  { taxes = [], cancelPolicies = [] }: { taxes?: Fields[]; cancelPolicies?: Fields[] },
): Promise<TestSupplier> {
  const { supplier } = await openShop(gateway, name)
  expectOk(await supplier.post('/push/taxes', { hotelId: 'H1', taxes }))
  await pushPolicies(supplier, cancelPolicies)
  expectOk(await supplier.post('/push/hotels', [storyHotel({ currency: 'JPY' })]))
  await pushNights(supplier, wholeYear)
  return supplier
}

const pushPolicies = async (supplier: TestSupplier, cancelPolicies: Fields[]): Promise<unknown> =>
  expectOk(
    await supplier.post('/push/products', {
      hotelId: 'H1',
      products: ['BAR', 'NRF'].map((rateId) => product('DBL', rateId, { cancelPolicies })),
    }),
  )

/** The nights that can be sold by the alert of low coverage; undefined if there are enough. */
async function coverageOf(supplier: TestSupplier): Promise<unknown> {
  const { db, clock } = gateway
  await watchOnce({ db, clock, log: openLog('silent'), telemetry: telemetry() })
  const { body } = await supplier.post('/push/alerts', { kinds: ['coverage.low'], states: ['open'] })
  const [alert] = Object(body)['alerts']
  return alert?.evidence.sellableDays
}

async function daysCovered(supplier: TestSupplier): Promise<unknown[]> {
  const { body } = expectOk(await supplier.get('/push/certification?hotelId=H1'))
  const check = Object(body)['checks'].find(({ id }: Fields) => id === 'days-covered')
  return [check.state, check.why]
}

const unsold = 'H1 has prices for 0 of the next 365 nights'
const because =
  '; it has prices for 365 more, which are not sold because a tax, fee or penalty is of a former currency'
const covered = ['proven', 'H1 has prices for 365 of the next 365 nights']

test('nights that need a tax of a former currency are not covered, until it is pushed again', async () => {
  const supplier = await movedToYen('taxes', { taxes: [fixedTax] })
  assert.equal(await coverageOf(supplier), 0)
  assert.deepEqual(await daysCovered(supplier), ['failing', unsold + because])
  expectOk(await supplier.post('/push/taxes', { hotelId: 'H1', taxes: [{ ...fixedTax, value: 350 }] }))
  assert.equal(await coverageOf(supplier), undefined)
  assert.deepEqual(await daysCovered(supplier), covered)
})

test('only the nights of a dated tax of a former currency are not covered', async () => {
  const dated = { ...fixedTax, startDate: '2027-03-21', endDate: '2028-02-28' }
  const supplier = await movedToYen('dated', { taxes: [dated] })
  assert.equal(await coverageOf(supplier), 20)
  assert.deepEqual(await daysCovered(supplier), [
    'failing',
    'H1 has prices for 20 of the next 365 nights; it has prices for 345 more, which are not sold because a tax, fee or penalty is of a former currency',
  ])
})

test('nights whose policy has a fee of a former currency are not covered', async () => {
  const policy = { code: 'FLEX1', description: 'Flexible', fees: [cleaning] }
  const supplier = await movedToYen('fees', { cancelPolicies: [policy] })
  assert.equal(await coverageOf(supplier), 0)
  assert.deepEqual(await daysCovered(supplier), ['failing', unsold + because])
  await pushPolicies(supplier, [])
  assert.equal(await coverageOf(supplier), undefined)
  assert.deepEqual(await daysCovered(supplier), covered)
})

test('a push makes no night sellable that needs an amount of a former currency', async () => {
  const supplier = await movedToYen('impact', {
    taxes: [{ ...fixedTax, startDate: '2027-04-11', endDate: '2027-04-30' }],
  })
  const impactOf = async (closed: boolean): Promise<unknown> => {
    const ari = [{ roomId: 'DBL', startDate: '2027-04-10', endDate: '2027-04-12', closed }]
    const { body } = expectOk(await supplier.post('/push/ari', { hotelId: 'H1', ari, impact: true }))
    const { newlySellable, newlyUnsellable } = Object(body)['impact'].sellable
    return { newlySellable, newlyUnsellable }
  }
  assert.deepEqual(await impactOf(true), { newlySellable: 0, newlyUnsellable: 2 }, 'both rates on the 10th')
  assert.deepEqual(await impactOf(false), { newlySellable: 2, newlyUnsellable: 0 })
})
