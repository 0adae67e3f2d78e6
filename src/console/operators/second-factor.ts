import type { Environment } from '../../keys/secret.ts'
import { beginOwnSetup, finishOwnSetup, removeOwn } from '../../operators/second-factor-setup.ts'
import type { SignInNeeds } from '../../operators/sign-in.ts'
import { answer, on, type Mounted } from '../../http/mount.ts'
import { sessionRoutes } from './session-contract.ts'

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
    const { headers, csrfToken } = await removeOwn(needs, code, { operator, visit, requestId })
    return { ...answer(200, { csrfToken }), headers }
  })
