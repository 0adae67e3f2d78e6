import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openShop } from '../stage/scenes/booking.ts'
import { until } from '../stage/scenes/deliveries.ts'
import { gatewayForTests } from '../stage/harness.ts'
import { nightAhead } from '../stage/nights.ts'
import { minutes } from '../stage/pace.ts'
import { runAri, startProgram } from '../stage/programs/programs.ts'
import { expectOk } from '../stage/story.ts'

/** `ari simulate supplier`, run as people run it. */

const gateway = await gatewayForTests({
  allowPrivate: true,
  outbound: { reach: (vetted) => vetted },
  systemTime: true,
  now: new Date().toISOString(),
  checkBudgetMs: minutes(1),
})
const shop = await openShop(gateway, 'Acme', { startDate: nightAhead(1), endDate: nightAhead(30) })

const environ = (more: Record<string, string> = {}) => ({
  ARI_URL: gateway.url,
  ARI_API_KEY: shop.supplier.apiKey,
  NO_COLOR: '1',
  ...more,
})

async function priceCheck(): Promise<unknown> {
  const hotel = { supplier: 'Acme', hotelId: 'H1' }
  const nights = { checkin: nightAhead(10), checkout: nightAhead(11) }
  const stay = { ...nights, roomCount: 1, adultCount: 2, childAges: [] }
  const reply = await shop.platform.post('/booking/priceCheck', {
    hotel,
    roomId: 'DBL',
    rateId: 'BAR',
    ...stay,
  })
  return expectOk(reply).body['outcome']
}

test('it registers, shows its new secret once, answers what comes, and ends with a signal', async () => {
  const running = startProgram('ari', environ(), ['simulate', 'supplier', '--fault', 'dearer:1'])
  await running.printed(/Waiting for calls/)
  assert.deepEqual([await priceCheck(), await priceCheck()], ['price_changed', 'available'])
  await until('both are shown', () => running.output.stdout.split('← 200 2 units').length === 3)
  running.child.kill('SIGTERM')
  const { code, stdout, stderr } = await running.ended
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
  assert.match(stdout, /^Price checks at http:\/\/127\.0\.0\.1:\d+\/price-check$/m)
  assert.match(stdout, /^Signing secret {2}whsec_\S+ {2}\(for --signing-secret at the next start\)$/m)
  assert.match(stdout, /price check +H1 DBL\/BAR, \S+ to \S+, 1 room for 2 adults {2}✓ signed$/m)
  assert.match(stdout, /← 200 2 units, 121\.00 USD after tax {2}\d+ ms {2}\(fault: dearer\)/)
  assert.match(stdout, /← 200 2 units, 110\.00 USD after tax {2}\d+ ms$/m)
})

test('with a secret that it does not know it says that nothing is verified; --json prints a line a call', async () => {
  const running = startProgram('ari', environ(), ['simulate', 'supplier', '--json'])
  await running.printed(/"ready":true/)
  assert.equal(await priceCheck(), 'available')
  await until(
    'it is shown',
    () => running.output.stdout.includes('"priceCheck"') && running.output.stdout.endsWith('\n'),
  )
  running.child.kill('SIGINT')
  const { code, stdout } = await running.ended
  assert.equal(code, 0)
  const lines: Record<string, unknown>[] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    lines.map(({ call, signature, status, ready }) => ready ?? [call, signature, status]),
    [['ping', 'unverifiable', 200], ['ping', 'unverifiable', 200], true, ['priceCheck', 'unverifiable', 200]],
  )
  assert.ok(!stdout.includes('whsec_'))
})

test('a typed fault replaces the earlier ones; other text changes nothing', async () => {
  const running = startProgram('ari', environ(), ['simulate', 'supplier', '--fault', 'dearer'])
  await running.printed(/Waiting for calls/)
  const type = async (line: string, remark: string): Promise<void> => {
    running.child.stdin?.write(`${line}\n`)
    await until(remark, () => running.output.stderr.includes(remark))
  }
  const outcomes = [await priceCheck()]
  await type('fault drunk', 'There is no fault "drunk"')
  await type('fault sold-out:1, drunk', 'garbage')
  outcomes.push(await priceCheck())
  await type('fault sold-out:1, dearer:1', 'From the next call on: sold-out:1, dearer:1.')
  outcomes.push(await priceCheck(), await priceCheck(), await priceCheck())
  assert.deepEqual(outcomes, ['price_changed', 'price_changed', 'sold_out', 'price_changed', 'available'])
  running.child.stdin?.write('quit\n')
  assert.equal((await running.ended).code, 0)
})

test('a problem with the command line, the key or the gateway is reported in one line', async () => {
  const run = (more: Record<string, string>, ...parameters: string[]) =>
    runAri(environ(more), 'simulate', 'supplier', ...parameters)
  const wrong = [
    await run({}, '--fault', 'drunk'),
    await run({}, '--fault', 'dearer:booking'),
    await run({}, '--signing-secret', 'secret'),
    await run({ ARI_API_KEY: 'ari_sbx_wrong' }),
    await run({ ARI_URL: 'http://127.0.0.1:9' }),
    await run({}, '--port', new URL(gateway.url).port),
  ]
  assert.deepEqual(
    wrong.map(({ code, stdout }) => [code, stdout]),
    [
      [2, ''],
      [2, ''],
      [2, ''],
      [1, ''],
      [1, ''],
      [1, ''],
    ],
  )
  for (const [index, pattern] of [
    /There is no fault "drunk": it must be one of dearer, sold-out,/,
    /dearer does not apply to such calls/,
    /It must be a signing secret/,
    /POST \/push\/webhook\/availability was answered with 401: Unauthorized API KEY/,
    /got no answer from http:\/\/127\.0\.0\.1:9/,
    /Another program is listening on port \d+ of 127\.0\.0\.1: stop it, or choose another port with --port/,
  ].entries()) {
    assert.match(wrong[index]?.stderr ?? '', pattern)
    assert.equal(wrong[index]?.stderr.trimEnd().split('\n').length, 1)
  }
})
