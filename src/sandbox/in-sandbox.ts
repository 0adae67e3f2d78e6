import type { Environment } from '../keys/secret.ts'
import type { Mounted } from '../http/mount.ts'
import { Rejected } from '../http/rejected.ts'
import { sandboxErrors } from './contract.ts'

/** The endpoint in the sandbox; outside it every call is refused, whatever the shape of its request. */
export function inSandbox(environment: Environment, mounted: Mounted): Mounted {
  if (environment === 'sandbox') return mounted
  return {
    route: mounted.route,
    prepare: () => {},
    handle: () => Promise.reject(new Rejected(404, sandboxErrors.production)),
  }
}
