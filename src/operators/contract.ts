import type { OperatorRole } from '../http/route.ts'

/** An operator as admins see one. */
export type StoredOperator = {
  operatorId: number
  name: string
  role: OperatorRole
  /** Of people of a supplier; null for operators. */
  supplierId: number | null
  hasPassword: boolean
  /** Whether an account of the OpenID provider is linked to this one. */
  isLinked: boolean
  hasSecondFactor: boolean
  createdAt: string
  disabledAt: string | null
  /** Then no manager of the supplier lets the person in again. */
  disabledByPlatform: boolean
  lastSignInAt: string | null
}

/** How an operator signed in. After signing in by link, a new password can be set without the current one. */
export const signInMethods = ['password', 'link', 'oidc'] as const
export type SignInMethod = (typeof signInMethods)[number]

/** The token goes after `/console/sign-in#token=`; it signs in once. */
export type SignInLink = { token: string; expiresAt: string }

/** The secret for an authenticator app, as text and as the URI of a QR code. Shown until a code confirms it. */
export type SecondFactorSetup = { secret: string; uri: string }

/** For codes of the app and recovery codes, including hyphens. */
export const codeLengthMax = 40

export const operatorNameLengthMax = 100
export const passwordLength = { min: 12, max: 200 }

/** What the audit log can say; the console has a sentence for each. */
export type AuditAction =
  | 'alert.acknowledge'
  | 'alert.test'
  | 'ari.open-again'
  | 'ari.stop-sell'
  | 'delivery.release'
  | 'delivery.send-again'
  | 'export.create'
  | 'go-live.needed'
  | 'go-live.not-needed'
  | 'guard.change'
  | 'guard.default'
  | 'hold.discard'
  | 'hold.release'
  | 'hotel.resync'
  | 'key.create'
  | 'key.expire'
  | 'key.limits'
  | 'key.look-up'
  | 'key.revoke'
  | 'key.rotate'
  | 'key.rotate-signing-secret'
  | 'operator.code-refused'
  | 'operator.create'
  | 'operator.disable'
  | 'operator.enable'
  | 'operator.password'
  | 'operator.password-refused'
  | 'operator.role'
  | 'operator.second-factor'
  | 'operator.second-factor-removed'
  | 'operator.second-factor-reset'
  | 'operator.sign-in'
  | 'operator.sign-in-link'
  | 'push.undo'
  | 'reference.add'
  | 'reference.bring-back'
  | 'reference.retire'
  | 'reservation.note'
  | 'reservation.report'
  | 'role.refused'
  | 'sandbox.advance-clock'
  | 'sandbox.book'
  | 'sandbox.cancel'
  | 'sandbox.fault'
  | 'sandbox.push-example'
  | 'sandbox.reset'
  | 'sign-in.refused'
  | 'store.after-restore'
  | 'supplier.abandoned'
  | 'supplier.change'
  | 'supplier.create'
  | 'token.channel'
  | 'token.create'
  | 'token.limits'
  | 'token.revoke'
  | 'vault.forget'
  | 'vault.forgotten'
  | 'webhook.test'
  | 'work.done'
  | 'work.note'
  | 'work.release'
  | 'work.reopen'
  | 'work.snooze'
  | 'work.take'

/** A change with its values before and after, or a refusal with its count; the operator may no longer exist. */
export type AuditedChange = {
  id: number
  at: string
  /** Null for a token and for the command line. */
  operatorId: number | null
  operator: string
  /** Null if nobody has the name; `operator` is a manager when the person belongs to a supplier. */
  role: OperatorRole | null
  /** Name of the supplier that the person belongs to; null for the platform's own people. */
  personOf: string | null
  action: string
  subject: string
  before: unknown
  after: unknown
  requestId: string | null
  address: string | null
}

/** People of a supplier, who see its data alone. */
export const personRoles = ['viewer', 'manager'] as const
export type PersonRole = (typeof personRoles)[number]

/** A manager has the rights of the role `operator`, on the data of the own supplier. */
export const storedRoles: Readonly<Record<PersonRole, OperatorRole>> = {
  viewer: 'viewer',
  manager: 'operator',
}

export function personRoleOf(stored: OperatorRole): PersonRole {
  return stored === 'viewer' ? 'viewer' : 'manager'
}

/** That of an operator, or of a person of a supplier. */
export function roleOf({
  role,
  supplierId,
}: Pick<StoredOperator, 'role' | 'supplierId'>): OperatorRole | PersonRole {
  return supplierId === null ? role : personRoleOf(role)
}
