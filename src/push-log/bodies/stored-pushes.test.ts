import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { gatewayForTests, type TestSupplier } from '../../../test/stage/harness.ts'
import { expectOk, pushStoryHotel } from '../../../test/stage/story.ts'
import { answerEncodingOfRow } from './bodies.ts'
import { unpack, rebuildAnswer } from './stored-bytes.ts'

/** The log stores little of a push, and returns body and answer byte for byte. */

let supplier: TestSupplier
const gateway = await gatewayForTests()
const hotelId = 'Hôtel "7"'
before(async () => {
  supplier = await gateway.supplier('stored')
  await pushStoryHotel(supplier, { hotelId })
  const opened = { roomId: 'DBL', startDate: night(1), endDate: '2028-02-28', inventory: 8 }
  expectOk(await supplier.post('/push/ari', { hotelId, ari: [opened] }))
})

const night = (day: number): string => `2027-03-${String(day).padStart(2, '0')}`
const item = { roomId: 'DBL', rateId: 'BAR', date: night(10), price: 110 }
const small = {
  hotelId,
  pricingModel: 'guest',
  ari: [
    {
      roomId: 'DBL',
      startDate: night(12),
      endDate: night(14),
      inventory: 17,
      rates: [
        {
          rateId: 'BAR',
          minLengthStay: 2,
          prices: [
            { guests: 1, ageCategory: 'adult', amount: 131.25 },
            { guests: 2, ageCategory: 'adult', amount: 148.5 },
          ],
        },
      ],
    },
  ],
}
const unit = (ari: readonly object[], more: object = {}) => ({ hotelId, pricingModel: 'unit', ari, ...more })

async function stored(requestId: string): Promise<{ answerEncoding: string; answer: number }> {
  const { rows } = await gateway.db.query<{ answerEncoding: string; answer: number }>(
    `select ${answerEncodingOfRow} as "answerEncoding", coalesce(octet_length(answer), 0) as answer from push_log where request_text = $1`,
    [requestId],
  )
  const [row] = rows
  assert.ok(row, `${requestId} is in the log`)
  return row
}

test('a push that was applied entirely leaves no answer in the log', async () => {
  expectOk(await supplier.post('/push/ari', small, { 'x-request-id': 'small' }))
  const { answerEncoding, answer } = await stored('small')
  assert.deepEqual([answerEncoding, answer], ['plain.1', 0])
})

test('answers are returned byte for byte, those that are rebuilt and those that are stored', async () => {
  const nights = Array.from({ length: 20 }, (_, index) => ({ ...item, date: night(index + 1) }))
  const pushes: [string, object, string][] = [
    ['one item', unit([{ ...item, price: 111 }]), 'plain.1'],
    ['the same again', unit([{ ...item, price: 111 }]), 'plain.1'],
    [
      'changed and unchanged items',
      unit([
        { ...item, price: 111 },
        { ...item, date: night(11) },
      ]),
      'plain.1',
    ],
    ['twenty items', unit(nights), 'plain.1'],
    [
      'many nights of an item',
      unit([{ roomId: 'DBL', startDate: night(1), endDate: '2028-02-28', inventory: 9 }, item]),
      'plain.1',
    ],
    [
      'items undone by later ones',
      unit([
        { ...item, price: 5 },
        { ...item, price: 110 },
      ]),
      'plain.1',
    ],
    ['no items', unit([]), 'batch'],
    ['a dry run', unit([{ ...item, price: 112 }], { dryRun: true }), 'batch'],
    ['an unknown member', unit([{ ...item, colour: 'red' }]), 'batch'],
    ['a warning', unit([{ ...item, price: 1100 }]), 'batch'],
    ['an unknown room', unit([item, { ...item, roomId: 'X' }]), 'batch'],
    ['refused', unit([{ ...item, price: -1 }]), 'batch'],
  ]
  const viewer = await gateway.operator('viewer')
  for (const [index, [what, body, encoding]] of pushes.entries()) {
    const requestId = `answer-${index}`
    const { text } = await supplier.post('/push/ari', body, { 'x-request-id': requestId })
    const read = expectOk(await supplier.get(`/push/log/${requestId}`))
    assert.ok(read.text.includes(`"body":${JSON.stringify(body)},"answer":${text}}`), what)
    assert.equal((await stored(requestId)).answerEncoding, encoding, what)
    const { pushes: listed } = Object((await viewer.get('/pushes?limit=1')).body)
    const shown = await viewer.get(`/pushes/${listed[0].pushId}/answer`)
    assert.equal(shown.text, text, `${what}, in the console`)
  }
})

test('bodies of every kind of push are returned byte for byte, however they are written', async () => {
  const bodies: [string, string][] = [
    ['/push/ari', JSON.stringify(small, null, 2)],
    ['/push/ari', `${' '.repeat(5_000)}${JSON.stringify(small)}`],
    ['/push/hotels', '[{"hotelId":"H9","hotelName":"Ünïcode \\u00e9 日本"}]'],
    ['/push/products', '{"hotelId":"H9","products":[{"roomId":"DBL","roomType":"Double"}]}'],
    ['/push/taxes', '{"hotelId":"H9","taxes":[{"type":"VAT","value":10.00}]}'],
    ['/push/webhook/availability', '{"webhook":"http://127.0.0.1:9/a"}'],
    ['/push/ari', JSON.stringify({ ...small, ari: Array.from({ length: 500 }, () => item) })],
  ]
  for (const [index, [path, body]] of bodies.entries()) {
    const requestId = `body-${index}`
    const { text } = await supplier.post(path, body, { 'x-request-id': requestId })
    const read = expectOk(await supplier.get(`/push/log/${requestId}`))
    assert.ok(read.text.includes(`"body":${body},"answer":${text}`), `${path} ${body.slice(0, 50)}`)
  }
})

test('what was stored by an earlier version is still readable', () => {
  const rows: [string, string, string][] = [
    ['identity', Buffer.from('{"a":1}').toString('base64'), '{"a":1}'],
    ['zstd', 'KLUv/SAHOQAAeyJhIjoxfQ==', '{"a":1}'],
  ]
  for (const [encoding, bytes, text] of rows)
    assert.equal(unpack(encoding, Buffer.from(bytes, 'base64')).toString(), text)
  const row = { hotelCode: 'H"1', revision: 7, requestId: 'r1', cellsChanged: 301 }
  assert.equal(
    rebuildAnswer('plain.1', Buffer.from([0, 0x82, 0x2c, 1]), row).toString(),
    `{"code":"200","message":"ARI updated successfully","hotelId":"H\\"1","revision":7,"requestId":"r1","summary":{"items":3,"applied":2,"partial":0,"rejected":0,"superseded":0,"unchanged":1,"cellsChanged":301},"results":[{"index":0,"status":"unchanged","cellsChanged":0},{"index":1,"status":"applied","cellsChanged":300},{"index":2,"status":"applied","cellsChanged":1}]}`,
  )
})

test('the log stores answers without their request id, and shows them with it, whatever else they contain', async () => {
  for (const code of ['"requestId":""', '"requestId":"own"', '$&', "$'"]) {
    const { status, text } = await supplier.post(
      '/push/ari',
      { hotelId: code, pricingModel: 'guest', ari: [] },
      { 'x-request-id': 'own' },
    )
    assert.equal(status, 404)
    assert.ok(text.includes('"requestId":"own"'))
    const { rows } = await gateway.db.query<{ answer: Buffer }>(
      'select substring(bytes from answer_from + 1 for answer_length) as answer from push_log join push_body_batch using (batch) order by id desc limit 1',
    )
    assert.equal(rows[0]?.answer.length, text.length - 'own'.length)
    const read = expectOk(await supplier.get('/push/log/own'))
    assert.ok(read.text.includes(`"answer":${text}`), text)
  }
})
