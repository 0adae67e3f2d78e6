import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { gatewayForTests, type TestSupplier } from '../stage/harness.ts'
import { addDays } from '../stage/models/naive-ari.ts'
import { expectOk, pushStoryHotel } from '../stage/story.ts'

/** NEVER_BOOKABLE across the nights of a stay: told where it is certain, and only there. */

const gateway = await gatewayForTests({ now: '2027-03-20T12:00:00Z' })
let supplier: TestSupplier
before(async () => {
  supplier = await gateway.supplier('Acme')
})

type Limits = Partial<
  Record<'minStayArrival' | 'maxStayArrival' | 'minLengthStay' | 'maxLengthStay', number>
> & {
  closedToArrival?: boolean
}

let hotels = 0
async function newHotel(): Promise<string> {
  const hotelId = `H${++hotels}`
  await pushStoryHotel(supplier, { hotelId })
  return hotelId
}

const item = (startDate: string, endDate: string, limits: Limits) => ({
  roomId: 'DBL',
  startDate,
  endDate,
  rates: [{ rateId: 'BAR', ...limits }],
})

async function told(hotelId: string, ari: object[], more: object = {}): Promise<string[]> {
  const { body } = expectOk(await supplier.post('/push/ari', { hotelId, ari, ...more }))
  return Object(body['results']).flatMap(({ warnings = [] }: { warnings?: Record<string, string>[] }) =>
    warnings.map(({ type, message }) => `${type}: ${message}`),
  )
}

const none = (nights: string, min: string, max: string): string[] => [
  `NEVER_BOOKABLE: No stay can begin on ${nights}: ${min} is above ${max} within the shortest stay`,
]

test('a least stay on arrival that must cross a night with a shorter longest stay, in either order of the pushes', async () => {
  const short = item('2027-04-10', '2027-04-12', { maxLengthStay: 3 })
  const long = (nights: number) => item('2027-04-07', '2027-04-09', { minStayArrival: nights })
  const hotelId = await newHotel()
  assert.deepEqual(await told(hotelId, [short]), [])
  assert.deepEqual(await told(hotelId, [long(3)]), [], 'three nights from the 8th are allowed')
  assert.deepEqual(await told(hotelId, [long(5)]), none('3 nights', 'minStayArrival', 'maxLengthStay'))
  const other = await newHotel()
  assert.deepEqual(await told(other, [long(5)]), [])
  assert.deepEqual(await told(other, [short]), none('3 nights', 'minStayArrival', 'maxLengthStay'))
  assert.deepEqual(await told(other, [item('2027-04-07', '2027-04-08', { closedToArrival: true }), short]), [
    ...none('1 night', 'minStayArrival', 'maxLengthStay'),
  ])
})

test('a least stay through a later night counts only if every stay from there includes it', async () => {
  const hotelId = await newHotel()
  const through = item('2027-04-11', '2027-04-11', { minLengthStay: 4 })
  assert.deepEqual(await told(hotelId, [through]), [])
  const arrival = (limits: Limits) => item('2027-04-10', '2027-04-10', limits)
  assert.deepEqual(
    await told(hotelId, [arrival({ maxStayArrival: 3 })]),
    [],
    'a stay of one night is allowed',
  )
  assert.deepEqual(
    await told(hotelId, [arrival({ minStayArrival: 2 })]),
    none('1 night', 'minLengthStay', 'maxStayArrival'),
  )
  assert.deepEqual(await told(hotelId, [arrival({ minStayArrival: 2, maxStayArrival: 4 })]), [])
})

test('the nights may be in the next month, and those of former days are not told of', async () => {
  const hotelId = await newHotel()
  await told(hotelId, [item('2027-05-01', '2027-05-02', { maxLengthStay: 2 })])
  assert.deepEqual(
    await told(hotelId, [item('2027-04-29', '2027-04-30', { minStayArrival: 4 })]),
    none('2 nights', 'minStayArrival', 'maxLengthStay'),
  )
  await told(hotelId, [item('2027-03-19', '2027-03-20', { minStayArrival: 4 })])
  assert.deepEqual(
    await told(hotelId, [item('2027-03-21', '2027-03-21', { maxLengthStay: 2 })]),
    none('1 night', 'minStayArrival', 'maxLengthStay'),
  )
  assert.deepEqual(await told(hotelId, [item('2027-04-01', '2027-04-02', { maxLengthStay: 5 })]), [])
})

test('it is told of random restrictions exactly where some arrival has no stay that is allowed', async () => {
  const hotelId = await newHotel()
  const names = ['minStayArrival', 'maxStayArrival', 'minLengthStay', 'maxLengthStay'] as const
  let state = 7
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
  const counts = { told: 0, silent: 0 }
  for (let round = 0; round < 120; round++) {
    const nights = Array.from({ length: 8 }, (): Limits => {
      const limits: Limits = {}
      for (const name of names) if (random(6) === 0) limits[name] = 1 + random(6)
      return limits
    })
    const first = round % 2 === 0 ? '2027-04-10' : '2027-04-27'
    const ari = nights.flatMap((limits, index) => {
      const date = addDays(first, index)
      return Object.keys(limits).length > 0 ? [item(date, date, limits)] : []
    })
    if (ari.length === 0) continue
    const warnings = await told(hotelId, ari, { dryRun: true })
    const isNever = nights.some((_, arrival) => !isAnyAllowed(nights.slice(arrival)))
    assert.equal(warnings.length > 0, isNever, JSON.stringify({ nights, warnings }))
    counts[isNever ? 'told' : 'silent']++
  }
  assert.ok(counts.told > 20 && counts.silent > 20, JSON.stringify(counts))
})

/** Nights from an arrival on; those after them have no limit. */
function isAnyAllowed(nights: readonly Limits[]): boolean {
  const [arrival = {}] = nights
  return Array.from({ length: 30 }, (_, index) => index + 1).some((length) => {
    const { minStayArrival = 1, maxStayArrival = 999 } = arrival
    if (length < minStayArrival || length > maxStayArrival) return false
    return nights
      .slice(0, length)
      .every(
        ({ minLengthStay = 1, maxLengthStay = 999 }) => length >= minLengthStay && length <= maxLengthStay,
      )
  })
}
