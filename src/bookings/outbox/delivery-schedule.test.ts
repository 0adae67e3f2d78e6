import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  hourOf,
  hoursCaughtUpMax,
  hoursToRun,
  nextAttempt,
  outcomeOf,
  readRetryAfter,
  type Failed,
  type Next,
} from './delivery-schedule.ts'

const hourMs = 3_600_000
const noon = Date.parse('2027-03-01T12:00:00Z')

function failedAt(nowMs: number, more: Partial<Failed> = {}): Failed {
  return {
    outcome: 'unavailable',
    lane: 'first',
    retries: 0,
    giveUpAtMs: noon + 72 * hourMs,
    nowMs,
    retryAfterMs: undefined,
    chance: 0,
    ...more,
  }
}

test('only a 2xx is a delivery; 408, 425, 429 and 5xx are tried again soon, all other answers by the hour', () => {
  const statuses = [200, 204, 299, 301, 400, 401, 404, 408, 410, 422, 425, 429, 500, 503, 599]
  const by = (wanted: string): number[] => statuses.filter((status) => outcomeOf(status) === wanted)
  assert.deepEqual(by('accepted'), [200, 204, 299])
  assert.deepEqual(by('unavailable'), [408, 425, 429, 500, 503, 599])
  assert.deepEqual(by('refused'), [301, 400, 401, 404, 410, 422])
})

test('retries come after 10 s, 30 s, 2, 5, 10 and 10 minutes, then by the hour until 72 hours are over', () => {
  let nowMs = noon
  let retries = 0
  const waits: number[] = []
  let next: Next = nextAttempt(failedAt(nowMs))
  while (next.kind === 'retry') {
    waits.push((next.dueAtMs - nowMs) / 1_000)
    nowMs = next.dueAtMs
    retries = next.retries
    next = nextAttempt(failedAt(nowMs, { lane: 'retry', retries }))
  }
  assert.deepEqual(waits, [10, 30, 120, 300, 600, 600])
  let runs = 0
  while (next.kind === 'hourly') {
    runs++
    nowMs = hourOf(nowMs) + hourMs
    next = nextAttempt(failedAt(nowMs, { lane: 'hourly', retries }))
  }
  assert.deepEqual([next.kind, runs, (nowMs - noon) / hourMs], ['dead', 72, 72])
})

test('deliveries that failed together do not return together: up to a tenth of the delay is added', () => {
  const next = nextAttempt(failedAt(noon, { chance: 1 }))
  assert.deepEqual(next, { kind: 'retry', retries: 1, dueAtMs: noon + 11_000 })
})

test('Retry-After puts a retry off, never forward, and binds the hourly run as well', () => {
  const later = nextAttempt(failedAt(noon, { retryAfterMs: 45_000 }))
  const sooner = nextAttempt(failedAt(noon, { retryAfterMs: 1_000 }))
  const hourly = nextAttempt(failedAt(noon, { lane: 'hourly', retryAfterMs: 2 * hourMs }))
  assert.deepEqual(
    [later, sooner, hourly],
    [
      { kind: 'retry', retries: 1, dueAtMs: noon + 45_000 },
      { kind: 'retry', retries: 1, dueAtMs: noon + 10_000 },
      { kind: 'hourly', notBeforeMs: noon + 2 * hourMs },
    ],
  )
  const endless = nextAttempt(failedAt(noon, { retryAfterMs: 1_000 * hourMs }))
  assert.deepEqual(endless, { kind: 'retry', retries: 1, dueAtMs: noon + 24 * hourMs })
})

test('refused deliveries wait for the hourly run, and those that would be too late are dead', () => {
  assert.deepEqual(nextAttempt(failedAt(noon, { outcome: 'refused' })), {
    kind: 'hourly',
    notBeforeMs: undefined,
  })
  const late = noon + 72 * hourMs
  for (const outcome of ['refused', 'unavailable'] as const)
    assert.deepEqual(nextAttempt(failedAt(late, { outcome })), { kind: 'dead' })
})

test('a retry, or a run, at the very end of the 72 hours is made; a millisecond later it is too late', () => {
  const endMs = noon + 72 * hourMs
  const retry = (nowMs: number): Next => nextAttempt(failedAt(nowMs))
  assert.deepEqual(retry(endMs - 10_000), { kind: 'retry', retries: 1, dueAtMs: endMs })
  assert.deepEqual(retry(endMs - 9_999), { kind: 'dead' })
  const run = (giveUpAtMs: number): Next =>
    nextAttempt(failedAt(endMs - 1, { outcome: 'refused', giveUpAtMs }))
  assert.deepEqual(run(endMs), { kind: 'hourly', notBeforeMs: undefined })
  assert.deepEqual(run(endMs - 1), { kind: 'dead' })
})

test('Retry-After is parsed as seconds or as a date, and as nothing else', () => {
  const texts = [
    '120',
    '0',
    'Mon, 01 Mar 2027 12:01:00 GMT',
    'Mon, 01 Mar 2027 11:00:00 GMT',
    '-5',
    '1.5',
    'soon',
    '',
  ]
  assert.deepEqual(
    texts.map((text) => readRetryAfter(text, noon)),
    [120_000, 0, 60_000, undefined, undefined, undefined, undefined, undefined],
  )
})

test('the first poll runs the present hour; later ones run each hour once, including missed hours', () => {
  assert.deepEqual(hoursToRun(undefined, noon + 5), [noon])
  assert.deepEqual(hoursToRun(noon, noon + hourMs - 1), [])
  assert.deepEqual(hoursToRun(noon, noon + hourMs), [noon + hourMs])
  assert.deepEqual(
    hoursToRun(noon, noon + 3 * hourMs + 7),
    [1, 2, 3].map((hours) => noon + hours * hourMs),
  )
  assert.equal(hoursToRun(noon, noon + 1_000 * hourMs).length, hoursCaughtUpMax)
})
