import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { startGateway, type GatewayOptions, type TestGateway } from '../../test/stage/harness.ts'
import { minutes } from '../../test/stage/pace.ts'

const program = join(resolve(import.meta.dirname, '../..'), 'scripts/demo.ts')
const timeoutMs = minutes(3)

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

/** Asserts that each pattern matches, in this order. */
function assertLines(text: string, patterns: readonly RegExp[]): void {
  let rest = text
  for (const pattern of patterns) {
    const match = pattern.exec(rest)
    assert.ok(match, `${pattern} is missing in\n${rest}`)
    rest = rest.slice(match.index + match[0].length)
  }
}

const pushes = [
  /← 200 Hotels updated successfully/,
  /← 200 Hotel rates & rooms saved successfully/,
  /← 200 Taxes saved successfully/,
  /← 200 ARI updated successfully/,
  /3,\d\d\d nights of rooms and room-rates changed/,
  /← 400 Validation failure on minChildAge or maxChildAge/,
  /CURRENCY_INVALID at \/0\/currency, received "EURO"/,
  /← 207 ARI partially updated/,
  /ROOM_NOT_FOUND at \/ari\/1\/roomId, received "SUITE"/,
  /Idempotency-Replayed: true/,
  /getAriDigest {2}200 ARI digest computed/,
  /3 comparisons found 2 nights, and one push mended them/,
  /undo {2}207 Push partially undone/,
  /361 nights as before, as the dry run said; 1 night kept: 149 by push …\w{8}/,
  /push\/ari {2}207 ARI partially updated/,
  /2 nights held: \d+ stays stored, not 1490 \(bound \d+\)/,
  /guard\/release {2}200 Holds released successfully/,
  /Monday was corrected by a push, which replaced its part; 1 night released/,
  /← 400 Webhook must not contain a user name or password/,
  /← 400 Webhook host must not be or resolve to a private or otherwise special address/,
]

const bookings = [
  /Price checks at http:\/\/127\.0\.0\.1:\d+\/price-check/,
  /Signing secret whsec_/,
  /⇒ supplier {2}ping +✓ signed/,
  /Ready to go live/,
  /← 200 Offers retrieved successfully/,
  /DBL BAR BB {2}189\.50 \+ 189\.50 \+ \d+\.00 = \d+\.00 EUR, 1 unit left/,
  /FAM BAR BB .*, 3 units left/,
  /✗ closedToArrival on \S+: stored true, set by push …\w{8} item 1/,
  /→ arrive on Friday/,
  /✗ closed on/,
  /← 200 Price checked/,
  /⇒ supplier {2}price check .* DBL\/BAR, .* 1 room for 2 adults {2}✓ signed/,
  /available, difference to the stored price 0\.00/,
  /\(fault: dearer\)/,
  /price_changed, difference to the stored price [1-9]/,
  /← 201 Reservation confirmed/,
  /⇒ supplier {2}price check .*✓ signed/,
  /⇒ supplier {2}reservations .*✓ signed/,
  /Confirm \d+ version 1: .*Ada Lovelace, \d+\.00 EUR: created/,
  /← 409 Sold out/,
  /← 200 Reservation cancelled/,
  /⇒ supplier {2}reservations .*✓ signed/,
  /Cancel \d+ version 2: .*: cancelled/,
  /← 200 ARI updated successfully/,
]

const readBack = [
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
  // Friday's price differs from Monday's.
  /BAR +(\d+)(?: +\d+){3} +(?!\1\b)\d+/,
  /× closed/,
  /\d×/,
]

test('the demo starts a service, shows a day and leaves nothing behind', async () => {
  const { code, stdout, stderr } = await demo({})
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
  assert.equal(stdout, stripVTControlCharacters(stdout), 'no colours where the output is no terminal')
  assertLines(stdout, [
    /started for this demo/,
    ...pushes,
    ...bookings,
    ...readBack,
    /The service is stopped/,
  ])
  const url = /at (http:\/\/\S+)\/v1/.exec(stdout)?.[1] ?? ''
  await assert.rejects(fetch(`${url}/livez`))
})

async function runningService(
  options: GatewayOptions,
  work: (gateway: TestGateway, environ: Record<string, string>) => Promise<void>,
): Promise<void> {
  const gateway = await startGateway({ systemTime: true, now: new Date().toISOString(), ...options })
  const deliveries = gateway.app.startDeliveries()
  try {
    const { apiKey } = await gateway.supplier('Demo')
    await work(gateway, { ARI_URL: gateway.url, ARI_API_KEY: apiKey })
  } finally {
    await deliveries.close()
    await gateway.stop()
  }
}

test('the demo shows a supplier’s side on a running service, twice', async () => {
  await runningService({}, async (gateway, environ) => {
    const { code, stdout, stderr } = await demo(environ)
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
    assertLines(stdout, [
      /with the key of ARI_API_KEY/,
      ...pushes,
      /set ARI_PLATFORM_TOKEN as well/,
      ...readBack,
    ])
    assert.deepEqual(await urlsOf(gateway), [{ availability: null, pushbook: null }])
    assert.equal((await demo(environ)).code, 0)
  })
})

test('with a platform token it shows the bookings too, and takes its URLs off the key', async () => {
  const options = { allowPrivate: true, outbound: { reach: <Vetted>(vetted: Vetted) => vetted } }
  await runningService(options, async (gateway, environ) => {
    const all = { ...environ, ARI_PLATFORM_TOKEN: await gateway.token('platform') }
    const { code, stdout, stderr } = await demo(all)
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
    assertLines(stdout, [...pushes, ...bookings, /taken off your key again/, ...readBack])
    assert.deepEqual(await urlsOf(gateway), [{ availability: null, pushbook: null }])
  })
})

test('a URL that is on the key already stays there', async () => {
  await runningService({}, async (gateway, environ) => {
    const url = 'https://pms.example.com/check'
    await gateway.db.query('update api_key set availability_webhook = $1', [url])
    const all = { ...environ, ARI_PLATFORM_TOKEN: await gateway.token('platform') }
    const { code, stdout } = await demo(all)
    assert.equal(code, 0)
    assertLines(stdout, [...pushes, /Your key has URLs already/, /→ arrive on Friday/, ...readBack])
    assert.deepEqual(await urlsOf(gateway), [{ availability: url, pushbook: null }])
  })
})

async function urlsOf({ db }: TestGateway): Promise<unknown[]> {
  const { rows } = await db.query<Record<string, unknown>>(
    'select availability_webhook as availability, pushbook_webhook as pushbook from api_key',
  )
  return rows
}

test('the demo reports a missing requirement in one line', async () => {
  const { code, stderr } = await demo({ ARI_URL: 'http://127.0.0.1:9' })
  assert.equal(code, 1)
  assert.equal(stderr, 'The demo failed: Set both ARI_URL and ARI_API_KEY, or neither\n')
})
