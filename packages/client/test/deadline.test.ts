import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import type { Attempt, ConnectOptions, Fetch } from '../src/call.ts'
import { supplierClient } from '../src/clients.ts'
import { isGatewayError } from '../src/gateway-error.ts'

/** One deadline bounds a whole call, with its attempts and the waits between them. The time passes when the test says so. */

type Ended = { ms: number; code: string; status: number; attempts: Attempt[]; timeouts: number[] }

/** A service of which each attempt takes as long as it may, or is answered 503 after some time. */
async function callOf(
  { answersAfterMs }: { answersAfterMs: number | undefined },
  connect: Partial<ConnectOptions>,
  options: Parameters<ReturnType<typeof supplierClient>['getLimits']>[0] = {},
): Promise<Ended> {
  mock.timers.enable({ apis: ['setTimeout'] })
  let nowMs = 0
  mock.method(performance, 'now', () => nowMs)
  mock.method(Math, 'random', () => 0.5)
  try {
    const attempts: Attempt[] = []
    const timeouts: number[] = []
    const fetch: Fetch = (_url, { signal }) => {
      const begunMs = nowMs
      return new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => {
          timeouts.push(nowMs - begunMs)
          reject(new Error('aborted'))
        })
        if (answersAfterMs !== undefined)
          setTimeout(() => resolve(new Response('', { status: 503 })), answersAfterMs)
      })
    }
    const onAttempt = (attempt: Attempt): void => void attempts.push(attempt)
    const gateway = supplierClient({
      url: 'http://gateway.example',
      apiKey: 'x',
      fetch,
      onAttempt,
      ...connect,
    })
    let error: unknown
    const call = gateway.getLimits(options).catch((cause: unknown) => (error = cause))
    const state = { isOver: false }
    const ended = call.then(() => (state.isOver = true))
    while (!state.isOver) {
      // What was called back may begin the next attempt.
      for (let turn = 0; turn < 50; turn++) await Promise.resolve()
      if (isOver(state)) break
      nowMs += 100
      mock.timers.tick(100)
      assert.ok(nowMs < 10_000_000, 'the call has no end')
    }
    await ended
    assert.ok(isGatewayError(error), String(error))
    return { ms: nowMs, code: error.code, status: error.status, attempts, timeouts }
  } finally {
    mock.reset()
    mock.timers.reset()
  }
}

/** It changes during awaits, which the compiler doesn't see. */
function isOver(state: { isOver: boolean }): boolean {
  return state.isOver
}

test('attempts that get no answer end with the deadline, the last one before its own time', async () => {
  const { ms, code, timeouts } = await callOf(
    { answersAfterMs: undefined },
    { deadlineMs: 50_000, timeoutMs: 30_000 },
  )
  assert.deepEqual([ms, code, timeouts.length], [50_000, 'TIMEOUT', 2])
  assert.ok((timeouts[1] ?? Infinity) < 30_000, String(timeouts))
})

test('by default a call takes no longer than a minute, whatever it meets', async () => {
  const hanging = await callOf({ answersAfterMs: undefined }, {})
  assert.deepEqual([hanging.ms, hanging.code], [60_000, 'TIMEOUT'])
  const busy = await callOf({ answersAfterMs: 100 }, {})
  assert.ok(busy.ms <= 60_000, String(busy.ms))
  assert.deepEqual([busy.status, busy.attempts.at(-1)?.retryInMs], [503, undefined])
})

test('no wait begins that the deadline would cut', async () => {
  const { ms, status, attempts } = await callOf({ answersAfterMs: 100 }, { deadlineMs: 5_000 })
  assert.ok(ms <= 5_000, String(ms))
  assert.equal(status, 503)
  assert.ok(attempts.length > 2)
})

test('a time that the caller gives for an attempt, or for repeats, is not cut by the usual deadline', async () => {
  const slow = await callOf({ answersAfterMs: undefined }, {}, { timeoutMs: 90_000, retryForMs: 0 })
  assert.deepEqual([slow.ms, slow.timeouts], [90_000, [90_000]])
  const patient = await callOf({ answersAfterMs: undefined }, { retryForMs: 100_000, timeoutMs: 40_000 })
  assert.deepEqual([patient.ms, patient.timeouts.length], [100_000, 3])
})

test('a deadline of the call comes before that of the client', async () => {
  const { ms } = await callOf({ answersAfterMs: undefined }, { deadlineMs: 50_000 }, { deadlineMs: 2_000 })
  assert.equal(ms, 2_000)
})
