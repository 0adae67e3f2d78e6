import { Rejected, reportedValue } from '../../http/rejected.ts'
import type { StoredOperator } from '../contract.ts'

/** Why a change of an operator, or of somebody of a supplier, is refused. */

export function ownSecondFactor(): Rejected {
  return new Rejected(409, {
    type: 'OWN_SECOND_FACTOR',
    message: 'Removing your own second factor requires one of its codes',
    hint: 'Use the menu under your name; without the app and recovery codes, ask another admin, or run: npx ari operator reset-second-factor NAME',
  })
}

export function ownSignInLink(): Rejected {
  return new Rejected(409, {
    type: 'OWN_SIGN_IN_LINK',
    message: "You can't create a sign-in link for yourself",
    hint: 'Ask another admin, or run: npx ari operator sign-in-link NAME',
  })
}

/** Else a manager could become anybody of the supplier, with that person's name in the audit log. */
export function hasSignedIn({ name }: StoredOperator): Rejected {
  return new Rejected(409, {
    type: 'PERSON_HAS_SIGNED_IN',
    message: `"${name}" has signed in before: a manager can only create links for a first sign-in`,
    hint: 'Somebody who forgot their password must ask the platform for a link',
  })
}

export function ofSupplier({ name }: StoredOperator): Rejected {
  return new Rejected(409, {
    type: 'PERSON_OF_SUPPLIER',
    message: `"${name}" belongs to a supplier and can't be an admin`,
    hint: 'People of a supplier are viewers or managers of it',
  })
}

export function operatorNotFound(which: number | string): Rejected {
  return new Rejected(404, {
    type: 'OPERATOR_NOT_FOUND',
    message: `Operator ${typeof which === 'number' ? which : `"${String(reportedValue(which))}"`} not found`,
    hint: 'See the list of operators',
  })
}

export function disabledByPlatform({ name }: StoredOperator): Rejected {
  return new Rejected(409, {
    type: 'DISABLED_BY_PLATFORM',
    message: `The platform disabled "${name}"`,
    hint: 'Only the platform can enable this account again: ask your contact there',
  })
}
