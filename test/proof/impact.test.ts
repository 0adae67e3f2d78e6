import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { operatorOf } from '../calendar.ts'
import { seeded } from '../fuzz/random.ts'
import { gatewayForTests } from '../harness.ts'
import { roundsWithin } from '../pace.ts'
import { supplierDigests } from '../stored-state.ts'
import { expectOk } from '../story.ts'
import { naiveImpact, naiveTouched } from './naive-impact.ts'
import { randomChange, randomHotel, stopSellPath, type HotelSpec } from './offer-hotels.ts'

/**
 * Random plans for random hotels: what a dry run announces is what the push that follows does, and what a naive
 * evaluator counts, and the dry run writes nothing.
 */

const gateway = await gatewayForTests()
const operator = await operatorOf(gateway)
const rounds = { full: 2_000, floor: 25, share: 0.02 }
const plansPerHotel = 20
/** Repeats a run, as named by a failure. */
const asked = process.env['ARI_PROOF_SEED']

test('2,000 random plans announce what their pushes do, as a naive evaluator counts it', async (context) => {
  const seed = asked === undefined ? randomInt(1_000_000_000) : Number(asked)
  context.diagnostic(`ARI_PROOF_SEED=${seed}`)
  const random = seeded(seed)
  const supplier = await gateway.supplier('planner', { requestsPerMinute: 0 })
  const { rows } = await gateway.db.query<{ id: number }>('select id from supplier')
  const ids = rows.map(({ id }) => id)
  const push = (body: object) => supplier.post('/push/ari', body)
  const setUp = async (hotelId: string): Promise<HotelSpec> => {
    const hotel = randomHotel(random, hotelId, gateway.clock.now())
    for (const { path, body } of hotel.pushes) {
      if (path !== stopSellPath) expectOk(await supplier.post(path, body))
      else expectOk(await operator('POST', `/hotels/${await platformId(hotelId)}/stop-sell`, Object(body)))
    }
    return hotel
  }
  const platformId = async (hotelId: string): Promise<string> => {
    const { body } = await supplier.post('/push/getHotels', { hotelIds: [hotelId] })
    return Object(body['hotels'])[0].platformHotelId
  }

  const { next, summary } = roundsWithin(rounds)
  const seen = { changed: 0, up: 0, down: 0, lost: 0, gained: 0, stale: 0 }
  let hotel = await setUp('P0')
  for (let round = next(); round !== undefined; round = next()) {
    if (round > 0 && round % plansPerHotel === 0) hotel = await setUp(`P${round}`)
    const { naive } = hotel
    const before = structuredClone(naive)
    const body = randomChange(random, naive)
    const where = `plan ${round}: ${JSON.stringify(body)}`
    const stored = await supplierDigests(gateway.db, ids)
    const dry = expectOk(await push({ ...body, dryRun: true, impact: true }))
    assert.deepEqual(await supplierDigests(gateway.db, ids), stored, where)
    const announced = Object(dry.body['impact'])
    const { planId } = announced

    const { price, nights, inventory, restrictions, sellable, stays } = announced
    const counted = naiveImpact({ before, after: naive })
    const { newlyUnsellable, newlySellable } = sellable
    const { tested, lost, gained } = stays
    assert.deepEqual(
      {
        ...nights,
        up: price.up,
        down: price.down,
        inventory,
        restrictions,
        sellable: { newlyUnsellable, newlySellable },
        stays: { tested, lost, gained },
      },
      {
        touched: naiveTouched(body.ari),
        changed: counted.changed,
        up: counted.up,
        down: counted.down,
        inventory: counted.inventory,
        restrictions: counted.restrictions,
        sellable: counted.sellable,
        stays: counted.stays,
      },
      where,
    )

    const reply = expectOk(await push({ ...body, impact: true, planId }))
    assert.deepEqual(reply.body['impact'], announced, where)
    // A second push by the same plan is stale, unless the first one changed nothing.
    const again = await push({ ...body, planId })
    assert.equal(again.status, counted.changed > 0 ? 409 : 200, where)
    if (again.status === 409) seen.stale++
    seen.changed += counted.changed
    seen.up += counted.up.cells
    seen.down += counted.down.cells
    seen.lost += counted.stays.lost
    seen.gained += counted.stays.gained
  }
  context.diagnostic(`${summary()}: ${JSON.stringify(seen)}`)
  // A plan seldom opens anything; the other kinds occur in every run.
  assert.ok(seen.changed > 0 && seen.lost > 0 && seen.stale > 0)
})
