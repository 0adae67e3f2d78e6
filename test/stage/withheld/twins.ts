import assert from 'node:assert/strict'
import { platformOf } from '../scenes/booking.ts'
import { seeded, type Random } from '../fuzz/random.ts'
import type { TestGateway } from '../harness.ts'
import { dateIn } from '../models/naive-ari.ts'
import { inTurns } from '../in-turns.ts'
import { expectOk } from '../story.ts'
import { openHotel, type Hotel } from './hotel.ts'
import { randomSettings } from './pushes.ts'
import { timeZone, type Counted, type Stage } from './stage.ts'
import { stepOf } from './steps.ts'

/**
 * Each hotel is there twice: of the supplier `guarded`, with rules, and of `free`, without. The naive guard says what of
 * a push is withheld, `free` is never sent that, and after every step the same is stored of both.
 */

const hotelsCount = 24
const stepsOfHotel = 3
/** A step is an item of a push, or what else happens to a hotel. At least so many, on average. */
export const stepsPerRound = hotelsCount * stepsOfHotel * 2.5
/** No number of them makes an hour or a day. */
const roundMs = 37 * 60_000
const hotelsAtOnce = 6
export async function openTwins(gateway: TestGateway, seed: number) {
  const keysOf = async (name: string) => [
    await gateway.supplier(name, { requestsPerMinute: 0 }),
    await gateway.supplier(name, { requestsPerMinute: 0 }),
  ]
  const counted: Counted = {
    steps: 0,
    pushes: 0,
    withheld: 0,
    heldItems: 0,
    sharedChanges: 0,
    superseded: 0,
    releases: 0,
    discards: 0,
    expired: 0,
    undos: 0,
    holdsUndone: 0,
    bookings: 0,
    currencies: 0,
    offers: 0,
  }
  const [guarded, free] = [await keysOf('guarded'), await keysOf('free')]
  const stage: Stage = { gateway, guarded, free, platform: await platformOf(gateway), counted }
  const watch = gateway.app.startHoldWatch()
  await watch.close()
  const random = seeded(seed)
  const opened = Array.from({ length: hotelsCount }, (_, number) => ({
    number,
    settings: randomSettings(random),
  }))
  let hotels: Hotel[] = []
  await inTurns(opened, hotelsAtOnce, async ({ number, settings }) => {
    hotels.push(await openHotel(stage, number, settings))
  })
  hotels.sort((one, other) => one.number - other.number)
  const failures: string[] = []
  return {
    counted,
    failures,
    round: async (round: number): Promise<void> => {
      gateway.clock.set(new Date(gateway.clock.now() + roundMs).toISOString())
      await watch.look()
      await inTurns(hotels, hotelsAtOnce, async (hotel) => {
        const own = seeded(seed + round * hotelsCount + hotel.number)
        try {
          await hotel.expire()
          for (let count = 0; count < stepsOfHotel; count++) await stepOf(stage, hotel, round, own)
        } catch (error) {
          // The others may show more of the same fault.
          failures.push(error instanceof Error ? error.message : String(error))
          hotels = hotels.filter((one) => one !== hotel)
        }
      })
      if (hotels.length > 0) await compareOffers(stage, hotels, random)
    },
  }
}

/** What is sold, and at which price. */
async function compareOffers(
  { platform, gateway, counted }: Stage,
  hotels: readonly Hotel[],
  random: Random,
) {
  const day = (days: number) => dateIn(timeZone, gateway.clock.now() + days * 86_400_000)
  const first = random.below(6)
  const stay = { checkin: day(first), checkout: day(first + random.pick([1, 1, 2])) }
  const rooms = [{ adults: random.pick([1, 2]), childAges: [] }]
  const offersOf = async (supplier: string): Promise<{ offers: unknown[] }[]> => {
    const asked = hotels.map(({ hotelId }) => ({ supplier, hotelId }))
    const { body } = expectOk(await platform.post('/booking/offers', { hotels: asked, ...stay, rooms }))
    // Each hotel has its own names for the platform.
    const isName = (name: string): boolean => name.startsWith('platform')
    return JSON.parse(JSON.stringify(body), (name, value: unknown) => (isName(name) ? undefined : value))
      .hotels
  }
  const [guarded, free] = [await offersOf('guarded'), await offersOf('free')]
  for (const [index, hotel] of hotels.entries()) {
    const [found, expected] = [guarded[index]?.offers, free[index]?.offers]
    counted.offers += found?.length ?? 0
    assert.deepEqual(found, expected, `offers of ${hotel.hotelId}, after\n${hotel.history()}`)
  }
}
