import { changePassword as change, type SignInNeeds } from '../../operators/sign-in.ts'
import { answer, on, type Mounted } from '../../http/mount.ts'
import { sessionRoutes } from './session-contract.ts'

/** POST /me/password. */
export const changePassword = (needs: SignInNeeds): Mounted =>
  on(sessionRoutes.changePassword, async ({ body: { current, next }, operator, visit, requestId }) => {
    const { headers, csrfToken } = await change(needs, { current, next }, { operator, visit, requestId })
    return { ...answer(200, { csrfToken }), headers }
  })
