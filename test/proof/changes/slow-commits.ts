/**
 * Preloaded into a service: half of the commits are delayed, so that their order differs from that of the
 * writes.
 */
import pg from 'pg'
import { setTimeout as wait } from 'node:timers/promises'

const latestMs = 15
const query = Reflect.get(pg.Client.prototype, 'query')

Object.defineProperty(pg.Client.prototype, 'query', {
  configurable: true,
  writable: true,
  value(this: pg.Client, ...parameters: unknown[]): unknown {
    const send = (): unknown => Reflect.apply(query, this, parameters)
    if (parameters[0] !== 'commit' || Math.random() < 0.5) return send()
    return wait(Math.random() * latestMs).then(send)
  },
})
