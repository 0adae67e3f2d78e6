import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { routes, type RouteName } from '../../src/contract.ts'
import { createToken, revokeToken } from '../../src/keys/manage.ts'
import { makeSecret } from '../../src/keys/secret.ts'
import type { PublicRoute } from '../../src/http/route.ts'
import { bookingBody } from '../stage/scenes/booking.ts'
import { client, gatewayForTests, type Reply } from '../stage/harness.ts'

/** Calls every endpoint for the platform with every invalid token. */

type PlatformRouteName = {
  [Name in RouteName]: (typeof routes)[Name]['access'] extends 'platform' ? Name : never
}[RouteName]

/**
 * A correct request: the body, or the query and parameters of a GET. A new route without a row does not
 * compile.
 */
const rows: Record<PlatformRouteName, unknown> = {
  findOffers: {
    hotels: [{ platformHotelId: '1' }],
    checkin: '2027-04-20',
    checkout: '2027-04-23',
    rooms: [{ adults: 2 }],
  },
  checkPrice: {
    hotel: { platformHotelId: '1' },
    roomId: 'DBL',
    rateId: 'BAR',
    checkin: '2027-04-20',
    checkout: '2027-04-23',
    roomCount: 1,
    adultCount: 2,
    childAges: [],
  },
  requestResync: { hotel: { platformHotelId: '1' } },
  listChanges: { wait: '0' },
  createReservation: bookingBody('Nobody'),
  modifyReservation: bookingBody('Nobody'),
  getReservation: { id: '1' },
  getCancellation: { id: '1' },
  listReservations: { hotel: '1' },
  summarizeReservations: { by: 'day' },
  getTokenLimits: {},
  cancelReservation: {},
}

const routeByName: Readonly<Record<RouteName, PublicRoute>> = routes
// The boundary: the keys of the table.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const names = Object.keys(rows) as PlatformRouteName[]

function call(url: string, name: PlatformRouteName, headers: Record<string, string>): Promise<Reply> {
  const { method, path } = routeByName[name]
  const caller = client(url, headers)
  const request = rows[name]
  if (method === 'PUT') return caller.put(path.replace('{id}', '1'), request)
  if (method !== 'GET') return caller.post(path.replace('{id}', '1'), request)
  const members = new Map(Object.entries(request ?? {}).map(([key, value]) => [key, String(value)]))
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, key: string) => {
    const value = members.get(key) ?? ''
    members.delete(key)
    return encodeURIComponent(value)
  })
  return caller.get(`${filled}?${new URLSearchParams([...members]).toString()}`)
}

const gateway = await gatewayForTests()

function newToken(expiresAtMs: number | null = null): Promise<{ token: string; tokenId: number }> {
  return createToken(gateway.db, 'sandbox', { role: 'platform', name: 'matrix', expiresAtMs })
}

test('every endpoint answers every invalid token with the same 401', async () => {
  const { db, clock } = gateway
  const revoked = await newToken()
  await revokeToken(db, revoked.tokenId, clock.now())
  const expired = await newToken(clock.now())
  const live = await createToken(db, 'production', { role: 'platform', name: 'live', expiresAtMs: null })
  const { apiKey } = await gateway.supplier('Somebody')
  const { token } = await newToken()
  const last = token.slice(-1)
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
  const refused: Readonly<Record<string, Record<string, string>>> = {
    'no token': {},
    'an empty token': bearer(''),
    'a malformed token': bearer('ari_123'),
    'a wrong checksum': bearer(token.slice(0, -1) + (last === '0' ? '1' : '0')),
    'an unknown token': bearer(makeSecret('platform', 'sandbox')),
    'a revoked token': bearer(revoked.token),
    'an expired token': bearer(expired.token),
    "the other environment's token": bearer(live.token),
    "an operator's token": bearer(await gateway.token('operator')),
    "a supplier's key as a token": bearer(apiKey),
    "a supplier's key": { 'x-api-key': apiKey },
    'a token as a key': { 'x-api-key': token },
    'a token without Bearer': { authorization: token },
    'two tokens': bearer(`${token}, ${token}`),
  }
  const expected = (hint: string) => ({
    status: 401,
    body: {
      code: '401',
      message: 'Unauthorized token',
      requestId: 'same',
      errors: [
        {
          type: 'UNAUTHORIZED',
          docUrl: '/docs/guides/errors#UNAUTHORIZED',
          message: 'Unauthorized token',
          path: 'authorization',
          hint,
        },
      ],
    },
  })
  for (const name of names) {
    for (const [what, headers] of Object.entries(refused)) {
      const { status, body } = await call(gateway.url, name, { ...headers, 'x-request-id': 'same' })
      assert.deepEqual([name, what, { status, body }], [name, what, expected(hintFor(headers))])
    }
  }
})

/** Depends on the headers only: it reveals nothing about the secret. */
function hintFor({ authorization, ...others }: Record<string, string>): string {
  if (authorization === undefined && 'x-api-key' in others)
    return 'This needs a platform token, sent as "Authorization: Bearer …"; x-api-key is for keys of suppliers'
  return authorization === undefined || authorization.startsWith('Bearer ')
    ? 'Send a valid platform token as "Authorization: Bearer …"'
    : 'Send the token as "Authorization: Bearer …", with the word Bearer before it'
}

test('a revoked token stops working at every endpoint of every process within a second', async () => {
  const other = await gateway.second()
  const { token, tokenId } = await newToken()
  const headers = { authorization: `Bearer ${token}` }
  for (const { url } of [gateway, other]) {
    for (const name of names) assert.notEqual((await call(url, name, headers)).status, 401, name)
  }
  await revokeToken(gateway.db, tokenId, gateway.clock.now())
  await wait(1_000)
  for (const { url } of [gateway, other]) {
    for (const name of names) assert.deepEqual([name, (await call(url, name, headers)).status], [name, 401])
  }
})
