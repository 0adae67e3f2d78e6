import assert from 'node:assert/strict'
import { test } from 'node:test'
import { client, gatewayForTests, type TestOperator } from '../../../test/stage/harness.ts'
import { expectOk, problemsOf, pushStoryHotel } from '../../../test/stage/story.ts'
import { supplierIdOf } from '../../keys/suppliers.ts'
import { savedViews } from './contract.ts'

const gateway = await gatewayForTests()

const viewsOf = async (person: TestOperator): Promise<unknown> =>
  expectOk(await person.get('/me/views')).body['views']
const typesOf = (reply: Parameters<typeof problemsOf>[0]): unknown[] =>
  problemsOf(reply).map((problem) => Object(problem)[1])

test('views are one’s own, replaced under their name, and removed', async () => {
  const [one, other] = [await gateway.operator('viewer'), await gateway.operator('admin')]
  const stale = { path: '/hotels', name: 'Stale <b>', query: 'sort=stalest&search=sea' }
  assert.deepEqual(expectOk(await one.put('/me/views', stale)).body, { view: stale })
  expectOk(await one.put('/me/views', { path: '/pushes', name: 'Stale <b>' }))
  expectOk(await one.put('/me/views', { ...stale, query: 'sort=stalest' }))
  assert.deepEqual(await viewsOf(one), [
    { ...stale, query: 'sort=stalest' },
    { path: '/pushes', name: 'Stale <b>', query: '' },
  ])
  assert.deepEqual(await viewsOf(other), [])
  expectOk(await other.post('/me/views/remove', { path: '/pushes', name: 'Stale <b>' }))
  expectOk(await one.post('/me/views/remove', { path: '/hotels', name: 'Stale <b>' }))
  assert.deepEqual(await viewsOf(one), [{ path: '/pushes', name: 'Stale <b>', query: '' }])
})

test('people of a supplier have views of their own too', async () => {
  const supplier = await gateway.supplier('Acme')
  await pushStoryHotel(supplier)
  const person = await gateway.operator('viewer', await supplierIdOf(gateway.db, 'Acme'))
  expectOk(await person.put('/me/views', { path: '/hotels', name: 'Mine', query: 'search=h' }))
  assert.deepEqual(await viewsOf(person), [{ path: '/hotels', name: 'Mine', query: 'search=h' }])
})

test('there is a most, even for views that are saved at once, and none for tokens', async () => {
  const person = await gateway.operator('viewer')
  const max = savedViews.perPersonMax
  const saved = await Promise.all(
    Array.from({ length: max + 10 }, (_, index) =>
      person.put('/me/views', { path: '/hotels', name: `View ${index}` }),
    ),
  )
  assert.deepEqual(
    [200, 409].map((status) => saved.filter((reply) => reply.status === status).length),
    [max, 10],
  )
  const refused = saved.find(({ status }) => status === 409)
  assert.deepEqual(refused && typesOf(refused), ['TOO_MANY_VIEWS'])
  const views = Object(await viewsOf(person))
  assert.equal(views.length, max)
  // One that is there can still be changed.
  expectOk(await person.put('/me/views', { ...views[0], query: 'sort=nameLast' }))
  const token = client(
    gateway.url,
    { authorization: `Bearer ${await gateway.token('operator')}` },
    '/console/api',
  )
  assert.deepEqual(expectOk(await token.get('/me/views')).body, { views: [] })
  const byToken = await token.put('/me/views', { path: '/hotels', name: 'None' })
  assert.deepEqual([byToken.status, typesOf(byToken)], [403, ['NO_VIEWS_OF_TOKENS']])
})
