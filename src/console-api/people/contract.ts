import Type from 'typebox'
import { consoleRoute, oneOf, text } from '../../http/route.ts'
import {
  operatorNameLengthMax,
  personRoles,
  type PersonRole,
  type SignInLink,
  type StoredOperator,
} from '../../operators/contract.ts'

/** People of a supplier, who sign in to the console and see its data alone. */

export type Person = Omit<StoredOperator, 'operatorId' | 'role' | 'supplierId' | 'isLinked'> & {
  personId: number
  role: PersonRole
}
/** The link is shown only once. */
type PersonWithLink = { person: Person; link: SignInLink }

/** Disabled ones too: accounts are kept for good, and their names are taken for everybody. */
export const managedPeopleMax = 100

const ofSupplier = Type.Object({ supplierId: text({ maxLength: 20 }) })
const ofPerson = Type.Object({ ...ofSupplier.properties, personId: text({ maxLength: 20 }) })
const change = { method: 'POST', forSuppliers: 'own', role: 'operator', params: ofPerson } as const

export const peopleRoutes = {
  listPeople: consoleRoute<{ people: Person[] }>()({
    method: 'GET',
    path: '/suppliers/{supplierId}/people',
    forSuppliers: 'own',
    params: ofSupplier,
  }),
  createPerson: consoleRoute<PersonWithLink>()({
    ...change,
    path: '/suppliers/{supplierId}/people',
    params: ofSupplier,
    body: Type.Object({ name: text({ maxLength: operatorNameLengthMax }), role: oneOf(personRoles) }),
  }),
  changePersonRole: consoleRoute<{ person: Person }>()({
    ...change,
    path: '/suppliers/{supplierId}/people/{personId}/role',
    body: Type.Object({ role: oneOf(personRoles) }),
  }),
  disablePerson: consoleRoute<{ person: Person }>()({
    ...change,
    path: '/suppliers/{supplierId}/people/{personId}/disable',
  }),
  enablePerson: consoleRoute<{ person: Person }>()({
    ...change,
    path: '/suppliers/{supplierId}/people/{personId}/enable',
  }),
  createPersonLink: consoleRoute<PersonWithLink>()({
    ...change,
    path: '/suppliers/{supplierId}/people/{personId}/sign-in-link',
  }),
}
