import type { FastifyInstance } from 'fastify'
import { overloaded } from './body.ts'
import type { Telemetry } from '../base/telemetry.ts'

/**
 * Above this the process turns requests away before they queue without bound. Memory is bounded where it is taken
 * (body.ts, the commit queue): the heap's size counts garbage, and would turn requests away from an idle process.
 */
const delayMaxMs = 2_000
const lookEveryMs = 500
const countEveryMs = 20

type LoopDelay = {
  /** By how much the loop was late when it was looked at last, or is late by now. */
  ms: () => number
  close: () => void
}

/** How late the event loop is: what a timer that should have run by now still waits for. */
function loopDelay(): LoopDelay {
  let lookedMs = performance.now()
  let lateMs = 0
  const sinceDue = (): number => performance.now() - lookedMs - lookEveryMs
  const timer = setInterval(() => {
    lateMs = sinceDue()
    lookedMs = performance.now()
  }, lookEveryMs).unref()
  return {
    // The first request after a block may be read before the timer runs.
    ms: () => Math.max(0, lateMs, sinceDue()),
    close: () => clearInterval(timer),
  }
}

/**
 * While the loop is late, every request but those of monitors gets 503; `patience` times later than usual. How late it
 * is, is counted all the time.
 */
export function shedWhenLate(
  fastify: FastifyInstance,
  { telemetry, patience }: { telemetry: Telemetry; patience: number },
): Pick<LoopDelay, 'close'> {
  const delay = loopDelay()
  const counting = countDelays(telemetry)
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (delay.ms() <= delayMaxMs * patience || request.routeOptions.config.place === 'probe') return done()
    telemetry.limited.inc({ limit: 'pressure' })
    done(overloaded())
  })
  return {
    close: () => {
      delay.close()
      clearInterval(counting)
    },
  }
}

/**
 * Counts by how much each tick of a timer was late. A block of the event loop is one tick that is late by its length,
 * which the averages and percentiles of Node's own histogram don't show.
 */
function countDelays(telemetry: Telemetry): NodeJS.Timeout {
  let dueMs = performance.now() + countEveryMs
  return setInterval(() => {
    const nowMs = performance.now()
    telemetry.loopDelay.observe(Math.max(0, nowMs - dueMs) / 1000)
    dueMs = nowMs + countEveryMs
  }, countEveryMs).unref()
}
