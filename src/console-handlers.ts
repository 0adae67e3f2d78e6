import type { ConsoleRouteName } from './console/contract.ts'
import { whoAmI } from './console/who-am-i.ts'
import type { Environment } from './keys/secret.ts'
import type { Mounted } from './platform/mount.ts'
import type { Needs } from './platform/needs.ts'

/** What the handlers of the console need of the service around them. */
export type ConsoleNeeds = Needs & { environment: Environment }

/** Every console route's handler; the compiler demands one for each. */
export const consoleHandlers: Readonly<Record<ConsoleRouteName, (needs: ConsoleNeeds) => Mounted>> = {
  whoAmI,
}
