import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { defaultSignInRules } from '../sign-in-rules.ts'
import { gatewayForTests, type TestGateway } from '../../../test/stage/harness.ts'
import { browser, linkOf, said, withPassword } from '../../../test/stage/sign-in.ts'

const password = 'correct horse battery'
const start = '2027-03-01T12:00:00Z'
let name = ''

const gateway = await gatewayForTests()
beforeEach(async () => {
  ;({ name } = await gateway.operator('operator'))
})
afterEach(async () => {
  gateway.clock.set(start)
  await gateway.db.query('delete from failed_sign_in')
})

function later(seconds: number): void {
  gateway.clock.set(new Date(Date.parse(start) + seconds * 1000).toISOString())
}

async function guess(who = name, at: TestGateway = gateway): Promise<[number, unknown]> {
  const { status, type } = said(await browser(at.url).signIn(who, 'wrong horse battery'))
  return [status, type]
}

const wrong = [401, 'SIGN_IN_REFUSED']
const locked = [429, 'SIGN_IN_LOCKED']

test('after five wrong guesses at a name there is a wait, twice as long each time, on every process', () =>
  waitsGrow(name))

test('an unknown name gets the same answers', () => waitsGrow('nobody@example.com'))

async function waitsGrow(who: string): Promise<void> {
  const other = await gateway.second()
  await guessed(`name\n${who}`, 4)
  assert.deepEqual(await guess(who), wrong)
  const reply = await browser(gateway.url).signIn(who, password)
  assert.deepEqual(
    [said(reply), reply.headers.get('retry-after')],
    [{ status: 429, type: 'SIGN_IN_LOCKED', message: 'Too many wrong attempts: wait 10 s' }, '10'],
  )
  assert.deepEqual(await guess(who, other), locked)
  later(10)
  assert.deepEqual(await guess(who), wrong)
  later(10 + 19)
  assert.deepEqual(await guess(who), locked)
  later(10 + 20)
  assert.deepEqual(await guess(who), wrong)
  later(30 + 39)
  assert.deepEqual(await guess(who), locked)
  later(24 * 60 * 60 + 100)
  assert.deepEqual(await guess(who), wrong)
  assert.deepEqual(await guess(who), wrong)
}

test('simultaneous guesses all count', async () => {
  const replies = await Promise.all(Array.from({ length: 12 }, () => guess()))
  assert.equal(replies.filter(([status]) => status === 401).length, 5)
})

test('the right password resets the count; a link works while the name is locked', async () => {
  await withPassword(gateway, name, password)
  await guessed(`name\n${name}`, 4)
  assert.equal((await browser(gateway.url).signIn(name, password)).status, 200)
  for (let count = 1; count <= 5; count++) assert.deepEqual(await guess(), wrong)
  assert.equal((await browser(gateway.url).signIn(name, password)).status, 429)
  assert.equal((await browser(gateway.url).signInByLink(await linkOf(gateway, name))).status, 200)
})

/** As many wrong attempts as there were already, without the time that each takes. */
async function guessed(what: string, attempts: number): Promise<void> {
  await gateway.db.query(
    `insert into failed_sign_in select sha256(convert_to($1, 'UTF8')), $2, at, at
     from to_timestamp($3::float8 / 1000) as at`,
    [what, attempts, gateway.clock.now()],
  )
}

test('an address that guesses at many names is locked too', async () => {
  await guessed('address\n127.0.0.1', 24)
  assert.deepEqual(await guess('name 25'), wrong)
  assert.deepEqual(await guess('name 26'), locked)
})

test('the wait never exceeds 15 minutes, however many guesses there were', async () => {
  await guessed(`name\n${name}`, 100_000)
  assert.deepEqual(await guess(), wrong)
  later(15 * 60 - 1)
  assert.deepEqual(await guess(), locked)
  later(15 * 60)
  assert.deepEqual(await guess(), wrong)
})

test('in production, the tenth wrong guess locks a name for half an hour, an address for less', async () => {
  const strict = await gateway.second({ console: { signIn: defaultSignInRules.production } })
  await guessed(`name\n${name}`, 8)
  assert.deepEqual(await guess(name, strict), wrong)
  strict.clock.set(new Date(Date.parse(start) + 10_000 * 2 ** 4).toISOString())
  assert.deepEqual(await guess(name, strict), wrong)
  const reply = await browser(strict.url).signIn(name, password)
  assert.deepEqual([reply.status, reply.headers.get('retry-after')], [429, '1800'])
  await gateway.db.query('delete from failed_sign_in')
  await guessed('address\n127.0.0.1', 24)
  assert.deepEqual(await guess('name 25', strict), wrong)
  assert.equal((await browser(strict.url).signIn('name 26', password)).headers.get('retry-after'), '10')
})

test('guesses at the current password in an open session count like those at sign-in', async () => {
  const person = await withPassword(gateway, name, password)
  const change = () => person.post('/me/password', { current: 'guess number', next: 'my own now, thank you' })
  await guessed(`name\n${name}`, 4)
  assert.equal((await change()).status, 403)
  assert.equal((await change()).status, 429)
})

test('attempts that the service could not check count as none, by the name as by the address', async () => {
  const { db, url } = gateway
  await withPassword(gateway, name, password)
  await guessed(`name\n${name}`, 4)
  await guessed('address\n127.0.0.1', 24)
  const setHash = (hash: unknown) =>
    db.query('update operator set password_hash = $2 where name = $1', [name, hash])
  const { rows } = await db.query('select password_hash from operator where name = $1', [name])
  await setHash('of a version to come')
  for (let count = 1; count <= 6; count++)
    assert.equal((await browser(url).signIn(name, password)).status, 500)
  await setHash(rows[0]?.['password_hash'])
  assert.equal((await browser(url).signIn(name, password)).status, 200)
})
