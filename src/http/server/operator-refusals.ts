import type { Operator } from '../calls/call.ts'
import { Rejected } from '../rejected.ts'
import { operatorRoles, type Route } from '../route.ts'

/** Why a route of the console is refused to somebody who presented no session, or a session that is not enough. */

export function notSignedIn(): Rejected {
  return new Rejected(401, {
    type: 'NOT_SIGNED_IN',
    message: 'Not signed in',
    hint: 'Sign in at /console, or send an operator token as "Authorization: Bearer …"',
  })
}

/** For the audit log, too; undefined if the operator may call the route. */
export function refusalByRole(operator: Operator, route: Route): Rejected | undefined {
  if (operator.supplier && !route.forSuppliers) {
    return new Rejected(403, {
      type: 'NOT_FOR_SUPPLIERS',
      message: 'This is for operators of the platform',
      hint: "You see your own supplier's hotels, pushes, reservations, deliveries and price checks",
    })
  }
  const least = (operator.supplier && route.roleOfSuppliers) ?? route.role ?? 'viewer'
  if (operatorRoles.indexOf(operator.role) >= operatorRoles.indexOf(least)) return undefined
  if (operator.supplier) {
    return new Rejected(403, {
      type: 'ROLE_TOO_LOW',
      message: `This needs the role manager; ${operator.name} has the role viewer`,
      hint: 'Ask a manager of your supplier',
    })
  }
  return new Rejected(403, {
    type: 'ROLE_TOO_LOW',
    message: `This needs the role ${least}; ${operator.name} has the role ${operator.role}`,
    hint: 'Ask an admin of the console',
  })
}

export function secondFactorRequired(): Rejected {
  return new Rejected(403, {
    type: 'SECOND_FACTOR_REQUIRED',
    message: 'A second factor is required here, and you have none yet',
    hint: 'Set one up: the console asks for it after the sign-in; or POST /console/api/me/second-factor',
  })
}
