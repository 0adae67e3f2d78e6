import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { firstSeed, roundsWithin } from '../../test/stage/pace.ts'
import { expectOk, pushStoryHotel } from '../../test/stage/story.ts'
import { busyYear } from '../../test/stage/guard/busy-year.ts'
import { openTwins, stepsPerRound } from '../../test/stage/guard/twins.ts'

/** The guard beside hotels without one, with realistic pushes, and with many holds. */

const steps = 100_000
const rounds = { full: Math.ceil(steps / stepsPerRound), floor: 4, share: 0.02 }

test('with the guard on, no stay is sold that is not sold without it, and never more units', async (t) => {
  t.diagnostic(`ARI_PROOF_SEED=${firstSeed}`)
  const twins = await openTwins(await gatewayForTests({ now: '2027-03-01T12:00:00Z' }), firstSeed)
  const { next, summary } = roundsWithin(rounds)
  for (let round = next(); round !== undefined; round = next()) await twins.round(round)
  const { counted } = twins
  t.diagnostic(`${summary()}: ${JSON.stringify(counted)}`)
  for (const [kind, count] of Object.entries(counted)) assert.ok(count > 0, `there was no case of ${kind}`)
  // A guard that holds nothing back sells the same too. What a release changes had not been applied before.
  const { steps: done, heldItems, releases, cellsReleased } = counted
  assert.ok(heldItems * 20 > done, `${heldItems} items of ${done} steps were held`)
  assert.ok(cellsReleased > releases, `${releases} releases changed ${cellsReleased} cells`)
})

test('in a year of realistic pushes, at most one item in a thousand is held', async (t) => {
  const { items, held, prices } = await busyYear(await gatewayForTests({ now: '2027-03-01T12:00:00Z' }))
  t.diagnostic(`${held} of ${items} items were held, ${prices} of them with new prices`)
  assert.ok(held * 1_000 <= items, `${held} of ${items}`)
})

test('1,000 open holds are listed by pages, newest first, each once, and released 100 at a time', async () => {
  const gateway = await gatewayForTests()
  const supplier = await gateway.supplier('many', { requestsPerMinute: 0 })
  await pushStoryHotel(supplier)
  const push = async (ari: unknown[]) =>
    Object((await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari })).body)
  const rates = ['BAR', 'NRF'].map((rateId) => ({ rateId, price: 100 }))
  await push([{ roomId: 'DBL', startDate: nightOf(0), endDate: nightOf(499), inventory: 1, rates }])
  expectOk(
    await supplier.post('/push/guard', { rules: [{ kind: 'priceDrop', percent: 30, action: 'hold' }] }),
  )
  const holdIds: string[] = []
  for (let night = 0; night < 500; night += 5) {
    const bodies = Array.from({ length: 10 }, (_, index) => ({
      roomId: 'DBL',
      date: nightOf(night + (index >> 1)),
      rates: [{ rateId: index % 2 === 0 ? 'BAR' : 'NRF', price: 10 }],
    }))
    const answers = await Promise.all(bodies.map((body) => push([body])))
    for (const { results } of answers) holdIds.push(results[0].holds[0].holdId)
  }
  const listed: { holdId: string; at: string }[] = []
  let pages = 0
  for (let cursor: string | null | undefined; cursor !== null; pages++) {
    const { body } = expectOk(await supplier.post('/push/guard/holds', { limit: 200, cursor }))
    const { holds, nextCursor } = Object(body)
    listed.push(...holds)
    cursor = nextCursor
  }
  assert.deepEqual([pages, listed.length], [5, 1_000])
  assert.deepEqual(listed.map(({ holdId }) => holdId).toSorted(), holdIds.toSorted())
  const times = listed.map(({ at }) => at)
  assert.deepEqual(times, times.toSorted().toReversed())
  let released = 0
  for (let hasMore = true; hasMore;) {
    const { body } = expectOk(await supplier.post('/push/guard/release', { hotelId: 'H1' }))
    released += Number(body['cellsChanged'])
    hasMore = body['hasMore'] === true
  }
  assert.equal(released, 1_000)
})

function nightOf(day: number): string {
  return new Date(Date.UTC(2027, 3, 1 + day)).toISOString().slice(0, 10)
}
