import { optionalAccountOf, useStateOnce } from '../../operators/oidc-account.ts'
import type { SignInProvider } from '../../operators/oidc.ts'
import { signIn, auditSignInRefusal, type SignInNeeds } from '../../operators/sign-in.ts'
import {
  endedOidcCookie,
  oidcCookie,
  oidcCookieOf,
  originOf,
  type ConsoleAddress,
} from '../../operators/visit.ts'
import type { Visit } from '../../http/call.ts'
import { answer, on, type Answer, type Mounted } from '../../http/mount.ts'
import { Rejected } from '../../http/rejected.ts'
import { basePathOf } from '../../http/route.ts'
import { sessionRoutes, type OidcProblem } from './session-contract.ts'

/** GET /sign-in/oidc and its callback. They redirect: people see pages, never these answers. */

type OidcNeeds = SignInNeeds & { provider: SignInProvider | undefined; consoleAddress: ConsoleAddress }

export const beginOidc = (needs: OidcNeeds): Mounted =>
  on(sessionRoutes.beginOidc, async ({ visit, requestId }) => {
    const { provider, consoleAddress, log } = needs
    if (!provider) throw noProvider()
    try {
      const { url, flowState } = await provider.begin(callbackUrl(visit, consoleAddress))
      return seeOther(url, oidcCookie(flowState, visit, consoleAddress))
    } catch (error) {
      log.warn({ err: error, requestId }, 'the OpenID provider could not be reached')
      return backToSignIn('provider')
    }
  })

export const finishOidc = (needs: OidcNeeds): Mounted =>
  on(sessionRoutes.finishOidc, async ({ visit, requestId, query }) => {
    const { provider, consoleAddress, log } = needs
    if (!provider) throw noProvider()
    const flowState = oidcCookieOf(visit, consoleAddress)
    const ended = endedOidcCookie(visit, consoleAddress)
    const back = (problem: OidcProblem) => backToSignIn(problem, ended)
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
      const { headers } = await signIn(needs, account, { by: 'oidc' }, { visit, requestId })
      return seeOther('/console', headers['set-cookie'], ended)
    } catch (error) {
      if (error instanceof Rejected) return back('unknown')
      log.warn({ err: error, requestId }, 'a sign-in by the OpenID provider failed')
      return back('provider')
    }
  })

function callbackUrl(visit: Visit, address: ConsoleAddress): string {
  const { finishOidc: route } = sessionRoutes
  return `${originOf(visit, address)}${basePathOf(route)}${route.path}`
}

function backToSignIn(problem: OidcProblem, ...cookies: string[]): Answer {
  return seeOther(`/console/sign-in?problem=${problem}`, ...cookies)
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
