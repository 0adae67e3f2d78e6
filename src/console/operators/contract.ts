import Type from 'typebox'
import type { AuditedChange, SignInLink, StoredOperator } from '../../operators/contract.ts'
import { operatorNameLengthMax } from '../../operators/contract.ts'
import { consoleRoute, oneOf, operatorRoles, text } from '../../http/route.ts'

export type OperatorList = { operators: StoredOperator[] }
export type ChangedOperator = { operator: StoredOperator }
/** The link is shown only once. */
export type OperatorWithLink = { operator: StoredOperator; link: SignInLink }

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

export type AuditPage = { changes: AuditedChange[]; nextCursor: string | null }

export const auditPageLimit = { max: 200, usual: 50 }

const queried = () => Type.Optional(text({ maxLength: 200 }))

export const auditRoutes = {
  /** `operator` is the full name, `action` a full action or its beginning (`key.`), `subject` any part. */
  listAudit: consoleRoute<AuditPage>()({
    method: 'GET',
    path: '/audit',
    query: Type.Object({
      operator: queried(),
      action: queried(),
      subject: queried(),
      since: queried(),
      until: queried(),
      cursor: queried(),
      limit: queried(),
    }),
  }),
}
