import Type from 'typebox'
import type { WayToSignIn } from '../operators/contract.ts'
import { operatorNameLengthMax, passwordLength } from '../operators/contract.ts'
import { consoleRoute, openConsoleRoute, text, type OperatorRole } from '../platform/route.ts'

export type Me = {
  /** Null for a token. */
  operatorId: number | null
  name: string
  role: OperatorRole
  environment: 'sandbox' | 'production'
  /** To be sent as x-csrf-token with every change; null for a token, which needs none. */
  csrfToken: string | null
  signedInBy: WayToSignIn | null
  hasPassword: boolean
}

/** What else to know, GET /me tells. */
export type SignedIn = { csrfToken: string }

export type SignInWays = {
  password: true
  /** Where to go for the OpenID provider, and its name; null: there is none. */
  oidc: { name: string; path: string } | null
}

/** Why a sign-in by OpenID failed: `problem` in the query of the page that comes after it. */
export const oidcProblems = ['provider', 'expired', 'unknown'] as const
export type OidcProblem = (typeof oidcProblems)[number]

const password = {
  secret: true,
  maxLength: passwordLength.max,
  errors: {
    minLength: {
      type: 'TOO_SHORT',
      message: `A password must have at least ${passwordLength.min} characters`,
      hint: 'Several words that do not belong together are good',
    },
    required: { type: 'REQUIRED', message: 'Password is required' },
  },
}
const providerSays = () => Type.Optional(text({ secret: true, maxLength: 4_000 }))

/** People type passwords where the name belongs: no answer repeats anything of these bodies. */
export const sessionRoutes = {
  whoAmI: consoleRoute<Me>()({ method: 'GET', path: '/me' }),
  signIn: openConsoleRoute<SignedIn>()({
    method: 'POST',
    path: '/sign-in',
    body: Type.Object(
      {
        name: text({ secret: true, maxLength: operatorNameLengthMax }),
        password: text({ secret: true, maxLength: passwordLength.max }),
      },
      { secret: true },
    ),
  }),
  signInByLink: openConsoleRoute<SignedIn>()({
    method: 'POST',
    path: '/sign-in/link',
    body: Type.Object({ token: text({ secret: true, maxLength: 100 }) }, { secret: true }),
  }),
  signInWays: openConsoleRoute<SignInWays>()({ method: 'GET', path: '/sign-in/ways' }),
  /** Both are gone to by the browser, and send it on. */
  beginOidc: openConsoleRoute<Record<string, never>>()({ method: 'GET', path: '/sign-in/oidc' }),
  finishOidc: openConsoleRoute<Record<string, never>>()({
    method: 'GET',
    path: '/sign-in/oidc/callback',
    query: Type.Object({
      code: providerSays(),
      state: providerSays(),
      iss: providerSays(),
      error: providerSays(),
      error_description: providerSays(),
    }),
  }),
  signOut: consoleRoute<Record<string, never>>()({ method: 'POST', path: '/sign-out' }),
  /** Everybody's own, so viewers may too. Ends the operator's sessions but this one, which gets a new secret. */
  changePassword: consoleRoute<SignedIn>()({
    method: 'POST',
    path: '/me/password',
    body: Type.Object(
      {
        current: Type.Optional(text({ secret: true, maxLength: passwordLength.max })),
        next: text({ ...password, minLength: passwordLength.min }),
      },
      { secret: true },
    ),
  }),
}
