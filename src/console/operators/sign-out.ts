import type { Door } from '../../operators/door.ts'
import { answer, on, type Mounted } from '../../http/mount.ts'
import { sessionRoutes } from './session-contract.ts'

/** POST /sign-out. A token stays as it is: `ari token revoke` ends it. */
export const signOut = ({ door }: { door: Door }): Mounted =>
  on(sessionRoutes.signOut, async ({ visit, operator }) => ({
    ...answer(200, {}),
    headers: await door.end(visit, operator),
  }))
