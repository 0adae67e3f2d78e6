/** A deliberate break, preloaded into a service: from SIGUSR2 on, commits are acknowledged some time before they are made. */
import pg from 'pg'

const earlyMs = 400
const query = Reflect.get(pg.Client.prototype, 'query')
/** One at a time: each makes all that its connection was asked until then. */
const due = new WeakSet<pg.Client>()
let isOn = false
process.on('SIGUSR2', () => (isOn = true))

Object.defineProperty(pg.Client.prototype, 'query', {
  value(this: pg.Client, ...parameters: unknown[]): unknown {
    if (!isOn || parameters[0] !== 'commit') return Reflect.apply(query, this, parameters)
    if (!due.has(this)) {
      due.add(this)
      setTimeout(() => {
        due.delete(this)
        void this.query(new pg.Query('commit'))
      }, earlyMs)
    }
    return Promise.resolve({ command: 'COMMIT', rows: [], rowCount: 0 })
  },
})
