/** No unit is sold twice and no answered booking is lost, whatever process dies meanwhile. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { environOf, newTestDatabase } from '../../test/stage/postgres.ts'
import { audit, type Finding } from '../../test/stage/bookings/audit.ts'
import { openMarket, pushHotel, type Market } from '../../test/stage/bookings/market.ts'
import {
  bookAtOnce,
  lastBookings,
  proveLastUnits,
  proveTrading,
  receiveReservations,
} from '../../test/stage/bookings/prove.ts'
import { endServices } from '../../test/stage/crash/service.ts'
import { between } from '../../test/stage/crash/world.ts'

const rounds = 6

const undo: (() => Promise<void>)[] = []
after(async () => {
  for (const step of undo.reverse()) await step()
  await endServices()
})

async function newDatabase(): Promise<Record<string, string>> {
  const { address, drop } = await newTestDatabase()
  undo.push(drop)
  return environOf(address)
}

async function newMarket(more: Readonly<Record<string, string>> = {}): Promise<Market> {
  const market = await openMarket(await newDatabase(), more)
  undo.push(market.close)
  return market
}

test(`${rounds} × ${lastBookings.calls} bookings at once for the last ${lastBookings.units} units over two services, one of which is killed: exactly ${lastBookings.units} confirmed, each of them there and delivered`, async (t) => {
  const market = await newMarket()
  await receiveReservations(market)
  for (let round = 1; round <= rounds; round++) {
    await proveLastUnits(market, round, {
      crash: () => market.crash(round % 2),
      say: (line) => t.diagnostic(line),
    })
  }
})

const kills = 6

test(`bookings, modifications and cancellations over two services, ${kills} of which are killed: every answer holds, and the units left are those that were not taken`, async (t) => {
  const market = await newMarket()
  const crash = async (): Promise<void> => {
    for (let kill = 0; kill < kills; kill++) {
      await wait(between(300, 1_500))
      await market.crash(kill % 2)
    }
  }
  await proveTrading(market, { crash, say: (line) => t.diagnostic(line) })
})

test('the audit finds units that are sold twice where bookings do not lock the hotel', async (t) => {
  const preload = import.meta.resolve('../../test/stage/query-breaks.ts')
  const market = await newMarket({ NODE_OPTIONS: `--import=${preload}`, ARI_PROOF_BREAK: 'unlockedHotels' })
  const found: Finding[] = []
  for (let round = 1; round <= 5 && !found.some(({ kind }) => kind === 'oversold'); round++) {
    const hotelId = `LAST${round}`
    await pushHotel(market, hotelId, lastBookings.units)
    const { confirmed } = await bookAtOnce(market, hotelId)
    found.push(...(await audit(market, hotelId, lastBookings.units, confirmed)))
  }
  t.diagnostic(`${found.length} findings, such as: ${found[0]?.kind}: ${found[0]?.text}`)
  assert.ok(found.some(({ kind }) => kind === 'oversold'))
  assert.ok(found.some(({ kind }) => kind === 'miscounted'))
})
