import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { client, gatewayForTests } from '../../test/stage/harness.ts'
import { notThroughPooler } from '../../test/stage/postgres.ts'
import { dataFolder } from '../../test/stage/programs/programs.ts'
import { startEmbeddedPostgres } from '../embedded-postgres/embedded-postgres.ts'
import { openLog } from '../base/log.ts'
import { migrate } from '../postgres/schema/migrate.ts'
import { type Needs, openDatabase } from '../postgres/postgres.ts'
import { isUnavailable } from '../postgres/connections/store-errors.ts'
import { telemetry } from '../base/telemetry.ts'
import { authenticator } from './authenticate.ts'
import { createKey, createToken, expireKey, revokeKey, revokeToken, rotateKey } from './manage.ts'
import { makeSecret } from './secret.ts'

/** How soon a revocation takes effect in every process. */
const revocationHoldsMs = 1_000

const gateway = await gatewayForTests()

const directNeeds = (): Needs => {
  return { db: gateway.db, clock: gateway.clock, log: openLog('fatal'), telemetry: telemetry() }
}

/** The answer to a request with this x-api-key. */
async function answerTo(apiKey: string | undefined, url = gateway.url) {
  const headers = { 'x-request-id': 'same', ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }) }
  const { status, body } = await client(url).get('/push/limits', headers)
  return { status, body }
}

const opened = async (apiKey: string, url?: string) => (await answerTo(apiKey, url)).status === 200

const unauthorized = {
  status: 401,
  body: {
    code: '401',
    message: 'Unauthorized API KEY',
    requestId: 'same',
    errors: [
      {
        type: 'UNAUTHORIZED',
        docUrl: '/docs/guides/errors#UNAUTHORIZED',
        message: 'Unauthorized API KEY',
        path: 'x-api-key',
        hint: 'Send a valid key of this environment in the x-api-key header: ari_sbx_… in the sandbox, ari_live_… in production',
      },
    ],
  },
}

test('a key opens its supplier account; without one, and with any that is no good, the answer is the same 401', async () => {
  const { db, clock } = gateway
  const good = await gateway.supplier('good')
  const revoked = await gateway.supplier('revoked')
  await revokeKey(db, revoked.keyId, clock.now())
  const expired = await gateway.supplier('expired')
  await expireKey(db, expired.keyId, clock.now())
  const wanted = { supplier: 'live', channelManager: 'live', expiresAtMs: null, limits: {} }
  const live = await createKey(db, 'production', wanted)
  const { token } = await createToken(db, 'sandbox', { role: 'operator', name: 'x', expiresAtMs: null })
  const refused: Readonly<Record<string, string | undefined>> = {
    absent: undefined,
    empty: '',
    malformed: 'ari_sbx_x',
    mistyped: good.apiKey.slice(0, -1),
    twice: `${good.apiKey}, ${good.apiKey}`,
    unknown: makeSecret('supplier', 'sandbox'),
    revoked: revoked.apiKey,
    expired: expired.apiKey,
    'of the other environment': live.apiKey,
    'a token': token,
  }
  assert.equal((await answerTo(good.apiKey)).status, 200)
  for (const [what, apiKey] of Object.entries(refused)) {
    assert.deepEqual([what, await answerTo(apiKey)], [what, unauthorized])
  }
})

test('a revoked key stops working within a second on every process', async () => {
  const other = await gateway.second()
  const { apiKey, keyId } = await gateway.supplier('revoked while in use')
  assert.deepEqual([await opened(apiKey), await opened(apiKey, other.url)], [true, true])
  await revokeKey(gateway.db, keyId, gateway.clock.now())
  await wait(revocationHoldsMs)
  assert.deepEqual([await answerTo(apiKey), await answerTo(apiKey, other.url)], [unauthorized, unauthorized])
})

test('a key made after it was refused as unknown works within a second', async () => {
  const { apiKey } = await gateway.supplier('late')
  await gateway.db.query('create table withheld as select * from api_key_secret')
  await gateway.db.query('delete from api_key_secret')
  assert.equal(await opened(apiKey), false)
  await gateway.db.query('insert into api_key_secret select * from withheld')
  await wait(revocationHoldsMs)
  assert.equal(await opened(apiKey), true)
})

test('a key ends at its instant, not before, even while it is remembered', async () => {
  const { apiKey, keyId } = await gateway.supplier('ending')
  await expireKey(gateway.db, keyId, Date.parse('2027-03-05T00:00:00Z'))
  gateway.clock.set('2027-03-04T23:59:59.999Z')
  assert.equal(await opened(apiKey), true)
  gateway.clock.set('2027-03-05T00:00:00Z')
  assert.deepEqual(await answerTo(apiKey), unauthorized)
})

test('during the overlap of a rotation both keys open the same account, afterwards only the new one', async () => {
  gateway.clock.set('2027-04-01T00:00:00Z')
  const { apiKey: old, keyId } = await gateway.supplier('rotating')
  const oldUntilMs = Date.parse('2027-04-02T00:00:00Z')
  const fresh = await rotateKey(gateway.db, 'sandbox', keyId, { nowMs: gateway.clock.now(), oldUntilMs })
  assert.deepEqual([await opened(old), await opened(fresh)], [true, true])
  gateway.clock.set('2027-04-01T23:59:59.999Z')
  assert.deepEqual([await opened(old), await opened(fresh)], [true, true])
  gateway.clock.set('2027-04-02T00:00:00Z')
  assert.deepEqual([await answerTo(old), await opened(fresh)], [unauthorized, true])
})

test('a second rotation does not prolong the first overlap', async () => {
  gateway.clock.set('2027-05-01T00:00:00Z')
  const nowMs = gateway.clock.now()
  const { apiKey: first, keyId } = await gateway.supplier('rotating twice')
  await rotateKey(gateway.db, 'sandbox', keyId, { nowMs, oldUntilMs: nowMs + 60_000 })
  const third = await rotateKey(gateway.db, 'sandbox', keyId, { nowMs, oldUntilMs: nowMs + 120_000 })
  gateway.clock.set('2027-05-01T00:01:00Z')
  assert.deepEqual([await opened(first), await opened(third)], [false, true])
})

test('tokens open their role by bearer header, until they expire or are revoked', async () => {
  const { db, clock } = gateway
  const keys = authenticator(directNeeds(), { environment: 'sandbox' })
  const expiresAtMs = clock.now() + 1_000
  const platform = await createToken(db, 'sandbox', { role: 'platform', name: 'p', expiresAtMs: null })
  const operator = await createToken(db, 'sandbox', { role: 'operator', name: 'o', expiresAtMs })
  const live = await createToken(db, 'production', { role: 'operator', name: 'l', expiresAtMs: null })
  const { apiKey } = await gateway.supplier('no role')
  const roleOf = async (authorization: string | undefined) => (await keys.tokenOf(authorization))?.role
  const roles = async () => [
    await roleOf(`Bearer ${platform.token}`),
    await roleOf(`bearer  ${operator.token}`),
    await roleOf(`Bearer ${live.token}`),
    await roleOf(`Basic ${platform.token}`),
    await roleOf(platform.token),
    await roleOf(`Bearer ${apiKey}`),
    await roleOf(undefined),
  ]
  const none = [undefined, undefined, undefined, undefined, undefined]
  assert.deepEqual(await roles(), ['platform', 'operator', ...none])
  clock.set(new Date(expiresAtMs).toISOString())
  assert.deepEqual(await roles(), ['platform', undefined, ...none])
  await revokeToken(db, platform.tokenId, clock.now())
  await wait(revocationHoldsMs)
  assert.deepEqual(await roles(), [undefined, undefined, ...none])
  await keys.close()
})

test('the time of last use of keys and tokens is written at the latest when the service closes', async () => {
  gateway.clock.set('2027-06-01T10:00:00Z')
  const { db } = gateway
  const keys = authenticator(directNeeds(), { environment: 'sandbox' })
  const { apiKey, keyId } = await gateway.supplier('used')
  const unused = await gateway.supplier('unused')
  const { token, tokenId } = await createToken(db, 'sandbox', {
    role: 'platform',
    name: 'u',
    expiresAtMs: null,
  })
  await keys.callerOf(apiKey)
  gateway.clock.set('2027-06-01T10:00:05Z')
  await keys.callerOf(apiKey)
  await keys.tokenOf(`Bearer ${token}`)
  await keys.close()
  const { rows } = await db.query(
    `select (select last_used_at from api_key where id = $1) as used,
       (select last_used_at from api_key where id = $2) as unused,
       (select last_used_at from access_token where id = $3) as token`,
    [keyId, unused.keyId, tokenId],
  )
  const at = new Date('2027-06-01T10:00:05Z')
  assert.deepEqual(rows, [{ used: at, unused: null, token: at }])
})

test('of a key that was revoked, has expired or has a new secret, the time is written at which it came in vain', async () => {
  gateway.clock.set('2027-06-02T10:00:00Z')
  const { db, clock } = gateway
  const keys = authenticator(directNeeds(), { environment: 'sandbox' })
  const wanted = { supplier: 'refused', channelManager: 'x', limits: {} }
  const ending = (instant: string | null) =>
    createKey(db, 'sandbox', { ...wanted, expiresAtMs: instant === null ? null : Date.parse(instant) })
  const [working, revoked, expired] = [
    await ending(null),
    await ending(null),
    await ending('2027-06-02T10:00:01Z'),
  ]
  await revokeKey(db, revoked.keyId, clock.now())
  clock.set('2027-06-02T10:00:02Z')
  for (const { apiKey } of [working, revoked, expired]) await keys.callerOf(apiKey)
  await keys.close()
  const { rows } = await db.query(
    `select last_used_at is not null as used, last_refused_at as refused from api_key
     where id = any($1) order by id`,
    [[working.keyId, revoked.keyId, expired.keyId]],
  )
  const at = new Date('2027-06-02T10:00:02Z')
  assert.deepEqual(rows, [
    { used: true, refused: null },
    { used: false, refused: at },
    { used: false, refused: at },
  ])
})

test('while PostgreSQL is down a key that worked is not trusted for longer than a second: the error flies', async (context) => {
  notThroughPooler(context, 'it stops a PostgreSQL of its own')
  const folder = await dataFolder()
  const log = openLog('silent')
  const postgres = await startEmbeddedPostgres({ dataDir: folder.path, log })
  const db = openDatabase(postgres.connection, log, { connectionsMax: 1 })
  const keys = authenticator({ ...directNeeds(), db, log }, { environment: 'sandbox' })
  try {
    await migrate(postgres.connection)
    const wanted = { supplier: 'x', channelManager: 'x', expiresAtMs: null, limits: {} }
    const { apiKey } = await createKey(db, 'sandbox', wanted)
    assert.equal((await keys.callerOf(apiKey))?.supplier, 'x')
    await postgres.stop()
    await wait(revocationHoldsMs)
    await assert.rejects(keys.callerOf(apiKey), isUnavailable)
  } finally {
    await keys.close()
    await db.close()
    await postgres.stop()
    await folder.remove()
  }
})
