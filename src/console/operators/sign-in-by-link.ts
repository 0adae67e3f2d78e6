import { signInByLink as signInBy, type SignInNeeds } from '../../operators/sign-in.ts'
import { refuseForeignSite, type ConsoleAddress } from '../../operators/visit.ts'
import { answer, on, type Mounted } from '../../http/mount.ts'
import { sessionRoutes } from './session-contract.ts'

/** POST /sign-in/link. */
export const signInByLink = (needs: SignInNeeds & { consoleAddress: ConsoleAddress }): Mounted =>
  on(sessionRoutes.signInByLink, async ({ body: { token, code }, visit, requestId }) => {
    refuseForeignSite(visit, needs.consoleAddress)
    const { headers, csrfToken } = await signInBy(needs, { token, code }, { visit, requestId })
    return { ...answer(200, { csrfToken }), headers }
  })
