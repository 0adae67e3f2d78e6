import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openShop, pushNights } from '../../../test/stage/scenes/booking.ts'
import { operatorOf } from '../../../test/stage/scenes/calendar.ts'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { expectOk } from '../../../test/stage/story.ts'
import { telemetry } from '../../base/telemetry.ts'
import { openLog } from '../../base/log.ts'
import { readConfig } from '../../settings/config.ts'
import { doChores } from '../../start/housekeeping.ts'
import { decodeBefore } from './before-values.ts'

const gateway = await gatewayForTests()

type Stored = { kind: string; revision: number; before: Buffer }

/** The stored changes of ARI, oldest first, each with the number of revisions since the one before it. */
async function changes(): Promise<[string, number, number][]> {
  const { rows } = await gateway.db.query<Stored>(
    `select kind::text, revision, before from push_log where before is not null
     union all select 'booking', revision, before from reservation_version where before is not null
     order by revision`,
  )
  return rows.map(({ kind, revision, before }) => [kind, revision, decodeBefore(before).revisionsSince])
}

test('each change of ARI stores the values before it, in a chain; pushes without an effect store none', async () => {
  const { supplier, book } = await openShop(gateway)
  const operator = await operatorOf(gateway)
  const item = { roomId: 'DBL', date: '2027-04-20' }
  const push = async (ari: object[], more: object = {}) =>
    expectOk(await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari, ...more }))
  await push([{ ...item, inventory: 7 }], { dryRun: true })
  await push([
    { ...item, inventory: 7 },
    { ...item, inventory: 2 },
  ])
  await push([{ ...item, inventory: 2 }])
  assert.equal((await book()).status, 201)
  expectOk(await supplier.post('/push/taxes', { hotelId: 'H1', taxes: [] }))
  const { rows } = await gateway.db.query<{ id: number }>('select id from hotel')
  const stop = {
    action: 'stop',
    reason: 'Flood',
    targets: [{ roomId: 'DBL' }],
    from: '2027-04-20',
    to: '2027-04-20',
  }
  for (const preview of [true, false])
    assert.equal(
      (await operator('POST', `/hotels/${rows[0]?.id}/stop-sell`, { ...stop, preview })).status,
      200,
    )
  await pushNights(supplier)
  assert.deepEqual(await changes(), [
    ['ari', 4, 4],
    ['booking', 5, 1],
    ['stopSell', 7, 2],
    ['ari', 8, 1],
  ])

  const needs = { db: gateway.db, clock: gateway.clock, log: openLog('silent'), telemetry: telemetry() }
  const days = 86_400_000
  const { settings } = readConfig({})
  await doChores(needs, settings, gateway.clock.now() + (settings.pushLogDays - 1) * days)
  assert.equal((await changes()).length, 4)
  await doChores(needs, settings, gateway.clock.now() + (settings.pushLogDays + 2) * days)
  assert.deepEqual(await changes(), [])
})

test('the values before a small push take at most 60 bytes, before its undo as well; the test prints how many', async (t) => {
  const { supplier } = await openShop(gateway, 'bytes')
  const week = { roomId: 'DBL', startDate: '2027-04-12', endDate: '2027-04-18' }
  const adults = (guests: number, amount: number) => ({ ageCategory: 'adult', guests, amount })
  const ofWeek = { rateId: 'BAR', prices: [adults(1, 80), adults(2, 95)], minLengthStay: 2 }
  const rates = [{ rateId: 'BAR', prices: [adults(2, 101.5)] }]
  const pushes: Record<string, object> = {
    'a price of a night': { roomId: 'DBL', date: '2027-04-12', rates },
    'two prices, units and a minimum stay of a week': { ...week, inventory: 5, rates: [ofWeek] },
    'a closure of a week': { ...week, closed: true },
    'weekends of a month': { ...week, endDate: '2027-04-30', daysOfWeek: ['FRI', 'SAT'], rates },
  }
  const bytes = async (revision: unknown): Promise<number> => {
    const { rows } = await gateway.db.query<{ bytes: number }>(
      `select octet_length(before) as bytes from push_log join supplier on supplier.id = supplier_id
       where supplier.name = 'bytes' and revision = $1 and before is not null`,
      [revision],
    )
    return rows[0]?.bytes ?? 0
  }
  for (const [name, item] of Object.entries(pushes)) {
    const push = { hotelId: 'H1', pricingModel: 'guest', ari: [item] }
    const { revision } = expectOk(await supplier.post('/push/ari', push)).body
    const fields = ['inventory', 'price', 'closed', 'minLengthStay']
    const undo = expectOk(await supplier.post('/push/undo', { hotelId: 'H1', revision, fields })).body
    const [pushed, undone] = [await bytes(revision), await bytes(undo['revision'])]
    t.diagnostic(`${name}: ${pushed} B, its undo ${undone} B`)
    assert.ok(pushed > 0 && pushed <= 60 && undone > 0 && undone <= 60, `${name}: ${pushed} and ${undone}`)
  }
})
