/** A deliberate break, preloaded into a service: bookings no longer lock their hotel. */
import pg from 'pg'

const query = Reflect.get(pg.Client.prototype, 'query')

function unlocked(text: string): string {
  return text.replace(' for no key update of hotel', '')
}

Object.defineProperty(pg.Client.prototype, 'query', {
  value(this: pg.Client, ...parameters: unknown[]): unknown {
    const [first, ...others] = parameters
    if (typeof first === 'string') return Reflect.apply(query, this, [unlocked(first), ...others])
    const text: unknown = typeof first === 'object' && first !== null ? Reflect.get(first, 'text') : undefined
    if (typeof text !== 'string') return Reflect.apply(query, this, parameters)
    return Reflect.apply(query, this, [{ ...Object(first), text: unlocked(text) }, ...others])
  },
})
