import assert from 'node:assert/strict'
import { test } from 'node:test'
import { circuitLimits, Circuits, type CallResult, type CircuitState } from './circuit.ts'

const url = 'https://pms.example.com/check'

function virtual(): {
  circuits: Circuits
  pass: (ms: number) => void
  call: (result: CallResult, of?: string) => 'called' | 'kept back'
  changes: CircuitState[]
} {
  let nowMs = 1_000_000
  const changes: CircuitState[] = []
  const circuits = new Circuits(
    () => nowMs,
    ({ state }) => changes.push(state),
  )
  return {
    circuits,
    changes,
    pass: (ms) => {
      nowMs += ms
    },
    call: (result, of = url) => {
      const settle = circuits.enter(of)
      settle?.(result)
      return settle ? 'called' : 'kept back'
    },
  }
}

const { failuresToOpen, openFirstMs, openMaxMs, circuitsMax } = circuitLimits

function openNow(by: ReturnType<typeof virtual>): void {
  for (let count = 0; count < failuresToOpen; count++) assert.equal(by.call('failed'), 'called')
  assert.equal(by.circuits.state(url), 'open')
}

test('a circuit opens with the fifth failure in a row, for that URL only', () => {
  const by = virtual()
  for (let count = 1; count < failuresToOpen; count++) by.call('failed')
  assert.deepEqual([by.circuits.state(url), by.call('failed')], ['closed', 'called'])
  assert.deepEqual([by.circuits.state(url), by.call('failed'), by.changes], ['open', 'kept back', ['open']])
  assert.equal(by.call('failed', `${url}/other`), 'called')
  assert.equal(by.circuits.openCount(), 1)
})

test('an answer in between restarts the count, and outcomes that say nothing about the URL do not count', () => {
  const by = virtual()
  for (let round = 0; round < 10; round++) {
    for (let count = 1; count < failuresToOpen; count++) by.call('failed')
    by.call('unknown')
    by.call('answered')
  }
  assert.deepEqual([by.circuits.state(url), by.changes], ['closed', []])
})

test('an open circuit keeps calls back for five seconds, then lets one through, and closes when it is answered', () => {
  const by = virtual()
  openNow(by)
  by.pass(openFirstMs - 1)
  assert.equal(by.call('answered'), 'kept back')
  by.pass(1)
  const settle = by.circuits.enter(url)
  assert.ok(settle)
  assert.deepEqual([by.circuits.state(url), by.call('answered')], ['half_open', 'kept back'])
  settle('answered')
  assert.deepEqual([by.circuits.state(url), by.circuits.openCount()], ['closed', 0])
  assert.deepEqual(by.changes, ['open', 'half_open', 'closed'])
  for (let count = 1; count < failuresToOpen; count++) assert.equal(by.call('failed'), 'called')
  assert.equal(by.circuits.state(url), 'closed')
})

test('each trial that fails doubles the time, up to a minute; closing begins it anew', () => {
  const by = virtual()
  openNow(by)
  for (const openForMs of [openFirstMs, 10_000, 20_000, 40_000, openMaxMs, openMaxMs]) {
    by.pass(openForMs - 1)
    assert.equal(by.call('failed'), 'kept back')
    by.pass(1)
    assert.equal(by.call('failed'), 'called')
  }
  by.pass(openMaxMs)
  assert.equal(by.call('answered'), 'called')
  openNow(by)
  by.pass(openFirstMs)
  assert.equal(by.call('answered'), 'called')
})

test('a trial that says nothing is followed by another at once', () => {
  const by = virtual()
  openNow(by)
  by.pass(openFirstMs)
  assert.equal(by.call('unknown'), 'called')
  assert.equal(by.circuits.state(url), 'open')
  assert.equal(by.call('answered'), 'called')
  assert.equal(by.circuits.state(url), 'closed')
})

test('calls that began before the circuit opened neither close it nor keep it open', () => {
  const by = virtual()
  const early = Array.from({ length: 20 }, () => by.circuits.enter(url))
  for (const settle of early.slice(0, failuresToOpen)) settle?.('failed')
  assert.equal(by.circuits.state(url), 'open')
  for (const settle of early.slice(failuresToOpen, 15)) settle?.('failed')
  for (const settle of early.slice(15)) settle?.('answered')
  assert.equal(by.circuits.state(url), 'open')
  by.pass(openFirstMs)
  assert.equal(by.call('answered'), 'called')
})

test('no more circuits are remembered than the limit; of answered URLs none is', () => {
  const by = virtual()
  openNow(by)
  for (let count = 0; count < circuitsMax; count++) by.call('failed', `${url}/${count}`)
  // The oldest circuit was dropped: at worst, a URL gets a few more calls.
  assert.deepEqual([by.circuits.state(url), by.circuits.openCount()], ['closed', 0])
  for (let count = 0; count < circuitsMax; count++) by.call('answered', `${url}/${count}`)
  openNow(by)
  assert.equal(by.circuits.openCount(), 1)
})
