import type { Environment } from '../../keys/secret.ts'
import type { Sessions } from '../../operators/sessions.ts'
import { selectOptionalOperator } from '../../operators/store.ts'
import { countRecoveryCodes } from '../../operators/second-factor.ts'
import { answer, on, type Mounted } from '../../http/mount.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { type AnswerOf, basePathOf } from '../../http/route.ts'
import { sessionRoutes } from './session-contract.ts'
import type { SignInProvider } from '../../operators/oidc.ts'
import {
  signInByPassword,
  type SignInNeeds,
  signInByLink as signInBy,
  changePassword as change,
} from '../../operators/sign-in.ts'
import { refuseForeignSite, type ConsoleAddress } from '../../operators/visit.ts'
import { beginOwnSetup, finishOwnSetup, removeOwnSecondFactor } from '../../operators/second-factor-setup.ts'

/** GET /me. */
export const whoAmI = (needs: { db: Queryable; environment: Environment; sessions: Sessions }): Mounted =>
  on(sessionRoutes.whoAmI, async ({ operator, visit }) => {
    const { id, name, role } = operator
    const account = id === undefined ? undefined : await selectOptionalOperator(needs.db, id)
    const me: AnswerOf<typeof sessionRoutes.whoAmI> = {
      operatorId: id ?? null,
      name,
      role,
      environment: needs.environment,
      csrfToken: id === undefined ? null : (needs.sessions.csrfTokenOf(visit) ?? null),
      signedInBy: (await needs.sessions.signedInBy(operator)) ?? null,
      hasPassword: account?.hasPassword ?? false,
      secondFactor: {
        isSetUp: account?.hasSecondFactor ?? false,
        mustSetUp: operator.lacksSecondFactor === true,
        recoveryCodesLeft: id === undefined ? 0 : await countRecoveryCodes(needs.db, id),
      },
    }
    return answer(200, me)
  })

/** GET /sign-in/ways. */
export const signInWays = ({ provider }: { provider: SignInProvider | undefined }): Mounted =>
  on(sessionRoutes.signInWays, async () => {
    const begin = sessionRoutes.beginOidc
    const ways: AnswerOf<typeof sessionRoutes.signInWays> = {
      password: true,
      oidc: provider ? { name: provider.name, path: `${basePathOf(begin)}${begin.path}` } : null,
    }
    return answer(200, ways)
  })

/** POST /sign-in. */
export const signIn = (needs: SignInNeeds & { consoleAddress: ConsoleAddress }): Mounted =>
  on(sessionRoutes.signIn, async ({ body: { name, password, code }, visit, requestId }) => {
    // Else another site could sign somebody in under a name of its own, and watch what is done there.
    refuseForeignSite(visit, needs.consoleAddress)
    const { headers, csrfToken } = await signInByPassword(
      needs,
      { name, password, code },
      { visit, requestId },
    )
    return { ...answer(200, { csrfToken }), headers }
  })

/** POST /sign-in/link. */
export const signInByLink = (needs: SignInNeeds & { consoleAddress: ConsoleAddress }): Mounted =>
  on(sessionRoutes.signInByLink, async ({ body: { token, code }, visit, requestId }) => {
    refuseForeignSite(visit, needs.consoleAddress)
    const { headers, csrfToken } = await signInBy(needs, { token, code }, { visit, requestId })
    return { ...answer(200, { csrfToken }), headers }
  })

/** POST /sign-out. A token stays as it is: `ari token revoke` ends it. */
export const signOut = ({ sessions }: { sessions: Sessions }): Mounted =>
  on(sessionRoutes.signOut, async ({ visit, operator }) => ({
    ...answer(200, {}),
    headers: await sessions.end(visit, operator),
  }))

/** POST /me/password. */
export const changePassword = (needs: SignInNeeds): Mounted =>
  on(sessionRoutes.changePassword, async ({ body: { current, next }, operator, visit, requestId }) => {
    const { headers, csrfToken } = await change(needs, { current, next }, { operator, visit, requestId })
    return { ...answer(200, { csrfToken }), headers }
  })

/** POST /me/second-factor and what is below it: everybody's own. */

export const beginSecondFactor = (needs: SignInNeeds & { environment: Environment }): Mounted =>
  on(sessionRoutes.beginSecondFactor, async ({ body: { code }, operator, visit, requestId }) => {
    const issuer = `ARI gateway (${needs.environment})`
    return answer(200, await beginOwnSetup({ ...needs, issuer }, code, { operator, visit, requestId }))
  })

export const confirmSecondFactor = (needs: SignInNeeds): Mounted =>
  on(sessionRoutes.confirmSecondFactor, async ({ body: { code }, operator, visit, requestId }) => {
    const asking = { operator, visit, requestId }
    const { headers, csrfToken, recoveryCodes } = await finishOwnSetup(needs, code, asking)
    return { ...answer(200, { csrfToken, recoveryCodes }), headers }
  })

export const removeSecondFactor = (needs: SignInNeeds): Mounted =>
  on(sessionRoutes.removeSecondFactor, async ({ body: { code }, operator, visit, requestId }) => {
    const { headers, csrfToken } = await removeOwnSecondFactor(needs, code, { operator, visit, requestId })
    return { ...answer(200, { csrfToken }), headers }
  })
