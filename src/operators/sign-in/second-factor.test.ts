import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { generate } from 'otplib'
import { gatewayForTests, type Reply } from '../../../test/stage/harness.ts'
import { browser, linkOf, said, withPassword, type Browser } from '../../../test/stage/sign-in.ts'
import { defaultSignInRules } from '../sign-in-rules.ts'

const password = 'correct horse battery'
const start = Date.parse('2027-03-01T12:00:00Z')
const mfaKey = Buffer.alloc(32, 7)
let name = ''

const gateway = await gatewayForTests({ console: { mfaKeys: [mfaKey] } })
beforeEach(async () => {
  ;({ name } = await gateway.operator('operator'))
})
afterEach(async () => {
  at(0)
  await gateway.db.query('delete from failed_sign_in')
})

/** Seconds after the start; each 30 seconds there is another code. */
function at(seconds: number): void {
  gateway.clock.set(new Date(start + seconds * 1000).toISOString())
}

const codeOf = (secret: string, seconds = 0) => generate({ secret, epoch: start / 1000 + seconds })

/** Six digits that are no code of these six minutes: a guess may be right. */
async function wrongCodeOf(secret: string): Promise<string> {
  const steps = Array.from({ length: 14 }, (_, step) => codeOf(secret, 30 * (step - 1)))
  const codes = new Set(await Promise.all(steps))
  for (let guess = 123_456; ; guess++) if (!codes.has(String(guess))) return String(guess)
}

type SetUp = { person: Browser; secret: string; wrong: string; recoveryCodes: string[] }

/** Somebody with a password and a second factor; its first code is used. */
async function withSecondFactor(who = name, gate = gateway): Promise<SetUp> {
  const person = await withPassword(gate, who, password)
  const begun = await person.post('/me/second-factor', {})
  const secret = String(begun.body['secret'])
  const confirmed = await person.post('/me/second-factor/confirm', { code: await codeOf(secret) })
  assert.equal(confirmed.status, 200, confirmed.text)
  const { recoveryCodes } = confirmed.body
  assert.ok(Array.isArray(recoveryCodes))
  return { person, secret, wrong: await wrongCodeOf(secret), recoveryCodes: recoveryCodes.map(String) }
}

const short = (reply: Reply): [number, unknown] => [said(reply).status, said(reply).type]
const required = [401, 'CODE_REQUIRED']
const refused = [401, 'CODE_REFUSED']

test('a second factor is set up with a secret and its QR URI, confirmed by a code, and required from then on', async () => {
  const person = await withPassword(gateway, name, password)
  const elsewhere = browser(gateway.url)
  await elsewhere.signIn(name, password)
  const { secret, uri } = (await person.post('/me/second-factor', {})).body
  assert.match(String(secret), /^[A-Z2-7]{32}$/)
  const address = new URL(String(uri))
  assert.deepEqual(
    [
      address.protocol,
      address.host,
      decodeURIComponent(address.pathname),
      address.searchParams.get('secret'),
    ],
    ['otpauth:', 'totp', `/ARI gateway (sandbox):${name}`, secret],
  )
  const wrong = await wrongCodeOf(String(secret))
  const tried = await person.post('/me/second-factor/confirm', { code: wrong })
  assert.deepEqual(short(tried), [400, 'CODE_REFUSED'])
  assert.equal((await browser(gateway.url).signIn(name, password)).status, 200)
  const confirmed = await person.post('/me/second-factor/confirm', { code: await codeOf(String(secret)) })
  const codes = confirmed.body['recoveryCodes']
  assert.ok(Array.isArray(codes))
  assert.equal(new Set(codes).size, 10)
  for (const code of codes) assert.match(code, /^[2-9A-HJ-NP-Z]{4}(-[2-9A-HJ-NP-Z]{4}){3}$/)
  assert.deepEqual((await person.get('/me')).body['secondFactor'], {
    isSetUp: true,
    mustSetUp: false,
    recoveryCodesLeft: 10,
  })
  // Sessions are remembered for half a second.
  await wait(600)
  assert.equal((await elsewhere.get('/me')).status, 401)

  at(30)
  const next = browser(gateway.url)
  assert.deepEqual(short(await next.signIn(name, password)), required)
  assert.deepEqual(short(await next.signIn(name, password, wrong)), refused)
  assert.deepEqual(short(await next.signIn(name, 'wrong horse battery', await codeOf(String(secret), 30))), [
    401,
    'SIGN_IN_REFUSED',
  ])
  assert.equal((await next.signIn(name, password, await codeOf(String(secret), 30))).status, 200)
  assert.equal((await next.get('/me')).status, 200)
})

test('codes that cannot be checked count as no guesses, at sign-in, behind a link and in a session', async () => {
  const { person, secret } = await withSecondFactor()
  const lacksKey = await gateway.second({ console: { mfaKeys: [Buffer.alloc(32, 9)] } })
  at(60)
  const code = await codeOf(secret, 60)
  const token = await linkOf(gateway, name)
  const session = { cookie: person.cookie(), 'x-csrf-token': person.csrfToken() }
  const attempts = [
    () => browser(lacksKey.url).signIn(name, password, code),
    () => browser(lacksKey.url).signInByLink(token, code),
    () => browser(lacksKey.url).post('/me/second-factor/remove', { code }, session),
  ]
  for (let count = 1; count <= 3; count++)
    for (const attempt of attempts) assert.equal((await attempt()).status, 500)
  assert.deepEqual((await gateway.db.query('select from failed_sign_in where attempts > 0')).rows, [])
  assert.equal((await browser(gateway.url).signIn(name, password, code)).status, 200)
})

test('what has not the form of a code confirms no setup; a code may be typed with a hyphen', async () => {
  const person = await withPassword(gateway, name, password)
  const secret = String((await person.post('/me/second-factor', {})).body['secret'])
  for (const code of ['12345', '1234567', 'abcdef', '٠١٢٣٤٥', 'ABCD-EFGH-JKLM-NPQR'])
    assert.deepEqual(
      [code, ...short(await person.post('/me/second-factor/confirm', { code }))],
      [code, 400, 'CODE_REFUSED'],
    )
  const right = await codeOf(secret)
  const code = `${right.slice(0, 3)}-${right.slice(3)}`
  assert.equal((await person.post('/me/second-factor/confirm', { code })).status, 200)
})

test('a code works once, even for many simultaneous requests, and no earlier code is accepted after it', async () => {
  const { secret } = await withSecondFactor()
  assert.deepEqual(short(await browser(gateway.url).signIn(name, password, await codeOf(secret))), refused)
  at(60)
  const code = await codeOf(secret, 60)
  const links = [await linkOf(gateway, name)]
  const replies = await Promise.all([
    ...[1, 2, 3].map(() => browser(gateway.url).signIn(name, password, code)),
    browser(gateway.url).signInByLink(links[0] ?? '', code),
  ])
  assert.deepEqual(
    replies.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 401, 401, 401],
  )
  assert.deepEqual(
    short(await browser(gateway.url).signIn(name, password, await codeOf(secret, 30))),
    refused,
  )
})

test('a clock may be off by half a minute, but no more', async () => {
  const { secret } = await withSecondFactor()
  for (const [seconds, status] of [
    [600 - 60, 401],
    [600 + 60, 401],
    [600 - 30, 200],
    [600 + 30, 200],
  ] as const) {
    at(600)
    const reply = await browser(gateway.url).signIn(name, password, await codeOf(secret, seconds))
    assert.deepEqual([seconds, reply.status], [seconds, status])
  }
})

test('a recovery code replaces the app once, however it is typed', async () => {
  const { recoveryCodes } = await withSecondFactor()
  const [first = '', second = ''] = recoveryCodes
  const person = browser(gateway.url)
  assert.equal((await person.signIn(name, password, first.toLowerCase().replaceAll('-', ' '))).status, 200)
  assert.deepEqual((await person.get('/me')).body['secondFactor'], {
    isSetUp: true,
    mustSetUp: false,
    recoveryCodesLeft: 9,
  })
  assert.deepEqual(short(await browser(gateway.url).signIn(name, password, first)), refused)
  const { name: other } = await gateway.operator('viewer')
  await withSecondFactor(other)
  assert.deepEqual(short(await browser(gateway.url).signIn(other, password, second)), refused)
})

test('of simultaneous sign-ins with one recovery code, one is let in', async () => {
  const { recoveryCodes } = await withSecondFactor()
  const replies = await Promise.all(
    Array.from({ length: 4 }, () => browser(gateway.url).signIn(name, password, recoveryCodes[0])),
  )
  assert.deepEqual(replies.map(({ status }) => String(status)).toSorted(), ['200', '401', '401', '401'])
  assert.equal((await browser(gateway.url).signIn(name, password, recoveryCodes[1])).status, 200)
})

test('wrong codes lock a name like wrong passwords; the right password without a code neither counts nor resets the count', async () => {
  const { secret, wrong } = await withSecondFactor()
  const visitor = browser(gateway.url)
  for (let round = 0; round < 4; round++) {
    assert.deepEqual(short(await visitor.signIn(name, password)), required)
    assert.deepEqual(short(await visitor.signIn(name, password, wrong)), refused)
  }
  assert.deepEqual(short(await visitor.signIn(name, password)), required)
  assert.deepEqual(short(await visitor.signIn(name, password, wrong)), refused)
  assert.deepEqual(short(await visitor.signIn(name, password, await codeOf(secret, 30))), [
    429,
    'SIGN_IN_LOCKED',
  ])
})

test('neither the right password nor a right code in an open session forgives wrong ones of the other', async () => {
  const { person, secret, wrong } = await withSecondFactor()
  const guess = () => person.post('/me/second-factor/remove', { code: wrong })
  for (let count = 0; count < 3; count++) assert.deepEqual(short(await guess()), [403, 'CODE_REFUSED'])
  const next = 'another staple of hay'
  assert.equal((await person.post('/me/password', { current: password, next })).status, 200)
  assert.deepEqual(short(await guess()), [403, 'CODE_REFUSED'])
  at(60)
  assert.equal((await person.post('/me/second-factor', { code: await codeOf(secret, 60) })).status, 200)
  const change = (current: string) => person.post('/me/password', { current, next: password })
  assert.deepEqual(short(await change('not it at all')), [403, 'CURRENT_PASSWORD_WRONG'])
  assert.deepEqual(short(await guess()), [429, 'SIGN_IN_LOCKED'])
})

test('a link does not replace the second factor, stays valid until the code is right, and its wrong codes are counted', async () => {
  const { secret, wrong } = await withSecondFactor()
  at(90)
  const link = await linkOf(gateway, name)
  const visitor = browser(gateway.url)
  assert.deepEqual(short(await visitor.signInByLink(link)), required)
  assert.deepEqual(short(await visitor.signInByLink(link, wrong)), refused)
  assert.equal((await visitor.signInByLink(link, await codeOf(secret, 90))).status, 200)
  const another = await linkOf(gateway, name)
  for (let guess = 0; guess < 5; guess++) {
    assert.deepEqual(short(await browser(gateway.url).signInByLink(another, wrong)), refused)
  }
  at(95)
  assert.deepEqual(short(await visitor.signInByLink(await linkOf(gateway, name), wrong)), [
    429,
    'SIGN_IN_LOCKED',
  ])
})

test('changing and removing the second factor take a current code; an admin can reset only that of others', async () => {
  const { person, secret, wrong, recoveryCodes } = await withSecondFactor()
  at(300)
  assert.deepEqual(short(await person.post('/me/second-factor', {})), [403, 'CODE_REQUIRED'])
  assert.deepEqual(short(await person.post('/me/second-factor/remove', { code: wrong })), [
    403,
    'CODE_REFUSED',
  ])
  const { secret: newer } = (await person.post('/me/second-factor', { code: await codeOf(secret, 300) })).body
  const confirmed = await person.post('/me/second-factor/confirm', { code: await codeOf(String(newer), 300) })
  assert.equal(confirmed.status, 200)
  assert.deepEqual(short(await browser(gateway.url).signIn(name, password, recoveryCodes[0])), refused)
  at(330)
  const removed = await person.post('/me/second-factor/remove', { code: await codeOf(String(newer), 330) })
  assert.equal(removed.status, 200)
  assert.equal((await browser(gateway.url).signIn(name, password)).status, 200)

  await gateway.db.query('delete from failed_sign_in')
  at(0)
  await withSecondFactor()
  const admin = await gateway.operator('admin')
  const { rows } = await gateway.db.query<{ id: number }>('select id from operator where name = $1', [name])
  const reset = (operatorId: number | undefined) =>
    admin.post(`/operators/${operatorId}/reset-second-factor`, undefined)
  assert.deepEqual(short(await reset(admin.operatorId)), [409, 'OWN_SECOND_FACTOR'])
  assert.equal((await reset(rows[0]?.id)).status, 200)
  await wait(600)
  assert.equal((await browser(gateway.url).signIn(name, password)).status, 200)
})

test('where a second factor is required, operators without one can only set one up; sign-ins by the provider need none', async () => {
  const strict = await gateway.second({ console: { signIn: defaultSignInRules.production } })
  const person = await withPassword(strict, name, password)
  const { secondFactor } = (await person.get('/me')).body
  assert.deepEqual(secondFactor, { isSetUp: false, mustSetUp: true, recoveryCodesLeft: 0 })
  assert.deepEqual(short(await person.get('/overview')), [403, 'SECOND_FACTOR_REQUIRED'])
  assert.deepEqual(short(await person.get('/audit')), [403, 'SECOND_FACTOR_REQUIRED'])
  await gateway.db.query(`update operator_session set signed_in_by = 'oidc'`)
  await wait(600)
  assert.equal((await person.get('/audit')).status, 200)
  await gateway.db.query(`update operator_session set signed_in_by = 'password'`)
  const { secret } = (await person.post('/me/second-factor', {})).body
  const code = await codeOf(String(secret))
  assert.equal((await person.post('/me/second-factor/confirm', { code })).status, 200)
  assert.equal((await person.get('/audit')).status, 200)
  const other = await gateway.operator('admin')
  await gateway.db.query(`update operator_session set has_second_factor = true where operator_id = $1`, [
    other.operatorId,
  ])
})

test('secrets are stored sealed and codes hashed, with a replaceable key; without the key no code works', async () => {
  const { secret, recoveryCodes } = await withSecondFactor()
  const kept = async () =>
    (
      await gateway.db.query<{ kept: string; totp: string }>(
        `select jsonb_agg(to_jsonb(o))::text || (select jsonb_agg(to_jsonb(c))::text from operator_recovery_code c)
           || (select jsonb_agg(to_jsonb(a))::text from audit_log a) as kept,
           (select encode(totp_secret, 'hex') from operator where name = $1) as totp from operator o`,
        [name],
      )
    ).rows[0]
  const first = await kept()
  for (const text of [secret, Buffer.from(secret).toString('hex'), ...recoveryCodes])
    assert.equal(first?.kept.includes(text), false)
  const newKey = Buffer.alloc(32, 8)
  const rotated = await gateway.second({ console: { mfaKeys: [newKey, mfaKey] } })
  rotated.clock.set(new Date(start + 60_000).toISOString())
  assert.equal((await browser(rotated.url).signIn(name, password, await codeOf(secret, 60))).status, 200)
  assert.notEqual((await kept())?.totp.slice(2, 10), first?.totp.slice(2, 10))
  const without = await gateway.second({ console: { mfaKeys: [mfaKey] } })
  without.clock.set(new Date(start + 120_000).toISOString())
  assert.equal((await browser(without.url).signIn(name, password, await codeOf(secret, 120))).status, 500)
  const onlyNew = await gateway.second({ console: { mfaKeys: [newKey] } })
  onlyNew.clock.set(new Date(start + 120_000).toISOString())
  assert.equal((await browser(onlyNew.url).signIn(name, password, await codeOf(secret, 120))).status, 200)
})

test('the audit log records second factors, and which one a sign-in used', async () => {
  const { wrong, recoveryCodes } = await withSecondFactor()
  const [code = ''] = recoveryCodes
  await browser(gateway.url).signIn(name, password, wrong)
  await browser(gateway.url).signIn(name, password, code)
  const { rows } = await gateway.db.query<{ line: string }>(
    `select action || ' ' || coalesce(after->>'reason', after->>'with', '') as line from audit_log
     where operator_name = $1 order by id`,
    [name],
  )
  assert.deepEqual(
    rows.map(({ line }) => line.trim()),
    [
      'operator.sign-in',
      'operator.password',
      'operator.second-factor',
      'sign-in.refused code',
      'operator.sign-in recovery code',
    ],
  )
})
