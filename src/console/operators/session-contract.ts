import Type from 'typebox'
import {
  codeLengthMax,
  operatorNameLengthMax,
  passwordLength,
  type SecondFactorSetup,
  type WayToSignIn,
} from '../../operators/contract.ts'
import { consoleRoute, openConsoleRoute, text, type OperatorRole } from '../../http/route.ts'

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
  secondFactor: {
    isSetUp: boolean
    /** Nothing else works for this session until there is one. */
    mustSetUp: boolean
    recoveryCodesLeft: number
  }
}

/** Shown once. */
export type SecondFactorConfirmed = SignedIn & { recoveryCodes: string[] }

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
/** Of the authenticator app, or for recovery. */
const code = () => text({ secret: true, maxLength: codeLengthMax })
const providerSays = () => Type.Optional(text({ secret: true, maxLength: 4_000 }))

/** People type passwords where the name belongs: no answer repeats anything of these bodies. */
export const sessionRoutes = {
  whoAmI: consoleRoute<Me>()({ method: 'GET', path: '/me', isBeforeSecondFactor: true }),
  signIn: openConsoleRoute<SignedIn>()({
    method: 'POST',
    path: '/sign-in',
    body: Type.Object(
      {
        name: text({ secret: true, maxLength: operatorNameLengthMax }),
        password: text({ secret: true, maxLength: passwordLength.max }),
        code: Type.Optional(code()),
      },
      { secret: true },
    ),
  }),
  signInByLink: openConsoleRoute<SignedIn>()({
    method: 'POST',
    path: '/sign-in/link',
    body: Type.Object(
      { token: text({ secret: true, maxLength: 100 }), code: Type.Optional(code()) },
      { secret: true },
    ),
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
  signOut: consoleRoute<Record<string, never>>()({
    method: 'POST',
    path: '/sign-out',
    isBeforeSecondFactor: true,
  }),
  /** Everybody's own, so viewers may too. Ends the operator's sessions but this one, which gets a new secret. */
  changePassword: consoleRoute<SignedIn>()({
    method: 'POST',
    path: '/me/password',
    isBeforeSecondFactor: true,
    body: Type.Object(
      {
        current: Type.Optional(text({ secret: true, maxLength: passwordLength.max })),
        next: text({ ...password, minLength: passwordLength.min }),
      },
      { secret: true },
    ),
  }),
  /** A secret for an authenticator app; whoever has a second factor sends a code of it. */
  beginSecondFactor: consoleRoute<SecondFactorSetup>()({
    method: 'POST',
    path: '/me/second-factor',
    isBeforeSecondFactor: true,
    body: Type.Object({ code: Type.Optional(code()) }, { secret: true }),
  }),
  /** A code of the app shows that it has the secret. Ends the operator's other sessions. */
  confirmSecondFactor: consoleRoute<SecondFactorConfirmed>()({
    method: 'POST',
    path: '/me/second-factor/confirm',
    isBeforeSecondFactor: true,
    body: Type.Object({ code: code() }, { secret: true }),
  }),
  removeSecondFactor: consoleRoute<SignedIn>()({
    method: 'POST',
    path: '/me/second-factor/remove',
    body: Type.Object({ code: Type.Optional(code()) }, { secret: true }),
  }),
}
