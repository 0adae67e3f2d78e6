import assert from 'node:assert/strict'
import { bookingBody, platformOf, room } from '../scenes/booking.ts'
import { seeded, type Random } from '../fuzz/random.ts'
import type { TestClient, TestGateway } from '../harness.ts'
import { inTurns } from '../in-turns.ts'
import { expectOk, pushStoryHotel } from '../story.ts'
import { addDays } from '../models/naive-ari.ts'
import { randomPush, randomRules, rateIds, type Json } from './pushes.ts'

/** Each hotel is there twice: of the supplier `guarded`, with rules, and of `free`, without. */

const hotelsCount = 40
const changesOfHotel = 3
/** A step is an item of a push, a booking, a release, or a change of rules or currency. At least so many, on average. */
export const stepsPerRound = hotelsCount * changesOfHotel * 4.5
const roundMs = 40 * 60_000
const hotelsAtOnce = 8
const requestsAtOnce = 4
const arrivals = 8
const lengths = [1, 3]
const filledNights = 150

type Stay = { checkin: string; checkout: string; rooms: Json[] }
type Offer = { roomId: string; rateId: string; unitsLeft: number }
type Counted = Record<
  | 'steps'
  | 'pushes'
  | 'heldItems'
  | 'releases'
  | 'cellsReleased'
  | 'expiries'
  | 'bookings'
  | 'stays'
  | 'onlyFree',
  number
>

type Twins = { counted: Counted; round: (number: number) => Promise<void> }

type Stage = {
  gateway: TestGateway
  guarded: TestClient
  free: TestClient
  platform: TestClient
  hotelIds: readonly string[]
  counted: Counted
  /** What happened to each hotel, for a failure. */
  histories: Map<string, unknown[]>
}

export async function openTwins(gateway: TestGateway, seed: number): Promise<Twins> {
  const unlimited = { requestsPerMinute: 0 }
  const stage: Stage = {
    gateway,
    guarded: await gateway.supplier('guarded', unlimited),
    free: await gateway.supplier('free', unlimited),
    platform: await platformOf(gateway),
    hotelIds: Array.from({ length: hotelsCount }, (_, index) => `H${index}`),
    counted: {
      steps: 0,
      pushes: 0,
      heldItems: 0,
      releases: 0,
      cellsReleased: 0,
      expiries: 0,
      bookings: 0,
      stays: 0,
      onlyFree: 0,
    },
    histories: new Map(),
  }
  const { guarded, free, hotelIds, counted } = stage
  const watch = gateway.app.startHoldWatch()
  await watch.close()
  const random = seeded(seed)
  for (const [index, hotelId] of hotelIds.entries()) {
    for (const supplier of [guarded, free]) await fill(supplier, index, todayOf(gateway))
    expectOk(await guarded.post('/push/guard', { hotelId, ...randomRules(random) }))
  }
  return {
    counted,
    round: async (round) => {
      gateway.clock.set(new Date(gateway.clock.now() + roundMs).toISOString())
      const before = await endedByExpiry(gateway)
      await watch.look()
      counted.expiries += (await endedByExpiry(gateway)) - before
      await inTurns([...hotelIds.entries()], hotelsAtOnce, async ([index, hotelId]) => {
        const own = seeded(seed + round * hotelsCount + index)
        for (let count = 0; count < changesOfHotel; count++) await step(stage, hotelId, own)
      })
      await inTurns(staysFrom(todayOf(gateway)), requestsAtOnce, (stay) => compare(stage, stay))
    },
  }
}

function todayOf({ clock }: TestGateway): string {
  return new Date(clock.now()).toISOString().slice(0, 10)
}

async function step(stage: Stage, hotelId: string, random: Random): Promise<void> {
  const { gateway, guarded, free, counted } = stage
  const kind = random.below(100)
  counted.steps++
  if (kind < 8) {
    const { status, body, text } = await guarded.post('/push/guard/release', { hotelId })
    note(stage, hotelId, { release: body })
    assert.ok(status === 200 || status === 207, text)
    counted.releases++
    counted.cellsReleased += Number(body['cellsChanged'] ?? 0)
  } else if (kind < 13) {
    const settings = randomRules(random)
    note(stage, hotelId, { settings })
    expectOk(await guarded.post('/push/guard', { hotelId, ...settings }))
  } else if (kind < 14) {
    const currency = random.pick(['USD', 'JPY', 'KWD'])
    note(stage, hotelId, { currency })
    for (const supplier of [guarded, free]) await pushStoryHotel(supplier, { hotelId, currency })
  } else if (kind < 22) await book(stage, hotelId, random)
  else {
    const push = { hotelId, ...randomPush(random, todayOf(gateway)) }
    const reply = await guarded.post('/push/ari', push)
    const twin = await free.post('/push/ari', push)
    for (const { status, text } of [reply, twin]) assert.ok(status < 500, text)
    note(stage, hotelId, { push, status: reply.status, results: reply.body['results'], twin: twin.status })
    counted.pushes++
    counted.steps += push.ari.length - 1
    counted.heldItems += reply.text.split('"status":"held"').length - 1
  }
}

/** What is sold with the guard must be sold without it, and then is. */
async function book(stage: Stage, hotelId: string, random: Random): Promise<void> {
  const { gateway, platform, counted } = stage
  const stay = random.pick(staysFrom(todayOf(gateway)))
  const rateId = random.pick(rateIds)
  const rooms = stay.rooms.map((one) => room({ ...one, rateId }))
  const bookingOf = (supplier: string) =>
    platform.post(
      '/booking/reservations',
      bookingBody(supplier, { ...stay, hotel: { supplier, hotelId }, rooms }),
    )
  const { status } = await bookingOf('guarded')
  note(stage, hotelId, { stay, rateId, status })
  if (status !== 201) return
  counted.bookings++
  const twin = await bookingOf('free')
  assert.equal(
    twin.status,
    201,
    `sold only with the guard: ${twin.text}, after\n${historyOf(stage, hotelId)}`,
  )
}

function note({ histories }: Stage, hotelId: string, what: Json): void {
  histories.set(hotelId, [...(histories.get(hotelId) ?? []).slice(-30), what])
}

function historyOf({ histories }: Stage, hotelId: string): string {
  return (histories.get(hotelId) ?? []).map((one) => JSON.stringify(one)).join('\n')
}

async function compare(stage: Stage, stay: Stay): Promise<void> {
  const { hotelIds, platform, counted } = stage
  const hotels = ['guarded', 'free'].flatMap((supplier) => hotelIds.map((hotelId) => ({ supplier, hotelId })))
  const { body } = expectOk(await platform.post('/booking/offers', { hotels, ...stay }))
  const found: { hotelId: string; offers: Offer[] }[] = Object(body).hotels
  assert.equal(found.length, hotels.length)
  for (const [index, hotelId] of hotelIds.entries()) {
    const unitsFree = new Map(
      found[hotelsCount + index]?.offers.map((one) => [`${one.roomId} ${one.rateId}`, one.unitsLeft]),
    )
    counted.onlyFree += unitsFree.size
    for (const { roomId, rateId, unitsLeft } of found[index]?.offers ?? []) {
      const units = unitsFree.get(`${roomId} ${rateId}`) ?? 0
      counted.stays++
      counted.onlyFree--
      if (unitsLeft > units)
        assert.fail(
          `${hotelId} ${rateId} ${JSON.stringify(stay)}: ${unitsLeft} units with the guard, ${units} without, after\n${historyOf(stage, hotelId)}`,
        )
    }
  }
}

async function fill(supplier: TestClient, index: number, today: string): Promise<void> {
  const hotelId = `H${index}`
  await pushStoryHotel(supplier, { hotelId })
  expectOk(await supplier.post('/push/taxes', { hotelId, taxes: taxesOf(index, today) }))
  const guests = [1, 2].map((adults) => ({ ageCategory: 'adult', guests: adults, amount: 100 * adults }))
  const rates = [
    { rateId: rateIds[0], price: 100 },
    { rateId: rateIds[1], pricingModel: 'guest', prices: guests },
  ]
  const range = { startDate: today, endDate: addDays(today, filledNights - 1) }
  const ari = [{ roomId: 'DBL', ...range, inventory: 4, rates }]
  expectOk(await supplier.post('/push/ari', { hotelId, pricingModel: 'unit', ari }))
}

/** Included in the price: below them a night can't be sold. By room, by person, on some nights, and all together. */
function taxesOf(index: number, today: string): Json[] {
  const tax = (value: number, per: 'room' | 'person', dates: Json = {}): Json => ({
    type: 'CITY_TAX',
    valueType: 'fixed',
    value,
    appliedOn: 'net',
    appliedPer: `per_${per}_per_night`,
    included: true,
    payNow: true,
    ...dates,
  })
  const dates = { startDate: addDays(today, 3), endDate: addDays(today, 8) }
  const kinds = [
    [tax(30, 'room')],
    [tax(10, 'person')],
    [tax(30, 'room', dates)],
    [tax(10, 'person', dates), tax(5, 'room')],
  ]
  return kinds[index % kinds.length] ?? []
}

function staysFrom(today: string): Stay[] {
  return Array.from({ length: arrivals }, (_, index) => addDays(today, 1 + index)).flatMap((checkin) =>
    lengths.flatMap((length) =>
      [2, 1].map((adults) => ({
        checkin,
        checkout: addDays(checkin, length),
        rooms: [{ adults, childAges: [] }],
      })),
    ),
  )
}

async function endedByExpiry({ db }: TestGateway): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from hold where resolved_by = 'expiry'`,
  )
  return rows[0]?.count ?? 0
}
