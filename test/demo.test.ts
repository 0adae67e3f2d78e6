import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { startGateway } from './harness.ts'

const program = join(resolve(import.meta.dirname, '..'), 'scripts/demo.ts')
const timeoutMs = 60_000

type Shown = { code: unknown; stdout: string; stderr: string }

async function demo(environ: Readonly<Record<string, string>>): Promise<Shown> {
  const env = { PATH: process.env.PATH ?? '', ...environ }
  const child = spawn(process.execPath, [program], { env, timeout: timeoutMs })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}

/** Each in this order. */
function assertLines(text: string, patterns: readonly RegExp[]): void {
  let rest = text
  for (const pattern of patterns) {
    const match = pattern.exec(rest)
    assert.ok(match, `${pattern} is missing in\n${rest}`)
    rest = rest.slice(match.index + match[0].length)
  }
}

const day = [
  /← 200 Hotels updated successfully/,
  /← 200 Hotel rates & rooms saved successfully/,
  /← 200 Taxes saved successfully/,
  /← 200 ARI updated successfully/,
  /1,8\d\d nights of rooms and room-rates changed/,
  /← 400 Validation failure on minChildAge or maxChildAge/,
  /CURRENCY_INVALID at \/0\/currency, received "EURO"/,
  /← 207 ARI partially updated/,
  /ROOM_NOT_FOUND at \/ari\/1\/roomId, received "SUITE"/,
  /Idempotency-Replayed: true/,
  /← 400 Webhook must be an HTTPS URL/,
  /← 400 Webhook host must not be or resolve to a private or otherwise special address/,
  /← 200 ARI retrieved successfully/,
  / 0 nights of rooms and room-rates changed/,
  /kind +outcome +http +nights +ms +request id/,
  /ari +unchanged +200/,
  /ari +partial +207/,
  /hotels +applied +200/,
  /Mon +Tue +Wed +Thu +Fri +Sat +Sun/,
  /DBL {2}units +5 +6 +6 +6 +1 +1 +6/,
  /BAR .*189\.50 +189\.50/,
  /NRF .*× +× +×/,
  /FAM {2}units/,
  /× closed/,
  /\d×/,
]

test('the demo starts a service, shows a day and leaves nothing behind', async () => {
  const { code, stdout, stderr } = await demo({})
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
  assert.equal(stdout, stripVTControlCharacters(stdout), 'no colours where the output is no terminal')
  assertLines(stdout, [/started for this demo/, ...day, /The service is stopped/])
  const url = /at (http:\/\/\S+)\/v1/.exec(stdout)?.[1] ?? ''
  await assert.rejects(fetch(`${url}/livez`))
})

test('the demo shows a day on a running service, twice, and registers no URL on a key that is not its own', async () => {
  const gateway = await startGateway({ systemTime: true, now: new Date().toISOString() })
  try {
    const { apiKey } = await gateway.supplier('Demo')
    const environ = { ARI_URL: gateway.url, ARI_API_KEY: apiKey }
    const { code, stdout, stderr } = await demo(environ)
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
    assertLines(stdout, [/with the key of ARI_API_KEY/, ...day])
    const { rows } = await gateway.db.query('select availability_webhook from api_key')
    assert.deepEqual(rows, [{ availability_webhook: null }])
    assert.equal((await demo(environ)).code, 0)
  } finally {
    await gateway.stop()
  }
})

test('the demo says in one line what is missing', async () => {
  const { code, stderr } = await demo({ ARI_URL: 'http://127.0.0.1:9' })
  assert.equal(code, 1)
  assert.equal(stderr, 'The demo failed: Set both ARI_URL and ARI_API_KEY, or neither\n')
})
