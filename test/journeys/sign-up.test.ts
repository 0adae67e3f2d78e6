import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { after, beforeEach, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { openLog } from '../../src/base/log.ts'
import { telemetry } from '../../src/base/telemetry.ts'
import { readConfig } from '../../src/settings/config.ts'
import { transaction } from '../../src/postgres/transaction.ts'
import { doChores } from '../../src/start/housekeeping.ts'
import { signUpLimits } from '../../src/operators/sign-up-contract.ts'
import { untilWaiting } from '../stage/locks.ts'
import { client, gatewayForTests, type Reply } from '../stage/harness.ts'
import { startMailServer } from '../stage/servers/mail-server.ts'
import { createJob, upload } from '../stage/scenes/bulk.ts'
import { seconds } from '../stage/pace.ts'
import { browser, said, type Browser } from '../stage/sign-in.ts'
import { eventually } from '../stage/crash/world.ts'

/** A supplier's developer makes an account of the sandbox alone, from the form to the first push. */

const mailServer = await startMailServer()
after(() => mailServer.close())
const publicUrl = 'https://sandbox.example/ari'
const gateway = await gatewayForTests({
  allowsSignUp: true,
  publicUrl,
  mail: { smtpUrl: mailServer.url, from: 'sandbox@gateway.example' },
})
const visitor = client(gateway.url, {}, '/console/api')
const byNumber = (left: number, right: number): number => left - right
let people = 0
let email = ''
let nowMs = Date.parse('2027-03-01T12:00:00Z')

beforeEach(() => {
  email = `dev${++people}@company.example`
  // The mails of the tests before are a day old.
  later({ hours: 25 })
  mailServer.mails.splice(0)
})

function later({ hours = 0, minutes = 0 }: { hours?: number; minutes?: number }): void {
  nowMs += (hours * 60 + minutes) * 60_000
  gateway.clock.set(new Date(nowMs).toISOString())
}

const ask = (company: string, to = email): Promise<Reply> => visitor.post('/sign-up', { email: to, company })

/** The same from another network. */
async function askFromElsewhere(company: string): Promise<number | undefined> {
  const sent = request(`${gateway.url}/console/api/sign-up`, {
    method: 'POST',
    localAddress: '127.9.9.9',
    headers: { 'content-type': 'application/json' },
  })
  sent.end(JSON.stringify({ email, company }))
  const [answer] = await once(sent, 'response')
  answer.resume()
  return answer.statusCode
}

async function nextMail(): Promise<string> {
  await eventually('a mail arrives', seconds(30), () => mailServer.mails.length > 0)
  return decoded(mailServer.mails.shift()?.text)
}

/** Quoted-printable breaks lines, and a link with them. */
function decoded(text = ''): string {
  return text.replaceAll('=\r\n', '').replaceAll('=3D', '=')
}

async function mailedToken(): Promise<string> {
  const token = /\/console\/sign-in#token=([\w-]{43})/.exec(await nextMail())?.[1]
  assert.ok(token)
  return token
}

async function signedUp(company: string): Promise<Browser> {
  assert.equal((await ask(company)).status, 202)
  const person = browser(gateway.url)
  assert.equal((await person.signInByLink(await mailedToken())).status, 200)
  return person
}

async function keyOf(person: Browser): Promise<string> {
  const { supplier } = (await person.get('/me')).body
  const made = await person.post(`/suppliers/${Object(supplier).supplierId}/keys`, { channelManager: 'Own' })
  assert.equal(typeof made.body['apiKey'], 'string', JSON.stringify(made.body))
  return String(made.body['apiKey'])
}

const hotel = (hotelId: string) => ({
  hotelId,
  hotelName: hotelId,
  currency: 'EUR',
  isAvailable: true,
  minChildAge: 2,
  maxChildAge: 11,
  timezone: 'Europe/Paris',
})

test('the mailed link makes the account, signs in its first manager, and its key pushes up to the limit of hotels', async () => {
  const person = await signedUp('Sea View')
  const me = (await person.get('/me')).body
  assert.deepEqual([me['name'], Object(me['supplier']).name, me['role']], [email, 'Sea View', 'operator'])
  assert.equal((await person.post('/me/password', { next: 'correct horse battery' })).status, 200)
  const api = client(gateway.url, { 'x-api-key': await keyOf(person) })
  const all = Array.from({ length: signUpLimits.hotels }, (_, index) => hotel(`H${index}`))
  assert.equal((await api.post('/push/hotels', all)).status, 200)
  const refused = await api.post('/push/hotels', [hotel('H0'), hotel('one too many')])
  assert.deepEqual(said(refused), {
    status: 400,
    type: 'ACCOUNT_HOTELS_FULL',
    message: `This account may have ${signUpLimits.hotels} hotels, and would have ${signUpLimits.hotels + 1}`,
  })
  // What is there may be changed.
  assert.equal((await api.post('/push/hotels', [{ ...hotel('H0'), hotelName: 'Other' }])).status, 200)
})

test('its key takes small bodies, and its loads are small too, packed or not', async () => {
  const api = client(gateway.url, { 'x-api-key': await keyOf(await signedUp('Small')) })
  assert.match((await api.get('/push/limits')).text, /1048576/)
  const data = Buffer.alloc(signUpLimits.hotels * 5 * 1024 * 1024 + 1, `${'x'.repeat(70_000)}\n`)
  const large = await upload(api, await createJob(api, { kind: 'ari' }), data)
  assert.deepEqual([large.status, said(large).type], [413, 'BULK_DATA_TOO_LARGE'])
  const jobId = await createJob(api, { kind: 'ari' })
  const packed = await upload(api, jobId, gzipSync(data), { 'content-encoding': 'gzip' })
  assert.equal(packed.status, 200, packed.text)
  assert.equal((await api.post(`/push/bulk/${jobId}/start`, {})).status, 200)
  const worker = gateway.app.startBulk()
  // Not by the API, whose rate is limited.
  const isOver = async () =>
    (await gateway.db.query('select from bulk_job where id = $1 and ended_at is not null', [jobId]))
      .rowCount === 1
  await eventually('the load ends', seconds(120), isOver)
  await worker.close()
  const { state, failure } = (await api.get(`/push/bulk/${jobId}`)).body
  assert.deepEqual([state, Object(failure).type], ['failed', 'BULK_DATA_TOO_LARGE'])
})

test('two pushes at once don’t both take the last place', async () => {
  const api = client(gateway.url, { 'x-api-key': await keyOf(await signedUp('Racing')) })
  const most = Array.from({ length: signUpLimits.hotels - 1 }, (_, index) => hotel(`H${index}`))
  assert.equal((await api.post('/push/hotels', most)).status, 200)
  const replies = await Promise.all(['A', 'B', 'C', 'D'].map((id) => api.post('/push/hotels', [hotel(id)])))
  assert.deepEqual(replies.map(({ status }) => status).toSorted(byNumber), [200, 400, 400, 400])
})

test('the link works once and for a day; without it there is no account', async () => {
  await ask('Twice')
  const token = await mailedToken()
  const replies = await Promise.all([1, 2, 3].map(() => browser(gateway.url).signInByLink(token)))
  assert.deepEqual(replies.map(({ status }) => status).toSorted(byNumber), [200, 401, 401])
  const late = `late-${email}`
  await ask('Late', late)
  const expired = await mailedToken()
  later({ hours: signUpLimits.linkHours })
  assert.equal(said(await browser(gateway.url).signInByLink(expired)).type, 'SIGN_IN_LINK_REFUSED')
  const { rows } = await gateway.db.query(
    "select name from supplier where name in ('Twice', 'Late', 'Twice (2)')",
  )
  assert.deepEqual(rows, [{ name: 'Twice' }])
})

test('the answer is the same for an unknown address, a known one, an operator’s and one beyond the limits', async () => {
  await signedUp('Known')
  const known = email
  const operator = 'boss@platform.example'
  const { operatorId } = await gateway.operator('operator')
  await gateway.db.query('update operator set name = $2, name_key = $2 where id = $1', [operatorId, operator])
  const replies = [await ask('Any', 'unknown@company.example')]
  // Too soon after the last mail: none is sent.
  replies.push(await ask('Any', known))
  later({ minutes: signUpLimits.pauseMinutes })
  replies.push(await ask('Any', known), await ask('Any', operator))
  for (const { status, body } of replies) assert.deepEqual([status, body], [202, {}])
  await eventually('the mails arrive', seconds(30), () => mailServer.mails.length === 3)
  const byAddress = Object.fromEntries(mailServer.mails.map(({ to, text }) => [to.join(), decoded(text)]))
  const texts = [byAddress['unknown@company.example'], byAddress[known], byAddress[operator]].map(
    (text = '') => ({
      makes: text.includes('This link creates it'),
      isBack: text.includes('If you forgot the password'),
      hasLink: text.includes('#token'),
    }),
  )
  assert.deepEqual(texts, [
    { makes: true, isBack: false, hasLink: true },
    { makes: false, isBack: true, hasLink: true },
    { makes: false, isBack: false, hasLink: false },
  ])
})

test('a known address gets a link to the same account, unless an operator has shut the person out', async () => {
  const person = await signedUp('Same')
  const before = (await person.get('/me')).body['operatorId']
  later({ minutes: signUpLimits.pauseMinutes })
  await ask('Another name')
  const again = browser(gateway.url)
  assert.equal((await again.signInByLink(await mailedToken())).status, 200)
  const me = (await again.get('/me')).body
  assert.deepEqual([me['operatorId'], Object(me['supplier']).name], [before, 'Same'])
  await gateway.db.query('update operator set disabled_at = now() where id = $1', [before])
  later({ minutes: signUpLimits.pauseMinutes })
  await ask('Same')
  assert.doesNotMatch(await nextMail(), /#token/)
})

test('a company that has the name of a supplier gets another, and sees nothing of it', async () => {
  await gateway.supplier('Famous')
  const person = await signedUp('Famous')
  const { name, supplierId } = Object((await person.get('/me')).body['supplier'])
  assert.equal(name, 'Famous (2)')
  assert.equal((await person.get(`/suppliers/${supplierId - 1}`)).status, 404)
  const { rows } = await gateway.db.query<{ action: string }>(
    "select action from audit_log where operator_name = 'sign-up' and (subject like '%Famous (2)%' or subject like $1) order by id",
    [`%${email}%`],
  )
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['supplier.create', 'operator.create'],
  )
})

test('nobody elsewhere gives an account that waits for its link another name', async () => {
  await ask('Mine')
  await mailedToken()
  later({ minutes: signUpLimits.pauseMinutes })
  assert.equal(await askFromElsewhere('Theirs'), 202)
  const person = browser(gateway.url)
  assert.equal((await person.signInByLink(await mailedToken())).status, 200)
  assert.equal(Object((await person.get('/me')).body['supplier']).name, 'Mine')
})

test('a company that was mistyped is corrected by asking again', async () => {
  await ask('Hotle')
  await mailedToken()
  later({ minutes: signUpLimits.pauseMinutes })
  const person = await signedUp('Hotel')
  assert.equal(Object((await person.get('/me')).body['supplier']).name, 'Hotel')
})

test('mails are few: a pause between two, and limits a day', async () => {
  const asked = []
  for (let mail = 0; mail < signUpLimits.mailsOfEmail + 2; mail++) {
    asked.push((await ask('Again')).status, (await ask('Again')).status)
    later({ minutes: signUpLimits.pauseMinutes })
  }
  assert.deepEqual(new Set(asked), new Set([202]))
  for (let other = 0; other < signUpLimits.mailsOfNetwork + 3; other++)
    await ask('Many', `many${other}@x.example`)
  const { rows } = await gateway.db.query<{ mails: number }>(
    "select sum(mails)::int as mails from sign_up where email = $1 or email like 'many%'",
    [email],
  )
  assert.equal(rows[0]?.mails, signUpLimits.mailsOfNetwork)
  await eventually('they arrive', seconds(60), () => mailServer.mails.length === signUpLimits.mailsOfNetwork)
  assert.equal(mailServer.mails.filter(({ to }) => to.join() === email).length, signUpLimits.mailsOfEmail)
})

test('what a visitor types is in no mail, and wrong input is refused with its field', async () => {
  const wrong: [unknown, string][] = [
    [{ email: 'not an address', company: 'X' }, 'EMAIL_INVALID'],
    [{ email: 'a@b.example\r\nbcc: c@d.example', company: 'X' }, 'INVALID_CHARACTERS'],
    [{ email: 'a@b.example, c@d.example', company: 'X' }, 'EMAIL_INVALID'],
    [{ email, company: 'X\nY' }, 'INVALID_CHARACTERS'],
    [{ email, company: '' }, 'TOO_SHORT'],
    [{ email, company: 'x'.repeat(signUpLimits.companyLengthMax + 1) }, 'TOO_LONG'],
    [{ email }, 'REQUIRED'],
  ]
  for (const [body, type] of wrong) {
    const reply = said(await visitor.post('/sign-up', body))
    assert.deepEqual([reply.status, reply.type], [400, type], JSON.stringify(body))
  }
  await ask('Buy cheap pills at spam.example')
  assert.doesNotMatch(await nextMail(), /pills/)
  const foreign = await visitor.post('/sign-up', { email, company: 'X' }, { 'sec-fetch-site': 'cross-site' })
  assert.equal(foreign.status, 403)
})

test('an account that nobody uses for long is ended, and its address may come back to it', async () => {
  const idle = await signedUp('Idle')
  const key = await keyOf(idle)
  const idleEmail = email
  assert.equal(
    (await client(gateway.url, { 'x-api-key': key }).post('/push/hotels', [hotel('H')])).status,
    200,
  )
  // As if the key had last been used then.
  await gateway.db.query(
    `update api_key set last_used_at = to_timestamp($1) where supplier_id = (select id from supplier where name = 'Idle')`,
    [nowMs / 1_000],
  )
  const { settings } = readConfig({ ARI_PUSH_LOG_DAYS: '3650' })
  const { db, clock } = gateway
  const chores = () =>
    doChores({ db, clock, log: openLog('silent'), telemetry: telemetry() }, settings, nowMs)
  const state = async () =>
    (
      await gateway.db.query(
        `select (select count(*)::int from hotel where supplier_id = s.id) as hotels,
           exists (select from api_key where supplier_id = s.id and revoked_at is null) as "hasKey",
           exists (select from operator where supplier_id = s.id and disabled_at is null) as "hasPerson"
         from supplier s where name = 'Idle'`,
      )
    ).rows[0]
  later({ hours: 24 * (signUpLimits.abandonedDays - 1) })
  await chores()
  assert.deepEqual(await state(), { hotels: 1, hasKey: true, hasPerson: true })
  later({ hours: 25 })
  await chores()
  assert.deepEqual(await state(), { hotels: 0, hasKey: false, hasPerson: false })
  mailServer.mails.splice(0)
  await ask('Other', idleEmail)
  const back = browser(gateway.url)
  assert.equal((await back.signInByLink(await mailedToken())).status, 200)
  assert.equal(Object((await back.get('/me')).body['supplier']).name, 'Idle')
  await keyOf(back)
  assert.deepEqual(await state(), { hotels: 0, hasKey: true, hasPerson: true })
})

test('an account that comes back while ended ones are emptied keeps its hotels', async () => {
  const person = await signedUp('Returning')
  const { operatorId, supplier } = Object((await person.get('/me')).body)
  const { supplierId } = Object(supplier)
  const key = client(gateway.url, { 'x-api-key': await keyOf(person) })
  assert.equal((await key.post('/push/hotels', [hotel('H')])).status, 200)
  const { db, clock } = gateway
  // Ended, but not yet emptied.
  await db.query('update operator set disabled_at = instant($2) where id = $1', [operatorId, nowMs])
  await db.query('update sign_up set ended_at = instant($2) where operator_id = $1', [operatorId, nowMs])
  await db.query('update api_key set revoked_at = instant($2) where supplier_id = $1', [supplierId, nowMs])
  const { settings } = readConfig({ ARI_PUSH_LOG_DAYS: '3650' })
  const needs = { db, clock, log: openLog('silent'), telemetry: telemetry() }
  const chores = await transaction(db, async (connection) => {
    await connection.query('select from supplier where id = $1 for update', [supplierId])
    const done = doChores(needs, settings, nowMs)
    await untilWaiting(db, () => 1)
    await connection.query('update operator set disabled_at = null where id = $1', [operatorId])
    await connection.query('update sign_up set ended_at = null where operator_id = $1', [operatorId])
    return { done }
  })
  await chores.done
  const { rows } = await db.query('select code from hotel where supplier_id = $1', [supplierId])
  assert.deepEqual(rows, [{ code: 'H' }])
})

test('who was shut out by an operator does not come back by the end of the account', async () => {
  const person = await signedUp('Shut')
  const { operatorId } = (await person.get('/me')).body
  const { db, clock } = gateway
  await db.query('update operator set disabled_at = to_timestamp($2) where id = $1', [
    operatorId,
    nowMs / 1_000,
  ])
  later({ hours: 24 * (signUpLimits.abandonedDays + 1) })
  const { settings } = readConfig({ ARI_PUSH_LOG_DAYS: '3650' })
  await doChores({ db, clock, log: openLog('silent'), telemetry: telemetry() }, settings, nowMs)
  await ask('Shut')
  assert.doesNotMatch(await nextMail(), /#token/)
})

test('a name in other letters of another case is taken too', async () => {
  await gateway.supplier('Capital')
  assert.equal(Object((await (await signedUp('CAPITAL')).get('/me')).body['supplier']).name, 'CAPITAL (2)')
})

test('without the setting nobody signs up; it takes mail, a public address and the sandbox', async () => {
  const closed = await gatewayForTests()
  const reply = await client(closed.url, {}, '/console/api').post('/sign-up', { email, company: 'X' })
  assert.deepEqual([said(reply).status, said(reply).type], [404, 'NO_SIGN_UP'])
  assert.equal((await client(closed.url, {}, '/console/api').get('/sign-in/ways')).body['signUp'], false)
  assert.equal((await visitor.get('/sign-in/ways')).body['signUp'], true)
  assert.throws(() => readConfig({ ARI_SANDBOX_SIGNUP: 'true' }), {
    message:
      'ARI_PUBLIC_URL must be set if ARI_SANDBOX_SIGNUP is\nARI_SMTP_URL must be set if ARI_SANDBOX_SIGNUP is',
  })
  const mail = {
    ARI_SMTP_URL: 'smtp://mail.example',
    ARI_MAIL_FROM: 'a@b.example',
    ARI_PUBLIC_URL: publicUrl,
  }
  assert.equal(readConfig({ ...mail, ARI_SANDBOX_SIGNUP: 'true' }).settings.sandboxSignUp, true)
  assert.throws(() => readConfig({ ...mail, ARI_SANDBOX_SIGNUP: 'true', ARI_ENVIRONMENT: 'production' }), {
    message: 'ARI_SANDBOX_SIGNUP must not be true in production',
  })
})
