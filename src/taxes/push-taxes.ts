import { hotelNotFound } from '../hotels/hotel-not-found.ts'
import { besideShape, onEveryProblem, type Mounted } from '../http/mount.ts'
import { rejectIfAny, type Problem } from '../http/rejected.ts'
import { isRecord } from '../http/validate.ts'
import { selectOptionalHotel } from '../hotels/store.ts'
import type { Needs } from '../postgres/needs.ts'
import type { Queryable } from '../postgres/postgres.ts'
import { acceptTaxes, problemsAt } from './accept-taxes.ts'
import { taxFaults, taxRoutes } from './contract.ts'
import { taxProblems } from './tax-rules.ts'

/** POST /push/taxes. */
export const pushTaxes = (needs: Needs): Mounted =>
  onEveryProblem(
    taxRoutes.pushTaxes,
    (body, shapeProblems, { caller }) => judge(needs.db, body, shapeProblems, caller.supplierId),
    ({ body, push }) => acceptTaxes(needs, push, body),
  )

/** Unknown hotels, rooms and rates are told under the lock; here only beside what is wrong otherwise. */
async function judge(
  db: Queryable,
  body: unknown,
  shapeProblems: readonly Problem[],
  supplierId: number,
): Promise<void> {
  const ruleProblems = taxProblems(body)
  if (shapeProblems.length + ruleProblems.length === 0) return
  const hotelCode = isRecord(body) ? body['hotelId'] : undefined
  // A code that PostgreSQL could not take was refused by the schema.
  const isCode = typeof hotelCode === 'string' && shapeProblems.every(({ path }) => path !== '/hotelId')
  const hotel = isCode ? await selectOptionalHotel(db, supplierId, hotelCode) : undefined
  const { misfits, unknown } = hotel ? await problemsAt(db, hotel, body) : { misfits: [], unknown: [] }
  rejectIfAny([
    ...(isCode && !hotel ? [hotelNotFound(hotelCode, taxFaults.hotelNotFound)] : []),
    ...besideShape(shapeProblems, [...ruleProblems, ...misfits, ...unknown]),
  ])
}
