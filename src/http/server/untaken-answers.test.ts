import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { after, before, mock, test } from 'node:test'
import { endUntakenAnswers } from './http-server.ts'

/** How long an answer may wait for its reader. The seconds pass when the test says so. */

before(() => mock.timers.enable({ apis: ['setInterval'] }))
after(() => mock.timers.reset())

/** A connection: what the reader took so far, and what waits for it. */
function answering(patience = 1) {
  let ended = 0
  const sent = { taken: 0, waiting: 1_000_000 }
  const socket = Object.defineProperties(new Socket(), {
    bytesWritten: { get: () => sent.taken + sent.waiting },
    writableLength: { get: () => sent.waiting },
  })
  const answers = endUntakenAnswers(() => ended++, patience)
  answers.sending(socket)
  const seconds = (count: number): void => {
    for (let second = 0; second < count; second++) mock.timers.tick(1_000)
  }
  return { sent, seconds, end: () => answers.sent(socket), ended: () => [ended, socket.destroyed] }
}

test('an answer of which nothing is taken for ten seconds ends its connection', () => {
  const { seconds, ended } = answering()
  seconds(9)
  assert.deepEqual(ended(), [0, false])
  seconds(1)
  assert.deepEqual(ended(), [1, true])
})

test('an answer that is taken slowly has all the time that it needs', () => {
  const { sent, seconds, ended } = answering()
  for (let step = 0; step < 50; step++) {
    seconds(9)
    sent.taken += 1
    seconds(1)
  }
  assert.deepEqual(ended(), [0, false])
  seconds(10)
  assert.deepEqual(ended(), [1, true])
})

test('a connection on which no answer waits is left alone', () => {
  const { sent, end, seconds, ended } = answering()
  sent.waiting = 0
  seconds(100)
  sent.waiting = 1_000_000
  end()
  seconds(100)
  assert.deepEqual(ended(), [0, false])
})

test('patience multiplies the time', () => {
  const { seconds, ended } = answering(3)
  seconds(29)
  assert.deepEqual(ended(), [0, false])
  seconds(1)
  assert.deepEqual(ended(), [1, true])
})
