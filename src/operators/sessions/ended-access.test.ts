import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { generate } from 'otplib'
import { startGateway, type Reply, type TestGateway } from '../../../test/stage/harness.ts'
import { untilWaiting } from '../../../test/stage/locks.ts'
import { browser, linkOf, said, withPassword } from '../../../test/stage/sign-in.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { transaction } from '../../postgres/transaction.ts'

/** What was under way when somebody's sessions ended opens and changes nothing any more. */

const [former, next] = ['correct horse battery', 'another staple of hay']
let gateway: TestGateway
let name = ''
let operatorId = 0
before(async () => {
  gateway = await startGateway()
})
after(() => gateway.stop())
beforeEach(async () => {
  ;({ name, operatorId } = await gateway.operator('operator'))
})

/** A call that is held up by a lock, until something else is done. */
async function heldUp(
  lock: (connection: Queryable) => Promise<unknown>,
  call: () => Promise<Reply>,
  meanwhile: () => Promise<Reply>,
): Promise<Reply> {
  const held = await transaction(gateway.db, async (connection) => {
    await lock(connection)
    const answer = call()
    await untilWaiting(gateway.db, () => 1)
    const { status, text } = await meanwhile()
    assert.equal(status, 200, text)
    return { answer }
  })
  return held.answer
}

const lockOperator = (connection: Queryable) =>
  connection.query('select from operator where id = $1 for update', [operatorId])

test('a sign-in with the former password that is under way opens no session when the password is changed meanwhile', async () => {
  const person = await withPassword(gateway, name, former)
  const { secret } = (await person.post('/me/second-factor', {})).body
  const code = await generate({ secret: String(secret), epoch: gateway.clock.now() / 1000 })
  const { recoveryCodes } = (await person.post('/me/second-factor/confirm', { code })).body
  assert.ok(Array.isArray(recoveryCodes))
  const thief = browser(gateway.url)
  // The password is proved when the code is looked for.
  const reply = await heldUp(
    (connection) =>
      connection.query('select from operator_recovery_code where operator_id = $1 for update', [operatorId]),
    () => thief.signIn(name, former, String(recoveryCodes[0])),
    () => person.post('/me/password', { current: former, next }),
  )
  assert.deepEqual([said(reply).status, said(reply).type], [401, 'SIGN_IN_REFUSED'])
  assert.equal((await thief.get('/me')).status, 401)
  assert.equal((await person.get('/me')).status, 200)
})

test('a former password that is hashed anew at a sign-in does not come back when it is changed meanwhile', async () => {
  const person = await withPassword(gateway, name, former)
  const dearer = await gateway.second({
    console: { passwordCost: { blocks: 2_048, blockSize: 8, parallel: 1 } },
  })
  const elsewhere = browser(dearer.url)
  const { rows } = await gateway.db.query<{ hash: string }>(
    'select password_hash as hash from operator where id = $1',
    [operatorId],
  )
  // As a change of the password does that commits after the former one was proved.
  const held = await heldUp(
    async (connection) => {
      await connection.query('update operator set password_hash = $2 where id = $1', [
        operatorId,
        // Not the last character: some of its bits mean nothing.
        String(rows[0]?.hash).replace(/.(?=.{9}$)/, (one) => (one === 'A' ? 'B' : 'A')),
      ])
    },
    () => elsewhere.signIn(name, former),
    () => person.get('/me'),
  )
  for (const reply of [held, await browser(gateway.url).signIn(name, former)])
    assert.deepEqual([said(reply).status, said(reply).type], [401, 'SIGN_IN_REFUSED'])
})

test('a change of the password that is under way is refused when its session ends meanwhile', async () => {
  const person = await withPassword(gateway, name, former)
  const left = browser(gateway.url)
  await left.signInByLink(await linkOf(gateway, name))
  const [cookie, csrf] = [left.cookie(), left.csrfToken()]
  const own = { cookie, 'x-csrf-token': csrf }
  const reply = await heldUp(
    lockOperator,
    () => browser(gateway.url, own).post('/me/password', { next }, own),
    () => left.post('/sign-out', {}),
  )
  assert.equal(reply.status, 401, reply.text)
  assert.equal((await person.get('/me')).status, 200)
  assert.equal((await browser(gateway.url).signIn(name, former)).status, 200)
})
