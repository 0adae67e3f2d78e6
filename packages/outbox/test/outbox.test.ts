import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { open as openHandle, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, mock, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Fetch } from '../../client/src/call.ts'
import { supplierClient, type SupplierClient } from '../../client/src/clients.ts'
import type { DeadLetter } from '../src/dead-letter.ts'
import { Journal } from '../src/journal.ts'
import { OutboxLockedError, takeLock } from '../src/lock.ts'
import { openOutbox, type Outbox, type OutboxOptions, type PushOptions } from '../src/outbox.ts'
import { gatewayForTests, type TestSupplier } from '../../../test/stage/harness.ts'
import { pushStoryHotel } from '../../../test/stage/story.ts'

let supplier: TestSupplier
let suppliers = 0
let folder: string
let file: string
const opened: Outbox<SupplierClient>[] = []

const gateway = await gatewayForTests()
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ari-outbox-'))
  file = join(folder, 'pushes')
  supplier = await gateway.supplier(`Outbox ${++suppliers}`)
  for (const hotelId of ['H1', 'H2', 'H3']) await pushStoryHotel(supplier, { hotelId })
})
afterEach(async () => {
  mock.restoreAll()
  for (const outbox of opened.splice(0)) await outbox.close()
  rmSync(folder, { recursive: true, force: true })
})

async function outboxOn(
  options: Partial<OutboxOptions<SupplierClient>> & { fetch?: Fetch } = {},
): Promise<Outbox<SupplierClient>> {
  const { fetch: way, ...more } = options
  const { apiKey } = supplier
  const client = supplierClient({ url: gateway.url, apiKey, ...(way ? { fetch: way } : {}) })
  const outbox = await openOutbox({ file, client, ...more })
  opened.push(outbox)
  return outbox
}

const priceOf = (hotelId: string, price: number, more: Record<string, unknown> = {}) => ({
  hotelId,
  pricingModel: 'unit' as const,
  ari: [{ roomId: 'DBL', rateId: 'BAR', date: '2027-04-01', price, ...more }],
})

/** Request ids of the ARI pushes of a hotel that were accepted, oldest first. */
async function applied(hotelId: string): Promise<string[]> {
  const { rows } = await gateway.db.query<{ request_id: string }>(
    `select coalesce(request_text, request_uuid::text) as request_id from push_log join hotel on hotel.id = push_log.hotel_id
     where code = $1 and kind = 'ari' and coalesce(status, 200) < 300 and push_log.supplier_id = (select id from supplier where name = $2)
     order by push_log.id`,
    [hotelId, supplier.name],
  )
  return rows.map((row) => row.request_id)
}

const inUse = /pushes is in use by process \d+, as .*pushes\.lock\.\S+ says$/
const processFile = join(import.meta.dirname, 'outbox-process.ts')

function locksBeside(): string[] {
  return readdirSync(folder).filter((name) => name.includes('.lock.'))
}

/** Half of each longer line is written, then the disk is full; until `mock.restoreAll()`. */
async function fillDisk(bytesMax = 0): Promise<void> {
  const handle = await openHandle(folder, 'r')
  const handles: FileHandle = Object.getPrototypeOf(handle)
  await handle.close()
  mock.method(handles, 'appendFile', async function (this: FileHandle, line: string) {
    const fits = line.length <= bytesMax
    await this.write(fits ? line : line.slice(0, line.length / 2))
    if (fits) return
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  })
}

/** As after 24 hours. */
async function forgetKey(id: string): Promise<void> {
  await gateway.db.query('delete from idempotency where idempotency_key = $1', [id])
}

const noWay: Fetch = () => Promise.reject(new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') }))

describe('an outbox', () => {
  test('loses nothing that it has acknowledged when its process is killed, and applies nothing twice', async () => {
    const acknowledged = new Map<string, string[]>([
      ['H1', []],
      ['H2', []],
      ['H3', []],
    ])
    for (let round = 1; round <= 3; round++) {
      const first = String(round * 10_000)
      const child = spawn(process.execPath, [processFile, file, gateway.url, supplier.apiKey, first], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let said = ''
      const open = new Promise<void>((resolve) => {
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          said += text
          if (said.split('\n').length > 20) resolve()
        })
      })
      const ended = once(child, 'close')
      await Promise.race([open, ended])
      await wait(Math.random() * 100)
      child.kill('SIGKILL')
      assert.deepEqual(await ended, [null, 'SIGKILL'])
      for (const [, hotel = '', id = ''] of said.matchAll(/^(H\d) (\S+)\n/gm))
        acknowledged.get(hotel)?.push(id)
    }
    const outbox = await outboxOn()
    await outbox.whenEmpty()
    for (const [hotelId, ids] of acknowledged) {
      const found = await applied(hotelId)
      assert.deepEqual([...new Set(found)], found, 'none twice')
      assert.ok(ids.length > 0)
      const kept = new Set(ids)
      assert.deepEqual(
        found.filter((id) => kept.has(id)),
        ids,
        'all, in order',
      )
    }
  })

  test('resends unanswered pushes under the same key', async () => {
    const lost: Fetch = async (url, init) => {
      await (await fetch(url, init)).text()
      throw new TypeError('fetch failed', { cause: new Error('ECONNRESET') })
    }
    const first = await outboxOn({ fetch: lost })
    const id = await first.add('pushAri', priceOf('H1', 100))
    while ((await applied('H1')).length === 0) await wait(5)
    await first.close()
    const answers: unknown[] = []
    const second = await outboxOn({ onDelivered: ({ answer }) => void answers.push(answer) })
    assert.equal(second.waiting, 1)
    await second.whenEmpty()
    assert.deepEqual(await applied('H1'), [id])
    assert.equal(answers.length, 1)
  })

  test('keeps the order of a hotel over an outage, and delivers it by itself afterwards', async () => {
    let isDown = true
    const troubles: unknown[] = []
    const outbox = await outboxOn({
      fetch: (url, init) => (isDown ? noWay(url, init) : fetch(url, init)),
      onError: (error) => void troubles.push(error),
    })
    const ids: string[] = []
    for (let price = 1; price <= 20; price++) ids.push(await outbox.add('pushAri', priceOf('H1', price)))
    while (troubles.length < 2) await wait(5)
    isDown = false
    await outbox.whenEmpty()
    assert.deepEqual(await applied('H1'), ids)
  })

  test('sends a push of several hotels after the earlier pushes of each of them', async () => {
    const sent: string[] = []
    const outbox = await outboxOn({
      fetch: async (url, init) => {
        const name = url.slice(url.lastIndexOf('/') + 1)
        sent.push(`${name} begins`)
        const response = await fetch(url, init)
        sent.push(`${name} ends`)
        return response
      },
    })
    const hotel = (hotelId: string) => ({
      hotelId,
      hotelName: 'Renamed',
      currency: 'USD',
      isAvailable: true,
      minChildAge: 2,
      maxChildAge: 12,
      timezone: 'Europe/Paris',
    })
    await Promise.all([
      outbox.add('pushAri', priceOf('H1', 1)),
      outbox.add('pushHotels', [hotel('H1'), hotel('H2'), hotel('H1')].slice(0, 2)),
      outbox.add('pushTaxes', { hotelId: 'H2', taxes: [] }),
    ])
    await outbox.whenEmpty()
    assert.deepEqual(sent, [
      'ari begins',
      'ari ends',
      'hotels begins',
      'hotels ends',
      'taxes begins',
      'taxes ends',
    ])
  })

  const byStatus = (left: DeadLetter, right: DeadLetter) => right.status - left.status

  test('sets refused pushes aside with the reason, and continues', async () => {
    const letters: DeadLetter[] = []
    const outbox = await outboxOn({ onRefused: (letter) => void letters.push(letter) })
    const refused = { hotelId: 'H9', taxes: [] }
    const partial = {
      hotelId: 'H1',
      ari: [{ roomId: 'SUITE', date: '2027-04-01', inventory: 1 }, ...priceOf('H1', 5).ari],
      pricingModel: 'unit' as const,
    }
    const ids = [await outbox.add('pushTaxes', refused), await outbox.add('pushAri', partial)]
    const last = await outbox.add('pushAri', priceOf('H1', 6))
    await outbox.whenEmpty()
    await wait(0)
    assert.deepEqual(
      letters
        .toSorted(byStatus)
        .map(({ id, status, body, errors }) => ({ id, status, body, types: errors.map(({ type }) => type) })),
      [
        { id: ids[0], status: 404, body: refused, types: ['HOTEL_NOT_FOUND'] },
        { id: ids[1], status: 207, body: partial, types: ['ROOM_NOT_FOUND'] },
      ],
    )
    const kept = readFileSync(`${file}.refused`, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(kept.toSorted(byStatus), JSON.parse(JSON.stringify(letters.toSorted(byStatus))))
    assert.deepEqual(await applied('H1'), [ids[1], last])
  })

  test('waits if the key is refused: the pushes themselves are not at fault', async () => {
    const { apiKey } = supplier
    const troubles: unknown[] = []
    const client = supplierClient({ url: gateway.url, apiKey: apiKey.slice(0, -1) })
    const first = await outboxOn({ client, onError: (error) => void troubles.push(error) })
    const id = await first.add('pushAri', priceOf('H1', 1))
    while (troubles.length === 0) await wait(5)
    await first.close()
    await (await outboxOn()).whenEmpty()
    assert.deepEqual(await applied('H1'), [id])
  })

  test('waits if there is no such endpoint at its address, or its method is not allowed there', async () => {
    const wrong: Fetch[] = [
      (url, init) => fetch(url.replace('/v1/', '/ari/v1/'), init),
      (url, init) => fetch(url, { ...init, method: 'PUT' }),
    ]
    const troubles: string[] = []
    const outbox = await outboxOn({
      fetch: (url, init) => (wrong.shift() ?? fetch)(url, init),
      onError: (error) => void troubles.push(String(error)),
    })
    const id = await outbox.add('pushAri', priceOf('H1', 1))
    await outbox.whenEmpty()
    assert.deepEqual(
      [await applied('H1'), troubles],
      [
        [id],
        [
          'GatewayError: pushAri: There is no endpoint /ari/v1/push/ari',
          'GatewayError: pushAri: PUT is not allowed on /v1/push/ari',
        ],
      ],
    )
  })

  test('gives up a push on which the service fails ten times, however long it waited for the service', async () => {
    // No time passes between attempts.
    mock.method(Math, 'random', () => 0)
    const fault = () => Response.json({ code: '500', message: 'Internal error', errors: [] }, { status: 500 })
    const letters: DeadLetter[] = []
    const deliver = async (price: number, faults: number): Promise<string> => {
      let attempts = 0
      const outbox = await outboxOn({
        onRefused: (letter) => void letters.push(letter),
        fetch: async (url, init) => {
          if (++attempts <= 12) return noWay(url, init)
          return attempts <= 12 + faults ? fault() : fetch(url, init)
        },
      })
      const id = await outbox.add('pushAri', priceOf('H1', price))
      await outbox.whenEmpty()
      await outbox.close()
      return id
    }
    const delivered = await deliver(1, 9)
    const givenUp = await deliver(2, 10)
    assert.deepEqual(
      [await applied('H1'), letters.map(({ id, status }) => [id, status])],
      [[delivered], [[givenUp, 500]]],
    )
  })

  test('does not hold up other hotels for one on whose push the service fails', async () => {
    let faults = 3
    const outbox = await outboxOn({
      concurrency: 1,
      fetch: async (url, init) => {
        const body = await new Response(init.body).text()
        if (!body.includes('"H1"') || faults-- <= 0) return fetch(url, init)
        return Response.json({ code: '500', message: 'Internal error', errors: [] }, { status: 500 })
      },
    })
    const delivered = [outbox.add('pushAri', priceOf('H1', 1)), outbox.add('pushAri', priceOf('H2', 1))]
    const [atFault, other] = await Promise.all(delivered)
    await outbox.whenEmpty()
    assert.deepEqual([await applied('H1'), await applied('H2')], [[atFault], [other]])
    const { rows } = await gateway.db.query<{ request_id: string }>(
      'select request_uuid as request_id from push_log where request_uuid = any($1) order by id',
      [[atFault, other]],
    )
    assert.deepEqual(
      rows.map((row) => row.request_id),
      [other, atFault],
    )
  })

  test('drops a push that was never tried for one that says it takes its place', async () => {
    const first = await outboxOn({ fetch: noWay, concurrency: 1 })
    const tried = await first.add('pushAri', priceOf('H1', 1), { replaces: 'H1 price' })
    await first.add('pushAri', priceOf('H2', 2), { replaces: 'H2 price' })
    const other = await first.add('pushAri', priceOf('H2', 2, { date: '2027-04-02' }))
    const newer = await first.add('pushAri', priceOf('H2', 3), { replaces: 'H2 price' })
    const later = await first.add('pushAri', priceOf('H1', 3), { replaces: 'H1 price' })
    await first.close()
    await (await outboxOn()).whenEmpty()
    assert.deepEqual(
      [await applied('H1'), await applied('H2')],
      [
        [tried, later],
        [other, newer],
      ],
    )
  })

  test('accepts four functions instead of a client, and treats their errors as they describe them', async () => {
    let isDown = true
    const call = async (kind: string, body: unknown, { idempotencyKey, requestId, signal }: PushOptions) => {
      if (isDown) throw new Error('no line to the gateway')
      const response = await fetch(`${gateway.url}/v1/push/${kind}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: {
          'content-type': 'application/json',
          'x-api-key': supplier.apiKey,
          'idempotency-key': idempotencyKey,
          'x-request-id': requestId,
        },
        signal,
      })
      const answer = Object(await response.json())
      if (response.ok) return answer
      const { status } = response
      const isRefused = status === 400 || status === 404
      throw Object.assign(new Error(answer.message), { ...answer, status, isRefused, isWithoutAnswer: false })
    }
    type Push = { hotelId: string }
    const letters: DeadLetter[] = []
    const outbox = await openOutbox({
      file,
      client: {
        pushHotels: (hotels: Push[], options) => call('hotels', hotels, options),
        pushProducts: (products: Push, options) => call('products', products, options),
        pushTaxes: (taxes: Push & { taxes: unknown[] }, options) => call('taxes', taxes, options),
        pushAri: (push: ReturnType<typeof priceOf>, options) => call('ari', push, options),
      },
      onRefused: (letter) => void letters.push(letter),
      onError: () => (isDown = false),
    })
    const first = await outbox.add('pushAri', priceOf('H1', 1))
    const refused = await outbox.add('pushTaxes', { hotelId: 'H9', taxes: [] })
    const second = await outbox.add('pushAri', priceOf('H1', -1))
    await outbox.whenEmpty()
    await outbox.close()
    assert.deepEqual(await applied('H1'), [first])
    assert.deepEqual(
      letters
        .toSorted(byStatus)
        .map(({ id, status, errors }) => ({ id, status, types: errors.map(({ type }) => type) })),
      [
        { id: refused, status: 404, types: ['HOTEL_NOT_FOUND'] },
        { id: second, status: 400, types: ['INVALID_AMOUNT'] },
      ],
    )
  })

  test('accepts no more than its limit, and nothing once it is closed', async () => {
    const outbox = await outboxOn({ fetch: noWay, bytesMax: 300 })
    await outbox.add('pushAri', priceOf('H1', 1))
    await outbox.add('pushAri', priceOf('H1', 2))
    await assert.rejects(outbox.add('pushAri', priceOf('H1', 3)), { name: 'OutboxFullError' })
    assert.equal(outbox.waiting, 2)
    await outbox.close()
    await assert.rejects(outbox.add('pushAri', priceOf('H1', 3)), { name: 'OutboxClosedError' })
  })
})

describe('the file of an outbox', () => {
  test('is read up to a last line that a crash has torn', async () => {
    const first = await outboxOn({ fetch: noWay })
    const ids = [await first.add('pushAri', priceOf('H1', 1)), await first.add('pushAri', priceOf('H1', 2))]
    await first.close()
    appendFileSync(file, '[{"add":{"id":"torn","operation":"pushAri","hot')
    const second = await outboxOn({ fetch: noWay })
    assert.equal(second.waiting, 2)
    ids.push(await second.add('pushAri', priceOf('H1', 3)))
    await second.close()
    // As left by a disk after a power failure: the length is there, the bytes are not.
    appendFileSync(file, `${'\0'.repeat(20)}\n`)
    await (await outboxOn()).whenEmpty()
    assert.deepEqual(await applied('H1'), ids)
  })

  test('that is damaged anywhere else is refused, with the line', async () => {
    const first = await outboxOn({ fetch: noWay })
    await first.add('pushAri', priceOf('H1', 1))
    await first.close()
    writeFileSync(file, `{"no":"batch"}\n${readFileSync(file, 'utf8')}`)
    await assert.rejects(outboxOn(), /pushes is damaged in line 1: /)
    // The lock is free again.
    rmSync(file)
    await outboxOn()
  })

  test('grows no larger than its waiting pushes require', async () => {
    const outbox = await outboxOn()
    const remark = 'x'.repeat(100_000)
    for (let price = 1; price <= 60; price++) {
      const push = { ...priceOf('H1', price), remark }
      await outbox.add('pushAri', push)
      if (price % 5 === 0) await outbox.whenEmpty()
    }
    await outbox.add('pushAri', priceOf('H1', 100))
    await outbox.whenEmpty()
    await outbox.close()
    assert.ok(statSync(file).size < 2_600_000, String(statSync(file).size))
    assert.equal((await outboxOn()).waiting, 0)
    assert.equal((await applied('H1')).length, 61)
  })

  test('belongs to one process, and leaves no lock behind when it is closed', async () => {
    const outbox = await outboxOn()
    await assert.rejects(outboxOn(), { name: 'OutboxLockedError', message: inUse })
    await outbox.close()
    const again = await outboxOn()
    await again.close()
    assert.deepEqual(readdirSync(folder), ['pushes'])
  })

  const twentyAtOnce = () => Array.from({ length: 20 }, () => takeLock(file))
  test('belongs to one of many that open it at once, again and again', async () => {
    for (let round = 1; round <= 20; round++) {
      const takers = await Promise.allSettled(twentyAtOnce())
      const held = takers.flatMap((taker) => (taker.status === 'fulfilled' ? [taker.value] : []))
      assert.equal(held.length, 1)
      await held[0]?.release()
      assert.deepEqual(readdirSync(folder), [])
    }
  })

  test('is never two processes’ while many take and release it', async () => {
    let holders = 0
    let taken = 0
    const takeAndRelease = async (): Promise<void> => {
      for (let attempt = 1; attempt <= 50; attempt++) {
        const lock = await takeLock(file).catch((error: unknown) => {
          if (error instanceof OutboxLockedError) return undefined
          throw error
        })
        if (!lock) continue
        assert.equal(++holders, 1)
        await wait(1)
        taken++
        holders--
        await lock.release()
      }
    }
    await Promise.all(Array.from({ length: 8 }, takeAndRelease))
    assert.ok(taken > 0)
    assert.deepEqual(readdirSync(folder), [])
  })

  test('is taken over from a process that was killed, whose lock goes', async () => {
    const child = spawn(process.execPath, [processFile, file, gateway.url, supplier.apiKey, '1'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    await assert.rejects(takeLock(file), { name: 'OutboxLockedError', message: inUse })
    child.kill('SIGKILL')
    await once(child, 'close')
    assert.equal(locksBeside().length, 1)
    const outbox = await outboxOn()
    assert.equal(locksBeside().length, 1)
    await outbox.close()
    assert.deepEqual(locksBeside(), [])
  })

  test('is free when its owner’s number was given to another process', async () => {
    const lock = await takeLock(file)
    const [mine = ''] = locksBeside()
    await lock.release()
    const ofAnother = mine.replace(new RegExp(`\\.${process.pid}\\.[^.]+`), `.${process.pid}.another`)
    assert.notEqual(ofAnother, mine)
    writeFileSync(join(folder, ofAnother), '')
    await (await takeLock(file)).release()
    assert.deepEqual(readdirSync(folder), [])
  })
})

describe('the file of an outbox on a full disk', () => {
  async function deliverUnnoted(): Promise<{ outbox: Outbox<SupplierClient>; id: string }> {
    const troubles: unknown[] = []
    const outbox = await outboxOn({
      fetch: async (url, init) => {
        if (troubles.length === 0) await fillDisk()
        return fetch(url, init)
      },
      onError: (error) => void troubles.push(error),
    })
    const id = await outbox.add('pushAri', priceOf('H1', 1))
    while (troubles.length === 0) await wait(5)
    assert.match(String(troubles), /ENOSPC/)
    mock.restoreAll()
    return { outbox, id }
  }

  test('notes with the next push what was delivered meanwhile: it is not sent again over newer values', async () => {
    const { outbox, id } = await deliverUnnoted()
    const newer = await outbox.add('pushAri', priceOf('H1', 2))
    // As a process that is killed now leaves it.
    copyFileSync(file, `${file}.killed`)
    await outbox.whenEmpty()
    await forgetKey(id)
    const next = await outboxOn({ file: `${file}.killed` })
    await next.whenEmpty()
    assert.deepEqual(await applied('H1'), [id, newer])
  })

  test('notes it when the outbox is closed', async () => {
    const { outbox } = await deliverUnnoted()
    await outbox.close()
    assert.equal((await outboxOn()).waiting, 0)
  })

  test('notes it although a push of the same moment does not fit', async () => {
    const stored = (id: string, body = '{}') => ({
      add: { id, operation: 'pushAri' as const, hotels: ['H1'], body, addedAt: '2027-04-01T00:00:00.000Z' },
    })
    const { journal } = await Journal.open(file, () => [])
    await journal.append(stored('first'))
    await fillDisk(1_000)
    const written = await Promise.allSettled([
      journal.append(stored('second')),
      // These two go together, in one line.
      journal.append(stored('large', 'x'.repeat(1_000))),
      journal.append({ done: 'first' }),
    ])
    assert.deepEqual(
      written.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected'],
    )
    const { journal: next, stored: waiting } = await Journal.open(file, () => [])
    await journal.close()
    await next.close()
    assert.deepEqual(
      waiting.map(({ id }) => id),
      ['second'],
    )
  })
})

describe('the file of refused pushes', () => {
  const refusal = { type: 'HOTEL_NOT_FOUND', message: 'Hotel ID is not found' }
  const refusing: Fetch = async () =>
    Response.json(
      { code: '404', message: refusal.message, requestId: 'r', errors: [refusal] },
      { status: 404 },
    )
  const path = () => `${file}.refused`
  const lines = () => readFileSync(path(), 'utf8').trimEnd().split('\n')

  test('keeps all of them, however many there are', async () => {
    const outbox = await outboxOn({ fetch: refusing })
    const push = { hotelId: 'H9', taxes: [], remark: 'x'.repeat(9_000_000) }
    const ids: string[] = []
    for (let count = 1; count <= 4; count++) ids.push(await outbox.add('pushTaxes', push))
    await outbox.whenEmpty()
    assert.deepEqual(
      lines().map((line) => JSON.parse(line).id),
      ids,
    )
  })

  test('is written from a fresh line after one that a crash has torn', async () => {
    writeFileSync(path(), '{"id":"torn","operation":"push')
    const outbox = await outboxOn({ fetch: refusing })
    const id = await outbox.add('pushTaxes', { hotelId: 'H9', taxes: [] })
    await outbox.whenEmpty()
    const [torn, ...whole] = lines()
    assert.deepEqual(
      [torn, whole.map((line) => JSON.parse(line).id)],
      ['{"id":"torn","operation":"push', [id]],
    )
  })

  test('has each of them once and whole after the disk was full', async () => {
    const troubles: unknown[] = []
    const outbox = await outboxOn({
      fetch: async (url, init) => {
        if (troubles.length === 0) await fillDisk()
        else mock.restoreAll()
        return refusing(url, init)
      },
      onError: (error) => void troubles.push(error),
    })
    const id = await outbox.add('pushTaxes', { hotelId: 'H9', taxes: [] })
    await outbox.whenEmpty()
    assert.match(String(troubles), /ENOSPC/)
    assert.deepEqual(
      lines().map((line) => JSON.parse(line).id),
      [id],
    )
  })
})
