import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests, type Reply, type TestSupplier } from '../../test/stage/harness.ts'
import { roundsWithin } from '../../test/stage/pace.ts'
import { expectOk, product, storyHotel } from '../../test/stage/story.ts'
import { limitNames, switchNames } from '../../test/stage/models/naive-restrictions.ts'

/**
 * Digests are equal exactly when getAri answers the same, over all states of four hotels: each state is compared with
 * every other. One changed member changes one group of one month. Two of the hotels also change their currency, which
 * leaves prices in a former one, and their occupancies, which leaves prices for too many guests.
 */

const gateway = await gatewayForTests()
const states = { full: 10_000, floor: 600, share: 0.015 }
const firstSeed = 1

type Fields = Record<string, unknown>
type Draw = (below: number) => number

/** Few nights, codes and values, so that states are often equal by chance. */
const nights = ['2027-04-29', '2027-04-30', '2027-05-01']
const range = { startDate: nights[0], endDate: nights.at(-1) }
const hotelIds = ['A', 'B', 'C', 'D']
const isChanging = (hotelId: string): boolean => hotelId === 'C' || hotelId === 'D'
const currencies = ['USD', 'EUR', 'JPY']
const groups = ['inv', 'res', 'pri']

type State = { currency: string; ari: string; hotel: string; months: ReadonlyMap<string, unknown> }

test('equal digests mean equal ARI, and a changed member changes one group of one month', async (context) => {
  const supplier = await gateway.supplier('Digests', { requestsPerMinute: 0 })
  const rounds = roundsWithin(states)
  const seen = { new: 0, equal: 0, changed: 0, unchanged: 0, whole: 0 }
  const digestByAri = new Map<string, string>()
  const ariByDigest = new Map<string, string>()
  // Amounts in different currencies are not comparable.
  const compare = ({ currency, ari, hotel }: State, where: string): void => {
    const [ofAri, ofDigest] = [`${currency} ${ari}`, `${currency} ${hotel}`]
    seen[digestByAri.has(ofAri) ? 'equal' : 'new']++
    assert.equal(digestByAri.get(ofAri) ?? hotel, hotel, `${where}: equal ARI`)
    assert.equal(ariByDigest.get(ofDigest) ?? ari, ari, `${where}: equal digests`)
    digestByAri.set(ofAri, hotel)
    ariByDigest.set(ofDigest, ari)
  }
  const walk = async (hotelId: string): Promise<void> => {
    await pushHotel(supplier, hotelId, 'USD')
    await pushProducts(supplier, hotelId, 3)
    let state = await readState(supplier, hotelId)
    for (let round = rounds.next(); round !== undefined; round = rounds.next()) {
      const draw = drawing(firstSeed + round)
      const where = `state ${round} of ${hotelId}`
      const before = state
      if (draw(12) === 0) {
        await changeMuch(supplier, hotelId, draw)
        state = await readState(supplier, hotelId)
        seen.whole++
      } else {
        const { body } = await push(supplier, hotelId, [oneChange(draw)])
        state = await readState(supplier, hotelId)
        const isChanged = state.ari !== before.ari
        const cells = Number(Object(body['summary'])['cellsChanged'] ?? 0)
        // A price that couldn't be sold may be replaced unnoticed.
        if (isChanged || !isChanging(hotelId)) assert.equal(cells > 0, isChanged, where)
        assert.equal(changedGroups(before.months, state.months), isChanged ? 1 : 0, where)
        seen[isChanged ? 'changed' : 'unchanged']++
      }
      compare(state, where)
    }
  }
  await Promise.all(hotelIds.map(walk))
  context.diagnostic(`${rounds.summary()}, ${JSON.stringify(seen)}`)
  for (const [what, count] of Object.entries(seen)) assert.ok(count > rounds.done() / 50, `${what}: ${count}`)
})

/** Everything is cleared, the last change is undone, or what can be sold changes. */
async function changeMuch(supplier: TestSupplier, hotelId: string, draw: Draw): Promise<void> {
  const kind = draw(isChanging(hotelId) ? 4 : 2)
  if (kind === 0) await push(supplier, hotelId, clearing())
  else if (kind === 1) await undoLast(supplier, hotelId)
  else if (kind === 2) await pushHotel(supplier, hotelId, currencies[draw(currencies.length)] ?? '')
  else await pushProducts(supplier, hotelId, 1 + draw(3))
}

async function push(supplier: TestSupplier, hotelId: string, ari: Fields[]): Promise<Reply> {
  const reply = await supplier.post('/push/ari', { hotelId, pricingModel: 'guest', ari })
  // A price for more guests than the room takes is refused.
  assert.ok(reply.status < 500, reply.text)
  return reply
}

async function pushHotel(supplier: TestSupplier, hotelId: string, currency: string): Promise<void> {
  expectOk(await supplier.post('/push/hotels', [storyHotel({ hotelId, currency })]))
}

async function pushProducts(supplier: TestSupplier, hotelId: string, maxOccupancy: number): Promise<void> {
  const products = ['BAR', 'NRF'].map((rate) => product('DBL', rate, { occupancy: { maxOccupancy } }))
  expectOk(await supplier.post('/push/products', { hotelId, products }))
}

/** If there is a last change, and it was a push. */
async function undoLast(supplier: TestSupplier, hotelId: string): Promise<void> {
  const { body } = expectOk(await supplier.post('/push/getAri', { hotelId, ...range }))
  const { status, text } = await supplier.post('/push/undo', { hotelId, revision: body['revision'] })
  assert.ok([200, 409, 410].includes(status), text)
}

/** One member of one night. */
function oneChange(draw: Draw): Fields {
  const date = nights[draw(nights.length)]
  const rateId = ['BAR', 'NRF'][draw(2)]
  const some = draw(3) === 0 ? null : 1 + draw(2)
  const kind = draw(6)
  if (kind === 0) return { roomId: 'DBL', date, inventory: some }
  if (kind === 1) return { roomId: 'DBL', date, closed: draw(2) === 0 }
  const limit = limitNames[draw(limitNames.length)] ?? ''
  const line: Fields =
    [
      { inventory: some },
      // 0 is a limit of its own, or none.
      { [limit]: some === 2 ? 0 : some },
      { [switchNames[draw(switchNames.length)] ?? '']: draw(2) === 0 },
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
/** Everything of all nights. */
function clearing(): Fields[] {
  const off = Object.fromEntries(switchNames.map((name) => [name, false]))
  const none = Object.fromEntries(limitNames.map((name) => [name, null]))
  const rates = ['BAR', 'NRF'].map((rateId) => ({ rateId, inventory: null, prices: null, ...off, ...none }))
  return [
    { roomId: 'DBL', startDate: nights[0], endDate: nights.at(-1), inventory: null, closed: false, rates },
  ]
}

/** The hashes by product, month and group are those of one answer, with the hotel's. */
async function readState(supplier: TestSupplier, hotelId: string): Promise<State> {
  const [ari, digest] = await Promise.all([
    supplier.post('/push/getAri', { hotelId, ...range }),
    supplier.post('/push/getAriDigest', { hotelId, level: 'month', from: nights[0], to: nights.at(-1) }),
  ])
  const { currency, pricingModel, ari: items } = expectOk(ari).body
  const { hotel, digests } = expectOk(digest).body
  const months = new Map<string, unknown>()
  for (const entry of Array.isArray(digests) ? digests : [])
    for (const group of groups) months.set(`${entry.rateId} ${entry.month} ${group}`, entry[group])
  return {
    currency: String(currency),
    ari: JSON.stringify([pricingModel, items]),
    hotel: JSON.stringify(hotel),
    months,
  }
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
