import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import fc from 'fast-check'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { pushStoryHotel } from '../../test/stage/story.ts'
import { formatNight } from '../base/calendar.ts'
import { insertChecks, type StoredCheck } from './ledger.ts'
import { deleteOldChecks, deleteOldDrift } from './store.ts'

const gateway = await gatewayForTests()
let hotelId: number
before(async () => {
  await pushStoryHotel(await gateway.supplier('Drifting'))
  const { rows } = await gateway.db.query<{ id: number }>('select id from hotel')
  hotelId = rows[0]?.id ?? 0
})

const night = 20_900
const began = Date.parse('2027-03-01T12:00:00Z')

/** A live answer for one night, in one of two currencies, with too few or enough units, perhaps with another meal plan. */
type Answer = {
  currency: string
  stored: number
  live: number
  revision: number
  inventory: number
  mealPlan?: string | undefined
}

/** A check of the first room with its first rate. */
function checkOf(answer: Answer, index: number): StoredCheck {
  const { currency, stored, live, revision, inventory, mealPlan } = answer
  const checkId = randomUUID()
  return {
    checkId,
    callId: checkId,
    atMs: began + index * 1_000,
    supplierId: 1,
    hotelId,
    roomNo: 1,
    rateNo: 1,
    requestId: 'drift',
    query: {
      arrival: night,
      departure: night + 1,
      roomCount: 1,
      unitsNeeded: 1,
      room: { adults: 2, childAges: [3] },
    },
    durationMs: 5,
    currency,
    stored: {
      revision: 50,
      inventory: 3,
      nights: [{ day: night, beforeTax: stored, afterTax: stored, units: 3, revision }],
      isBookable: true,
    },
    live: { inventory, nights: [{ beforeTax: live, afterTax: live }], terms: {} },
    failure: undefined,
    outcome: 'available',
    isBookable: true,
    difference: live - stored,
    termsDiffer: mealPlan === undefined ? [] : [{ what: 'mealPlan', sold: 'RO', live: mealPlan }],
    isRejectedForTerms: false,
  }
}

/** The reference implementation: one answer after another. */
function naive(answers: readonly Answer[]): Record<string, unknown> {
  const currency = answers.at(-1)?.currency
  const from = answers.findLastIndex((answer) => answer.currency !== currency) + 1
  const own = answers.slice(from)
  const compared = [...own.entries()].filter(([, { inventory }]) => inventory > 0)
  const differing = compared.filter(([, { stored, live }]) => stored !== live)
  const last = compared.at(-1)?.[1]
  const sameAt = compared.findLastIndex(([, { stored, live }]) => stored === live)
  const run = compared.slice(sameAt + 1).at(0)
  const instant = (index: number): string => new Date(began + (from + index) * 1_000).toISOString()
  let largest = 0
  for (const [, { stored, live }] of differing)
    if (Math.abs(live - stored) > Math.abs(largest)) largest = live - stored
  return {
    night: formatNight(night),
    currency,
    checks: own.length,
    differing: differing.length,
    soldOut: own.length - compared.length,
    mealPlanDiffers: own.filter(({ mealPlan }) => mealPlan !== undefined).length,
    largest,
    lastAt: instant(own.length - 1),
    stored: last?.stored ?? null,
    live: last?.live ?? null,
    revision: last?.revision ?? null,
    sinceAt: run ? instant(run[0]) : null,
    sinceRevision: run ? run[1].revision : null,
  }
}

const answers = fc.array(
  fc.record({
    // Rarely another currency.
    currency: fc.integer({ min: 0, max: 9 }).map((any) => (any === 0 ? 'EUR' : 'USD')),
    stored: fc.constantFrom(100, 105),
    live: fc.constantFrom(95, 100, 105, 120),
    revision: fc.integer({ min: 1, max: 9 }),
    inventory: fc.constantFrom(0, 4, 5),
    mealPlan: fc.constantFrom(undefined, 'BB'),
  }),
  { minLength: 1, maxLength: 12 },
)

test('however the answers are divided into writings, the drift is that of one after another', async () => {
  await fc.assert(
    fc.asyncProperty(answers, fc.infiniteStream(fc.integer({ min: 1, max: 4 })), async (given, sizes) => {
      await gateway.db.query('truncate price_drift')
      // A currency doesn't return within one write: only a push changes the hotel's currency, and rarely.
      const from = given.findLastIndex(({ currency }) => currency === 'EUR')
      const told = given.map((answer, index) => ({ ...answer, currency: index <= from ? 'EUR' : 'USD' }))
      const checks = told.map((answer, index) => checkOf(answer, index))
      while (checks.length > 0) await insertChecks(gateway.db, checks.splice(0, sizes.next().value))
      const { rows } = await gateway.db.query(
        `select night, currency, checks, differing, sold_out as "soldOut",
           meal_plan_differs as "mealPlanDiffers", largest, last_at as "lastAt", stored, live,
           revision, since_at as "sinceAt", since_revision as "sinceRevision" from price_drift where hotel_id = $1`,
        [hotelId],
      )
      assert.deepEqual(JSON.parse(JSON.stringify(rows)), [naive(told)])
    }),
    { numRuns: 150 },
  )
})

test('old checks and nights that are over are deleted, and no others', async () => {
  const { db } = gateway
  await db.query('truncate price_check, price_drift')
  const answer = { currency: 'USD', stored: 100, live: 101, revision: 1, inventory: 4 }
  for (const index of [0, 1, 2]) await insertChecks(db, [checkOf(answer, index)])
  const left = async (table: string): Promise<number> =>
    Number((await db.query<{ count: number }>(`select count(*) from ${table}`)).rows[0]?.count)
  assert.deepEqual([await deleteOldChecks(db, began + 2_000), await left('price_check')], [2, 1])
  assert.deepEqual([await deleteOldDrift(db, night), await left('price_drift')], [0, 1])
  assert.deepEqual([await deleteOldDrift(db, night + 1), await left('price_drift')], [1, 0])
})
