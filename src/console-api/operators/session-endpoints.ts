import type { Environment } from '../../keys/secret.ts'
import {
  addressSeenBy,
  type Sessions,
  refuseForeignSite,
  type ConsoleAddress,
  endedOidcCookie,
  oidcCookie,
  oidcCookieOf,
} from '../../operators/sessions/sessions.ts'
import { selectOptionalOperator } from '../../operators/accounts/store.ts'
import { countRecoveryCodes } from '../../operators/accounts/second-factor.ts'
import { answer, on, type Mounted, type Answer } from '../../http/calls/mount.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { basePathOf } from '../../http/route.ts'
import { sessionRoutes, type OidcProblem } from './contract.ts'
import type { SignInProvider } from '../../operators/sign-in/oidc.ts'
import {
  signInByPassword,
  type SignInNeeds,
  signInByLink as signInBy,
  changePassword as change,
  signIn as beginSession,
  auditSignInRefusal,
} from '../../operators/sign-in/sign-in.ts'
import {
  beginOwnSetup,
  finishOwnSetup,
  removeOwnSecondFactor,
} from '../../operators/sign-in/second-factor-setup.ts'
import { optionalAccountOf, useStateOnce } from '../../operators/sign-in/oidc-account.ts'
import { requestSignUp, type SignUpNeeds } from '../../sandbox/sign-up.ts'
import type { Visit } from '../../http/calls/call.ts'
import { Rejected } from '../../http/rejected.ts'

/** GET /me. */
export const whoAmI = (needs: { db: Queryable; environment: Environment; sessions: Sessions }): Mounted =>
  on(sessionRoutes.whoAmI, async ({ operator, visit }) => {
    const { id, name, role, supplier = null } = operator
    const account = id === undefined ? undefined : await selectOptionalOperator(needs.db, id)
    return answer(200, {
      operatorId: id ?? null,
      name,
      role,
      supplier,
      environment: needs.environment,
      csrfToken: id === undefined ? null : (needs.sessions.csrfTokenOf(visit) ?? null),
      signedInBy: (await needs.sessions.signedInBy(operator)) ?? null,
      hasPassword: account?.hasPassword ?? false,
      secondFactor: {
        isSetUp: account?.hasSecondFactor ?? false,
        mustSetUp: operator.lacksSecondFactor === true,
        recoveryCodesLeft: id === undefined ? 0 : await countRecoveryCodes(needs.db, id),
      },
    })
  })

/** GET /sign-in/ways. */
export const signInWays = ({
  provider,
  consoleAddress: { pathPrefix },
  signUp: mayBeAsked,
}: {
  provider: SignInProvider | undefined
  consoleAddress: ConsoleAddress
  signUp: SignUpNeeds['signUp']
}): Mounted =>
  on(sessionRoutes.signInWays, async () => {
    const begin = sessionRoutes.beginOidc
    return answer(200, {
      password: true,
      oidc: provider ? { name: provider.name, path: `${pathPrefix}${basePathOf(begin)}${begin.path}` } : null,
      signUp: mayBeAsked !== undefined,
    })
  })

/** POST /sign-up. */
export const signUp = (needs: SignUpNeeds & { consoleAddress: ConsoleAddress }): Mounted =>
  on(sessionRoutes.signUp, async ({ body: { email, company }, visit }) => {
    refuseForeignSite(visit, needs.consoleAddress)
    await requestSignUp(needs, { email: email.trim(), company: company.trim() }, { visit })
    return answer(202, {})
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

type OidcNeeds = SignInNeeds & { provider: SignInProvider | undefined; consoleAddress: ConsoleAddress }

/** GET /sign-in/oidc: redirects to the provider. */
export const beginOidc = (needs: OidcNeeds): Mounted =>
  on(sessionRoutes.beginOidc, async ({ visit, requestId }) => {
    const { provider, consoleAddress, log } = needs
    if (!provider) throw noProvider()
    try {
      const { url, flowState } = await provider.begin(callbackUrl(visit, consoleAddress))
      return seeOther(url, oidcCookie(flowState, visit, consoleAddress))
    } catch (error) {
      log.warn({ err: error, requestId }, 'the OpenID provider could not be reached')
      return backToSignIn(consoleAddress, 'provider')
    }
  })

/** GET /sign-in/oidc/callback: redirects to a page, whatever happens: the browser displays no JSON. */
export const finishOidc = (needs: OidcNeeds): Mounted =>
  on(sessionRoutes.finishOidc, async ({ visit, requestId, query }) => {
    const { provider, consoleAddress, log } = needs
    if (!provider) throw noProvider()
    const flowState = oidcCookieOf(visit, consoleAddress)
    const ended = endedOidcCookie(visit, consoleAddress)
    const back = (problem: OidcProblem) => backToSignIn(consoleAddress, problem, ended)
    if (flowState === undefined || flowState === '') return back('expired')
    const url = new URL(callbackUrl(visit, consoleAddress))
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
    try {
      const identity = await provider.finish(url, flowState)
      if (!(await useStateOnce(needs.db, flowState))) return back('expired')
      const account = await optionalAccountOf(needs, identity, provider.newcomerRole, { visit, requestId })
      if (account === undefined) {
        const subject = `OpenID account ${JSON.stringify(identity.email ?? identity.subject)}`
        await auditSignInRefusal(needs, { subject, why: { reason: 'openid' } }, { visit, requestId })
        return back('unknown')
      }
      const { headers } = await beginSession(needs, account, { by: 'oidc' }, { visit, requestId })
      return seeOther(`${consoleAddress.pathPrefix}/console`, headers['set-cookie'], ended)
    } catch (error) {
      if (error instanceof Rejected) return back('unknown')
      log.warn({ err: error, requestId }, 'a sign-in by the OpenID provider failed')
      return back('provider')
    }
  })

function callbackUrl(visit: Visit, address: ConsoleAddress): string {
  const { finishOidc: route } = sessionRoutes
  return `${addressSeenBy(visit, address)}${basePathOf(route)}${route.path}`
}

function backToSignIn({ pathPrefix }: ConsoleAddress, problem: OidcProblem, ...cookies: string[]): Answer {
  return seeOther(`${pathPrefix}/console/sign-in?problem=${problem}`, ...cookies)
}

function seeOther(location: string, ...cookies: string[]): Answer {
  const headers = { location, ...(cookies.length === 0 ? {} : { 'set-cookie': cookies }) }
  return { ...answer(303, {}), headers }
}

function noProvider(): Rejected {
  return new Rejected(404, {
    type: 'NO_SIGN_IN_PROVIDER',
    message: 'No OpenID provider is configured',
    hint: 'Set ARI_OIDC_ISSUER, ARI_OIDC_CLIENT_ID and ARI_PUBLIC_URL',
  })
}
