import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { after, before, mock, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Rejected } from '../rejected.ts'
import { bodyReader } from './body.ts'

/** How long a body may take. The seconds pass when the test says so. */

before(() => mock.timers.enable({ apis: ['setInterval'] }))
after(() => mock.timers.reset())

type Sending = {
  /** Sends these bytes, and lets a second pass. */
  second: (bytes: number) => Promise<void>
  /** Undefined while the body is awaited. */
  outcome: () => unknown
}

/** A body of 1 MB, which may take 20 seconds. */
function sending({ patience = 1 } = {}): Sending {
  const request = new IncomingMessage(new Socket())
  request.headers = { 'content-length': '1000000' }
  const reader = bodyReader(() => {}, patience)
  let outcome: unknown
  reader.read(request, { owner: 'one', bytesMax: 1_000_000, arrivesWithinSeconds: 20 }).then(
    (body) => (outcome = body.length),
    (error: unknown) => (outcome = error instanceof Rejected ? error.status : error),
  )
  return {
    second: async (bytes) => {
      if (bytes > 0) request.push(Buffer.alloc(bytes))
      await turn()
      mock.timers.tick(1_000)
      await turn()
    },
    outcome: () => outcome,
  }
}

async function secondsUntilOver({ second, outcome }: Sending, bytes: number): Promise<number> {
  let seconds = 0
  for (; outcome() === undefined && seconds < 10_000; seconds++) await second(bytes)
  return seconds
}

test('a body that never pauses, but doesn’t end, is given up after its time', async () => {
  const body = sending()
  assert.deepEqual([await secondsUntilOver(body, 4_000), body.outcome()], [20, 408])
})

test('a body that pauses is given up after three seconds of less than 1 KB each, in a row', async () => {
  const body = sending()
  for (const bytes of [4_000, 1_023, 0, 1_024, 0, 1_023]) await body.second(bytes)
  assert.equal(body.outcome(), undefined)
  await body.second(0)
  assert.equal(body.outcome(), 408)
})

test('patience multiplies both times', async () => {
  assert.deepEqual(
    [
      await secondsUntilOver(sending({ patience: 2 }), 4_000),
      await secondsUntilOver(sending({ patience: 2 }), 0),
    ],
    [40, 6],
  )
})
