import type { Environment } from '../../keys/secret.ts'
import type { Door } from '../../operators/door.ts'
import { selectOptionalOperator } from '../../operators/store.ts'
import { countRecoveryCodes } from '../../operators/second-factor.ts'
import { answer, on, type Mounted } from '../../http/mount.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import type { AnswerOf } from '../../http/route.ts'
import { sessionRoutes } from './session-contract.ts'

/** GET /me. */
export const whoAmI = (needs: { db: Queryable; environment: Environment; door: Door }): Mounted =>
  on(sessionRoutes.whoAmI, async ({ operator, visit }) => {
    const { id, name, role } = operator
    const account = id === undefined ? undefined : await selectOptionalOperator(needs.db, id)
    const me: AnswerOf<typeof sessionRoutes.whoAmI> = {
      operatorId: id ?? null,
      name,
      role,
      environment: needs.environment,
      csrfToken: id === undefined ? null : (needs.door.csrfTokenOf(visit) ?? null),
      signedInBy: (await needs.door.signedInBy(operator)) ?? null,
      hasPassword: account?.hasPassword ?? false,
      secondFactor: {
        isSetUp: account?.hasSecondFactor ?? false,
        mustSetUp: operator.lacksSecondFactor === true,
        recoveryCodesLeft: id === undefined ? 0 : await countRecoveryCodes(needs.db, id),
      },
    }
    return answer(200, me)
  })
