import { audit } from '../../operators/audit.ts'
import { answer, on, type Mounted } from '../../http/mount.ts'
import type { Needs } from '../../postgres/needs.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { Rejected, shown } from '../../http/rejected.ts'
import type { AnswerOf } from '../../http/route.ts'
import { transaction } from '../../postgres/transaction.ts'
import { putMealPlan, putRoomType, retireMealPlan, retireRoomType } from '../../reference/edit.ts'
import { referenceRoutes, usesCountedMax, type ReferenceEntry, type ReferenceList } from './contract.ts'
import { selectEntries, selectOptionalEntry, selectUse } from './store.ts'

/** Room types and meal plans: operators see them, admins change them. */

const counted = (uses: number): ReferenceEntry['used'] => ({
  count: Math.min(uses, usesCountedMax),
  isMore: uses > usesCountedMax,
})

/** GET /reference. */
export const listReferenceEntries = ({ db }: Needs): Mounted =>
  on(referenceRoutes.listReferenceEntries, async () => {
    const [roomTypes, mealPlans] = await Promise.all([
      selectEntries(db, 'roomTypes'),
      selectEntries(db, 'mealPlans'),
    ])
    const told = (rows: typeof roomTypes) =>
      rows.map(({ uses, ...rest }) => ({ ...rest, used: counted(uses) }))
    const said: AnswerOf<typeof referenceRoutes.listReferenceEntries> = {
      roomTypes: told(roomTypes),
      mealPlans: told(mealPlans),
    }
    return answer(200, said)
  })

/** GET /reference/use: the uses of an entry, to check before it is retired. */
export const getReferenceUse = ({ db }: Needs): Mounted =>
  on(referenceRoutes.getReferenceUse, async ({ query: { list, key } }) => {
    await entryHeld(db, list, key)
    const { uses, suppliers, hotels } = await selectUse(db, list, key)
    const said: AnswerOf<typeof referenceRoutes.getReferenceUse> = { used: counted(uses), suppliers, hotels }
    return answer(200, said)
  })

/** POST /reference. */
export const addReferenceEntry = ({ db }: Needs): Mounted =>
  on(referenceRoutes.addReferenceEntry, async ({ body, operator, requestId }) => {
    const { list, key, name, description } = body
    await transaction(db, async (connection) => {
      if (await selectOptionalEntry(connection, list, key)) throw entryExists(list, key)
      const after = { key, name: name ?? null, description }
      await put(connection, list, after)
      await audit(connection, {
        operator,
        requestId,
        action: 'reference.add',
        subject: subject(list, key),
        after,
      })
    })
    return answer(201, { key })
  })

/** POST /reference/retire: new uses in pushes are refused from now on; existing uses stay valid. */
export const retireReferenceEntry = ({ db, clock }: Needs): Mounted =>
  on(referenceRoutes.retireReferenceEntry, async ({ body: { list, key }, operator, requestId }) => {
    await transaction(db, async (connection) => {
      const { isRetired } = await entryHeld(connection, list, key)
      if (isRetired) return
      const { uses } = await selectUse(connection, list, key)
      await retire[list](connection, key, clock.now())
      const action = 'reference.retire'
      const after = { isRetired: true, used: counted(uses) }
      await audit(connection, { operator, requestId, action, subject: subject(list, key), after })
    })
    return answer(200, { key })
  })

/** POST /reference/bring-back. */
export const bringBackReferenceEntry = ({ db }: Needs): Mounted =>
  on(referenceRoutes.bringBackReferenceEntry, async ({ body: { list, key }, operator, requestId }) => {
    await transaction(db, async (connection) => {
      const held = await entryHeld(connection, list, key)
      if (!held.isRetired) return
      await put(connection, list, held)
      const action = 'reference.bring-back'
      const after = { isRetired: false }
      await audit(connection, { operator, requestId, action, subject: subject(list, key), after })
    })
    return answer(200, { key })
  })

type Described = { key: string; name: string | null; description: string }

async function put(connection: Queryable, list: ReferenceList, entry: Described): Promise<void> {
  const { key, name, description } = entry
  if (list === 'roomTypes') return putRoomType(connection, { name: key, description })
  if (name !== null) return putMealPlan(connection, { code: key, name, description })
  throw new Rejected(400, {
    type: 'REQUIRED',
    message: 'A meal plan needs a name as well as a code',
    path: '/name',
  })
}

const retire: Readonly<
  Record<ReferenceList, (connection: Queryable, key: string, nowMs: number) => Promise<void>>
> = { roomTypes: retireRoomType, mealPlans: retireMealPlan }

const nouns: Readonly<Record<ReferenceList, string>> = { roomTypes: 'room type', mealPlans: 'meal plan' }

function subject(list: ReferenceList, key: string): string {
  return `${nouns[list]} ${JSON.stringify(key)}`
}

async function entryHeld(
  db: Queryable,
  list: ReferenceList,
  key: string,
): Promise<Omit<ReferenceEntry, 'used'>> {
  const held = await selectOptionalEntry(db, list, key)
  if (held) return held
  throw new Rejected(404, {
    type: 'NOT_FOUND',
    message: `There is no ${nouns[list]} ${JSON.stringify(shown(key))}`,
    hint: 'GET /console/api/reference lists all; case matters',
  })
}

function entryExists(list: ReferenceList, key: string): Rejected {
  return new Rejected(409, {
    type: 'ENTRY_EXISTS',
    message: `The ${nouns[list]} ${JSON.stringify(shown(key))} already exists`,
    path: '/key',
    hint: 'A retired one can be restored',
  })
}
