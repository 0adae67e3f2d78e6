import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests, type TestSupplier } from '../../test/stage/harness.ts'
import { roundsWithin } from '../../test/stage/pace.ts'
import { expectOk, product, storyHotel } from '../../test/stage/story.ts'
import { makeSequence, type HotelSpec } from '../../test/stage/models/ari-operations.ts'
import type { PushSent } from '../../test/stage/models/naive-ari.ts'
import { readBack, type ReadBack } from '../../test/stage/models/read-readings.ts'

/**
 * The sentences alone mean what was pushed: a parser reads those of random pushes, in every form that the contract
 * has, and pushing what it read to another hotel gives the same ARI.
 */

const gateway = await gatewayForTests()
const sequences = { full: 100, floor: 8, share: 0.015 }
const firstSeed = 1

type Fields = Record<string, unknown>

test('what the sentences say, pushed to another hotel, gives the same ARI', async (context) => {
  const supplier = await gateway.supplier('Readings', { requestsPerMinute: 0 })
  const rounds = roundsWithin(sequences)
  const seen = new Map<string, number>()
  for (let round = rounds.next(); round !== undefined; round = rounds.next()) {
    const seed = firstSeed + round
    const { hotels, operations } = makeSequence(seed, gateway.clock.now())
    for (const spec of hotels) {
      await setUp(supplier, spec, spec.hotelId)
      await setUp(supplier, spec, copyOf(spec.hotelId))
    }
    for (const operation of operations) {
      if (operation.kind !== 'ari') continue
      const read = await pushAndRead(supplier, operation.body, `seed ${seed}`)
      for (const { data } of read) {
        const { field, ageCategory, value } = data
        const what = JSON.stringify([field, ageCategory, value === null ? 'cleared' : 'set'])
        seen.set(what, (seen.get(what) ?? 0) + 1)
      }
      const { hotelId } = operation.body
      const [pushed, repeated] = [await ariOf(supplier, hotelId), await ariOf(supplier, copyOf(hotelId))]
      assert.equal(repeated, pushed, `seed ${seed}: ${JSON.stringify(operation.body)}`)
    }
  }
  const total = [...seen.values()].reduce((sum, count) => sum + count, 0)
  context.diagnostic(
    `${rounds.summary()}, ${total} sentences: ${[...seen].map(([what, count]) => `${what} ${count}`).join(', ')}`,
  )
  assert.ok(seen.size >= 20, `only ${[...seen.keys()].join(', ')}`)
})

/** Codes that contain what separates the parts of a sentence, and one that does not. */
const codes: Readonly<Record<string, string>> = {
  R1: 'Sea "View" / 2, nights 1 Apr 2027: no prices',
  A: 'B / A-R',
}

function coded<Value>(value: Value): Value {
  const recoded: Value = JSON.parse(JSON.stringify(value), (_, member: unknown) =>
    typeof member === 'string' ? (codes[member] ?? member) : member,
  )
  return recoded
}

function copyOf(hotelId: string): string {
  return `${hotelId} copy`
}

async function setUp(supplier: TestSupplier, spec: HotelSpec, hotelId: string): Promise<void> {
  const { currency, timeZone: timezone } = spec
  expectOk(await supplier.post('/push/hotels', [storyHotel({ hotelId, currency, timezone })]))
  const products = spec.products.map((one) => product(one.roomId, one.rateId, one))
  expectOk(await supplier.post('/push/products', coded({ hotelId, products })))
}

/** Pushes to the hotel, and what the sentences of the answer mean to its copy. */
async function pushAndRead(supplier: TestSupplier, body: PushSent, seed: string): Promise<ReadBack[]> {
  // Members that are undefined are not sent.
  const sent = { ...body, sequence: undefined, dryRun: undefined, echo: true }
  const { text, body: answered } = await supplier.post('/push/ari', coded(sent))
  assert.equal(answered['moreReadings'], undefined)
  const results: Fields[] = Array.isArray(answered['results']) ? answered['results'] : []
  const all: ReadBack[] = []
  for (const { readings = [] } of results) {
    assert.ok(Array.isArray(readings), text)
    const ofItem = readings.map((reading) => {
      const read = readBack(reading.text)
      assert.deepEqual(reading, read.data, seed)
      return read
    })
    // The prices that are cleared include the others of the same item.
    all.push(...ofItem.filter(({ clearsPrices }) => clearsPrices))
    all.push(...ofItem.filter(({ clearsPrices }) => !clearsPrices))
  }
  const ari = all.map(({ item }) => item)
  const repeated = await supplier.post('/push/ari', { hotelId: copyOf(body.hotelId), ari })
  expectOk(repeated)
  return all
}

async function ariOf(supplier: TestSupplier, hotelId: string): Promise<string> {
  const today = gateway.clock.now()
  const dateIn = (days: number): string => new Date(today + days * 86_400_000).toISOString().slice(0, 10)
  const range = { startDate: dateIn(-2), endDate: dateIn(770) }
  const { body } = expectOk(await supplier.post('/push/getAri', { hotelId, ...range }))
  return JSON.stringify([body['pricingModel'], body['ari'], body['warnings']])
}
