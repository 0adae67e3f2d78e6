import { setTimeout as wait } from 'node:timers/promises'
import type { Reply, TestClient } from '../harness.ts'

/**
 * A client that asks again while it is refused for the store's sake, as a starved store may. What changes something has a key,
 * so that it happens once.
 */
export function patient<Client extends TestClient>(client: Client, named: string): Client {
  let calls = 0
  const again = async (call: () => Promise<Reply>): Promise<Reply> => {
    for (;;) {
      const reply = await call()
      if (reply.status !== 503) return reply
      await wait(100)
    }
  }
  const keyFor = (body: unknown): Record<string, string> =>
    Object(body).dryRun === true ? {} : { 'idempotency-key': `${named}-${++calls}` }
  return {
    ...client,
    get: (...call) => again(() => client.get(...call)),
    post: (path, body) => {
      const headers = keyFor(body)
      return again(() => client.post(path, body, headers))
    },
    put: (path, body) => {
      const headers = keyFor(body)
      return again(() => client.put(path, body, headers))
    },
  }
}
