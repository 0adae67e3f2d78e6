import type { Environment } from '../keys/secret.ts'
import { on, type Handler, type Mounted } from '../platform/mount.ts'
import { Rejected } from '../platform/rejected.ts'
import type { Route } from '../platform/route.ts'
import { sandboxFaults } from './contract.ts'

/** Like `on`; outside the sandbox every call is refused, whatever the shape of what it sends. */
export function inSandbox<R extends Route>(environment: Environment, route: R, handler: Handler<R>): Mounted {
  if (environment === 'sandbox') return on(route, handler)
  return { route, handle: () => Promise.reject(new Rejected(404, sandboxFaults.production)) }
}
