import { signInByPassword, type SignInNeeds } from '../../operators/sign-in.ts'
import { refuseForeignSite, type ConsoleAddress } from '../../operators/visit.ts'
import { answer, on, type Mounted } from '../../http/mount.ts'
import { sessionRoutes } from './session-contract.ts'

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
