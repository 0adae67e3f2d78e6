import type { FastifyInstance } from 'fastify'
import { overloaded } from '../rejected.ts'
import type { Telemetry } from '../../base/telemetry.ts'

/**
 * Above this delay the process turns requests away before they queue without limit. Memory is limited where
 * it is allocated (body.ts, the commit queue): the heap size counts garbage, and would turn requests away
 * from an idle process.
 */
const delayMaxMs = 2_000
const lookEveryMs = 500
const countEveryMs = 20

type LoopDelay = {
  /** How late the loop was at the last check, or is by now. */
  ms: () => number
  close: () => void
}

/** Measures how late the event loop is: how long a timer that is due has been waiting. */
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
 * While the loop is late, every request except those of monitors gets 503. `patience` multiplies the
 * threshold. The delay is always recorded.
 */
export function shedWhenLate(
  fastify: FastifyInstance,
  { telemetry, patience }: { telemetry: Telemetry; patience: number },
): Pick<LoopDelay, 'close'> {
  const delay = loopDelay()
  const counting = countDelays(telemetry)
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (delay.ms() <= delayMaxMs * patience || request.routeOptions.config.slot === 'probe') return done()
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
 * Records how late each tick of a timer was. A block of the event loop is one tick that is late by its
 * length, which the averages and percentiles of Node's own histogram don't show.
 */
function countDelays(telemetry: Telemetry): NodeJS.Timeout {
  let dueMs = performance.now() + countEveryMs
  return setInterval(() => {
    const nowMs = performance.now()
    telemetry.loopDelay.observe(Math.max(0, nowMs - dueMs) / 1000)
    dueMs = nowMs + countEveryMs
  }, countEveryMs).unref()
}
