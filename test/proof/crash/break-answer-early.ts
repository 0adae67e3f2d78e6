/**
 * A deliberate break, preloaded into a service: from SIGUSR2 on, commits are acknowledged long before they
 * are made.
 */
import pg from 'pg'

/**
 * Longer than its service lives: the first real commit would also commit everything its connection was sent
 * until then.
 */
const earlyMs = 60_000
const query = Reflect.get(pg.Client.prototype, 'query')
let isOn = false
process.on('SIGUSR2', () => (isOn = true))

Object.defineProperty(pg.Client.prototype, 'query', {
  value(this: pg.Client, ...parameters: unknown[]): unknown {
    if (!isOn || parameters[0] !== 'commit') return Reflect.apply(query, this, parameters)
    setTimeout(() => void this.query(new pg.Query('commit')), earlyMs)
    return Promise.resolve({ command: 'COMMIT', rows: [], rowCount: 0 })
  },
})
