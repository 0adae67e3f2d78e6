import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests, type TestSupplier } from '../harness.ts'
import { roundsWithin } from '../pace.ts'
import { expectOk, product, storyHotel } from '../story.ts'

/**
 * Digests are equal exactly when getAri answers the same, over random states of two hotels, and one changed
 * member changes one group of one month.
 */

const gateway = await gatewayForTests()
const states = { full: 10_000, floor: 300, share: 0.015 }
const firstSeed = 1

type Fields = Record<string, unknown>
type Draw = (below: number) => number

/** Few nights, codes and values, so that the hotels are often equal by chance. */
const nights = ['2027-04-29', '2027-04-30', '2027-05-01']
const groups = ['inv', 'res', 'pri']

test('equal digests mean equal ARI, and a changed member changes one group of one month', async (context) => {
  const supplier = await gateway.supplier('Digests', { requestsPerMinute: 0 })
  for (const hotelId of ['A', 'B']) {
    expectOk(await supplier.post('/push/hotels', [storyHotel({ hotelId })]))
    const products = ['BAR', 'NRF'].map((rate) => product('DBL', rate))
    expectOk(await supplier.post('/push/products', { hotelId, products }))
  }
  const rounds = roundsWithin(states)
  const seen = { equal: 0, different: 0, changed: 0, unchanged: 0 }
  for (let round = rounds.next(); round !== undefined; round = rounds.next()) {
    const draw = drawing(firstSeed + round)
    const hotelId = draw(2) === 0 ? 'A' : 'B'
    const state = `state ${round}`
    // Now and then both get the same, so that equal states go on being met.
    if (draw(6) === 0) await both(supplier, clearing())
    const before = await monthsOf(supplier, hotelId)
    const ariBefore = await ariOf(supplier, hotelId)
    const reply = expectOk(
      await supplier.post('/push/ari', { hotelId, pricingModel: 'guest', ari: [oneChange(draw)] }),
    )
    const after = await monthsOf(supplier, hotelId)
    const ariAfter = await ariOf(supplier, hotelId)
    const isChanged = ariAfter !== ariBefore
    assert.equal(isChanged, Number(Object(reply.body['summary'])['cellsChanged']) > 0, state)
    assert.equal(changedGroups(before, after), isChanged ? 1 : 0, state)
    const other = hotelId === 'A' ? 'B' : 'A'
    const areEqual = (await ariOf(supplier, other)) === ariAfter
    assert.equal((await hotelOf(supplier, 'A')) === (await hotelOf(supplier, 'B')), areEqual, state)
    seen[areEqual ? 'equal' : 'different']++
    seen[isChanged ? 'changed' : 'unchanged']++
  }
  context.diagnostic(`${rounds.summary()}, ${JSON.stringify(seen)}`)
  for (const [what, count] of Object.entries(seen)) assert.ok(count > rounds.done() / 50, `${what}: ${count}`)
})

/** One member of one night. */
function oneChange(draw: Draw): Fields {
  const date = nights[draw(nights.length)]
  const rateId = ['BAR', 'NRF'][draw(2)]
  const some = draw(3) === 0 ? null : 1 + draw(2)
  const kind = draw(6)
  if (kind === 0) return { roomId: 'DBL', date, inventory: some }
  if (kind === 1) return { roomId: 'DBL', date, closed: draw(2) === 0 }
  const limit = limits[draw(limits.length)] ?? ''
  const line: Fields =
    [
      { inventory: some },
      { [limit]: some },
      { [switches[draw(switches.length)] ?? '']: draw(2) === 0 },
      priceChange(draw, some),
    ][kind - 2] ?? {}
  return { roomId: 'DBL', date, rates: [{ rateId, ...line }] }
}

/** Prices of either model, for guests of each kind. */
function priceChange(draw: Draw, some: number | null): Fields {
  if (some === null) return { pricingModel: 'guest', prices: null }
  if (draw(4) === 0) return { pricingModel: 'unit', price: 90 + some }
  const [ageCategory, guests] = buckets[draw(buckets.length)] ?? []
  return { pricingModel: 'guest', prices: [{ ageCategory, guests, amount: 90 + some }] }
}

const buckets = [
  ['adult', 1],
  ['adult', 2],
  ['child', 1],
  ['infant', 1],
] as const
const switches = ['closed', 'closedToArrival', 'closedToDeparture']
const limits = [
  'minLengthStay',
  'maxLengthStay',
  'minStayArrival',
  'maxStayArrival',
  'minAdvanceDays',
  'maxAdvanceDays',
]

/** Everything of all nights. */
function clearing(): Fields[] {
  const off = Object.fromEntries(switches.map((name) => [name, false]))
  const none = Object.fromEntries(limits.map((name) => [name, null]))
  const rates = ['BAR', 'NRF'].map((rateId) => ({ rateId, inventory: null, prices: null, ...off, ...none }))
  return [
    { roomId: 'DBL', startDate: nights[0], endDate: nights.at(-1), inventory: null, closed: false, rates },
  ]
}

async function both(supplier: TestSupplier, ari: Fields[]): Promise<void> {
  for (const hotelId of ['A', 'B'])
    expectOk(await supplier.post('/push/ari', { hotelId, pricingModel: 'guest', ari }))
}

async function ariOf(supplier: TestSupplier, hotelId: string): Promise<string> {
  const range = { startDate: nights[0], endDate: nights.at(-1) }
  const { body } = expectOk(await supplier.post('/push/getAri', { hotelId, ...range }))
  return JSON.stringify([body['pricingModel'], body['ari']])
}

async function digestOf(supplier: TestSupplier, hotelId: string, level: string): Promise<Fields> {
  const range = { from: nights[0], to: nights.at(-1) }
  return expectOk(await supplier.post('/push/getAriDigest', { hotelId, level, ...range })).body
}

async function hotelOf(supplier: TestSupplier, hotelId: string): Promise<string> {
  return JSON.stringify((await digestOf(supplier, hotelId, 'hotel'))['hotel'])
}

/** The hashes by product, month and group. */
async function monthsOf(supplier: TestSupplier, hotelId: string): Promise<Map<string, unknown>> {
  const { digests } = await digestOf(supplier, hotelId, 'month')
  const hashes = new Map<string, unknown>()
  for (const entry of Array.isArray(digests) ? digests : [])
    for (const group of groups) hashes.set(`${entry.rateId} ${entry.month} ${group}`, entry[group])
  return hashes
}

function changedGroups(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): number {
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== after.get(name),
  ).length
}

/** Numbers that the seed alone determines. */
function drawing(seed: number): Draw {
  let state = (seed * 2_654_435_761) >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
