import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operatorOf } from '../../test/stage/scenes/calendar.ts'
import { seeded, type Random } from '../../test/stage/fuzz/random.ts'
import { gatewayForTests, type Reply } from '../../test/stage/harness.ts'
import { firstSeed, roundsWithin } from '../../test/stage/pace.ts'
import { supplierDigests, type Digests } from '../../test/stage/stored-state.ts'
import { expectOk } from '../../test/stage/story.ts'
import { naiveImpact, naiveTouched, type Bookable } from '../../test/stage/models/naive-impact.ts'
import {
  randomChange,
  randomHotel,
  stopSellPath,
  type HotelSpec,
} from '../../test/stage/models/offer-hotels.ts'

/**
 * Random plans for random hotels: what a dry run announces is what the push that follows does, and what a naive
 * evaluator counts, and the dry run writes nothing.
 */

const gateway = await gatewayForTests()
const operator = await operatorOf(gateway)
const rounds = { full: 2_000, floor: 100, share: 0.02 }
const hotelsAtOnce = 4
const plansPerHotel = 20
/** Of every so many plans of a hotel, the naive evaluator judges all stays. */
const judgedWhole = 10
const seen = { changed: 0, up: 0, down: 0, lost: 0, gained: 0, stale: 0 }

/** A random hotel, with a supplier of its own, whose stored data is compared. */
type Stage = {
  hotel: HotelSpec
  bookable: Bookable
  push: (body: object) => Promise<Reply>
  stored: () => Promise<Digests>
}

async function setUp(random: Random, name: string): Promise<Stage> {
  const supplier = await gateway.supplier(name, { requestsPerMinute: 0 })
  const { rows } = await gateway.db.query<{ id: number }>('select id from supplier where name = $1', [name])
  const ids = rows.map(({ id }) => id)
  const hotel = randomHotel(random, 'P1', gateway.clock.now())
  for (const { path, body } of hotel.pushes) {
    if (path !== stopSellPath) expectOk(await supplier.post(path, body))
    else {
      const { hotels } = Object((await supplier.post('/push/getHotels', { hotelIds: ['P1'] })).body)
      expectOk(await operator('POST', `/hotels/${hotels[0].platformHotelId}/stop-sell`, Object(body)))
    }
  }
  return {
    hotel,
    bookable: new Map(),
    push: (body) => supplier.post('/push/ari', body),
    stored: () => supplierDigests(gateway.db, ids),
  }
}

/** What a dry run announces is what the naive evaluator counts and what the push that follows announces. */
async function prove({ hotel: { naive }, bookable, push, stored }: Stage, random: Random, plan: number) {
  const before = structuredClone({ rooms: naive.rooms, rates: naive.rates })
  const body = randomChange(random, naive)
  const where = `ARI_PROOF_SEED=${firstSeed}, plan ${plan}: ${JSON.stringify(body)}`
  const digests = await stored()
  const dry = expectOk(await push({ ...body, dryRun: true, impact: true }))
  assert.deepEqual(await stored(), digests, where)
  const announced = Object(dry.body['impact'])
  const { planId, price, nights, inventory, restrictions, sellable, stays } = announced
  const states = { before: { ...naive, ...before }, after: naive }
  const counted = naiveImpact(states, bookable, plan % judgedWhole === 0)
  const { newlyUnsellable, newlySellable } = sellable
  const { tested, lost, gained } = stays
  const { changed, ...rest } = counted
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
    { touched: naiveTouched(body.ari), changed, ...rest },
    where,
  )
  const reply = expectOk(await push({ ...body, impact: true, planId }))
  assert.deepEqual(reply.body['impact'], announced, where)
  // A second push by the same plan is stale, unless the first one changed nothing. It may change what no stay can show: it
  // clears prices of a model that the room-rate had before.
  const { cellsChanged } = Object(reply.body['summary'])
  assert.ok(changed === 0 || cellsChanged > 0, where)
  const again = await push({ ...body, planId })
  assert.equal(again.status, cellsChanged > 0 ? 409 : 200, where)
  if (again.status === 409) seen.stale++
  seen.changed += changed
  seen.up += counted.up.cells
  seen.down += counted.down.cells
  seen.lost += counted.stays.lost
  seen.gained += counted.stays.gained
}

test('2,000 random plans announce what their pushes do, as a naive evaluator counts it', async (context) => {
  const { next, summary } = roundsWithin(rounds)
  const planner = async (number: number): Promise<void> => {
    const random = seeded(firstSeed + number)
    let stage = await setUp(random, `planner ${number}`)
    for (let plan = 0; next() !== undefined; plan++) {
      if (plan > 0 && plan % plansPerHotel === 0) stage = await setUp(random, `planner ${number} at ${plan}`)
      await prove(stage, random, plan)
    }
  }
  await Promise.all(Array.from({ length: hotelsAtOnce }, (_, number) => planner(number)))
  context.diagnostic(`${summary()}: ${JSON.stringify(seen)}`)
  // A plan seldom opens anything; the other kinds occur in every run.
  assert.ok(seen.changed > 0 && seen.lost > 0 && seen.stale > 0)
})
