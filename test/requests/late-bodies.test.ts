import assert from 'node:assert/strict'
import { request, type IncomingMessage } from 'node:http'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createToken, revokeKey, revokeToken } from '../../src/keys/manage.ts'
import { bookingBody, openShop } from '../stage/scenes/booking.ts'
import { startGateway, type TestGateway } from '../stage/harness.ts'
import { expectOk } from '../stage/story.ts'

/**
 * A client that was admitted on the head of a request may have lost its rights when the body is complete.
 */

let gateway: TestGateway
before(async () => {
  gateway = await startGateway()
})
after(() => gateway.stop())

/** Longer than it takes until every process knows about a revocation. */
const knownWithinMs = 1_500

type Late = {
  path: string
  headers: Record<string, string>
  body: unknown
  /** Runs once the head has been read. */
  meanwhile: () => Promise<unknown>
}

/** The answer to a request whose last byte is held back. */
async function answerTo({ path, headers, body, meanwhile }: Late): Promise<[number | undefined, unknown]> {
  const text = JSON.stringify(body)
  const underWay = gateway.app.requestsInFlight()
  const sent = request(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
  })
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve).once('error', reject)
  })
  sent.write(text.slice(0, -1))
  while (gateway.app.requestsInFlight() === underWay) await wait(5)
  // By then the head has been read and the client admitted; if that takes longer, the test still proves its
  // point.
  await wait(200)
  await meanwhile()
  await wait(knownWithinMs)
  sent.end(text.slice(-1))
  const response = await answered
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part)
  const { message } = JSON.parse(Buffer.concat(parts).toString())
  return [response.statusCode, message]
}

const hotel = {
  hotelId: 'LATE',
  hotelName: 'Late',
  currency: 'USD',
  isAvailable: true,
  minChildAge: 2,
  maxChildAge: 12,
  timezone: 'UTC',
}

test('a push whose key is revoked before its body is there is refused', async () => {
  const supplier = await gateway.supplier('late')
  expectOk(await supplier.post('/push/getHotels', ['LATE']))
  const answered = await answerTo({
    path: '/v1/push/hotels',
    headers: { 'x-api-key': supplier.apiKey },
    body: [hotel],
    meanwhile: () => revokeKey(gateway.db, supplier.keyId, gateway.clock.now()),
  })
  assert.deepEqual(answered, [401, 'Unauthorized API KEY'])
  const { rows } = await gateway.db.query(`select from hotel where code = 'LATE'`)
  assert.equal(rows.length, 0)
})

test('a booking whose token is revoked before its body is there is refused', async () => {
  await openShop(gateway)
  const { token, tokenId } = await createToken(gateway.db, 'sandbox', {
    role: 'platform',
    name: 'late',
    expiresAtMs: null,
  })
  const answered = await answerTo({
    path: '/v1/booking/reservations',
    headers: { authorization: `Bearer ${token}` },
    body: bookingBody('Acme'),
    meanwhile: () => revokeToken(gateway.db, tokenId, gateway.clock.now()),
  })
  assert.deepEqual(answered, [401, 'Unauthorized token'])
  const { rows } = await gateway.db.query('select from reservation')
  assert.equal(rows.length, 0)
})

const isRefused = (
  what: string,
  path: string,
  change: object | undefined,
  refusal: readonly [number, RegExp],
) =>
  test(`what an admin does who is ${what} before the body is there is refused`, async () => {
    const [admin, other] = [await gateway.operator('admin'), await gateway.operator('admin')]
    const name = `accomplice ${what}`
    const [status, message] = await answerTo({
      path: '/console/api/operators',
      headers: admin.headers,
      body: { name, role: 'admin' },
      meanwhile: async () => {
        const { status: changed, text } = await other.post(`/operators/${admin.operatorId}/${path}`, change)
        assert.equal(changed, 200, text)
      },
    })
    assert.equal(status, refusal[0])
    assert.match(String(message), refusal[1])
    const { rows } = await gateway.db.query('select from operator where name = $1', [name])
    assert.equal(rows.length, 0)
  })
void isRefused('disabled', 'disable', undefined, [401, /^Not signed in$/])
void isRefused('made a viewer', 'role', { role: 'viewer' }, [403, /^This needs the role admin/])
