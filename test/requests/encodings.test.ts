import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { createJob, ended, jobIn, upload } from '../stage/scenes/bulk.ts'
import { platformOf } from '../stage/scenes/booking.ts'
import { gatewayForTests, type Reply, type TestSupplier } from '../stage/harness.ts'
import { expectOk, pushStoryHotel } from '../stage/story.ts'

/** Bodies that are not UTF-8, and the names of compressions. */

const gateway = await gatewayForTests()
gateway.app.startBulk()
let supplier: TestSupplier
before(async () => {
  supplier = await gateway.supplier('Encoder')
  await pushStoryHotel(supplier)
})

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le')
const utf16BigEndian = (text: string): Buffer => utf16(text).swap16()
const utf32 = (text: string): Buffer =>
  Buffer.concat(
    Array.from(text, (character) => {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32LE(character.codePointAt(0) ?? 0)
      return bytes
    }),
  )
const utf32BigEndian = (text: string): Buffer => utf32(text).swap32()

const told = ({ status, body }: Reply): unknown[] => {
  const [{ type, message }] = Array.from(Object(body['errors'])).map(Object)
  return [status, type, message]
}

const ways = [
  ['UTF-16', utf16],
  ['UTF-16', utf16BigEndian],
  ['UTF-32', utf32],
  ['UTF-32', utf32BigEndian],
] as const

test('a body in UTF-16 or UTF-32 is told to be UTF-8, with and without a byte order mark, at every endpoint', async () => {
  const platform = await platformOf(gateway)
  const text = JSON.stringify({ hotelId: 'H1', ari: [] })
  for (const [name, encode] of ways)
    for (const mark of ['', '\uFEFF'])
      for (const reply of [
        await supplier.post('/push/ari', encode(mark + text)),
        await supplier.post('/push/hotels', encode(mark + text)),
        await supplier.post('/push/getAri', gzipSync(encode(mark + text)), { 'content-encoding': 'gzip' }),
        await supplier.post('/push/sandbox/booking', encode(mark + text)),
        await platform.post('/booking/offers', encode(mark + text)),
      ])
        assert.deepEqual(told(reply), [415, 'NOT_UTF8', `Send UTF-8: the body is in ${name}`])
})

test('a charset other than UTF-8 is refused where the body is not UTF-8 for certain', async () => {
  const text = JSON.stringify({ hotelId: 'H1', startDate: '2027-04-01', endDate: '2027-04-02' })
  const send = (body: Buffer | string, charset: string) =>
    supplier.post('/push/getAri', body, { 'content-type': `application/json; charset=${charset}` })
  for (const charset of ['utf-16', 'UTF-16LE', '"utf-32"', 'utf16', 'ucs-2'])
    assert.deepEqual(told(await send(text, charset)), [
      415,
      'NOT_UTF8',
      `Send UTF-8: the body is in ${charset.replaceAll('"', '')}`,
    ])
  assert.deepEqual(told(await send(Buffer.from('{"hotelId":"Hôtel"}', 'latin1'), 'iso-8859-1')), [
    415,
    'NOT_UTF8',
    'Send UTF-8: the body is in iso-8859-1',
  ])
  assert.deepEqual(told(await send(Buffer.from('{"hotelId":"Hôtel"}', 'latin1'), 'utf-8')), [
    415,
    'NOT_UTF8',
    'Send UTF-8: the body is in another encoding',
  ])
  for (const charset of ['utf-8', 'UTF8', 'iso-8859-1', 'us-ascii']) expectOk(await send(text, charset))
})

test('nor does the data of a job take UTF-16 or UTF-32, compressed or not', async () => {
  const line = `${JSON.stringify({ hotelId: 'H1', ari: [] })}\n`
  const jobId = await createJob(supplier, { kind: 'ari' })
  for (const [name, encode] of ways)
    for (const mark of ['', '\uFEFF'])
      for (const [encoding, pack] of [
        ['identity', (bytes: Buffer) => bytes],
        ['gzip', gzipSync],
        ['zstd', zstdCompressSync],
      ] as const) {
        const bytes = pack(encode(mark + line.repeat(9_000)))
        const reply = await upload(supplier, jobId, bytes, { 'content-encoding': encoding })
        assert.deepEqual(told(reply), [415, 'NOT_UTF8', `Send UTF-8: the data is in ${name}`])
      }
  const charset = { 'content-type': 'text/csv; charset=utf-16' }
  assert.deepEqual(told(await upload(supplier, jobId, line, charset)), [
    415,
    'NOT_UTF8',
    'Send UTF-8: the data is in utf-16',
  ])
})

test('x-gzip is gzip, for a body, the data of a job and an export', async () => {
  const body = gzipSync(JSON.stringify({ hotelId: 'H1', startDate: '2027-04-01', endDate: '2027-04-02' }))
  expectOk(await supplier.post('/push/getAri', body, { 'content-encoding': 'x-gzip' }))
  const jobId = await createJob(supplier, { kind: 'ari' })
  const item = { roomId: 'DBL', date: '2027-04-01', inventory: 3 }
  const line = gzipSync(`${JSON.stringify({ hotelId: 'H1', ari: [item] })}\n`)
  expectOk(await upload(supplier, jobId, line, { 'content-encoding': 'X-GZIP' }))
  jobIn(await supplier.post(`/push/bulk/${jobId}/start`, {}))
  const { state, applied } = await ended(supplier, jobId)
  assert.deepEqual([state, applied], ['done', 1])
})
