import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectStatus, openShop } from '../../../test/stage/scenes/booking.ts'
import { operatorOf } from '../../../test/stage/scenes/calendar.ts'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { expectOk, pushStoryHotel } from '../../../test/stage/story.ts'

const gateway = await gatewayForTests()
const week = { roomId: 'DBL', startDate: '2027-04-12', endDate: '2027-04-18' }
const bar = (price: number) => ({ rates: [{ rateId: 'BAR', price }] })

test('an operator undoes a push: after a dry run, with an audit entry, as a push without a key', async () => {
  const { supplier } = await openShop(gateway)
  const operator = await operatorOf(gateway)
  const push = async (item: object) => {
    const body = { hotelId: 'H1', pricingModel: 'unit', ari: [item] }
    const { requestId, revision } = expectOk(await supplier.post('/push/ari', body)).body
    const listed = expectOk(await operator('GET', `/pushes?requestId=${String(requestId)}`)).body['pushes']
    return { revision: Number(revision), pushId: Number(Object(listed)[0].pushId) }
  }
  const audited = async (): Promise<unknown[]> =>
    (await gateway.db.query("select subject, after from audit_log where action = 'push.undo'")).rows
  const read = async () =>
    expectOk(await supplier.post('/push/getAri', { hotelId: 'H1', ...week, roomId: undefined })).body['ari']

  const before = await read()
  const { pushId, revision } = await push({ ...week, ...bar(1) })
  const dry = expectOk(await operator('POST', `/pushes/${pushId}/undo`, { dryRun: true, onConflict: 'skip' }))
  assert.deepEqual([Object(dry.body['summary']).cellsChanged, await audited()], [7, []])
  await push({ roomId: 'DBL', date: '2027-04-12', ...bar(120) })
  const refused = expectStatus(await operator('POST', `/pushes/${pushId}/undo`, {}), 409)
  assert.deepEqual(Object(refused.body['conflicts'])[0].now, 120)
  const body = { onConflict: 'skip', reason: 'Wrong import' }
  const undone = expectStatus(await operator('POST', `/pushes/${pushId}/undo`, body), 207)
  const { requestId } = undone.body
  const logged = Object(expectOk(await supplier.get(`/push/log/${String(requestId)}`)).body['push'])
  assert.deepEqual(
    [logged.kind, logged.keyId, logged.outcome, logged.body],
    ['undo', null, 'partial', { hotelId: 'H1', revision, onConflict: 'skip' }],
  )
  const subject = (await audited()).map((entry) => Object(entry).subject)
  assert.deepEqual(
    subject,
    subject.map(() => subject[0]),
  )
  assert.deepEqual(Object((await audited()).at(-1)).after, { revision, ...body })
  const second = await push({ roomId: 'DBL', date: '2027-04-12', ...bar(100) })
  assert.deepEqual(await read(), before)
  const page = expectOk(await operator('GET', `/pushes/${second.pushId}`)).body
  assert.equal(Object(page['push']).kind, 'ari')
  // Neither is the push that made the hotel's revision.
  const item = { roomId: 'DBL', date: '2027-04-12', ...bar(100) }
  const unchanged = await push(item)
  expectOk(
    await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari: [item], dryRun: true }),
  )
  const [rehearsed] = Object(expectOk(await operator('GET', '/pushes?outcome=dryRun')).body['pushes'])
  for (const other of [unchanged.pushId, rehearsed.pushId]) {
    const nothing = expectStatus(await operator('POST', `/pushes/${other}/undo`, {}), 409)
    assert.equal(Object(nothing.body['errors'])[0].type, 'NOT_UNDOABLE')
  }
  assert.deepEqual(await read(), before)
  for (const unknown of ['999999', 'x'])
    expectStatus(await operator('POST', `/pushes/${unknown}/undo`, {}), 404)
})

test('a conflict that arose after the dry run refuses the undo, though those that it showed are skipped', async () => {
  const { supplier } = await openShop(gateway, 'Late')
  const operator = await operatorOf(gateway)
  const push = async (item: object) => {
    const body = { hotelId: 'H1', pricingModel: 'unit', ari: [item] }
    const { requestId } = expectOk(await supplier.post('/push/ari', body)).body
    const listed = expectOk(await operator('GET', `/pushes?requestId=${String(requestId)}`)).body['pushes']
    return Number(Object(listed)[0].pushId)
  }
  const priceOn = async (date: string) => {
    const range = { hotelId: 'H1', startDate: date, endDate: date }
    return Object(expectOk(await supplier.post('/push/getAri', range)).body['ari'])[0].rates[0].prices[0]
      .amount
  }
  const pushId = await push({ ...week, ...bar(1) })
  await push({ roomId: 'DBL', date: '2027-04-12', ...bar(120) })
  const dryRun = async () =>
    expectStatus(await operator('POST', `/pushes/${pushId}/undo`, { dryRun: true, onConflict: 'skip' }), 207)
      .body
  const undo = (seenRevision: unknown) =>
    operator('POST', `/pushes/${pushId}/undo`, { onConflict: 'skip', seenRevision })

  const { revision: seen } = await dryRun()
  await push({ roomId: 'DBL', date: '2027-04-13', ...bar(130) })
  const refused = expectStatus(await undo(seen), 409)
  assert.deepEqual(
    [
      Object(refused.body['errors'])[0].type,
      Object(refused.body['conflicts']).map(({ now }: { now: number }) => now),
    ],
    ['UNDO_CONFLICT', [120, 130]],
  )
  assert.equal(await priceOn('2027-04-14'), 1)
  // The value of a conflict that was shown has changed again.
  const { revision: shown } = await dryRun()
  await push({ roomId: 'DBL', date: '2027-04-12', ...bar(125) })
  expectStatus(await undo(shown), 409)
  const undone = expectStatus(await undo((await dryRun()).revision), 207)
  assert.equal(Object(undone.body['summary']).conflicts, 2)
  assert.deepEqual(
    [await priceOn('2027-04-12'), await priceOn('2027-04-13'), await priceOn('2027-04-14')],
    [125, 130, 100],
  )
})

test('an undo is of the push in the address, whatever else the body says', async () => {
  const { supplier } = await openShop(gateway, 'Of two hotels')
  await pushStoryHotel(supplier, { hotelId: 'H2' })
  const operator = await operatorOf(gateway)
  const push = async (hotelId: string, price: number) => {
    const body = { hotelId, pricingModel: 'unit', ari: [{ ...week, ...bar(price) }] }
    const { requestId, revision } = expectOk(await supplier.post('/push/ari', body)).body
    const listed = expectOk(await operator('GET', `/pushes?requestId=${String(requestId)}`)).body['pushes']
    return { revision, pushId: Number(Object(listed)[0].pushId) }
  }
  const { pushId, revision } = await push('H1', 1)
  const other = await push('H2', 2)
  const beyond = { hotelId: 'H2', revision: other.revision, roomIds: 7 }
  const undone = expectOk(await operator('POST', `/pushes/${pushId}/undo`, { onConflict: 'skip', ...beyond }))
  assert.equal(Object(undone.body['undone']).revision, revision)
  const pricesOfBar = async (hotelId: string) => {
    const { body } = expectOk(await supplier.post('/push/getAri', { hotelId, ...week, roomId: undefined }))
    const rates = Array.from(Object(body['ari'])).flatMap((item) => Object(item).rates)
    return rates.flatMap(({ rateId, prices }) => (rateId === 'BAR' ? prices : []))
  }
  assert.deepEqual([await pricesOfBar('H1'), await pricesOfBar('H2')], [[{ amount: 100 }], [{ amount: 2 }]])
})
