import type { OperatorRole } from '../http/route.ts'

/** An operator as admins see one. */
export type StoredOperator = {
  operatorId: number
  name: string
  role: OperatorRole
  hasPassword: boolean
  /** Whether an account of the OpenID provider is tied to this one. */
  isLinked: boolean
  hasSecondFactor: boolean
  createdAt: string
  disabledAt: string | null
  lastSignInAt: string | null
}

/** How somebody proved who they are. Who came by a link may choose a password without the old one. */
export const waysToSignIn = ['password', 'link', 'oidc'] as const
export type WayToSignIn = (typeof waysToSignIn)[number]

/** The token belongs behind `/console/sign-in#token=`; it signs in once. */
export type SignInLink = { token: string; expiresAt: string }

/** For an authenticator app: as text, and as the address in a QR code. Shown until a code confirms it. */
export type SecondFactorSetup = { secret: string; uri: string }

/** Of a code, whether of the app or for recovery, with its hyphens. */
export const codeLengthMax = 40

export const operatorNameLengthMax = 100
export const passwordLength = { min: 12, max: 200 }

/** One change, with what it was and what it is, or what was refused how often; those who made it may be gone. */
export type AuditedChange = {
  id: number
  at: string
  /** Null for a token and for the command line. */
  operatorId: number | null
  operator: string
  /** Null when nobody has the name. */
  role: OperatorRole | null
  action: string
  subject: string
  before: unknown
  after: unknown
  requestId: string | null
  address: string | null
}
