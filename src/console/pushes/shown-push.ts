import type { NamedPush } from '../hotels/contract.ts'
import type { PushListed } from './contract.ts'
import type { LoggedPush } from './store.ts'

/** A push as lists show it. */
export function shownPush({ atMs: _atMs, ...push }: LoggedPush): PushListed {
  return push
}

/** A push as others refer to it. */
export function namedPush({ pushId, requestId, at, outcome }: LoggedPush): NamedPush {
  return { pushId, requestId, at, outcome }
}
