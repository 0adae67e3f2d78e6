import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { gatewayForTests, type Reply, type TestSupplier } from '../../../test/stage/harness.ts'
import { expectOk, problemsOf, pushStoryHotel } from '../../../test/stage/story.ts'

/**
 * Values that silently go wrong between JSON and PostgreSQL, or cause a server error, unless the code checks
 * for them.
 */

let supplier: TestSupplier
const gateway = await gatewayForTests()
before(async () => {
  supplier = await gateway.supplier('traps', { requestsPerMinute: 0 })
  await pushStoryHotel(supplier)
})

/** The JSON text of a push with the given raw text for one member. */
const withItem = (member: string): string =>
  `{"hotelId":"H1","pricingModel":"guest","ari":[{"roomId":"DBL","date":"2027-04-01",${member}}]}`

async function stored(): Promise<unknown> {
  const { rows } = await gateway.db.query(
    'select md5(string_agg(ari_month::text, $1 order by ari_month::text)) as ari, max(revision) as revision from hotel left join ari_month on hotel_id = hotel.id',
    ['|'],
  )
  return rows
}

/** Asserts that nothing changed and that the answer is a refusal with our own body. */
async function refused(
  body: string | Uint8Array,
  status = 400,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const earlier = await stored()
  const reply = await supplier.post('/push/ari', body, headers)
  assert.equal(reply.status, status, reply.text)
  assert.equal(reply.body['code'], String(status))
  assert.equal(reply.text.isWellFormed(), true)
  assert.deepEqual(await stored(), earlier)
  return reply
}

test('NUL and other control characters in strings', async () => {
  for (const text of ['\\u0000', 'D\\u0000BL', '\\n', '\\u007f', '\\u0085']) {
    for (const [name, path] of [
      ['hotelId', '/hotelId'],
      ['roomId', '/ari/0/roomId'],
      ['rateId', '/ari/0/rateId'],
    ] as const) {
      const body = {
        hotelId: 'H1',
        ari: [{ roomId: 'DBL', rateId: 'BAR', date: '2027-04-01', closed: true }],
      }
      const sent = JSON.stringify(body).replace(new RegExp(`"${name}":"[^"]*"`), `"${name}":"${text}"`)
      assert.deepEqual(problemsOf(await refused(sent)), [
        [path, 'INVALID_CHARACTERS', `${name} has characters that cannot be stored`],
      ])
    }
  }
  await refused(`{"hotelId":"H1","currency":"U\\u0000","ari":[{"roomId":"DBL","date":"2027-04-01"}]}`)
  await refused(withItem('"daysOfWeek":["\\u0000"]'))
  // In ignored members they do no harm.
  expectOk(await supplier.post('/push/ari', withItem('"note\\u0000":"\\u0000","closed":null')))
})

test('lone surrogates', async () => {
  for (const text of ['\\ud800', 'DBL\\udc00', '\\udc00\\ud800']) {
    assert.equal(
      (await refused(withItem(`"rateId":"${text}","closed":true`))).body['message'],
      'rateId has characters that cannot be stored',
    )
    await refused(`{"hotelId":"${text}","ari":[{"roomId":"DBL","date":"2027-04-01"}]}`)
    await refused(withItem(`"date2":1,"startDate":"${text}"`))
    await refused(withItem(`"rateId":"BAR","price":"${text}"`))
    expectOk(await supplier.post('/push/ari', withItem(`"${text}":"${text}","closed":null`)))
  }
})

test('the same night, room and rate twice in one push', async () => {
  const item = {
    roomId: 'DBL',
    startDate: '2027-05-30',
    endDate: '2027-06-02',
    inventory: 1,
    rates: [{ rateId: 'BAR', closed: true }],
  }
  const reply = expectOk(
    await supplier.post('/push/ari', { hotelId: 'H1', ari: [item, item, { ...item, inventory: 2 }, item] }),
  )
  const results: unknown = reply.body['results']
  assert.ok(Array.isArray(results))
  assert.deepEqual(
    results.map(({ status, cellsChanged }) => [status, cellsChanged]),
    [
      ['applied', 8],
      ['unchanged', 0],
      ['applied', 4],
      ['applied', 4],
    ],
  )
})

test('numbers beyond the stored range: 1e400, 2^53 + 1, the smallest fractions', async () => {
  for (const number of ['1e400', '-1e400', '9007199254740993', '1e21', '1e-400', '5e-324', '0.1e-5', '-0']) {
    await refused(withItem(`"rateId":"BAR","amount":${number},"guests":1,"ageCategory":"adult"`))
  }
  for (const number of ['1e400', '9007199254740993', '1e21', '0.5', '-1', '1e-1']) {
    if (number !== '-1') await refused(withItem(`"inventory":${number}`))
    await refused(withItem(`"rateId":"BAR","minLengthStay":${number}`))
    await refused(withItem(`"rateId":"BAR","amount":5,"ageCategory":"adult","guests":${number}`))
    await refused(
      `{"hotelId":"H1","sequence":${number === '1e21' ? '9007199254740992' : number},"ari":[{"roomId":"DBL","date":"2027-04-01","inventory":1}]}`,
    )
  }
  // Written differently, but an integer: 1e0 is 1.
  expectOk(await supplier.post('/push/ari', withItem('"inventory":1e0')))
  expectOk(await supplier.post('/push/ari', withItem('"inventory":10e-1')))
})

test('the highest sequence is stored exactly, next to the lowest', async () => {
  const send = (date: string, inventory: number, sequence: number): Promise<Reply> =>
    supplier.post('/push/ari', { hotelId: 'H1', sequence, ari: [{ roomId: 'DBL', date, inventory }] })
  expectOk(await send('2027-07-01', 1, Number.MAX_SAFE_INTEGER))
  expectOk(await send('2027-07-02', 1, 0))
  expectOk(await send('2027-07-03', 1, Number.MAX_SAFE_INTEGER - 1))
  for (const [date, sequence, status] of [
    ['2027-07-01', Number.MAX_SAFE_INTEGER - 1, 'superseded'],
    ['2027-07-02', 1, 'applied'],
    ['2027-07-03', Number.MAX_SAFE_INTEGER - 2, 'superseded'],
    ['2027-07-03', Number.MAX_SAFE_INTEGER, 'applied'],
  ] as const) {
    const [result] = [expectOk(await send(date, 2, sequence)).body['results']].flat()
    assert.equal(Reflect.get(Object(result), 'status'), status, `${date} ${sequence}`)
  }
})

test('infinity and similar words as dates', async () => {
  for (const date of [
    'infinity',
    '-infinity',
    'epoch',
    'today',
    'now',
    'allballs',
    '10000-01-01',
    '0000-00-00',
  ]) {
    const reply = await refused(
      JSON.stringify({
        hotelId: 'H1',
        ari: [{ roomId: 'DBL', startDate: date, endDate: 'infinity', inventory: 1 }],
      }),
    )
    assert.deepEqual(problemsOf(reply).length, 2)
    assert.equal(
      (await supplier.post('/push/getAri', { hotelId: 'H1', startDate: date, endDate: date })).status,
      400,
    )
  }
})

test('__proto__ and constructor are unknown members like any other', async () => {
  for (const name of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']) {
    const nested = `"${name}":{"hotelId":"H1","roomId":"DBL","inventory":9,"closed":true,"dryRun":true,"polluted":true}`
    const body = `{${nested},"hotelId":"H1","ari":[{${nested},"roomId":"DBL","date":"2027-08-01","rates":[{${nested},"rateId":"BAR","minLengthStay":2}]}]}`
    expectOk(await supplier.post('/push/ari', body))
    assert.equal(Reflect.get({}, 'polluted'), undefined)
    // An inherited member doesn't count as sent.
    assert.equal(
      (await refused(`{${nested},"ari":[{"roomId":"DBL","date":"2027-08-01","inventory":1}]}`)).body[
        'message'
      ],
      'hotelId is required',
    )
    assert.equal(
      (await refused(`{"hotelId":"${name}","ari":[{"roomId":"DBL","date":"2027-08-01"}]}`, 404)).body[
        'message'
      ],
      'Hotel ID is not found',
    )
    const codes = JSON.stringify({ hotelId: 'H1', ari: [{ roomId: name, date: '2027-08-01', inventory: 1 }] })
    assert.equal((await refused(codes, 404)).body['message'], 'RoomID not found')
  }
  const { ari } = expectOk(
    await supplier.post('/push/getAri', { hotelId: 'H1', startDate: '2027-08-01', endDate: '2027-08-01' }),
  ).body
  assert.deepEqual(ari, [
    {
      roomId: 'DBL',
      startDate: '2027-08-01',
      endDate: '2027-08-01',
      rates: [{ rateId: 'BAR', minLengthStay: 2 }],
    },
  ])
})

test('nesting 5,000 deep, open or closed', async () => {
  const levels = 5_000
  const deep = [
    `${'['.repeat(levels)}${']'.repeat(levels)}`,
    `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`,
  ]
  for (const value of deep) {
    assert.deepEqual(problemsOf(await refused(value)), [
      ['', 'NESTED_TOO_DEEPLY', 'Request body is nested deeper than 32 levels'],
    ])
    await refused(withItem(`"unknown":${value}`))
  }
  assert.deepEqual(problemsOf(await refused('['.repeat(1_000_000))), [
    ['', 'NESTED_TOO_DEEPLY', 'Request body is nested deeper than 32 levels'],
  ])
})

/** The JSON text of a push of `items` items, each with `rates` lines of `prices` prices. */
function pushOf(items: number, rates: number, prices: number, price: string): string {
  const line = `{"rateId":"BAR","prices":[${Array(prices).fill(price).join()}]}`
  const item = `{"roomId":"DBL","date":"2027-04-01","rates":[${Array(rates).fill(line).join()}]}`
  return `{"hotelId":"H1","pricingModel":"guest","ari":[${Array(items).fill(item).join()}]}`
}

/** The number of errors listed in the results, the number of unlisted ones, and the number of results. */
function countsIn({ body }: Reply): { listed: number; more: number; results: number } {
  const { results } = body
  assert.ok(Array.isArray(results))
  let listed = 0
  let more = 0
  for (const result of results) {
    assert.ok(['rejected', 'partial', 'unchanged', 'applied'].includes(result.status))
    listed += result.errors?.length ?? 0
    more += result.moreErrors ?? 0
  }
  return { listed, more, results: results.length }
}

test('more values than any push needs are refused before they are read', async () => {
  const keys = Array.from({ length: 750_001 }, (_, index) => `"${index.toString(36)}":1`).join()
  for (const body of [
    pushOf(1_000, 11, 290, '{}'),
    `{"hotelId":"H1","ari":[${Array(750_002).fill('{}').join()}]}`,
    `[${'[],'.repeat(900_000)}`,
  ]) {
    assert.deepEqual(problemsOf(await refused(body)), [
      ['', 'TOO_MANY_VALUES', 'Request body has more than 750000 keys or elements'],
    ])
  }
  assert.deepEqual(problemsOf(await refused(`{${keys}}`)), [
    ['', 'TOO_MANY_MEMBERS', 'An object of the request body has more than 500 members'],
  ])
  // Characters inside strings are not counted.
  expectOk(await supplier.post('/push/ari', withItem(`"note":"${',:[{'.repeat(900_000)}","closed":null`)))
})

test('however many problems a push has, the answer stays small and lists every item', async () => {
  // First many items, then large ones, then faults that only the planner can find.
  const missing = await refused(pushOf(1_000, 2, 200, '{}'))
  // For 5 items every problem: 3 members of each price, and the duplicate rate. For the other items only the
  // first.
  const more = 5 * (3 * 400 + 1) + 995 - 100
  assert.deepEqual(countsIn(missing), { listed: 100, more, results: 1_000 })
  assert.equal(missing.body['moreErrors'], more)
  const large = await refused(pushOf(3, 100, 300, '{}'))
  assert.deepEqual(countsIn(large), { listed: 3, more: 0, results: 3 })
  const unplannable = await refused(pushOf(500, 1, 290, '{"amount":1}'))
  assert.equal(countsIn(unplannable).listed, 100)
  for (const { text } of [missing, large, unplannable]) assert.ok(text.length < 300_000, `${text.length}`)
})

test('the errors of a partially applied push are limited to 100, and counted', async () => {
  const wrong = { roomId: 'DBL', date: '2027-04-01', inventory: 1.5, rates: [{ rateId: 'BAR', price: 'x' }] }
  const good = { roomId: 'DBL', date: '2027-04-01', inventory: 3 }
  const ari = [...Array(70).fill(wrong), good]
  const reply = await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari })
  assert.equal(reply.status, 207)
  assert.deepEqual(countsIn(reply), { listed: 100, more: 40, results: 71 })
  assert.equal(reply.body['moreErrors'], 40)
  const { results } = reply.body
  assert.ok(Array.isArray(results))
  assert.deepEqual(results[69], { index: 69, status: 'rejected', cellsChanged: 0, moreErrors: 2 })
})

test('if there are more items than the key may send, none is validated', async () => {
  const narrow = await gateway.supplier('narrow', { ariItemsMax: 2 })
  await pushStoryHotel(narrow)
  const reply = await narrow.post('/push/ari', { hotelId: 'H1', ari: [{}, {}, {}] })
  assert.deepEqual(problemsOf(reply), [['/ari', 'TOO_MANY_ITEMS', 'ari must have at most 2 elements']])
})

test('a long key does not make a long answer', async () => {
  const pairs = Array.from({ length: 95 }, (_, index) => `"a${index}":1,"a${index}":1`).join()
  for (const length of [200_000, 4_000_000, 9_000_000]) {
    const reply = await refused(`{"${'k'.repeat(length)}":{${pairs}}}`)
    assert.deepEqual(
      problemsOf(reply).map((problem) => [problem].flat()[0]),
      Array.from({ length: 95 }, (_, index) => `/${'k'.repeat(100)}/a${index}`),
    )
  }
})

test('a repeated key is refused; the last one does not win', async () => {
  assert.deepEqual(problemsOf(await refused(withItem('"inventory":1,"inventory":2'))), [
    ['/ari/0/inventory', 'DUPLICATE_KEY', 'inventory appears twice in one object'],
  ])
  assert.deepEqual(problemsOf(await refused(withItem('"inventory":1,"inv\\u0065ntory":2'))), [
    ['/ari/0/inventory', 'DUPLICATE_KEY', 'inventory appears twice in one object'],
  ])
  assert.deepEqual(problemsOf(await refused('{"hotelId":"H1","hotelId":"H1","ari":[]}')), [
    ['/hotelId', 'DUPLICATE_KEY', 'hotelId appears twice in one object'],
  ])
})

test('decompression bombs are refused, in every encoding, and the next push is served', async () => {
  const huge = Buffer.alloc(300 * 1024 * 1024, ' ')
  const packed = {
    gzip: gzipSync(huge, { level: 1 }),
    br: brotliCompressSync(huge, { params: { 0: 0, 1: 1 } }),
    zstd: zstdCompressSync(huge),
  }
  for (const [encoding, body] of Object.entries(packed)) {
    assert.ok(body.length < 2 * 1024 * 1024, encoding)
    const reply = await refused(body, 413, { 'content-encoding': encoding })
    assert.deepEqual(problemsOf(reply), [
      ['', 'BODY_TOO_LARGE', 'Request body is larger than 10485760 bytes'],
    ])
  }
  const small = JSON.stringify({ hotelId: 'H1', ari: [{ roomId: 'DBL', date: '2027-04-01', inventory: 8 }] })
  for (const [encoding, body] of Object.entries({
    gzip: gzipSync(small),
    br: brotliCompressSync(small),
    zstd: zstdCompressSync(small),
  })) {
    expectOk(await supplier.post('/push/ari', body, { 'content-encoding': encoding }))
    await refused(body.subarray(0, body.length - 4), 400, { 'content-encoding': encoding })
  }
  await refused(small, 415, { 'content-encoding': 'compress' })
  await refused(small, 415, { 'content-encoding': 'gzip, gzip' })
})

test('bodies that are not JSON, not UTF-8, or not declared as JSON', async () => {
  for (const body of ['', '{', 'null', '[]', '7', '"text"', 'true']) await refused(body)
  await refused(
    Buffer.concat([Buffer.from('{"hotelId":"'), Buffer.from([0xff, 0xfe]), Buffer.from('","ari":[]}')]),
    415,
  )
  await refused(Buffer.from('\uFEFF{}'))
  await refused('{}', 415, { 'content-type': 'text/plain' })
})
