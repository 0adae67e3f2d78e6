import Type from 'typebox'
import {
  codeLengthMax,
  operatorNameLengthMax,
  passwordLength,
  type SecondFactorSetup,
  type SignInMethod,
  type AuditedChange,
  type SignInLink,
  type StoredOperator,
} from '../../operators/contract.ts'
import { signUpLimits } from '../../operators/sign-up-contract.ts'
import {
  queryText,
  consoleRoute,
  openConsoleRoute,
  text,
  type OperatorRole,
  oneOf,
  operatorRoles,
} from '../../http/route.ts'

type Me = {
  /** Null for a token. */
  operatorId: number | null
  name: string
  role: OperatorRole
  /** Of people of a supplier, whose role `operator` is called manager; null for operators. */
  supplier: { supplierId: number; name: string } | null
  environment: 'sandbox' | 'production'
  /** Send it as x-csrf-token with every change; null for a token, which needs none. */
  csrfToken: string | null
  signedInBy: SignInMethod | null
  hasPassword: boolean
  secondFactor: {
    isSetUp: boolean
    /** Nothing else works in this session until there is one. */
    mustSetUp: boolean
    recoveryCodesLeft: number
  }
}

/** Shown only once. */
type SecondFactorConfirmed = SignedIn & { recoveryCodes: string[] }

/** GET /me has everything else. */
type SignedIn = { csrfToken: string }

type SignInWays = {
  password: true
  /** Name and path of the OpenID provider; null: none is configured. */
  oidc: { name: string; path: string } | null
  /** Whether suppliers' developers may make an account of the sandbox: POST /sign-up. */
  signUp: boolean
}

/** Why an OpenID sign-in failed: `problem` in the query of the page that follows. */
const oidcProblems = ['provider', 'expired', 'unknown'] as const
export type OidcProblem = (typeof oidcProblems)[number]

const password = {
  secret: true,
  maxLength: passwordLength.max,
  errors: {
    minLength: {
      type: 'TOO_SHORT',
      message: `A password must have at least ${passwordLength.min} characters`,
      hint: 'Several unrelated words work well',
    },
    required: { type: 'REQUIRED', message: 'Password is required' },
  },
}
/** From the authenticator app, or a recovery code. */
const code = () => text({ secret: true, maxLength: codeLengthMax })
const providerSays = () => Type.Optional(text({ secret: true, maxLength: 4_000 }))

/** People sometimes type the password as the name: no answer repeats any part of these bodies. */
export const sessionRoutes = {
  whoAmI: consoleRoute<Me>()({
    method: 'GET',
    path: '/me',
    forSuppliers: 'oneself',
    isBeforeSecondFactor: true,
  }),
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
  /** Answers the same whatever there is: what follows is in the mail. */
  signUp: openConsoleRoute<Record<string, never>>()({
    method: 'POST',
    path: '/sign-up',
    body: Type.Object(
      {
        email: text({ secret: true, maxLength: operatorNameLengthMax }),
        company: text({ secret: true, maxLength: signUpLimits.companyLengthMax }),
      },
      { secret: true },
    ),
  }),
  signInWays: openConsoleRoute<SignInWays>()({ method: 'GET', path: '/sign-in/ways' }),
  /** The browser navigates to both of them, and is redirected. */
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
    forSuppliers: 'oneself',
    isBeforeSecondFactor: true,
  }),
  /** For one's own password, so viewers may too. Ends the operator's other sessions; this one gets a new secret. */
  changePassword: consoleRoute<SignedIn>()({
    method: 'POST',
    path: '/me/password',
    forSuppliers: 'oneself',
    isBeforeSecondFactor: true,
    body: Type.Object(
      {
        current: Type.Optional(text({ secret: true, maxLength: passwordLength.max })),
        next: text({ ...password, minLength: passwordLength.min }),
      },
      { secret: true },
    ),
  }),
  /** Returns a secret for an authenticator app; operators who have a second factor must send a code. */
  beginSecondFactor: consoleRoute<SecondFactorSetup>()({
    method: 'POST',
    path: '/me/second-factor',
    forSuppliers: 'oneself',
    isBeforeSecondFactor: true,
    body: Type.Object({ code: Type.Optional(code()) }, { secret: true }),
  }),
  /** A code proves that the app has the secret. Ends the operator's other sessions. */
  confirmSecondFactor: consoleRoute<SecondFactorConfirmed>()({
    method: 'POST',
    path: '/me/second-factor/confirm',
    forSuppliers: 'oneself',
    isBeforeSecondFactor: true,
    body: Type.Object({ code: code() }, { secret: true }),
  }),
  removeSecondFactor: consoleRoute<SignedIn>()({
    method: 'POST',
    path: '/me/second-factor/remove',
    forSuppliers: 'oneself',
    body: Type.Object({ code: Type.Optional(code()) }, { secret: true }),
  }),
}

type OperatorList = { operators: StoredOperator[] }
type ChangedOperator = { operator: StoredOperator }
/** The link is shown only once. */
type OperatorWithLink = { operator: StoredOperator; link: SignInLink }

const params = Type.Object({ operatorId: text({ maxLength: 20 }) })

/** Admins only. */
export const operatorRoutes = {
  listOperators: consoleRoute<OperatorList>()({ method: 'GET', path: '/operators', role: 'admin' }),
  createOperator: consoleRoute<OperatorWithLink>()({
    method: 'POST',
    path: '/operators',
    role: 'admin',
    body: Type.Object({ name: text({ maxLength: operatorNameLengthMax }), role: oneOf(operatorRoles) }),
  }),
  changeOperatorRole: consoleRoute<ChangedOperator>()({
    method: 'POST',
    path: '/operators/{operatorId}/role',
    role: 'admin',
    params,
    body: Type.Object({ role: oneOf(operatorRoles) }),
  }),
  disableOperator: consoleRoute<ChangedOperator>()({
    method: 'POST',
    path: '/operators/{operatorId}/disable',
    role: 'admin',
    params,
  }),
  enableOperator: consoleRoute<ChangedOperator>()({
    method: 'POST',
    path: '/operators/{operatorId}/enable',
    role: 'admin',
    params,
  }),
  resetSecondFactor: consoleRoute<ChangedOperator>()({
    method: 'POST',
    path: '/operators/{operatorId}/reset-second-factor',
    role: 'admin',
    params,
  }),
  createSignInLink: consoleRoute<OperatorWithLink>()({
    method: 'POST',
    path: '/operators/{operatorId}/sign-in-link',
    role: 'admin',
    params,
  }),
}

/** Names for the codes and numbers in the changes of a page. */
export type MentionedHotel = {
  hotelId: number
  name: string
  rooms: { code: string; name: string }[]
  rates: { code: string; name: string }[]
}

type AuditPage = {
  changes: AuditedChange[]
  hotels: MentionedHotel[]
  /** Whose the mentioned keys are. */
  keys: { keyId: number; supplierId: number }[]
  nextCursor: string | null
}

export const auditPageLimit = { max: 200, usual: 50 }

export const auditRoutes = {
  /** `operator` is the full name, `action` a full action or its beginning (`key.`), `subject` any part. */
  listAudit: consoleRoute<AuditPage>()({
    method: 'GET',
    path: '/audit',
    query: Type.Object({
      operator: queryText(),
      action: queryText(),
      subject: queryText(),
      hotelId: queryText('platformHotelId'),
      supplierId: queryText('Number of the supplier: with its keys and hotels'),
      since: queryText(),
      until: queryText(),
      cursor: queryText(),
      limit: queryText(),
    }),
  }),
}
