/** A deliberate break, preloaded into a service: from SIGUSR2 on, commits are acknowledged before they are on disk. */
import pg from 'pg'

const query = Reflect.get(pg.Client.prototype, 'query')
let isOn = false
process.on('SIGUSR2', () => (isOn = true))

Object.defineProperty(pg.Client.prototype, 'query', {
  value(this: pg.Client, ...parameters: unknown[]): unknown {
    const sent: unknown = Reflect.apply(query, this, parameters)
    if (isOn && parameters[0] === 'begin') void this.query(new pg.Query('set local synchronous_commit = off'))
    return sent
  },
})
