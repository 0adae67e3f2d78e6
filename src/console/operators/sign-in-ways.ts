import type { SignInProvider } from '../../operators/oidc.ts'
import { answer, on, type Mounted } from '../../http/mount.ts'
import { basePathOf, type AnswerOf } from '../../http/route.ts'
import { sessionRoutes } from './session-contract.ts'

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
