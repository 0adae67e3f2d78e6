import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import { startGateway, type TestGateway } from '../../test/harness.ts'
import { expectOk, pushStoryHotel } from '../../test/story.ts'
import type { PushInLog } from './push-contract.ts'

let gateway: TestGateway
before(async () => {
  gateway = await startGateway()
})
after(() => gateway.stop())

const sent = (requestId: string) => ({ 'x-request-id': requestId })

async function listed(): Promise<PushInLog[]> {
  const viewer = await gateway.operator('viewer')
  const page: { pushes: PushInLog[] } = JSON.parse(expectOk(await viewer.get('/pushes')).text)
  return page.pushes
}

test('the list says why a push was refused or applied in part: the first problem, and how many more there are', async () => {
  const supplier = await gateway.supplier('reasons', { ariItemsMax: 20_000 })
  await pushStoryHotel(supplier)
  const good = { roomId: 'DBL', rateId: 'BAR', date: '2027-03-05', price: 110 }
  const [noRoom, noPrice] = [
    { ...good, roomId: '"errors":[{"type":"MINE"' },
    { ...good, price: -1 },
  ]
  const push = (requestId: string, ari: readonly object[], more: object = {}) =>
    supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari, ...more }, sent(requestId))
  await push('why-whole', [good])
  await push('why-part', [good, noRoom, noPrice, noRoom])
  await push('why-refused', [noRoom, noRoom])
  await push('why-atomic', [noRoom, good], { atomic: true })
  await push('why-dry', [good, noRoom], { dryRun: true })
  await push('why-many', [good, ...Array.from({ length: 250 }, () => noRoom)])
  await push('why-endless', [noRoom, ...Array.from({ length: 15_000 }, () => good)])
  await supplier.post('/push/hotels', [{}, {}], sent('why-hotels'))
  const pushes = await listed()
  const unknownRoom = ['ROOM_NOT_FOUND', 'RoomID not found']
  assert.deepEqual(
    pushes
      .filter(({ requestId }) => requestId.startsWith('why-'))
      .map(({ requestId, outcome, reason }) => [
        requestId,
        outcome,
        reason && [reason.type, reason.message, reason.more],
      ]),
    [
      ['why-hotels', 'rejected', ['HOTEL_ID_REQUIRED', 'hotelId is required', 11]],
      ['why-endless', 'partial', [...unknownRoom, null]],
      ['why-many', 'partial', [...unknownRoom, 249]],
      ['why-dry', 'dryRun', [...unknownRoom, 0]],
      ['why-atomic', 'rejected', [...unknownRoom, 0]],
      ['why-refused', 'rejected', [...unknownRoom, 1]],
      ['why-part', 'partial', [...unknownRoom, 2]],
      ['why-whole', 'applied', null],
    ],
  )
})

test('an answer that can’t be read, or unpacks to far more than an answer, hides no other', async () => {
  const supplier = await gateway.supplier('unreadable')
  for (const requestId of ['lost-1', 'lost-2', 'lost-3'])
    await supplier.post('/push/hotels', [{}], sent(requestId))
  const spoil = (requestId: string, answer: Buffer) =>
    gateway.db.query(`update push_log set answer = $2, answer_encoding = 'zstd' where request_id = $1`, [
      requestId,
      answer,
    ])
  await spoil('lost-1', Buffer.from('no frame'))
  await spoil('lost-2', zstdCompressSync(Buffer.alloc(64 * 1024 * 1024, '{"errors":[')))
  const told = (await listed())
    .filter(({ requestId }) => requestId.startsWith('lost-'))
    .map(({ requestId, reason }) => [requestId, reason?.type ?? null])
  assert.deepEqual(told, [
    ['lost-3', 'HOTEL_ID_REQUIRED'],
    ['lost-2', null],
    ['lost-1', null],
  ])
})
