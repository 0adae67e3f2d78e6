import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openShop, type Shop } from '../../../test/stage/scenes/booking.ts'
import { load, ndjson } from '../../../test/stage/scenes/bulk.ts'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { expectOk } from '../../../test/stage/story.ts'

/** Each line of a load is a push, so a mistake of thousands of lines is undone like one of a push. */

const gateway = await gatewayForTests()
gateway.app.startBulk()

type Fields = Record<string, unknown>

async function stateOf({ supplier }: Shop): Promise<Fields> {
  const range = { hotelId: 'H1', startDate: '2027-04-01', endDate: '2027-06-30' }
  const { body } = expectOk(await supplier.post('/push/getAri', range))
  return { ...body, revision: undefined, requestId: undefined }
}

const days = ['2027-04-12', '2027-04-13', '2027-04-14']
const mistake = (date: string): Fields => ({
  hotelId: 'H1',
  pricingModel: 'unit',
  ari: [{ roomId: 'DBL', date, closed: true, rates: [{ rateId: 'BAR', price: 1 }] }],
})
const csv = [
  'hotelId,roomId,rateId,startDate,endDate,price,closed',
  ...days.map((day) => `H1,DBL,BAR,${day},${day},1,`),
]

/** The request ids of the pushes that a load made, newest first, as the difference to before it names them. */
async function pushesOf({ supplier }: Shop, jobId: string, before: number): Promise<string[]> {
  const { body } = expectOk(
    await supplier.post('/push/getAriDiff', { hotelId: 'H1', from: { revision: before } }),
  )
  const ids = Object(body['changes']).map((change: Fields) => String(change['requestId']))
  const made = new Set<string>(ids.filter((id: string) => id.startsWith(jobId)))
  return [...made].toSorted().toReversed()
}

for (const { format, data, pushes } of [
  { format: 'ndjson', data: ndjson(days.map(mistake)), pushes: ['3', '2', '1'] },
  // Lines of one hotel that follow each other are one push, with the number of the first.
  { format: 'csv', data: `${csv.join('\n')}\n`, pushes: ['2'] },
] as const)
  test(`a load of ${format} is undone push by push, newest first`, async () => {
    const stage = await openShop(gateway, `loaded ${format}`)
    const before = await stateOf(stage)
    const { jobId, applied } = await load(stage.supplier, { kind: 'ari', format }, data)
    assert.equal(applied, 3)
    assert.notDeepEqual(await stateOf(stage), before)
    const made = await pushesOf(stage, jobId, 4)
    assert.deepEqual(
      made,
      pushes.map((line) => `${jobId}.${line}`),
    )
    for (const requestId of made)
      expectOk(await stage.supplier.post('/push/undo', { hotelId: 'H1', requestId }))
    assert.deepEqual(await stateOf(stage), before)
    const again = await stage.supplier.post('/push/undo', { hotelId: 'H1', requestId: made[0] })
    assert.equal(again.status, 409, again.text)
  })
