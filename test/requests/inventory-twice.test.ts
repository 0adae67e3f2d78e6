import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests } from '../stage/harness.ts'
import { storySupplier } from '../stage/scenes/ari.ts'
import { expectOk } from '../stage/story.ts'

/** Two inventories for one room and night in one push: the last one counts, and its item says so. */

const gateway = await gatewayForTests({ now: '2027-03-01T12:00:00Z' })

async function pushTo(supplier: Awaited<ReturnType<typeof storySupplier>>, ari: object[], more: object = {}) {
  const { body } = expectOk(await supplier.post('/push/ari', { hotelId: 'H1', ari, ...more }))
  return Object(body['results']).map(({ warnings = [] }: { warnings?: Record<string, string>[] }) =>
    warnings.map(({ type, path, message, hint }) => ({ type, path, message, hint })),
  )
}

const flat = (rateId: string, more: object) => ({ roomId: 'DBL', rateId, ...more })
const april = { startDate: '2027-04-01', endDate: '2027-04-10' }

test('two inventories for one room and night in one push warn INVENTORY_TWICE, and the last one counts', async () => {
  const supplier = await storySupplier(gateway)
  const ari = [
    flat('BAR', { ...april, inventory: 6 }),
    flat('NRF', { ...april, endDate: '2027-04-02', inventory: 2 }),
  ]
  const warning = {
    type: 'INVENTORY_TWICE',
    path: '/ari/1',
    message:
      'DBL has another inventory earlier in this push for 2 nights (2027-04-01, 2027-04-02): the last one, 2, counts',
    hint: "The other is at /ari/0. An item's inventory is that of the room, for all its rates; a rate's own share goes into its entry of rates",
  }
  assert.deepEqual(await pushTo(supplier, ari, { dryRun: true }), [[], [warning]])
  assert.deepEqual(await pushTo(supplier, ari), [[], [warning]])
  const { body } = expectOk(
    await supplier.post('/push/getAri', { hotelId: 'H1', startDate: '2027-04-01', endDate: '2027-04-10' }),
  )
  assert.deepEqual(
    Object(body['ari']).map(({ startDate, inventory }: Record<string, unknown>) => [startDate, inventory]),
    [
      ['2027-04-01', 2],
      ['2027-04-03', 6],
    ],
  )
  const found = expectOk(await supplier.get('/push/log?problem=INVENTORY_TWICE'))
  assert.equal(Object(found.body['pushes']).length, 2)
})

test('the same units twice, other nights, other rooms and a second push are no two inventories', async () => {
  const supplier = await storySupplier(gateway)
  const units = { ...april, inventory: 6 }
  assert.deepEqual(await pushTo(supplier, [flat('BAR', units), flat('NRF', units)]), [[], []])
  assert.deepEqual(
    await pushTo(supplier, [
      flat('BAR', { ...units, inventory: -1 }),
      flat('NRF', { ...units, inventory: 0 }),
    ]).then((all) => all[1]),
    [],
  )
  const weekdays = [
    { roomId: 'DBL', ...units, daysOfWeek: ['MON', 'TUE', 'WED', 'THU'] },
    { roomId: 'DBL', ...april, inventory: 1, daysOfWeek: ['FRI', 'SAT', 'SUN'] },
  ]
  assert.deepEqual(await pushTo(supplier, weekdays), [[], []])
  assert.deepEqual(await pushTo(supplier, [flat('BAR', { ...units, inventory: 7 })]), [[]])
})

test('more than five nights are counted, and what stands between is not another', async () => {
  const supplier = await storySupplier(gateway)
  const [, , [told]] = await pushTo(supplier, [
    { roomId: 'DBL', ...april, inventory: 6 },
    { roomId: 'DBL', date: '2027-04-05', inventory: 6 },
    { roomId: 'DBL', ...april, inventory: null },
  ])
  assert.equal(
    told.message,
    'DBL has another inventory earlier in this push for 10 nights (2027-04-01, 2027-04-02, 2027-04-03, 2027-04-04, 2027-04-05, and 5 more): the last one, none, counts',
  )
})

test("a rate's own inventory stated twice is told of with its rate, and not beside the room's", async () => {
  const supplier = await storySupplier(gateway)
  const rates = (inventory: number) => [{ rateId: 'BAR', inventory }]
  const [first, [second]] = await pushTo(supplier, [
    { roomId: 'DBL', date: '2027-04-01', inventory: 6, rates: rates(2) },
    { roomId: 'DBL', date: '2027-04-01', rates: rates(3) },
  ])
  assert.deepEqual(first, [])
  assert.equal(
    second.message,
    'DBL / BAR has another inventory earlier in this push for 1 night (2027-04-01): the last one, 3, counts',
  )
})
