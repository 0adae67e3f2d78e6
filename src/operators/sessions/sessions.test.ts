import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { client, gatewayForTests, type TestGateway, type TestOperator } from '../../../test/stage/harness.ts'
import { browser, linkOf, said } from '../../../test/stage/sign-in.ts'
import { deleteOldSessions } from './session-store.ts'
import { defaultSignInRules } from '../sign-in-rules.ts'

const start = '2027-03-01T12:00:00Z'

const gateway = await gatewayForTests()

function later(minutes: number): void {
  gateway.clock.set(new Date(Date.parse(start) + minutes * 60_000).toISOString())
}

const notSignedIn = { status: 401, type: 'NOT_SIGNED_IN', message: 'Not signed in' }

test('a session ends after two hours without a request', async () => {
  const viewer = await gateway.operator('viewer')
  later(119)
  assert.equal((await viewer.get('/me')).status, 200)
  later(119 + 119)
  assert.equal((await viewer.get('/me')).status, 200)
  later(119 + 119 + 120)
  assert.deepEqual(said(await viewer.get('/me')), notSignedIn)
  later(0)
})

test('in production, a session ends a quarter of an hour after its last request', async () => {
  const strict = await gateway.second({ console: { signIn: defaultSignInRules.production } })
  const viewer = await gateway.operator('viewer')
  const there = client(strict.url, viewer.headers, '/console/api')
  const at = (minutes: number) =>
    strict.clock.set(new Date(gateway.clock.now() + minutes * 60_000).toISOString())
  for (const minutes of [14, 28]) {
    at(minutes)
    assert.equal((await there.get('/me')).status, 200)
  }
  at(28 + 15)
  assert.deepEqual(said(await there.get('/me')), notSignedIn)
})

test('a session ends after twelve hours, even if in use, and housekeeping deletes it', async () => {
  const viewer = await gateway.operator('viewer')
  for (let minutes = 0; minutes < 12 * 60; minutes += 90) {
    later(minutes)
    assert.equal((await viewer.get('/me')).status, 200)
  }
  later(12 * 60 - 1)
  assert.equal((await viewer.get('/me')).status, 200)
  later(12 * 60)
  assert.deepEqual(said(await viewer.get('/me')), notSignedIn)
  await deleteOldSessions(gateway.db, gateway.clock.now(), defaultSignInRules.sandbox)
  const { rows } = await gateway.db.query('select from operator_session')
  assert.equal(rows.length, 0)
  later(0)
})

test('signing out ends the session, here at once and everywhere within a second', async () => {
  const other = await gateway.second()
  const viewer = await gateway.operator('viewer')
  const there = client(other.url, viewer.headers, '/console/api')
  assert.equal((await there.get('/me')).status, 200)
  const { status, headers } = await viewer.post('/sign-out', undefined)
  assert.deepEqual(
    [status, headers.getSetCookie()],
    [200, ['ari_console=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0']],
  )
  assert.deepEqual(said(await viewer.get('/me')), notSignedIn)
  await wait(1_000)
  assert.deepEqual(said(await there.get('/me')), notSignedIn)
})

test('a disabled operator is out within a second on every process, and stays out when enabled again', async () => {
  const other = await gateway.second()
  const [admin, viewer] = [await gateway.operator('admin'), await gateway.operator('viewer')]
  const there = client(other.url, viewer.headers, '/console/api')
  for (const here of [viewer, there]) assert.equal((await here.get('/me')).status, 200)
  const at = `/operators/${viewer.operatorId}`
  assert.equal((await admin.post(`${at}/disable`, undefined)).status, 200)
  await wait(1_000)
  for (const here of [viewer, there]) assert.deepEqual(said(await here.get('/me')), notSignedIn)
  assert.equal((await admin.post(`${at}/enable`, undefined)).status, 200)
  await wait(1_000)
  for (const here of [viewer, there]) assert.deepEqual(said(await here.get('/me')), notSignedIn)
})

test('a new role takes effect within a second, without signing in again', async () => {
  const [admin, person] = [await gateway.operator('admin'), await gateway.operator('admin')]
  assert.equal((await person.get('/operators')).status, 200)
  await admin.post(`/operators/${person.operatorId}/role`, { role: 'viewer' })
  await wait(1_000)
  assert.deepEqual(said(await person.get('/operators')), {
    status: 403,
    type: 'ROLE_TOO_LOW',
    message: `This needs the role admin; ${person.name} has the role viewer`,
  })
})

test('a change needs the token of its own session', async () => {
  const [one, two] = [await gateway.operator('admin'), await gateway.operator('admin')]
  const change = (person: TestOperator, token: string | undefined) => {
    const { cookie } = person.headers
    const headers = token === undefined ? { cookie } : { cookie, 'x-csrf-token': token }
    const body = { name: `somebody ${Math.random()}`, role: 'viewer' }
    return client(gateway.url, headers, '/console/api').post('/operators', body)
  }
  assert.equal((await change(one, one.headers['x-csrf-token'])).status, 200)
  const refused = { status: 403, type: 'CSRF_TOKEN_WRONG' }
  const wrong = { ...refused, message: 'x-csrf-token does not belong to this session' }
  assert.deepEqual(said(await change(one, undefined)), { ...refused, message: 'x-csrf-token is missing' })
  assert.deepEqual(said(await change(one, two.headers['x-csrf-token'])), wrong)
  assert.deepEqual(said(await change(one, '')), wrong)
  const { body } = await browser(gateway.url, one.headers).get('/me')
  assert.equal(body['csrfToken'], one.headers['x-csrf-token'])
})

test('at an https address, the cookie is Secure and bound to the host, and no other cookie counts', async () => {
  const safe = await gatewayForTests({ publicUrl: 'https://ari.example.com' })
  const { name, headers } = await safe.operator('viewer')
  const atHome = { origin: 'https://ari.example.com', 'sec-fetch-site': 'same-origin' }
  const person = browser(safe.url, atHome)
  const reply = await person.signInByLink(await linkOf(safe, name))
  assert.match(
    reply.headers.getSetCookie().join(),
    /^__Host-ari_console=[A-Za-z0-9_-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
  )
  assert.equal((await person.get('/me')).status, 200)
  assert.equal((await client(safe.url, headers, '/console/api').get('/me')).status, 401)
})

test('behind a TLS proxy, the cookie is Secure without a setting, because the browser sends its scheme', async () => {
  const { name } = await gateway.operator('viewer')
  const { host } = new URL(gateway.url)
  const person = browser(gateway.url, { origin: `https://${host}` })
  const reply = await person.signInByLink(await linkOf(gateway, name))
  assert.match(reply.headers.getSetCookie().join(), /^__Host-ari_console=\S+; Path=\/; Secure; /)
  assert.equal((await person.get('/me')).status, 200)
})

test('a process without the console has neither its pages nor its API', async () => {
  const bare = await gatewayForTests({ console: undefined })
  const token = await bare.token('operator')
  for (const path of ['/console', '/console/', '/console/api/me', '/console/api/sign-in/ways']) {
    const { status } = await fetch(`${bare.url}${path}`, { headers: { authorization: `Bearer ${token}` } })
    assert.deepEqual([path, status], [path, 404])
  }
})

test('only a trusted proxy can say which address a request came from', async () => {
  const behind = await gatewayForTests({ trustedProxies: ['127.0.0.0/8'] })
  const addressOf = async (at: TestGateway): Promise<unknown> => {
    const { name } = await at.operator('viewer')
    const person = browser(at.url, { 'x-forwarded-for': '198.51.100.1, 203.0.113.9' })
    await person.signInByLink(await linkOf(at, name))
    const { body } = await person.get('/audit?action=operator.sign-in&limit=1')
    return Array.isArray(body['changes']) ? body['changes'][0].address : body
  }
  assert.deepEqual([await addressOf(gateway), await addressOf(behind)], ['127.0.0.1', '203.0.113.9'])
})
