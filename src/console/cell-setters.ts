import type { Setter } from '../offers/set-by.ts'
import type { Queryable } from '../platform/postgres.ts'
import type { CellSetter } from './calendar-contract.ts'
import { selectKeyNames } from './calendar-store.ts'

/** Who set values, with the names of the keys that were used; the same order as asked. */
export async function shownSetters(
  db: Queryable,
  setters: readonly (Setter | undefined)[],
): Promise<(CellSetter | null)[]> {
  const keyIds = new Set(setters.flatMap((setter) => setter?.push?.keyId ?? []))
  const nameById = await selectKeyNames(db, [...keyIds])
  return setters.map((setter) => {
    if (setter === undefined) return null
    if (setter.push) {
      const { id, requestId, at, keyId } = setter.push
      const key = keyId === null ? null : (nameById.get(keyId) ?? null)
      return { by: 'push', pushId: id, requestId, at, item: setter.item ?? null, keyId, key }
    }
    if (setter.reservationId !== undefined)
      return { by: 'reservation', reservationId: setter.reservationId, at: setter.at }
    const { operator, requestId, at } = setter
    return { by: 'operator', operator, requestId, at }
  })
}
