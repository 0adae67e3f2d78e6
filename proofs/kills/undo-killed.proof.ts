import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { client, gatewayForTests, type TestClient } from '../../test/stage/harness.ts'
import { nightAhead } from '../../test/stage/nights.ts'
import { roundsWithin } from '../../test/stage/pace.ts'
import { environOf } from '../../test/stage/postgres.ts'
import { expectOk, product, storyHotel } from '../../test/stage/story.ts'
import { endServices, startService } from '../../test/stage/crash/service.ts'
import { keyOf, valuesOf, type Values } from '../../test/stage/history/undos.ts'

/**
 * Services killed while they undo large pushes, every second time while another process pushes to the same nights: each
 * undo is whole or not there, and what was acknowledged is there.
 */

const rounds = { full: 25, floor: 8, share: 0.02 }
const roomIds = Array.from({ length: 12 }, (_, index) => `R${index}`)
const range = { startDate: nightAhead(30), endDate: nightAhead(395) }
const racingDate = nightAhead(91)
/** Where the next kill falls, by the last one: sooner after an undo that was applied, later after one that wasn't. */
const nextAim = { applied: 0.8, notApplied: 1.25 }

after(endServices)

test('an undo whose service is killed is applied as a whole or not at all, and never twice', async (t) => {
  const gateway = await gatewayForTests({ systemTime: true })
  const supplier = await gateway.supplier('killed', { requestsPerMinute: 0 })
  expectOk(await supplier.post('/push/hotels', [storyHotel()]))
  const products = roomIds.map((roomId) => product(roomId, 'BAR'))
  expectOk(await supplier.post('/push/products', { hotelId: 'H1', products }))
  await pushYear(supplier, 100)
  const { next, summary } = roundsWithin(rounds)
  /** Of the undos whose service was killed meanwhile. */
  const found = { applied: 0, notApplied: 0, acknowledged: 0, raced: 0 }
  let undoMs = 500
  let aim = 0.8
  // However quick or slow the machine is: kills come both before and after the commit.
  const isEnough = (): boolean => found.applied > 0 && found.notApplied > 0
  for (let round = 0; next() !== undefined || !isEnough(); round++) {
    const before = await read(supplier)
    const mistake = await pushYear(supplier, 200 + round)
    const written = await read(supplier)
    const service = await startService(environOf(gateway.storeAddress))
    const begunMs = performance.now()
    const undoing = client(service.url, { 'x-api-key': supplier.apiKey })
      .post('/push/undo', { hotelId: 'H1', revision: mistake })
      .catch(() => undefined)
    const isRacing = round % 2 === 1
    // Never what was there before, nor what the large push wrote: it always changes something.
    const racingNights = 10 + round
    const racing = isRacing
      ? wait(randomInt(Math.ceil(undoMs))).then(() => pushRacing(supplier, racingNights))
      : undefined
    // The first one is left alone, to learn how long it takes; the others are killed around the moment at which it is committed.
    if (round > 0) await wait(undoMs * aim * (randomInt(85, 116) / 100))
    else {
      await undoing
      undoMs = performance.now() - begunMs
    }
    await service.end('SIGKILL')
    const reply = await undoing
    await racing
    const now = await untilUnlocked(supplier)
    const raced = isRacing ? 1 : 0
    const isApplied = now.revision === mistake + raced + 1
    assert.equal(now.revision, mistake + raced + (isApplied ? 1 : 0))
    const withRacing = ({ values }: State): Values =>
      isRacing ? new Map([...values, [racingKey, racingNights]]) : values
    assert.deepEqual(now.values, withRacing(isApplied ? before : written))
    // A push that came before the undo is a conflict.
    if (reply?.status === 409 && isRacing) assert.equal(isApplied, false, reply.text)
    else if (reply) assert.deepEqual([reply.status, isApplied], [200, true], reply.text)
    if (round > 0) {
      const outcome = isApplied ? 'applied' : 'notApplied'
      found[outcome]++
      aim *= nextAim[outcome]
      found.raced += raced
      if (reply) found.acknowledged++
    } else assert.ok(isApplied)
    // Once more, as a client does that got no answer.
    const onConflict = isRacing ? 'skip' : 'abort'
    const again = await supplier.post('/push/undo', { hotelId: 'H1', revision: mistake, onConflict })
    assert.equal(again.status, isRacing ? 207 : isApplied ? 409 : 200, again.text.slice(0, 500))
    assert.deepEqual((await read(supplier)).values, withRacing(before))
  }
  t.diagnostic(`${summary()}: ${JSON.stringify(found)}`)
})

/** Returns the revision. */
async function pushYear(supplier: TestClient, price: number): Promise<number> {
  const ari = roomIds.map((roomId) => ({
    roomId,
    ...range,
    inventory: 5,
    rates: [{ rateId: 'BAR', price, minLengthStay: 1 + (price % 5) }],
  }))
  const { body } = expectOk(await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari }))
  return Number(body['revision'])
}

const racingKey = keyOf('R1', 'BAR', racingDate, 'minLengthStay')

/** Through a process that lives on. */
async function pushRacing(supplier: TestClient, minLengthStay: number): Promise<void> {
  const rates = [{ rateId: 'BAR', minLengthStay }]
  const ari = [{ roomId: 'R1', date: racingDate, rates }]
  expectOk(await supplier.post('/push/ari', { hotelId: 'H1', ari }))
}

type State = { revision: number; values: Values }

async function read(supplier: TestClient): Promise<State> {
  const { body } = expectOk(await supplier.post('/push/getAri', { hotelId: 'H1', ...range }))
  return { revision: Number(body['revision']), values: valuesOf(body['ari']) }
}

/** PostgreSQL may still end the transaction of the killed service; a push that changes nothing waits for that. */
async function untilUnlocked(supplier: TestClient): Promise<State> {
  expectOk(
    await supplier.post('/push/ari', {
      hotelId: 'H1',
      ari: [{ roomId: 'R0', date: range.startDate, inventory: 5 }],
    }),
  )
  return read(supplier)
}
