import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { routes } from '../../src/contract.ts'
import type { PublicRoute } from '../../src/http/route.ts'
import { createJob, ended, upload } from '../stage/scenes/bulk.ts'
import { openShop, type Shop } from '../stage/scenes/booking.ts'
import { gatewayForTests, type Reply } from '../stage/harness.ts'
import { expectOk } from '../stage/story.ts'

/** What a caller sends is not repeated if it is the number of a card. */

const number = '4111111111111111'

const gateway = await gatewayForTests()
gateway.app.startBulk()
let shop: Shop
before(async () => {
  shop = await openShop(gateway, 'Acme', { inventory: 99 })
})

/** They end what the other calls need. */
const notCalled: ReadonlySet<string> = new Set([
  '/push/sandbox/reset',
  '/push/sandbox/clock',
  '/push/key/rotate',
])

const publicRoutes = (Object.values(routes) as readonly PublicRoute[]).filter(
  ({ path, transfers }) => transfers === undefined && !notCalled.has(path),
)

/** Copies of a value, each with the number of a card instead of one of its texts or numbers. */
function withNumber(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return typeof value === 'boolean' ? [] : [number]
  return Object.entries(value).flatMap(([name, member]) =>
    withNumber(member).map((changed) =>
      Array.isArray(value) ? value.with(Number(name), changed) : { ...value, [name]: changed },
    ),
  )
}

function query(request: unknown): string {
  return new URLSearchParams(
    Object.entries(Object(request)).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
}

function send({ access, method, path }: PublicRoute, request: unknown): Promise<Reply> {
  const caller = access === 'platform' ? shop.platform : shop.supplier
  const at = path.replaceAll(/\{\w+\}/g, number)
  if (method === 'GET') return caller.get(`${at}?${query(request)}`)
  if (method === 'DELETE') return caller.delete(`${at}?${query(request)}`)
  return method === 'PUT' ? caller.put(at, request) : caller.post(at, request)
}

/** A refusal, or what the answer says was not found. */
function refused({ status, body, text }: Reply): string {
  const said = status >= 207 ? text : JSON.stringify(body['notFound'] ?? null)
  return said.replaceAll(String(body['requestId']), '')
}

const membersPerRoute = 40

test('no refusal of any endpoint repeats it, whichever member it is sent in', async () => {
  const repeating: string[] = []
  let sent = 0
  for (const route of publicRoutes) {
    const [example] = route.examples
    for (const request of withNumber(example.request).slice(0, membersPerRoute)) {
      sent++
      const reply = await send(route, request)
      assert.ok(reply.status < 500, `${route.path}: ${reply.text}`)
      if (refused(reply).includes(number.slice(0, 8)))
        repeating.push(`${route.path} ${JSON.stringify(request).slice(0, 300)}: ${reply.text.slice(0, 300)}`)
    }
  }
  assert.ok(sent > publicRoutes.length, String(sent))
  assert.deepEqual(repeating, [])
})

test('no list of what was not found does', async () => {
  const other = '5555555555554444'
  const asked = [
    { supplier: 'Acme', hotelId: other },
    { platformHotelId: other },
    { supplier: other, hotelId: 'H1' },
  ]
  const stay = { checkin: '2027-04-10', checkout: '2027-04-11', rooms: [{ adults: 1, childAges: [] }] }
  const offers = await shop.platform.post('/booking/offers', { hotels: asked, ...stay })
  const hotels = await shop.supplier.post('/push/getHotels', { hotelIds: [other, 'H9'] })
  assert.deepEqual(expectOk(hotels).body['notFound'], ['[card number removed]', 'H9'])
  for (const reply of [offers, hotels]) assert.ok(!reply.text.includes(other), reply.text)
})

const written = [number, '4111-1111-1111-1111', `x-${'y'.repeat(10)}-${number}`]

test('no header does', async () => {
  const headers = (value: string): Record<string, string>[] => [
    { 'content-encoding': value },
    { 'content-type': value },
    { 'content-type': `application/json; charset=${value}` },
    { 'content-type': `application/json; charset=utf-16-${value}` },
    { 'x-unknown-fields': value },
    { accept: value },
    { 'idempotency-key': value },
    { 'x-request-id': value },
    { 'x-api-key': value },
    { authorization: `Bearer ${value}` },
    { 'accept-encoding': value },
    { 'last-event-id': value },
    { expect: value },
  ]
  const latin1 = Buffer.from('{"hotelId":"Caf\u00E9"}', 'latin1')
  for (const value of written)
    for (const sent of headers(value))
      for (const reply of [
        await shop.supplier.post('/push/ari', latin1, sent),
        await shop.platform.post('/booking/offers', latin1, sent),
        await shop.platform.get('/booking/changes?wait=0', sent),
      ]) {
        assert.ok(reply.status < 500, reply.text)
        assert.doesNotMatch(refused(reply), /4111.?1111/, JSON.stringify(sent))
      }
})

test('neither do the failures and refused lines of a load', async () => {
  for (const value of written) {
    const jobId = await createJob(shop.supplier, { kind: 'ari', format: 'csv' })
    const replies = [
      await upload(shop.supplier, jobId, 'a\n', { 'content-encoding': value }),
      await upload(shop.supplier, jobId, 'a\n', { 'content-range': value }),
      await upload(shop.supplier, jobId, `hotelId,${value}\nH1,1\n`, {}),
    ]
    await shop.supplier.post(`/push/bulk/${jobId}/start`, {})
    await ended(shop.supplier, jobId)
    replies.push(await shop.supplier.get(`/push/bulk/${jobId}`))
    for (const { text } of replies) assert.doesNotMatch(text, /4111.?1111/)
  }
})

test('nor does any part of a path', async () => {
  for (const value of [...written, '4111%201111%201111%201111', '4111/1111/1111/1111'])
    for (const path of [
      `/push/${value}`,
      `/push/bulk/${value}/begin`,
      `/booking/reservations/${value}/x`,
      `/${value}`,
    ]) {
      const reply = await shop.supplier.post(path, {})
      assert.doesNotMatch(refused(reply), /4111.{0,3}1111/, path)
    }
})
