import type { Environment } from '../keys/secret.ts'
import { answer, on, type Mounted } from '../platform/mount.ts'
import type { AnswerOf } from '../platform/route.ts'
import { sessionRoutes } from './session-contract.ts'

/** GET /me. */
export const whoAmI = ({ environment }: { environment: Environment }): Mounted =>
  on(sessionRoutes.whoAmI, async ({ operator: { name, role } }) => {
    const me: AnswerOf<typeof sessionRoutes.whoAmI> = { name, role, environment }
    return answer(200, me)
  })
