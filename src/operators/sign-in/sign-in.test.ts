import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { browser, linkOf, said, withPassword } from '../../../test/stage/sign-in.ts'

const password = 'correct horse battery'
let name = ''

const gateway = await gatewayForTests()
beforeEach(async () => {
  ;({ name } = await gateway.operator('operator'))
})

const byNumber = (left: number, right: number) => left - right
const refused = { status: 401, type: 'SIGN_IN_REFUSED', message: 'Name or password is wrong' }

test('a link signs in once; the password chosen then works from then on, in any case of the name', async () => {
  const link = await linkOf(gateway, name)
  const first = browser(gateway.url)
  assert.deepEqual(Object.keys((await first.signInByLink(link)).body), ['csrfToken'])
  assert.deepEqual((await first.get('/me')).body, {
    operatorId: (await first.get('/me')).body['operatorId'],
    name,
    role: 'operator',
    supplier: null,
    environment: 'sandbox',
    csrfToken: first.csrfToken(),
    signedInBy: 'link',
    hasPassword: false,
    secondFactor: { isSetUp: false, mustSetUp: false, recoveryCodesLeft: 0 },
  })
  const again = await browser(gateway.url).signInByLink(link)
  assert.deepEqual(said(again), {
    status: 401,
    type: 'SIGN_IN_LINK_REFUSED',
    message: 'The sign-in link is not valid or has expired',
  })
  assert.equal((await first.post('/me/password', { next: password })).status, 200)
  const person = browser(gateway.url)
  assert.equal((await person.signIn(name.toUpperCase(), password)).status, 200)
  const { signedInBy, hasPassword } = (await person.get('/me')).body
  assert.deepEqual([signedInBy, hasPassword], ['password', true])
})

test('one of two simultaneous uses of a link is admitted', async () => {
  const link = await linkOf(gateway, name)
  const replies = await Promise.all([1, 2, 3, 4].map(() => browser(gateway.url).signInByLink(link)))
  assert.deepEqual(replies.map(({ status }) => status).toSorted(byNumber), [200, 401, 401, 401])
})

test('a link expires after an hour, and when a newer one is created', async () => {
  const [older, newer] = [await linkOf(gateway, name), await linkOf(gateway, name)]
  assert.equal((await browser(gateway.url).signInByLink(older)).status, 401)
  gateway.clock.set('2027-03-01T13:00:00Z')
  assert.equal((await browser(gateway.url).signInByLink(newer)).status, 401)
  gateway.clock.set('2027-03-01T12:00:00Z')
})

test('a sign-in ends the other links to the account', async () => {
  await withPassword(gateway, name, password)
  const link = await linkOf(gateway, name)
  assert.equal((await browser(gateway.url).signIn(name, password)).status, 200)
  assert.equal(said(await browser(gateway.url).signInByLink(link)).type, 'SIGN_IN_LINK_REFUSED')
})

test('an unknown name, a wrong password, no password yet and a disabled operator get the same answer', async () => {
  await withPassword(gateway, name, password)
  const { name: without } = await gateway.operator('viewer')
  const { name: disabled } = await gateway.operator('viewer')
  await withPassword(gateway, disabled, password)
  const admin = await gateway.operator('admin')
  const { body } = await admin.get('/operators')
  assert.ok(Array.isArray(body['operators']))
  const { operatorId } = body['operators'].find((one) => one.name === disabled)
  assert.equal((await admin.post(`/operators/${operatorId}/disable`, undefined)).status, 200)
  for (const [who, what] of [
    ['nobody@example.com', password],
    [name, 'wrong horse battery'],
    [without, password],
    [disabled, password],
  ] as const) {
    const reply = await browser(gateway.url).signIn(who, what)
    assert.deepEqual([who, said(reply), reply.headers.getSetCookie()], [who, refused, []])
  }
})

test('every sign-in has a new secret, whatever cookie the browser sent, and ends the session of that cookie', async () => {
  await withPassword(gateway, name, password)
  const victim = browser(gateway.url)
  const planted = { cookie: `ari_console=${'A'.repeat(43)}` }
  const signedIn = await browser(gateway.url, planted).signIn(name, password)
  assert.equal(signedIn.headers.getSetCookie().join().includes('A'.repeat(43)), false)
  assert.equal((await browser(gateway.url).get('/me', planted)).status, 401)
  await victim.signIn(name, password)
  const ended = victim.cookie()
  await victim.signIn(name, password)
  assert.notEqual(victim.cookie(), ended)
  assert.equal((await browser(gateway.url).get('/me', { cookie: ended })).status, 401)
  assert.equal((await victim.get('/me')).status, 200)
})

test('a new password needs the old one, ends all sessions, and gives this browser a new one', async () => {
  const person = await withPassword(gateway, name, password)
  const elsewhere = browser(gateway.url)
  await elsewhere.signIn(name, password)
  const next = 'an entirely different one'
  const wrong = { status: 403, type: 'CURRENT_PASSWORD_WRONG', message: 'The current password is wrong' }
  assert.deepEqual(said(await person.post('/me/password', { next })), wrong)
  assert.deepEqual(said(await person.post('/me/password', { current: 'not it at all', next })), wrong)
  const ended = person.cookie()
  assert.equal((await person.post('/me/password', { current: password, next })).status, 200)
  assert.equal((await person.get('/me')).status, 200)
  // Sessions are remembered for half a second.
  await wait(600)
  assert.equal((await browser(gateway.url).get('/me', { cookie: ended })).status, 401)
  assert.equal((await elsewhere.get('/me')).status, 401)
  assert.deepEqual(said(await browser(gateway.url).signIn(name, password)), refused)
  assert.equal((await browser(gateway.url).signIn(name, next)).status, 200)
})

test('after a link sign-in, a new password can be chosen without the current one', async () => {
  await withPassword(gateway, name, password)
  const person = await withPassword(gateway, name, 'remembered from now on')
  assert.equal((await person.get('/me')).body['signedInBy'], 'password')
  assert.equal((await browser(gateway.url).signIn(name, 'remembered from now on')).status, 200)
})

test('passwords that are too short, too simple, common or like the name are refused, and no answer repeats them', async () => {
  const person = browser(gateway.url)
  await person.signInByLink(await linkOf(gateway, name))
  for (const [next, type] of [
    ['short pass', 'TOO_SHORT'],
    ['aaaaaaaaaaaaaaaabbb', 'WEAK_PASSWORD'],
    ['password1234', 'COMMON_PASSWORD'],
    ['P@ssw0rd1234', 'COMMON_PASSWORD'],
    ['letmeinletmein', 'COMMON_PASSWORD'],
    ['QWERTYuiop12', 'COMMON_PASSWORD'],
    [`${'1'.repeat(50)}${'p@$$w0rd'.repeat(18)}`, 'COMMON_PASSWORD'],
    [`${name}${name}`, 'WEAK_PASSWORD'],
  ] as const) {
    const reply = await person.post('/me/password', { next })
    assert.deepEqual([reply.status, said(reply).type, reply.text.includes(next)], [400, type, false])
  }
})

test('no answer repeats any part of a sign-in body, even a malformed one', async () => {
  const visitor = browser(gateway.url)
  for (const body of [
    '{"name":"hunter2", "password":"hunter2',
    '"hunter2"',
    JSON.stringify({ name: ['hunter2'], password: { hunter2: 'hunter2' } }),
    JSON.stringify({ name: 'hunter2'.repeat(100), password: 'hunter2'.repeat(100) }),
  ]) {
    const { status, text } = await visitor.post('/sign-in', body)
    assert.deepEqual([body, status, text.includes('hunter2')], [body, 400, false])
  }
})

test('passwords and links are kept as hashes only', async () => {
  const atUsualCost = await gateway.second({ console: { passwordCost: undefined } })
  await withPassword(atUsualCost, name, password)
  const link = await linkOf(gateway, name)
  const { rows } = await gateway.db.query<{ kept: string }>(
    `select jsonb_agg(to_jsonb(o))::text || (select jsonb_agg(to_jsonb(l))::text from operator_sign_in_link l)
       || (select jsonb_agg(to_jsonb(s))::text from operator_session s)
       || (select jsonb_agg(to_jsonb(a))::text from audit_log a) as kept from operator o`,
  )
  const [{ kept } = { kept: '' }] = rows
  assert.match(kept, /scrypt\$32768\$8\$3\$/)
  for (const secret of [password, link]) assert.equal(kept.includes(secret), false)
})

test('a sign-in from another site is refused', async () => {
  const person = browser(gateway.url)
  const link = await linkOf(gateway, name)
  for (const foreign of [
    { origin: 'https://evil.example' },
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'null' },
  ]) {
    const stranger = browser(gateway.url, foreign)
    const replies = [await stranger.signInByLink(link), await stranger.signIn(name, password)]
    assert.deepEqual(
      replies.map((reply) => [said(reply).status, said(reply).type]),
      [
        [403, 'FOREIGN_SITE'],
        [403, 'FOREIGN_SITE'],
      ],
    )
  }
  assert.equal((await person.signInByLink(link)).status, 200)
})

test('everybody can list the sign-in methods', async () => {
  assert.deepEqual((await browser(gateway.url).get('/sign-in/ways')).body, {
    password: true,
    oidc: null,
    signUp: false,
  })
  assert.equal((await browser(gateway.url).get('/sign-in/oidc')).status, 404)
})
