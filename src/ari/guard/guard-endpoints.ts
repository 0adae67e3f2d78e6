import { answer, besideShape, on, onEveryProblem } from '../../http/calls/mount.ts'
import { Rejected, rejectIfAny, reportedValue, type Problem } from '../../http/rejected.ts'
import type { BodyOf } from '../../http/route.ts'
import { wellFormedPart } from '../../http/validation/validate.ts'
import { lockAccount } from '../../hotels/hotel-clock.ts'
import { hotelNotFound } from '../../hotels/hotel-rules.ts'
import { selectOptionalHotel } from '../../hotels/store.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { readTransaction, transaction } from '../../postgres/transaction.ts'
import type { CatalogNeeds } from '../catalog/catalog.ts'
import { guardErrors, guardRoutes } from './contract.ts'
import { selectOptionalSettings, saveSettings } from './rules/guard-store.ts'
import { learnedBoundsOf } from './learned-bounds.ts'
import { rulesProblems } from './rule-problems.ts'
import { lapsedWarnings } from './guard-problems.ts'
import { settingsOf, shownSettings } from './rules/stored-guard.ts'

/** GET /push/guard. */
export const getGuard = (needs: CatalogNeeds) =>
  on(guardRoutes.getGuard, async ({ query, caller: { supplierId } }) => {
    const { hotelId: hotelCode } = query
    const { stored, bounds } = await readTransaction(needs.db, async (connection) => {
      await connection.query('set transaction isolation level repeatable read read only')
      const hotelId = await optionalHotelId(connection, supplierId, hotelCode)
      const found = await selectOptionalSettings(connection, supplierId, hotelId)
      const isLearned = found?.settings.learned === true && hotelCode !== undefined
      return {
        stored: found,
        bounds: isLearned ? await learnedBoundsOf(connection, needs, { supplierId, hotelCode }) : undefined,
      }
    })
    return answer(200, {
      code: '200',
      message: 'Guard retrieved successfully',
      ...shownSettings(stored),
      ...lapsedWarnings(stored, hotelCode),
      ...(bounds ? { bounds } : {}),
    })
  })

/** POST /push/guard. */
export const setGuard = (needs: CatalogNeeds) =>
  onEveryProblem(
    guardRoutes.setGuard,
    (sent, shapeProblems) => rejectIfAny(besideShape(shapeProblems, problemsOf(sent, shapeProblems))),
    async ({ body, caller: { supplierId } }) => {
      const stored = await transaction(needs.db.unhurried, async (connection) => {
        await lockAccount(connection, supplierId)
        const hotelId = await optionalHotelId(connection, supplierId, body.hotelId)
        const settings = body.inherit === true ? null : settingsOf(body)
        await saveSettings(connection, { supplierId, hotelId }, settings, needs.clock.now())
        return selectOptionalSettings(connection, supplierId, hotelId)
      })
      return answer(200, {
        code: '200',
        message: 'Guard saved successfully',
        ...shownSettings(stored),
        ...lapsedWarnings(stored, body.hotelId),
      })
    },
  )

async function optionalHotelId(
  connection: Queryable,
  supplierId: number,
  hotelCode: string | undefined,
): Promise<number | undefined> {
  if (hotelCode === undefined) return undefined
  const hotel = await selectOptionalHotel(connection, supplierId, hotelCode)
  if (!hotel) throw new Rejected(404, hotelNotFound(hotelCode))
  return hotel.id
}

/** What stands beside `inherit` would be dropped. */
const settingNames = ['rules', 'learned', 'expiryHours', 'onExpiry'] as const

function problemsOf(sent: unknown, shapeProblems: readonly Problem[]): Problem[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: only the well-formed part is left.
  const body = wellFormedPart(sent, shapeProblems) as Partial<BodyOf<typeof guardRoutes.setGuard>> | undefined
  const problems = rulesProblems(body?.rules)
  if (body?.inherit !== true) return problems
  if (body.hotelId === undefined) problems.push({ ...guardErrors.inheritNeedsHotel, path: '/inherit' })
  for (const name of settingNames) {
    const value = body[name]
    if (value === undefined) continue
    const message = guardErrors.inheritNotAlone.message.replace('rules', name)
    problems.push({
      ...guardErrors.inheritNotAlone,
      message,
      path: `/${name}`,
      value: reportedValue(value),
    })
  }
  return problems
}
