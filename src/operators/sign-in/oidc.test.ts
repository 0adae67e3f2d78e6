import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { client, gatewayForTests, startGateway, type TestGateway } from '../../../test/stage/harness.ts'
import { said, withPassword } from '../../../test/stage/sign-in.ts'
import { startOpenIdProvider, type TestProvider } from '../../../test/stage/servers/openid-provider.ts'

let provider: TestProvider
let gateway: TestGateway
/** Where people whom nobody made are let in as viewers. */
let welcoming: TestGateway

before(async () => {
  provider = await startOpenIdProvider()
  const { issuer, clientId, clientSecret } = provider
  const oidc = { issuer, clientId, clientSecret, newcomerRole: undefined }
  gateway = await startGateway({ console: { oidc } })
  welcoming = await startGateway({
    console: { oidc: { ...oidc, newcomerRole: 'viewer' } },
  })
  provider.nowMs = () => gateway.clock.now()
})
after(async () => {
  await gateway.stop()
  await welcoming.stop()
  await provider.stop()
})
beforeEach(() => {
  provider.claims = { sub: 'maria-1', email: 'maria@example.com', email_verified: true }
  provider.spoil = (claims) => claims
})

async function go(
  url: string,
  cookie = '',
): Promise<{ location: string; cookies: string[]; status: number }> {
  const { status, headers } = await fetch(url, { redirect: 'manual', headers: { cookie } })
  return {
    status,
    location: headers.get('location') ?? '',
    cookies: headers.getSetCookie().map((set) => set.split(';')[0] ?? ''),
  }
}

/** From the button to the page after it; who is signed in then, if anybody. */
async function signIn(at = gateway): Promise<{ location: string; me: unknown }> {
  const begun = await go(`${at.url}/console/api/sign-in/oidc`)
  const { location, cookies } = await go(provider.visit(begun.location), begun.cookies.join('; '))
  const me = await client(at.url, { cookie: cookies.join('; ') }, '/console/api').get('/me')
  const { name, role, signedInBy } = me.body
  return { location, me: me.status === 200 ? { name, role, signedInBy } : undefined }
}

async function makeMaria(at: TestGateway): Promise<{ operatorId: number }> {
  const admin = await at.operator('admin')
  const { status } = await admin.post('/operators', { name: 'Maria@Example.com', role: 'operator' })
  assert.ok(status === 200 || status === 409)
  const { rows } = await at.db.query<{ operatorId: number }>(
    `select id as "operatorId" from operator where name_key = 'maria@example.com'`,
  )
  const [maria] = rows
  assert.ok(maria)
  return maria
}

test('the provider is listed as a sign-in method, and the browser is sent there with state, nonce and a PKCE challenge', async () => {
  const ways = await fetch(`${gateway.url}/console/api/sign-in/ways`)
  assert.deepEqual(await ways.json(), {
    password: true,
    oidc: { name: new URL(provider.issuer).host, path: '/console/api/sign-in/oidc' },
    signUp: false,
  })
  const { status, location, cookies } = await go(`${gateway.url}/console/api/sign-in/oidc`)
  const { origin, searchParams } = new URL(location)
  assert.deepEqual([status, origin, cookies.length], [303, provider.issuer, 1])
  assert.deepEqual([...searchParams.keys()].sort(), [
    'client_id',
    'code_challenge',
    'code_challenge_method',
    'nonce',
    'redirect_uri',
    'response_type',
    'scope',
    'state',
  ])
  assert.deepEqual(
    ['redirect_uri', 'code_challenge_method', 'scope'].map((name) => searchParams.get(name)),
    [`${gateway.url}/console/api/sign-in/oidc/callback`, 'S256', 'openid email'],
  )
})

test('the operator named by the verified address is signed in, and linked to the account from then on', async () => {
  await makeMaria(gateway)
  const me = { name: 'Maria@Example.com', role: 'operator', signedInBy: 'oidc' }
  assert.deepEqual(await signIn(), { location: '/console', me })
  provider.claims = { sub: 'maria-1', email: 'maria.new@example.com', email_verified: true }
  assert.deepEqual(await signIn(), { location: '/console', me })
  provider.claims = { sub: 'somebody-else', email: 'maria@example.com', email_verified: true }
  assert.deepEqual(await signIn(), { location: '/console/sign-in?problem=unknown', me: undefined })
})

test('unknown, unverified and disabled people are sent back to the sign-in page', async () => {
  const unknown = { location: '/console/sign-in?problem=unknown', me: undefined }
  provider.claims = { sub: 'otto', email: 'otto@example.com', email_verified: true }
  assert.deepEqual(await signIn(), unknown)
  const admin = await gateway.operator('admin')
  await admin.post('/operators', { name: 'otto@example.com', role: 'viewer' })
  provider.claims = { sub: 'otto', email: 'otto@example.com', email_verified: false }
  assert.deepEqual(await signIn(), unknown)
  provider.claims = { sub: 'maria-1' }
  const { operatorId } = await makeMaria(gateway)
  await admin.post(`/operators/${operatorId}/disable`, undefined)
  assert.deepEqual(await signIn(), unknown)
  await admin.post(`/operators/${operatorId}/enable`, undefined)
})

test('an account that a supplier named like somebody of the provider is not theirs', async () => {
  await gateway.supplier('Pia PMS')
  const { rows } = await gateway.db.query<{ id: number }>(`select id from supplier where name = 'Pia PMS'`)
  const admin = await gateway.operator('admin')
  const person = { name: 'boss@example.com', role: 'manager' }
  assert.equal((await admin.post(`/suppliers/${rows[0]?.id}/people`, person)).status, 200)
  provider.claims = { sub: 'boss', email: 'boss@example.com', email_verified: true }
  assert.deepEqual(await signIn(), { location: '/console/sign-in?problem=unknown', me: undefined })
})

test('a look-alike of an operator’s address signs nobody in and creates no operator', async () => {
  const admin = await welcoming.operator('admin')
  await admin.post('/operators', { name: 'op2@x.com', role: 'admin' })
  const unknown = { location: '/console/sign-in?problem=unknown', me: undefined }
  const another = await gateway.operator('admin')
  await another.post('/operators', { name: 'op2@x.com', role: 'admin' })
  for (const email of ['ＯＰ2@x.com', 'op２@x.com', 'o\u200dp2@x.com']) {
    provider.claims = { sub: `like-${encodeURIComponent(email)}`, email, email_verified: true }
    assert.deepEqual([email, await signIn(gateway)], [email, unknown])
  }
  const tooLong = `${'x'.repeat(120)}@x.com`
  for (const email of [
    'ＯＰ2@x.com',
    'ｏther@x.com',
    'o\u200dp2@x.com',
    'оp2@x.com',
    'op2 @x.com',
    tooLong,
  ]) {
    provider.claims = { sub: `new-${encodeURIComponent(email)}`, email, email_verified: true }
    assert.deepEqual([email, await signIn(welcoming)], [email, unknown])
  }
  provider.claims = { sub: 'op2', email: 'OP2@X.com', email_verified: true }
  const me = { name: 'op2@x.com', role: 'admin', signedInBy: 'oidc' }
  assert.deepEqual(await signIn(welcoming), { location: '/console', me })
})

test("tokens are over by the store's clock, also while the provider's metadata are remembered", async () => {
  await makeMaria(gateway)
  const startedAt = new Date(gateway.clock.now()).toISOString()
  assert.equal((await signIn()).location, '/console')
  // The machine's own clock stays, 400 days off from then on.
  gateway.clock.set(new Date(gateway.clock.now() + 400 * 86_400_000).toISOString())
  assert.equal((await signIn()).location, '/console')
  provider.spoil = (claims) => ({ ...claims, exp: Math.floor(gateway.clock.now() / 1000) - 600 })
  assert.equal((await signIn()).location, '/console/sign-in?problem=provider')
  gateway.clock.set(startedAt)
})

test('the cookie of a sign-in works once, even with another code of the provider, and is cleared by the answer', async () => {
  await makeMaria(gateway)
  const begun = await go(`${gateway.url}/console/api/sign-in/oidc`)
  const [one, two] = [provider.visit(begun.location), provider.visit(begun.location)]
  const cookie = begun.cookies.join('; ')
  const first = await go(one, cookie)
  assert.deepEqual([first.location, first.cookies.includes('ari_oidc=')], ['/console', true])
  const second = await go(two, cookie)
  assert.deepEqual([second.location, second.cookies], ['/console/sign-in?problem=expired', ['ari_oidc=']])
})

test('if newcomers have a role, they get an account with it', async () => {
  const me = { name: 'maria@example.com', role: 'viewer', signedInBy: 'oidc' }
  assert.deepEqual(await signIn(welcoming), { location: '/console', me })
  assert.deepEqual(await signIn(welcoming), { location: '/console', me })
  provider.claims = { sub: 'nameless' }
  assert.equal((await signIn(welcoming)).location, '/console/sign-in?problem=unknown')
})

test('a wrong state, nonce, audience, issuer or subject, an expired token, a reused code and a missing cookie are refused', async () => {
  await makeMaria(gateway)
  const failed = { location: '/console/sign-in?problem=provider', me: undefined }
  for (const spoilt of [
    { nonce: 'another' },
    { aud: 'another' },
    { iss: 'https://another.example' },
    { exp: Math.floor(gateway.clock.now() / 1000) - 600 },
    { sub: '' },
    { sub: 'maria\ud800' },
    { sub: 'm'.repeat(256) },
  ]) {
    provider.spoil = (claims) => ({ ...claims, ...spoilt })
    assert.deepEqual([spoilt, await signIn()], [spoilt, failed])
  }
  provider.spoil = (claims) => claims
  const begun = await go(`${gateway.url}/console/api/sign-in/oidc`)
  const back = provider.visit(begun.location)
  const cookie = begun.cookies.join('; ')
  assert.equal((await go(`${back}&iss=https%3A%2F%2Fanother.example`, cookie)).location, failed.location)
  assert.equal((await go(back)).location, '/console/sign-in?problem=expired')
  assert.equal((await go(back.replace('state=', 'state=x'), cookie)).location, failed.location)
  assert.equal((await go(back, cookie)).location, '/console')
  assert.equal((await go(back, cookie)).location, failed.location)
})

test('a session by OpenID can’t choose a first password, which would outlive the account at the provider', async () => {
  const { operatorId } = await makeMaria(gateway)
  const begun = await go(`${gateway.url}/console/api/sign-in/oidc`)
  const { cookies } = await go(provider.visit(begun.location), begun.cookies.join('; '))
  const cookie = cookies.join('; ')
  const maria = client(gateway.url, { cookie }, '/console/api')
  const { csrfToken } = (await maria.get('/me')).body
  const headers = { 'x-csrf-token': String(csrfToken) }
  const refused = await maria.post('/me/password', { next: 'correct horse battery' }, headers)
  const { status, type } = said(refused)
  assert.deepEqual([status, type], [403, 'SIGNED_IN_BY_PROVIDER'])
  const { rows } = await gateway.db.query('select from operator where id = $1 and password_hash is null', [
    operatorId,
  ])
  assert.equal(rows.length, 1)
  // An operator who has a password must prove it, also after a sign-in by OpenID.
  await withPassword(gateway, 'maria@example.com', 'correct horse battery')
  const again = await go(`${gateway.url}/console/api/sign-in/oidc`)
  const second = await go(provider.visit(again.location), again.cookies.join('; '))
  const later = client(gateway.url, { cookie: second.cookies.join('; ') }, '/console/api')
  const token = { 'x-csrf-token': String((await later.get('/me')).body['csrfToken']) }
  const next = 'another staple of hay'
  const change = async (current?: string) =>
    (await later.post('/me/password', { current, next }, token)).status
  assert.deepEqual([await change(), await change('correct horse battery')], [403, 200])
})

test('an unreachable provider is reported, and tried again the next time', async () => {
  const { issuer, clientId, clientSecret } = provider
  const own = await gatewayForTests({
    console: { oidc: { issuer, clientId, clientSecret, newcomerRole: 'viewer' } },
  })
  provider.isBroken = true
  const { location } = await go(`${own.url}/console/api/sign-in/oidc`)
  assert.equal(location, '/console/sign-in?problem=provider')
  provider.isBroken = false
  assert.equal((await signIn(own)).location, '/console')
})
