import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { gatewayForTests, type TestOperator } from '../../../test/stage/harness.ts'
import { meetingAtLock } from '../../../test/stage/locks.ts'
import { browser, said } from '../../../test/stage/sign-in.ts'
import { lockAdmins } from './store.ts'

let admin: TestOperator

const gateway = await gatewayForTests()
before(async () => {
  admin = await gateway.operator('admin')
})

test('an admin creates an operator, who signs in by a link that is shown once', async () => {
  const reply = await admin.post('/operators', { name: 'Maria Müller', role: 'operator' })
  const { operator, link } = reply.body
  assert.ok(typeof operator === 'object' && operator !== null && 'operatorId' in operator)
  assert.ok(typeof link === 'object' && link !== null && 'token' in link && typeof link.token === 'string')
  assert.deepEqual(
    { status: reply.status, body: reply.body },
    {
      status: 200,
      body: {
        operator: {
          operatorId: operator.operatorId,
          name: 'Maria Müller',
          role: 'operator',
          supplierId: null,
          hasPassword: false,
          isLinked: false,
          hasSecondFactor: false,
          createdAt: '2027-03-01T12:00:00.000Z',
          disabledAt: null,
          disabledByPlatform: false,
          lastSignInAt: null,
        },
        link: { token: link.token, expiresAt: '2027-03-01T13:00:00.000Z' },
      },
    },
  )
  assert.equal((await browser(gateway.url).signInByLink(link.token)).status, 200)
  const { body } = await admin.get('/operators')
  assert.ok(Array.isArray(body['operators']))
  assert.deepEqual(
    body['operators'].map(({ name, lastSignInAt }) => [name, lastSignInAt]),
    [
      [admin.name, '2027-03-01T12:00:00.000Z'],
      ['Maria Müller', '2027-03-01T12:00:00.000Z'],
    ],
  )
  assert.equal(JSON.stringify(body).includes(link.token), false)
})

test('a name is taken regardless of its case and of how its accents are encoded', async () => {
  await admin.post('/operators', { name: 'Zoë', role: 'viewer' })
  for (const name of ['zoë', 'ZOË', 'Zoe\u0308']) {
    assert.deepEqual(said(await admin.post('/operators', { name, role: 'viewer' })), {
      status: 409,
      type: 'OPERATOR_EXISTS',
      message: `The name "${name}" is taken`,
    })
  }
})

test('a name with odd whitespace, an unknown role and an unknown operator are refused', async () => {
  assert.equal(said(await admin.post('/operators', { name: ' x', role: 'viewer' })).type, 'INVALID_NAME')
  assert.equal(said(await admin.post('/operators', { name: 'x', role: 'root' })).type, 'NOT_ALLOWED')
  for (const id of ['0', '999999', '99999999999', 'x', '1.5']) {
    const reply = await admin.post(`/operators/${id}/disable`, undefined)
    assert.deepEqual([id, said(reply).status, said(reply).type], [id, 404, 'OPERATOR_NOT_FOUND'])
  }
})

test('a disabled operator gets no link until enabled again', async () => {
  const { operatorId } = await gateway.operator('viewer')
  await admin.post(`/operators/${operatorId}/disable`, undefined)
  const refused = await admin.post(`/operators/${operatorId}/sign-in-link`, undefined)
  assert.deepEqual([refused.status, said(refused).type], [409, 'OPERATOR_DISABLED'])
  await admin.post(`/operators/${operatorId}/enable`, undefined)
  assert.equal((await admin.post(`/operators/${operatorId}/sign-in-link`, undefined)).status, 200)
})

test('admins get no sign-in link for themselves, because an open session must not be enough to replace the password', async () => {
  const own = await admin.post(`/operators/${admin.operatorId}/sign-in-link`, undefined)
  assert.deepEqual([said(own).status, said(own).type], [409, 'OWN_SIGN_IN_LINK'])
})

test('the last admin can be neither disabled nor demoted, not even by two requests at once', async () => {
  const alone = await gatewayForTests()
  const [one, two] = [await alone.operator('admin'), await alone.operator('admin')]
  await alone.operator('operator')
  const replies = await meetingAtLock(alone.db, lockAdmins, [
    () => one.post(`/operators/${two.operatorId}/disable`, undefined),
    () => two.post(`/operators/${one.operatorId}/role`, { role: 'viewer' }),
  ])
  assert.deepEqual(
    replies.map(({ status }) => status).toSorted((left, right) => left - right),
    [200, 409],
  )
  const last = replies[0]?.status === 200 ? one : two
  for (const reply of [
    await last.post(`/operators/${last.operatorId}/disable`, undefined),
    await last.post(`/operators/${last.operatorId}/role`, { role: 'operator' }),
  ]) {
    assert.deepEqual(said(reply), {
      status: 409,
      type: 'LAST_ADMIN',
      message: `"${last.name}" is the only admin who can sign in`,
    })
  }
  assert.equal((await last.post(`/operators/${last.operatorId}/role`, { role: 'admin' })).status, 200)
})

test('viewers, operators and tokens can neither see nor change operators', async () => {
  const { operatorId } = await gateway.operator('viewer')
  const token = browser(gateway.url, { authorization: `Bearer ${await gateway.token('operator')}` })
  for (const person of [await gateway.operator('viewer'), await gateway.operator('operator'), token]) {
    for (const reply of [
      await person.get('/operators'),
      await person.post('/operators', { name: 'mine', role: 'admin' }),
      await person.post(`/operators/${operatorId}/role`, { role: 'admin' }),
      await person.post(`/operators/${operatorId}/sign-in-link`, undefined),
    ])
      assert.deepEqual([reply.status, said(reply).type], [403, 'ROLE_TOO_LOW'])
  }
})
