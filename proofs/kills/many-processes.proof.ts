/**
 * Two gateways of three processes each on one PostgreSQL: what holds for one process holds when each request
 * goes to any of the six, while processes and whole gateways are killed.
 */
import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { firstSeed, minutes, roundsWithin } from '../../test/stage/pace.ts'
import { runAri } from '../../test/stage/programs/programs.ts'
import { openMarket, privateWebhooks } from '../../test/stage/bookings/market.ts'
import {
  lastBookings,
  proveLastUnits,
  proveTrading,
  receiveReservations,
} from '../../test/stage/bookings/prove.ts'
import { checkWholeLog } from '../../test/stage/crash/ledger.ts'
import type { Say } from '../../test/stage/crash/rounds.ts'
import { endServices } from '../../test/stage/crash/service.ts'
import { assertNone, eventually, findings, openWorld, tally } from '../../test/stage/crash/world.ts'
import {
  gateways,
  killMeanwhile,
  processes,
  startFleet,
  type Fleet,
} from '../../test/stage/programs/fleet.ts'
import { proveSequences } from '../../test/stage/models/prove-ari.ts'
import { proveOffersOn, uncompressed } from '../../test/stage/models/prove-offers.ts'
import { oldOffers, pushOfferHotels } from '../../test/stage/models/newest-offers.ts'

const file = 'many-processes'
const where = `${gateways} gateways of ${processes} processes, of which some are killed`

const undo: (() => Promise<void>)[] = []
/** After each test: the connections of all fleets together are more than PostgreSQL has. */
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step()
})
after(endServices)

async function newFleet(more: Readonly<Record<string, string>> = {}): Promise<Fleet> {
  const fleet = await startFleet(more)
  undo.push(fleet.close)
  return fleet
}

test(`${where}: any order of 8 clients’ pushes gives answers and nights that one serial order of the model gives`, async (t) => {
  const say: Say = (line) => t.diagnostic(line)
  const fleet = await newFleet()
  const keys = [await fleet.supplier('proof'), await fleet.supplier('proof')]
  say(`sequences from seed ${firstSeed}`)
  const rounds = roundsWithin({ full: 400, floor: 40, share: 0.02 })
  const bench = { db: fleet.db, nowMs: Date.now, clients: [keys, keys], file }
  await killMeanwhile(fleet, { rounds, say }, (next) =>
    proveSequences(bench, { next, seedOf: (round) => firstSeed + round, say }),
  )
})

test(`${where}: every stay in random hotels is offered as a naive evaluator judges it, and refusals are explained rightly`, async (t) => {
  const say: Say = (line) => t.diagnostic(line)
  const fleet = await newFleet({ ARI_ROLES: 'gateway,worker,console' })
  const platform = fleet.client({ ...(await fleet.bearer('platform')), ...uncompressed })
  const operator = fleet.client(await fleet.bearer('operator'), { base: '/console/api' })
  say(`ARI_PROOF_SEED=${firstSeed}`)
  const rounds = roundsWithin({ full: 4, floor: 1, share: 0.02 })
  await killMeanwhile(fleet, { rounds, say }, async (next) => {
    for (let round = next(); round !== undefined; round = next()) {
      const stage = {
        nowMs: Date.now,
        supplier: await fleet.supplier(`offers ${round}`),
        platform,
        stopSell: (hotel: string, body: object) => operator.post(`/hotels/${hotel}/stop-sell`, body),
      }
      await proveOffersOn(stage, { seed: firstSeed + round, hotels: 15, say })
    }
  })
})

test(`${where}: ${lastBookings.calls} bookings at once for the last ${lastBookings.units} units: exactly ${lastBookings.units} confirmed, each of them there and delivered`, async (t) => {
  const fleet = await newFleet(privateWebhooks)
  const market = await openMarket(fleet.environ, {}, fleet.services)
  undo.push(market.close)
  await receiveReservations(market)
  const rounds = roundsWithin({ full: 6, floor: 2, share: 0.02 })
  for (let round = rounds.next(); round !== undefined; round = rounds.next()) {
    const kill = round % 2 === 0 ? fleet.killWorker : fleet.killPrimary
    const crash = async (): Promise<void> => void (await kill())
    await proveLastUnits(market, round, { crash, say: (line) => t.diagnostic(line) })
  }
  t.diagnostic(rounds.summary())
})

test(`${where}: of bookings, modifications and cancellations every answer holds, and the units left are those that were not taken`, async (t) => {
  const say: Say = (line) => t.diagnostic(line)
  const fleet = await newFleet(privateWebhooks)
  const market = await openMarket(fleet.environ, {}, fleet.services)
  undo.push(market.close)
  const rounds = roundsWithin({ full: 20, floor: 4, share: 0.01 })
  const crash = (): Promise<void> =>
    killMeanwhile(fleet, { rounds, say }, async (next) => {
      while (next() !== undefined) await wait(1_000)
    })
  await proveTrading(market, { crash, say })
})

test(`${where}: nothing acknowledged is lost, nothing half-applied, and no read is older than what was acknowledged`, async (t) => {
  const beganMs = Date.now()
  const say: Say = (line) => t.diagnostic(line)
  const fleet = await newFleet()
  const world = await openWorld(fleet.environ, fleet.services)
  const rounds = roundsWithin({ full: 12, floor: 3, share: 0.02 })
  for (let round = rounds.next(); round !== undefined; round = rounds.next()) {
    const from = world.ledger.attempts.length
    const load = world.load()
    await wait(500)
    const tookMs = await (round % 3 === 2 ? fleet.killPrimary() : fleet.killWorker())
    const backMs = performance.now()
    const acknowledged = () => load.allAcknowledgedSince(backMs)
    await eventually('every client is acknowledged again', minutes(3), acknowledged)
    await load.stop()
    assertNone(await findings(world), world, `round ${round}`)
    const { acknowledged: done, open } = tally(world.ledger, from)
    say(`${round}: ${done} acknowledged, ${open} open; back after ${Math.round(tookMs)} ms`)
  }
  say(rounds.summary())
  const client = world.client()
  assertNone(await checkWholeLog(world.ledger, client, beganMs), world, 'after all kills')
  client.close()
})

test(`${where}: a revoked key stops at all of them within a second`, async (t) => {
  const say: Say = (line) => t.diagnostic(line)
  const fleet = await newFleet()
  const rounds = roundsWithin({ full: 10, floor: 3, share: 0.005 })
  const calls = 4 * gateways * processes
  await killMeanwhile(fleet, { rounds, say }, async (next) => {
    for (let round = next(); round !== undefined; round = next()) {
      const supplier = await fleet.supplier(`revoked ${round}`)
      const statuses = async (): Promise<Set<number>> => {
        const replies = Array.from({ length: calls }, () => supplier.get('/push/limits'))
        return new Set((await Promise.all(replies)).map(({ status }) => status))
      }
      assert.deepEqual(await statuses(), new Set([200]))
      const revoked = await runAri(fleet.environ, 'key', 'revoke', String(supplier.keyId))
      assert.equal(revoked.code, 0, revoked.stderr)
      await wait(1_000)
      assert.deepEqual(await statuses(), new Set([401]))
    }
  })
})

const newest = { full: 5_000, floor: 300, share: 0.02 }

test(`${where}: ${newest.full} × an offer at another process, right after a push was acknowledged, is never older than it`, async (t) => {
  const fleet = await newFleet()
  const stage = await pushOfferHotels(fleet)
  const rounds = roundsWithin(newest)
  const old: string[] = []
  await killMeanwhile(fleet, { rounds, say: (line) => t.diagnostic(line) }, async (next) => {
    old.push(...(await oldOffers(stage, next)))
  })
  assert.deepEqual(old, [])
})

test('the comparison finds old offers of processes that don’t read versions again', async (t) => {
  const preload = import.meta.resolve('../../test/stage/query-breaks.ts')
  const fleet = await newFleet({ NODE_OPTIONS: `--import=${preload}`, ARI_PROOF_BREAK: 'oldVersions' })
  const rounds = roundsWithin({ full: 100, floor: 100, share: 0 })
  const old = await oldOffers(await pushOfferHotels(fleet), rounds.next)
  t.diagnostic(`${old.length} old offers, such as: ${old[0]}`)
  assert.ok(old.length > 0)
})
