import type { NamedPush } from '../hotels/contract.ts'
import type { PushListed } from './contract.ts'
import type { LoggedPush } from './store.ts'

/** A push as shown in lists. */
export function shownPush({ atMs: _atMs, ...push }: LoggedPush): PushListed {
  return push
}

/** A reference to a push. */
export function namedPush({ pushId, requestId, at, outcome }: LoggedPush): NamedPush {
  return { pushId, requestId, at, outcome }
}
