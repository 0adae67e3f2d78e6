import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { client, gatewayForTests, type TestClient, type TestSupplier } from '../stage/harness.ts'
import { openShop, platformOf } from '../stage/scenes/booking.ts'
import { expectOk, product } from '../stage/story.ts'

/** Bodies that are too long for the thread that answers requests read like short ones, wherever they are read. */

const gateway = await gatewayForTests()
const note = 'x'.repeat(40_000)
const night = '2027-04-20'
const hotelCode = 'H1'
const sent = (requestId: string) => ({ 'x-request-id': requestId })
const item = (roomId: string, more = {}) => ({ roomId, date: night, note, ...more })
let supplier: TestSupplier
let viewer: TestClient
let platform: TestClient

before(async () => {
  viewer = client(gateway.url, { authorization: `Bearer ${await gateway.token('operator')}` }, '/console/api')
  ;({ supplier } = await openShop(gateway, 'Long'))
  platform = await platformOf(gateway)
  const products = (name: string) => ({
    hotelId: hotelCode,
    products: [{ ...product('DBL', 'BAR', { roomName: name }), note }],
  })
  expectOk(await supplier.post('/push/products', products('Double'), sent('first')))
  expectOk(await supplier.post('/push/products', products('Double room'), sent('second')))
  const closing = [item('DBL', { inventory: 3 }), item('DBL', { rates: [{ rateId: 'BAR', closed: true }] })]
  expectOk(await supplier.post('/push/ari', { hotelId: hotelCode, ari: closing }, sent('closing')))
  await supplier.post(
    '/push/ari',
    { hotelId: hotelCode, ari: [item('DBL', { inventory: 2 }), item('NOPE', { inventory: 2 })] },
    sent('partial'),
  )
  await supplier.post('/push/ari', `{"hotelId":"H1","hotelId":"H1","note":"${note}"}`, sent('twice'))
  await supplier.post('/push/ari', { hotelId: hotelCode, ari: 'none', note }, sent('refused'))
})

async function pushIdOf(requestId: string): Promise<number> {
  const { body } = expectOk(await viewer.get(`/pushes?requestId=${requestId}`))
  return Object(body['pushes'])[0].pushId
}

test('the log has them byte for byte, with their encoding', async () => {
  const logged = async (requestId: string) =>
    Object(expectOk(await supplier.get(`/push/log/${requestId}`)).body['push'])
  const { bodyEncoding, body, answer: answered } = await logged('partial')
  assert.deepEqual([bodyEncoding, body.ari[1].roomId, answered.summary.rejected], ['json', 'NOPE', 1])
  const twice = await logged('twice')
  assert.deepEqual(
    [twice.bodyEncoding, twice.body.slice(0, 32)],
    ['text', '{"hotelId":"H1","hotelId":"H1","'],
  )
})

test('a refused one is listed under the hotel that it names', async () => {
  const { body } = expectOk(await supplier.get('/push/log?hotelId=H1&outcome=rejected'))
  assert.deepEqual(
    [...Object(body['pushes'])].map(({ requestId }) => requestId),
    ['refused'],
  )
})

test('the console shows their items, problems and changes, and long values in short', async () => {
  const partial = await pushIdOf('partial')
  const page = expectOk(await viewer.get(`/pushes/${partial}`)).body
  assert.deepEqual(
    [page['items'], Object(page['body']).isCut, Object(page['changes']).kind],
    [2, true, 'nights'],
  )
  const { items, matching } = Object(expectOk(await viewer.get(`/pushes/${partial}/items?only=failed`)).body)
  // The unknown member is a warning of both.
  assert.deepEqual([items[1].index, items[1].status, matching], [1, 'rejected', 2])
  assert.equal(expectOk(await viewer.get(`/pushes/${partial}/body`)).text.length > 2 * note.length, true)
  const { changes } = Object(expectOk(await viewer.get(`/pushes/${await pushIdOf('second')}`)).body)
  assert.deepEqual(changes.parts[0].members, [{ member: 'roomName', before: 'Double', after: 'Double room' }])
  assert.equal(changes.parts[0].comparedWith.requestId, 'first')
})

test('what set a value is found in them', async () => {
  const stay = { checkin: night, checkout: '2027-04-21', rooms: [{ adults: 2, childAges: [] }] }
  const hotels = [{ supplier: 'Long', hotelId: hotelCode }]
  const found = expectOk(await platform.post('/booking/offers', { hotels, ...stay, explain: true })).body
  const [{ rules }] = Object(found['hotels'])[0].unavailable.filter(
    ({ rateId }: { rateId: string }) => rateId === 'BAR',
  )
  const { setBy } = rules.find(
    ({ rule, pass }: { rule: string; pass: boolean }) => rule === 'closed' && !pass,
  )
  assert.deepEqual([setBy.requestId, setBy.item], ['closing', 1])
  const { hotels: listed } = Object(expectOk(await viewer.get('/hotels')).body)
  const cell = expectOk(
    await viewer.get(`/hotels/${listed[0].hotelId}/calendar/cell?room=DBL&rate=BAR&night=${night}`),
  ).body
  const [newest] = Object(cell['history'])
  assert.deepEqual(
    [newest.requestId, newest.items[0].sent.inventory, newest.items[0].sent.note.length],
    ['partial', 2, 2_001],
  )
})

test('the certification takes them as evidence', async () => {
  const { body } = expectOk(await supplier.get('/push/certification'))
  const closed = [...Object(body['checks'])].find(({ id }) => id === 'closed')
  assert.deepEqual([closed.state, closed.evidence.requestId], ['proven', 'closing'])
})
