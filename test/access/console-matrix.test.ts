import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consoleRoutes, type ConsoleRouteName } from '../../src/console-api/contract.ts'
import { createToken, revokeToken } from '../../src/keys/manage.ts'
import { makeSecret } from '../../src/keys/secret.ts'
import { operatorRoles, type OperatorRole, type Route } from '../../src/http/route.ts'
import { client, gatewayForTests, type Reply, type TestOperator } from '../stage/harness.ts'
import { said } from '../stage/sign-in.ts'

/** Calls every route of the console with every session and token that doesn't permit it. */

/**
 * Which roles may call the route, and whether it changes anything; `oneself`: actions that everybody may do
 * on their own account.
 */
type Row = 'everybody' | 'oneself' | `${OperatorRole} reads` | `${'operator' | 'admin'} changes`

/** A new route without a row does not compile. */
const rows: Record<ConsoleRouteName, Row> = {
  signIn: 'everybody',
  signInByLink: 'everybody',
  signInWays: 'everybody',
  signUp: 'everybody',
  beginOidc: 'everybody',
  finishOidc: 'everybody',
  whoAmI: 'viewer reads',
  signOut: 'oneself',
  changePassword: 'oneself',
  beginSecondFactor: 'oneself',
  confirmSecondFactor: 'oneself',
  removeSecondFactor: 'oneself',
  listViews: 'viewer reads',
  saveView: 'oneself',
  removeView: 'oneself',
  listOperators: 'admin reads',
  createOperator: 'admin changes',
  changeOperatorRole: 'admin changes',
  disableOperator: 'admin changes',
  enableOperator: 'admin changes',
  resetSecondFactor: 'admin changes',
  createSignInLink: 'admin changes',
  listAudit: 'viewer reads',
  getOverview: 'viewer reads',
  listWork: 'viewer reads',
  changeWork: 'operator changes',
  searchAlerts: 'viewer reads',
  acknowledgeAlert: 'operator changes',
  getDefaultGuard: 'viewer reads',
  setDefaultGuard: 'admin changes',
  getSupplierGuard: 'viewer reads',
  setSupplierGuard: 'admin changes',
  searchHolds: 'viewer reads',
  releaseHold: 'operator changes',
  discardHold: 'operator changes',
  getOperatorsChannel: 'viewer reads',
  getSupplierAlertChannels: 'viewer reads',
  testSupplierAlerts: 'operator changes',
  requestHotelResync: 'operator changes',
  search: 'viewer reads',
  searchKey: 'viewer reads',
  listSuppliers: 'viewer reads',
  getSupplier: 'viewer reads',
  getSupplierCertification: 'viewer reads',
  changeGoLiveStep: 'operator changes',
  listPeople: 'viewer reads',
  createPerson: 'operator changes',
  changePersonRole: 'operator changes',
  disablePerson: 'operator changes',
  enablePerson: 'operator changes',
  createPersonLink: 'operator changes',
  listExports: 'viewer reads',
  createExport: 'operator changes',
  downloadExport: 'viewer reads',
  createSupplier: 'admin changes',
  changeSupplier: 'admin changes',
  createSupplierKey: 'admin changes',
  rotateSupplierKey: 'admin changes',
  revokeSupplierKey: 'admin changes',
  expireSupplierKey: 'admin changes',
  limitSupplierKey: 'admin changes',
  rotateSigningSecret: 'admin changes',
  pingWebhook: 'operator changes',
  listReferenceEntries: 'viewer reads',
  getReferenceUse: 'viewer reads',
  addReferenceEntry: 'admin changes',
  retireReferenceEntry: 'admin changes',
  bringBackReferenceEntry: 'admin changes',
  listSandboxHotels: 'viewer reads',
  pushExampleHotel: 'operator changes',
  listSandboxFaults: 'viewer reads',
  orderSandboxFaults: 'operator changes',
  bookInSandbox: 'operator changes',
  cancelInSandbox: 'operator changes',
  quoteInSandbox: 'viewer reads',
  getSandboxClock: 'viewer reads',
  advanceSandboxClock: 'operator changes',
  resetSandboxAccount: 'operator changes',
  listSandboxCalls: 'viewer reads',
  getSandboxCall: 'viewer reads',
  listHotels: 'viewer reads',
  getHotel: 'viewer reads',
  getHotelNeighbours: 'viewer reads',
  getCalendar: 'viewer reads',
  listCalendars: 'viewer reads',
  getCalendarCell: 'viewer reads',
  explainStay: 'viewer reads',
  explainHotel: 'viewer reads',
  stopSell: 'operator changes',
  searchStopSells: 'viewer reads',
  resumeSales: 'operator changes',
  listPushes: 'viewer reads',
  getPush: 'viewer reads',
  listPushItems: 'viewer reads',
  undoPush: 'operator changes',
  downloadPush: 'viewer reads',
  searchDeliveries: 'viewer reads',
  sendDeliveryAgain: 'operator changes',
  countDeliveriesToSend: 'viewer reads',
  sendDeliveriesAgain: 'operator changes',
  searchPriceChecks: 'viewer reads',
  summarizePriceChecks: 'viewer reads',
  searchDrift: 'viewer reads',
  findPushOfRevision: 'viewer reads',
  searchReservations: 'viewer reads',
  showReservation: 'viewer reads',
  getNumbers: 'viewer reads',
  addReservationNote: 'operator changes',
  reportStayForHotel: 'operator changes',
}

const routeByName: Readonly<Record<ConsoleRouteName, Route>> = consoleRoutes
// The boundary: the keys of the table.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const names = Object.keys(rows) as ConsoleRouteName[]
const forOperators = names.filter((name) => rows[name] !== 'everybody')
/**
 * Calls that another site must not be able to trigger in a browser; a POST that only reads is guarded just as
 * strictly.
 */
const posted = forOperators.filter((name) => routeByName[name].method !== 'GET')

const gateway = await gatewayForTests()

/** The caller's right is judged before the body is read, so no body is sent. */
function call(name: ConsoleRouteName, headers: Record<string, string>): Promise<Reply> {
  const { method, path } = routeByName[name]
  const filled = path.replaceAll(/\{\w+\}/g, '1')
  const caller = client(gateway.url, headers, '/console/api')
  if (method === 'GET') return caller.get(filled)
  if (method === 'PUT') return caller.put(filled, undefined)
  return method === 'DELETE' ? caller.delete(filled) : caller.post(filled, undefined)
}

test('every route asks for the role of its row, and none that changes something is for viewers', () => {
  assert.deepEqual(names.toSorted(), Object.keys(consoleRoutes).toSorted())
  for (const name of names) {
    const { access, role = 'viewer', method, isConsole } = routeByName[name]
    const row = rows[name]
    assert.equal(isConsole, true, name)
    assert.equal(access, row === 'everybody' ? 'open' : 'operator', name)
    if (row === 'everybody') continue
    const [who, does] = row === 'oneself' ? ['viewer', 'changes'] : row.split(' ')
    assert.deepEqual([name, role], [name, who])
    if (does === 'changes') assert.notEqual(method, 'GET', name)
  }
})

async function sessionsThatEnded(): Promise<Record<string, Record<string, string>>> {
  const { clock } = gateway
  const nowMs = clock.now()
  const [over, out, disabled] = [
    await gateway.operator('admin'),
    await gateway.operator('admin'),
    await gateway.operator('admin'),
  ]
  await gateway.db.query(
    `update operator_session set created_at = to_timestamp($2::float8 / 1000) where operator_id = $1`,
    [over.operatorId, nowMs - 12 * 60 * 60 * 1000],
  )
  assert.equal((await out.post('/sign-out', undefined)).status, 200)
  await gateway.db.query('update operator set disabled_at = now() where id = $1', [disabled.operatorId])
  return {
    'an expired session': over.headers,
    'a session signed out': out.headers,
    'a session of a disabled operator': disabled.headers,
  }
}

test('every route except those for signing in answers all invalid credentials with the same 401', async () => {
  const { db, clock } = gateway
  const { apiKey } = await gateway.supplier('Somebody')
  const token = (role: 'operator' | 'platform', environment: 'sandbox' | 'production' = 'sandbox') =>
    createToken(db, environment, { role, name: 'matrix', expiresAtMs: null })
  const revoked = await token('operator')
  await revokeToken(db, revoked.tokenId, clock.now())
  const admin = await gateway.operator('admin')
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
  const cookie = (secret: string) => ({ cookie: `ari_console=${secret}` })
  const refused: Readonly<Record<string, Record<string, string>>> = {
    nothing: {},
    'an empty cookie': cookie(''),
    'a garbage cookie': cookie("' or 1=1 --"),
    'an unknown session': cookie('A'.repeat(43)),
    'a token as a cookie': cookie((await token('operator')).token),
    'a session under another name': { cookie: admin.headers.cookie.replace('ari_console', 'session') },
    'the hash of a session': cookie(
      (await db.query<{ hash: string }>("select encode(hash, 'hex') as hash from operator_session limit 1"))
        .rows[0]?.hash ?? '',
    ),
    ...(await sessionsThatEnded()),
    "a supplier's key": { 'x-api-key': apiKey },
    "a supplier's key as a token": bearer(apiKey),
    "the platform's token": bearer((await token('platform')).token),
    'an unknown token': bearer(makeSecret('operator', 'sandbox')),
    'a revoked token': bearer(revoked.token),
    "the other environment's token": bearer((await token('operator', 'production')).token),
    // A credential that is presented counts, even beside a good one.
    'a session beside a token that is no good': { ...admin.headers, ...bearer(revoked.token) },
  }
  const message = 'Not signed in'
  const hint = 'Sign in at /console, or send an operator token as "Authorization: Bearer …"'
  const errors = [{ type: 'NOT_SIGNED_IN', message, hint, docUrl: '/docs/guides/errors#NOT_SIGNED_IN' }]
  const expected = { status: 401, body: { code: '401', message, requestId: 'same', errors } }
  for (const name of forOperators) {
    for (const [what, headers] of Object.entries(refused)) {
      const { status, body } = await call(name, { ...headers, 'x-request-id': 'same' })
      assert.deepEqual([name, what, { status, body }], [name, what, expected])
    }
  }
})

test('nothing is posted with a session but without its own CSRF token, or from another site', async () => {
  const [admin, other] = [await gateway.operator('admin'), await gateway.operator('admin')]
  const { cookie } = admin.headers
  const refused: Readonly<Record<string, [Record<string, string>, string]>> = {
    'no token': [{ cookie }, 'CSRF_TOKEN_WRONG'],
    'an empty token': [{ cookie, 'x-csrf-token': '' }, 'CSRF_TOKEN_WRONG'],
    "another session's token": [{ ...other.headers, cookie }, 'CSRF_TOKEN_WRONG'],
    'a foreign origin': [{ ...admin.headers, origin: 'https://evil.example' }, 'FOREIGN_SITE'],
    'an origin of another port': [{ ...admin.headers, origin: 'http://127.0.0.1:1' }, 'FOREIGN_SITE'],
    'an opaque origin': [{ ...admin.headers, origin: 'null' }, 'FOREIGN_SITE'],
    'another site': [{ ...admin.headers, 'sec-fetch-site': 'cross-site' }, 'FOREIGN_SITE'],
    'a sister site': [{ ...admin.headers, 'sec-fetch-site': 'same-site' }, 'FOREIGN_SITE'],
  }
  for (const name of posted) {
    for (const [what, [headers, type]] of Object.entries(refused)) {
      const reply = await call(name, headers)
      assert.deepEqual([name, what, reply.status, said(reply).type], [name, what, 403, type])
    }
  }
})

test('another site can’t sign a visitor in', async () => {
  const changing = names.filter((name) => rows[name] === 'everybody' && routeByName[name].method !== 'GET')
  assert.deepEqual(changing, ['signIn', 'signInByLink', 'signUp'])
  const visitor = client(gateway.url, { origin: 'https://evil.example' }, '/console/api')
  for (const reply of [
    await visitor.post('/sign-in', { name: 'x', password: 'x' }),
    await visitor.post('/sign-in/link', { token: 'x' }),
    await visitor.post('/sign-up', { email: 'x@company.example', company: 'X' }),
  ])
    assert.deepEqual([reply.status, said(reply).type], [403, 'FOREIGN_SITE'])
})

test('a role below a route’s role is refused there; the role itself is admitted', async () => {
  const people: Record<OperatorRole, TestOperator> = {
    viewer: await gateway.operator('viewer'),
    operator: await gateway.operator('operator'),
    admin: await gateway.operator('admin'),
  }
  const token = { authorization: `Bearer ${await gateway.token('operator')}` }
  // Signing out comes last: it ends the session.
  for (const name of [...forOperators.filter((one) => one !== 'signOut'), 'signOut'] as const) {
    const least = operatorRoles.indexOf(routeByName[name].role ?? 'viewer')
    for (const [role, headers] of [
      ...operatorRoles.map((one) => [one, people[one].headers] as const),
      ['operator', token] as const,
    ]) {
      const { status, body } = await call(name, headers)
      const isIn = operatorRoles.indexOf(role) >= least
      if (!isIn) {
        assert.deepEqual([name, role, status], [name, role, 403])
        assert.match(String(body['message']), /^This needs the role/)
      } else {
        const type = said({ status, body, headers: new Headers(), text: '' }).type
        const isRefused = status === 401 || type === 'ROLE_TOO_LOW' || type === 'CSRF_TOKEN_WRONG'
        assert.deepEqual([name, role, isRefused], [name, role, false])
      }
    }
  }
})

test('the store is as it was after a viewer has tried every route with a body that would do', async () => {
  const { operatorId, ...viewer } = await gateway.operator('viewer')
  const counted = async () =>
    (
      await gateway.db.query(
        `select count(*) from audit_log where operator_id = $1 and action <> 'role.refused'`,
        [operatorId],
      )
    ).rows
  const known = await counted()
  for (const name of posted) {
    if (rows[name] === 'oneself' || rows[name].endsWith('reads')) continue
    const body = { name: 'Mine', role: 'admin', supplier: 'Mine', channelManager: 'Mine' }
    const { status } = await client(gateway.url, viewer.headers, '/console/api')[
      routeByName[name].method === 'PUT' ? 'put' : 'post'
    ](routeByName[name].path.replaceAll(/\{\w+\}/g, '1'), body)
    assert.deepEqual([name, status], [name, 403])
  }
  assert.deepEqual(await counted(), known)
  const { rows: made } = await gateway.db.query(
    `select from supplier where name = 'Mine' union all select from operator where name = 'Mine'`,
  )
  assert.equal(made.length, 0)
})
