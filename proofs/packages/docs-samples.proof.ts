import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { rotateSigningSecret } from '../../src/webhooks/store.ts'
import { fencedFiles } from '../../test/stage/docs-pages.ts'
import { startExampleSupplier, type ExampleSupplier } from '../../test/stage/scenes/examples.ts'
import { startGateway, type TestGateway } from '../../test/stage/harness.ts'
import { freePort } from '../../test/stage/programs/free-port.ts'
import { minutes } from '../../test/stage/pace.ts'
import { missing } from '../../test/stage/programs/programs.ts'
import type { ReceivedCall } from '../../test/stage/servers/receiver.ts'

/**
 * Starts each receiver of docs/samples/ as its first line says, and sends it calls that the service signed.
 */

const folder = resolve(import.meta.dirname, '../../docs/samples')
const startsWithinMs = minutes(3)
const minuteMs = 60_000

type Sample = {
  file: string
  program: string
  /** The Debian package of the program, where there is one. */
  from?: string
  parameters: (port: number) => string[]
}

const samples: readonly Sample[] = [
  { file: 'receiver.ts', program: process.execPath, parameters: () => ['receiver.ts'] },
  { file: 'receiver.py', program: 'python3', from: 'python3', parameters: () => ['receiver.py'] },
  {
    file: 'receiver.php',
    program: 'php',
    from: 'php-cli',
    parameters: (port) => ['-S', `127.0.0.1:${port}`, 'receiver.php'],
  },
  {
    file: 'Receiver.java',
    program: 'java',
    from: 'openjdk-17-jdk-headless',
    parameters: () => ['Receiver.java'],
  },
  { file: 'receiver.cs', program: 'dotnet', parameters: () => ['run', 'receiver.cs'] },
]

/** A recorded call, to be forwarded as it is or tampered with. */
type Call = { headers: Record<string, string>; body: Buffer }

const signed: Record<'fresh' | 'old' | 'early' | 'rotated', Call> = {
  fresh: { headers: {}, body: Buffer.of() },
  old: { headers: {}, body: Buffer.of() },
  early: { headers: {}, body: Buffer.of() },
  rotated: { headers: {}, body: Buffer.of() },
}
const secrets = { before: '', after: '' }

before(async () => {
  const endpoint: ExampleSupplier = await startExampleSupplier()
  const gateway = await startGateway(endpoint)
  try {
    await recordCalls(gateway, endpoint)
  } finally {
    await gateway.stop()
    await endpoint.close()
  }
})

/** A reservation with non-ASCII text, delivered in several hours, and again during a change of secret. */
async function recordCalls(gateway: TestGateway, endpoint: ExampleSupplier): Promise<void> {
  const supplier = await gateway.supplier('Samples')
  const nowMs = Date.now()
  const day = (days: number) => new Date(nowMs + days * 86_400_000).toISOString().slice(0, 10)
  gateway.clock.set(new Date(nowMs - 60 * minuteMs).toISOString())
  await supplier.post('/push/hotels', [
    {
      hotelId: 'H1',
      hotelName: 'Hôtel “Zoë”',
      currency: 'EUR',
      isAvailable: true,
      minChildAge: 3,
      maxChildAge: 12,
    },
  ])
  const product = {
    roomId: 'DBL',
    roomType: 'Double',
    roomName: 'Dvoulůžkový',
    rateId: 'BAR',
    rateName: 'BAR',
  }
  await supplier.post('/push/products', {
    hotelId: 'H1',
    products: [{ ...product, isAvailable: true, occupancy: { maxOccupancy: 2 } }],
  })
  await supplier.post('/push/ari', {
    hotelId: 'H1',
    pricingModel: 'unit',
    ari: [
      { roomId: 'DBL', date: day(10), inventory: 1 },
      { roomId: 'DBL', rateId: 'BAR', date: day(10), price: 100 },
    ],
  })
  const registered = await supplier.post('/push/webhook/pushbook', { webhook: 'https://pms.example.com/r' })
  secrets.before = String(registered.body.signingSecret)
  const booked = await supplier.post('/push/sandbox/booking', {
    hotelId: 'H1',
    checkin: day(10),
    checkout: day(11),
    rooms: [{ roomId: 'DBL', rateId: 'BAR', adults: 2 }],
  })
  assert.equal(booked.status, 201, booked.text)
  const deliver = async (passed: number): Promise<Call> => {
    gateway.clock.set(new Date(nowMs + passed * minuteMs).toISOString())
    const id = { hotelId: 'H1', reservation_id: booked.body.reservationId }
    const reply = await supplier.post('/push/webhook/booking', id)
    assert.equal(reply.status, 200, reply.text)
    return callOf(endpoint.calls.at(-1))
  }
  signed.old = await deliver(-60)
  signed.fresh = await deliver(0)
  const changed = await rotateSigningSecret(gateway.db, supplier.keyId, {
    nowMs,
    oldUntilMs: nowMs + 120 * minuteMs,
  })
  secrets.after = changed.signingSecret
  signed.rotated = await deliver(0)
  signed.early = await deliver(60)
}

function callOf(received: ReceivedCall | undefined): Call {
  assert.ok(received, 'the service has called')
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'content-type']
  const headers = names.map((name) => [name, received.headers.get(name) ?? ''])
  return { headers: Object.fromEntries(headers), body: received.body }
}

function spoilt(call: Call, header: string, spoil: (value: string) => string): Call {
  return { ...call, headers: { ...call.headers, [header]: spoil(call.headers[header] ?? '') } }
}

describe('docs/samples', { concurrency: 2 }, () => {
  for (const sample of samples) {
    test(`${sample.file} takes what the service has signed, and nothing else`, async (t) => {
      const why = await missing(sample.program, sample.from)
      if (why !== undefined) return t.skip(why)
      const [receiver, receiverAfter] = await Promise.all([
        start(sample, secrets.before),
        start(sample, secrets.after),
      ])
      try {
        assert.deepEqual(await answersOf(receiver.url), expected)
        const { rotated, fresh } = signed
        assert.deepEqual(
          { rotated: await send(receiverAfter.url, rotated), before: await send(receiverAfter.url, fresh) },
          { rotated: 204, before: 401 },
          'the new secret verifies what is signed with both, and not what was signed before',
        )
      } finally {
        await Promise.all([receiver.stop(), receiverAfter.stop()])
      }
    })
  }

  test('callbacks.md shows them as they are', () => {
    const shown = fencedFiles(resolve(import.meta.dirname, '../../docs/callbacks.md'))
    const files = globSync('[Rr]eceiver.*', { cwd: folder }).sort()
    assert.deepEqual([...shown.keys()].sort(), files.map((file) => `samples/${file}`).sort())
    assert.deepEqual(files.map((file) => basename(file)).sort(), samples.map(({ file }) => file).sort())
    for (const [path, text] of shown) {
      assert.equal(text, readFileSync(join(folder, '..', path), 'utf8'), path)
    }
  })
})

const expected = {
  asSigned: 204,
  again: 204,
  rotated: 204,
  otherBody: 401,
  otherSignature: 401,
  noSignature: 401,
  otherId: 401,
  otherTime: 401,
  noTime: 401,
  old: 401,
  early: 401,
}

async function answersOf(url: string): Promise<typeof expected> {
  const { fresh, old, early, rotated } = signed
  assert.equal(rotated.headers['webhook-signature']?.split(' ').length, 2, 'two signatures')
  const nextSecond = (value: string) => String(Number(value) + 1)
  // In the middle, because the last base64 character may have unused bits.
  const otherCharacter = (value: string) =>
    value.replace(/(.{20})(.)/, (_all, first, one) => first + (one === 'A' ? 'B' : 'A'))
  return {
    asSigned: await send(url, fresh),
    again: await send(url, fresh),
    rotated: await send(url, rotated),
    otherBody: await send(url, { ...fresh, body: Buffer.concat([fresh.body, Buffer.from(' ')]) }),
    otherSignature: await send(url, spoilt(fresh, 'webhook-signature', otherCharacter)),
    noSignature: await send(
      url,
      spoilt(fresh, 'webhook-signature', () => ''),
    ),
    otherId: await send(
      url,
      spoilt(fresh, 'webhook-id', (id) => `${id}x`),
    ),
    otherTime: await send(url, spoilt(fresh, 'webhook-timestamp', nextSecond)),
    noTime: await send(
      url,
      spoilt(fresh, 'webhook-timestamp', () => ''),
    ),
    old: await send(url, old),
    early: await send(url, early),
  }
}

async function send(url: string, { headers, body }: Call): Promise<number> {
  const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) })
  await response.arrayBuffer()
  return response.status
}

async function start({ program, parameters }: Sample, secret: string) {
  const port = await freePort()
  const child = spawn(program, parameters(port), {
    cwd: folder,
    env: { ...process.env, ARI_SIGNING_SECRET: secret, PORT: String(port), PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(child, 'exit')
  const url = `http://127.0.0.1:${port}/`
  await listening(child, url)
  const stop = async () => {
    child.kill('SIGKILL')
    await exited
  }
  return { url, stop }
}

async function listening(child: ChildProcess, url: string): Promise<void> {
  let said = ''
  child.stderr?.on('data', (piece: Buffer) => (said += piece.toString()))
  const until = performance.now() + startsWithinMs
  while (performance.now() < until && child.exitCode === null) {
    try {
      await (await fetch(url, { method: 'POST', body: '{}' })).arrayBuffer()
      return
    } catch {
      await delay(50)
    }
  }
  child.kill('SIGKILL')
  throw new Error(`it does not listen: ${said}`)
}
