import type { Call } from '../../http/calls/call.ts'
import { answer, on, type Mounted } from '../../http/calls/mount.ts'
import { readId } from '../../http/calls/query.ts'
import { Rejected, reportedValue } from '../../http/rejected.ts'
import type { Revocations } from '../../keys/revocations.ts'
import { personRoleOf, storedRoles, type StoredOperator } from '../../operators/contract.ts'
import {
  disableOperator,
  enableOperator,
  insertOperator,
  newSignInLink,
  setRole,
  type ChangeContext,
} from '../../operators/accounts/manage.ts'
import { selectOperators, selectOptionalOperator } from '../../operators/accounts/store.ts'
import type { Needs, Queryable } from '../../postgres/postgres.ts'
import { transaction } from '../../postgres/transaction.ts'
import { supplierNamed } from '../suppliers/rules.ts'
import { managedPeopleMax, peopleRoutes, type Person } from './contract.ts'

/** The people of a supplier: made and changed by operators, and by the supplier's own managers. */

type PeopleNeeds = Needs & { revocations: Revocations }

/** GET /suppliers/{supplierId}/people. */
export const listPeople = ({ db }: Needs): Mounted =>
  on(peopleRoutes.listPeople, async ({ params }) => {
    const { supplierId } = await supplierNamed(db, params.supplierId)
    const people = await selectOperators(db, supplierId)
    return answer(200, { people: people.map(personOf) })
  })

/** POST /suppliers/{supplierId}/people: the person signs in by the link and chooses a password. */
export const createPerson = (needs: PeopleNeeds): Mounted =>
  on(peopleRoutes.createPerson, async ({ params, body: { name, role }, ...request }) => {
    const { supplierId } = await supplierNamed(needs.db, params.supplierId)
    const newPerson = { name, role: storedRoles[role], supplierId }
    const { operator, link } = await transaction(needs.db, async (connection) => {
      if (request.operator.supplier) await refuseManyPeople(connection, supplierId)
      return insertOperator(connection, newPerson, contextOf(request, needs))
    })
    return answer(200, { person: personOf(operator), link })
  })

export const changePersonRole = (needs: PeopleNeeds): Mounted =>
  on(peopleRoutes.changePersonRole, async ({ params, body: { role }, ...request }) => {
    const id = await personIn(needs.db, params)
    const changed = await setRole(needs.db, id, storedRoles[role], contextOf(request, needs))
    return answer(200, { person: personOf(changed) })
  })

export const disablePerson = (needs: PeopleNeeds): Mounted =>
  on(peopleRoutes.disablePerson, async ({ params, ...request }) => {
    const id = await personIn(needs.db, params)
    return answer(200, { person: personOf(await disableOperator(needs.db, id, contextOf(request, needs))) })
  })

export const enablePerson = (needs: PeopleNeeds): Mounted =>
  on(peopleRoutes.enablePerson, async ({ params, ...request }) => {
    const id = await personIn(needs.db, params)
    return answer(200, { person: personOf(await enableOperator(needs.db, id, contextOf(request, needs))) })
  })

export const createPersonLink = (needs: PeopleNeeds): Mounted =>
  on(peopleRoutes.createPersonLink, async ({ params, ...request }) => {
    const id = await personIn(needs.db, params)
    const { operator, link } = await newSignInLink(needs.db, id, contextOf(request, needs))
    return answer(200, { person: personOf(operator), link })
  })

/** Locks the account, so that two managers don't both make the last one. */
async function refuseManyPeople(connection: Queryable, supplierId: number): Promise<void> {
  await connection.query('select from supplier where id = $1 for no key update', [supplierId])
  const { rows } = await connection.query<{ count: number }>(
    'select count(*)::int as count from operator where supplier_id = $1',
    [supplierId],
  )
  if ((rows[0]?.count ?? 0) < managedPeopleMax) return
  throw new Rejected(409, {
    type: 'ENOUGH_PEOPLE',
    message: `A supplier may have at most ${managedPeopleMax} people, including disabled ones`,
    hint: 'Ask the platform to add more',
  })
}

function contextOf(
  { operator, requestId }: Pick<Call<typeof peopleRoutes.createPerson>, 'operator' | 'requestId'>,
  { clock, revocations }: PeopleNeeds,
): ChangeContext {
  return { operator, requestId, nowMs: clock.now(), revocations }
}

/** The number of one of the supplier's people, who never change the supplier. */
async function personIn(db: Queryable, params: { supplierId: string; personId: string }): Promise<number> {
  const id = readId(params.personId)
  const person = id === undefined ? undefined : await selectOptionalOperator(db, id)
  if (person && person.supplierId === readId(params.supplierId)) return person.operatorId
  throw new Rejected(404, {
    type: 'PERSON_NOT_FOUND',
    message: `Person ${String(reportedValue(params.personId))} not found`,
    hint: "GET /console/api/suppliers/{supplierId}/people lists the supplier's people",
  })
}

function personOf({
  operatorId: personId,
  role,
  supplierId: _supplierId,
  isLinked: _isLinked,
  ...person
}: StoredOperator): Person {
  return { personId, role: personRoleOf(role), ...person }
}
