import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { commonLimits } from '../../src/keys/contract.ts'
import { itemsMax } from '../../src/ari/item-contract.ts'
import { limitRanges } from '../../src/keys/store.ts'
import { gatewayForTests, type Reply, type TestSupplier } from '../stage/harness.ts'
import { testNow } from '../stage/template.ts'
import { problemsOf, product, pushStoryHotel } from '../stage/story.ts'

/**
 * The limits of GET /push/limits are enforced: a request at each limit is accepted, one beyond it is refused.
 */

let supplier: TestSupplier
const gateway = await gatewayForTests()
before(async () => {
  supplier = await gateway.supplier('limits', { requestsPerMinute: 0 })
  await pushStoryHotel(supplier)
})

const list = <Element>(length: number, element: (index: number) => Element): Element[] =>
  Array.from({ length }, (_, index) => element(index))

const hotel = (hotelId: string) => ({
  hotelId,
  hotelName: 'Sea View',
  currency: 'USD',
  isAvailable: true,
  minChildAge: 2,
  maxChildAge: 12,
  timezone: 'Europe/Paris',
})
const tax = {
  type: 'VAT',
  valueType: '%',
  value: 10,
  appliedOn: 'net',
  appliedPer: 'per_room_per_night',
  included: true,
  payNow: true,
}
const dayMs = 86_400_000
const night = (daysAhead: number) =>
  new Date(Date.parse(testNow) + daysAhead * dayMs).toISOString().slice(0, 10)
const ari = (date: string) =>
  supplier.post('/push/ari', { hotelId: 'H1', ari: [{ roomId: 'DBL', date, inventory: 1 }] })
const hotels = (headers: Record<string, string>) => supplier.post('/push/hotels', [hotel('H1')], headers)
/** Ignored like any unknown member. */
const hotelWith = (more: string) => supplier.post('/push/getTaxes', `{"hotelId":"H1","more":${more}}`)

/** How each limit is tried, and the refusal beyond it. */
const enforced: Readonly<
  Record<
    Exclude<keyof typeof commonLimits, 'idempotencyHours' | 'errorsListed'>,
    [push: (amount: number) => Promise<Reply>, refusal: string]
  >
> = {
  // Two keys of the body count in addition to those in the list.
  bodyValuesMax: [(amount) => hotelWith(`[${list(amount - 2, () => '{"a":1}').join()}]`), 'TOO_MANY_VALUES'],
  bodyNestingMax: [
    (amount) => hotelWith('['.repeat(amount - 1) + ']'.repeat(amount - 1)),
    'NESTED_TOO_DEEPLY',
  ],
  bodyNamesMax: [
    (amount) => hotelWith(`[${list(amount - 2, (index) => `{"${index}":1}`).join()}]`),
    'TOO_MANY_NAMES',
  ],
  objectMembersMax: [
    (amount) => hotelWith(`{${list(amount, (index) => `"${index}":1`).join()}}`),
    'TOO_MANY_MEMBERS',
  ],
  hotelsPerRequest: [
    (amount) =>
      supplier.post(
        '/push/getHotels',
        list(amount, (index) => `H${index}`),
      ),
    'TOO_MANY_HOTELS',
  ],
  productsPerRequest: [
    (amount) =>
      supplier.post('/push/products', {
        hotelId: 'H1',
        products: list(amount, (index) => product(`R${Math.floor(index / 100)}`, `T${index % 100}`)),
      }),
    'TOO_MANY',
  ],
  taxesPerScope: [
    (amount) => supplier.post('/push/taxes', { hotelId: 'H1', taxes: list(amount, () => tax) }),
    'TOO_MANY_TAXES',
  ],
  taxScopesPerRequest: [
    (amount) =>
      supplier.post('/push/taxes', {
        hotelId: 'H1',
        products: list(amount, (index) => ({
          roomId: `R${index % 100}`,
          ...(index < 100 ? {} : { rateId: `T${Math.floor(index / 100)}` }),
          taxes: [],
        })),
      }),
    'TOO_MANY_SCOPES',
  ],
  ariDaysBack: [(amount) => ari(night(-amount)), 'DATE_IN_PAST'],
  ariDaysAhead: [(amount) => ari(night(amount)), 'DATE_TOO_FAR'],
  pushLogEntriesPerPage: [(amount) => supplier.get(`/push/log?limit=${amount}`), 'INVALID_LIMIT'],
  webhookUrlLength: [
    (amount) =>
      supplier.post('/push/webhook/pushbook', { webhook: 'https://pms.example.com/'.padEnd(amount, 'x') }),
    'WEBHOOK_TOO_LONG',
  ],
  idempotencyKeyLength: [
    (amount) => hotels({ 'idempotency-key': 'k'.repeat(amount) }),
    'INVALID_IDEMPOTENCY_KEY',
  ],
}

for (const [name, [push, refusal]] of Object.entries(enforced)) testLimit(name, push, refusal)

function testLimit(name: string, push: (amount: number) => Promise<Reply>, refusal: string): void {
  test(`${name} is what is enforced`, async () => {
    const { limits } = (await supplier.get('/push/limits')).body
    const limit = Number(Object(limits)[name])
    const accepted = await push(limit)
    assert.equal(accepted.status, 200, accepted.text.slice(0, 1_000))
    const refused = await push(limit + 1)
    const [problem] = problemsOf(refused)
    assert.deepEqual([refused.status, Array.isArray(problem) && problem[1]], [400, refusal])
  })
}

test('hotelsPerRequest is what is enforced for pushes too', async () => {
  const push = (amount: number) =>
    supplier.post(
      '/push/hotels',
      list(amount, (index) => hotel(`L${index}`)),
    )
  const { hotelsPerRequest } = commonLimits
  assert.equal((await push(hotelsPerRequest)).status, 200)
  const refused = await push(hotelsPerRequest + 1)
  assert.deepEqual(
    [refused.status, refused.body['message']],
    [400, 'Maximum 500 hotels can be updated at a time'],
  )
})

test('the most items that a key can be given is what the shape of a push allows', () => {
  assert.equal(itemsMax, limitRanges.ariItemsMax.max)
})

test('errorsListed is how many problems an answer lists', async () => {
  const reply = await supplier.post(
    '/push/getHotels',
    list(commonLimits.errorsListed + 7, () => ''),
  )
  assert.deepEqual(
    [reply.status, problemsOf(reply).length, reply.body['moreErrors']],
    [400, commonLimits.errorsListed, 7],
  )
})

test('idempotencyHours is how long a key gives the stored answer', async () => {
  const key = { 'idempotency-key': 'for-a-day' }
  const untilMs = Date.parse(testNow) + commonLimits.idempotencyHours * 3_600_000
  const replayedAt = async (atMs: number) => {
    gateway.clock.set(new Date(atMs).toISOString())
    return (await hotels(key)).headers.get('idempotency-replayed')
  }
  assert.equal((await hotels(key)).headers.get('idempotency-replayed'), null)
  assert.deepEqual([await replayedAt(untilMs - 1), await replayedAt(untilMs)], ['true', null])
})
