import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { gatewayForTests, type TestSupplier } from '../../test/stage/harness.ts'
import { expectOk, pushStoryHotel } from '../../test/stage/story.ts'
import { deleteOldFindings, raiseFinding, raiseFindings, resolveFinding, type FindingName } from './store.ts'

const gateway = await gatewayForTests({ now: '2027-03-01T12:00:00Z' })
const { db } = gateway
let supplier: TestSupplier
let name: FindingName
before(async () => {
  supplier = await gateway.supplier('Acme')
  await pushStoryHotel(supplier)
  const { rows } = await db.query<{ supplierId: number; hotelId: number }>(
    'select supplier_id as "supplierId", id as "hotelId" from hotel',
  )
  const [{ supplierId, hotelId } = { supplierId: 0, hotelId: 0 }] = rows
  name = { supplierId, kind: 'guard.held', hotelId, subject: 'priceDrop' }
})

const at = (time: string) => Date.parse(`2027-03-${time}:00Z`)

async function found(): Promise<unknown[]> {
  const { rows } = await db.query(
    `select kind, hotel_id is not null as hotel, key_id is not null as key, subject, state, count, evidence,
       opened_at::text as opened, resolved_at::text as resolved, tell_at::text as tell
     from finding order by id`,
  )
  return rows
}

const opened = {
  kind: 'guard.held',
  hotel: true,
  key: false,
  subject: 'priceDrop',
  state: 'open',
  count: 2,
  evidence: { rule: 'priceDrop', rooms: ['DBL'] },
  opened: '2027-03-01 12:00:00+00',
  resolved: null,
  tell: '2027-03-01 12:00:00+00',
}

test('a finding opens, follows what is seen, is resolved, and reopens as the same row', async () => {
  const evidence = { rule: 'priceDrop', rooms: ['DBL'] }
  assert.equal(await raiseFinding(db, { ...name, count: 2, evidence }, at('01T12:00')), 1)
  assert.deepEqual(await found(), [opened])
  assert.equal(await raiseFinding(db, { ...name, count: 2, evidence }, at('01T12:05')), 0, 'nothing is new')
  assert.deepEqual(await found(), [opened])
  assert.equal(await raiseFinding(db, { ...name, count: 3, evidence }, at('01T12:06')), 1)
  assert.deepEqual(await found(), [{ ...opened, count: 3 }])

  assert.equal(await resolveFinding(db, { ...name, subject: 'priceRise' }, at('01T12:07')), 0)
  assert.equal(await resolveFinding(db, name, at('01T12:08')), 1)
  assert.equal(await resolveFinding(db, name, at('01T12:09')), 0)
  const resolved = {
    ...opened,
    count: 3,
    state: 'resolved',
    resolved: '2027-03-01 12:08:00+00',
    tell: 'infinity',
  }
  assert.deepEqual(await found(), [resolved])

  assert.equal(await raiseFinding(db, { ...name, evidence }, at('02T08:00')), 1)
  const reopened = '2027-03-02 08:00:00+00'
  assert.deepEqual(await found(), [{ ...opened, count: 1, opened: reopened, tell: reopened }])
})

test('it is told again when it grows or comes back, and four hours later at the earliest', async () => {
  await db.query(`update finding set tell_at = 'infinity', told_at = '2027-03-02T08:00:30Z', told_count = 1`)
  const tellAt = async () => {
    const { rows } = await db.query<{ tell: string }>('select tell_at::text as tell from finding order by id')
    return rows[0]?.tell
  }
  await raiseFinding(db, { ...name, count: 1 }, at('02T08:10'))
  assert.equal(await tellAt(), 'infinity', 'it has not grown')
  await raiseFinding(db, { ...name, count: 5 }, at('02T08:20'))
  assert.equal(await tellAt(), '2027-03-02 12:00:30+00')
  await resolveFinding(db, name, at('02T08:30'))
  await raiseFinding(db, { ...name, count: 1 }, at('02T08:40'))
  assert.equal(await tellAt(), '2027-03-02 12:00:30+00', 'not sooner, although it came back')
  await resolveFinding(db, name, at('02T08:50'))
  await raiseFinding(db, name, at('03T09:00'))
  assert.equal(await tellAt(), '2027-03-03 09:00:00+00')
})

test('many are raised at once, and each name has one row, also when several raise it at the same time', async () => {
  const { supplierId, hotelId } = name
  const many = [
    { supplierId, kind: 'webhook.failing', keyId: supplier.keyId } as const,
    { supplierId, kind: 'ari.stale', hotelId } as const,
    { supplierId, kind: 'ari.stale', hotelId: 987_654 } as const,
  ]
  const writes = await Promise.all([1, 2, 3, 4].map(() => raiseFindings(db, many, at('04T08:00'))))
  assert.ok(
    writes.every((count) => count <= 2),
    'the hotel that is not there has no row',
  )
  const { rows } = await db.query<{ count: number }>('select count(*)::int as count from finding')
  assert.equal(rows[0]?.count, 3)
})

test('evidence is cut to a bounded size', async () => {
  const evidence = {
    text: 'x'.repeat(5_000),
    list: Array.from({ length: 90 }, () => 'y'.repeat(900)),
    many: 7,
  }
  await raiseFinding(db, { ...name, kind: 'drift.high', evidence }, at('04T08:00'))
  const { rows } = await db.query<{ bytes: number }>(
    `select octet_length(evidence::text) as bytes from finding where kind = 'drift.high'`,
  )
  assert.ok((rows[0]?.bytes ?? Infinity) < 4_000)
})

test('resolved ones are deleted when they are old, and a reset of the account removes all', async () => {
  await resolveFinding(db, name, at('05T08:00'))
  assert.equal(await deleteOldFindings(db, at('05T07:59')), 0)
  assert.equal(await deleteOldFindings(db, at('05T08:01')), 1)
  expectOk(await supplier.post('/push/sandbox/reset', {}))
  assert.deepEqual(await found(), [])
})
