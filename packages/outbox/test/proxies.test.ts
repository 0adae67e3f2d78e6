import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, mock, test } from 'node:test'
import type { Fetch } from '../../client/src/call.ts'
import { supplierClient, type SupplierClient } from '../../client/src/clients.ts'
import { openOutbox, type Outbox, type OutboxOptions } from '../src/outbox.ts'
import { gatewayForTests, type TestSupplier } from '../../../test/stage/harness.ts'
import { expectOk, pushStoryHotel } from '../../../test/stage/story.ts'

/** A proxy between the outbox and the gateway, whose pages are no JSON. */

let supplier: TestSupplier
let suppliers = 0
let folder: string
const opened: Outbox<SupplierClient>[] = []

const gateway = await gatewayForTests()
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ari-outbox-'))
  supplier = await gateway.supplier(`Proxied ${++suppliers}`)
  for (const hotelId of ['H1', 'H2']) await pushStoryHotel(supplier, { hotelId })
})
afterEach(async () => {
  mock.restoreAll()
  for (const outbox of opened.splice(0)) await outbox.close()
  rmSync(folder, { recursive: true, force: true })
})

type Told = { errors: string[]; next: string[]; refused: string[]; delivered: string[] }

async function outboxBehind(
  proxy: Fetch,
  more: Partial<OutboxOptions<SupplierClient>> = {},
): Promise<{ outbox: Outbox<SupplierClient>; told: Told }> {
  const { apiKey } = supplier
  const client = supplierClient({ url: gateway.url, apiKey, gzipFromBytes: Infinity, fetch: proxy })
  const told: Told = { errors: [], next: [], refused: [], delivered: [] }
  const outbox = await openOutbox({
    file: join(folder, 'pushes'),
    client,
    onError: (error, next) => {
      told.errors.push(error instanceof Error ? error.message : String(error))
      told.next.push(next)
    },
    onRefused: ({ id }) => void told.refused.push(id),
    onDelivered: ({ id }) => void told.delivered.push(id),
    ...more,
  })
  opened.push(outbox)
  return { outbox, told }
}

const page = (status: number): Response =>
  new Response(`<html><h1>${status}</h1></html>`, { status, headers: { 'content-type': 'text/html' } })

const bytesOf = (init: RequestInit | undefined): number => Buffer.from(Object(init?.body)).length

/** As nginx with a small `client_max_body_size`. */
const takingAtMost =
  (bytes: number): Fetch =>
  (url, init) =>
    bytesOf(init) > bytes ? Promise.resolve(page(413)) : fetch(url, init)

const days = (count: number) =>
  Array.from({ length: count }, (_, day) => ({
    roomId: 'DBL',
    date: `2027-04-${String(day + 1).padStart(2, '0')}`,
    inventory: day + 1,
  }))

async function inventories(hotelId: string): Promise<unknown[]> {
  const range = { hotelId, startDate: '2027-04-01', endDate: '2027-04-30' }
  const { body } = expectOk(await supplier.post('/push/getAri', range))
  return Array.from(Object(body['ari'])).map((item) => Object(item).inventory)
}

describe('a proxy that takes no body of a size', () => {
  test('gets a push in as many parts as it takes, once each, also after a crash', async () => {
    const seen: string[] = []
    let isCut = true
    const proxy: Fetch = (url, init) => {
      if (bytesOf(init) > 300) return Promise.resolve(page(413))
      seen.push(String(new Headers(init.headers).get('idempotency-key')))
      return isCut && seen.length > 2 ? Promise.resolve(page(502)) : fetch(url, init)
    }
    const first = await outboxBehind(proxy)
    const id = await first.outbox.add('pushAri', { hotelId: 'H1', ari: days(16) })
    await first.outbox.add('pushAri', {
      hotelId: 'H1',
      ari: [{ roomId: 'DBL', date: '2027-04-01', inventory: 40 }],
    })
    while (!first.told.next.includes('all wait')) await new Promise((done) => void setTimeout(done, 5))
    await first.outbox.close()
    isCut = false
    const second = await outboxBehind(proxy)
    await second.outbox.whenEmpty()
    assert.deepEqual(await inventories('H1'), [40, ...Array.from({ length: 15 }, (_, day) => day + 2)])
    const parts = [...new Set(seen)].filter((key) => key.startsWith(id))
    assert.deepEqual(parts, parts.toSorted())
    assert.equal(parts.length, 4)
    assert.deepEqual([first.told.refused, second.told.refused], [[], []])
    assert.equal(first.told.next[0], 'split')
    assert.match(
      String(first.told.errors[0]),
      /status 413, without JSON of the gateway: a proxy before it takes no body of this size$/,
    )
  })

  test('gets hotels and products in parts too', async () => {
    const { outbox, told } = await outboxBehind(takingAtMost(700))
    const { body } = expectOk(await supplier.post('/push/getHotels', ['H1', 'H2']))
    const hotels = Array.from(Object(body['hotels'])).map((hotel) => ({
      ...Object(hotel),
      hotelName: 'Renamed',
    }))
    await outbox.add('pushHotels', hotels)
    await outbox.whenEmpty()
    // What is told of it comes afterwards.
    await outbox.close()
    await outbox.close()
    assert.deepEqual([told.next, told.delivered.length, told.refused], [['split'], 2, []])
  })

  test('delays only a push that must stay whole, which is set aside after ten attempts', async () => {
    // No time passes between attempts.
    mock.method(Math, 'random', () => 0)
    const { outbox, told } = await outboxBehind(takingAtMost(300))
    const overlay = { hotelId: 'H1', mode: 'overlay' as const, ari: days(16) }
    const id = await outbox.add('pushAri', overlay)
    const other = await outbox.add('pushAri', { hotelId: 'H2', ari: days(1) })
    await outbox.whenEmpty()
    // What is told of it comes afterwards.
    await outbox.close()
    await outbox.close()
    assert.deepEqual([told.refused, told.delivered], [[id], [other]])
    assert.deepEqual([...new Set(told.next)], ['push waits'])
    const letter = JSON.parse(readFileSync(join(folder, 'pushes.refused'), 'utf8'))
    assert.deepEqual([letter.id, letter.status, letter.body], [id, 413, overlay])
    assert.match(letter.message, /a proxy before it takes no body of this size$/)
  })

  test('is told from the gateway, whose own limit refuses the push', async () => {
    const { outbox, told } = await outboxBehind(() =>
      Promise.resolve(
        Response.json(
          {
            code: '413',
            message: 'Request body is larger than 10485760 bytes',
            errors: [{ type: 'BODY_TOO_LARGE', message: '' }],
          },
          { status: 413 },
        ),
      ),
    )
    const id = await outbox.add('pushAri', { hotelId: 'H1', ari: days(2) })
    await outbox.whenEmpty()
    // What is told of it comes afterwards.
    await outbox.close()
    assert.deepEqual([told.refused, told.next], [[id], []])
  })
})

test('a proxy that does not reach the gateway stops everything until it does', async () => {
  for (const status of [502, 503, 504]) {
    let pages = 0
    const { outbox, told } = await outboxBehind((url, init) =>
      pages++ < 2 ? Promise.resolve(page(status)) : fetch(url, init),
    )
    await outbox.add('pushAri', { hotelId: 'H1', ari: days(2) })
    await outbox.whenEmpty()
    // What is told of it comes afterwards.
    await outbox.close()
    await outbox.close()
    assert.deepEqual([told.next, told.refused, told.delivered.length], [['all wait', 'all wait'], [], 1])
    assert.match(
      String(told.errors[0]),
      new RegExp(`status ${status}, without JSON of the gateway: a proxy before it did not reach it$`),
    )
  }
})
