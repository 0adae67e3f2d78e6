import {
  saveDefault,
  saveSettings,
  selectOptionalDefault,
  selectOptionalSettings,
} from '../../ari/guard/rules/guard-store.ts'
import { rulesProblems } from '../../ari/guard/rule-problems.ts'
import {
  defaultSettings,
  lapsedRules,
  settingsOf,
  shownSettings,
} from '../../ari/guard/rules/stored-guard.ts'
import { lockAccount } from '../../hotels/hotel-clock.ts'
import { answer, besideShape, on, onEveryProblem, type Mounted } from '../../http/calls/mount.ts'
import { rejectIfAny, type Problem } from '../../http/rejected.ts'
import type { BodyOf } from '../../http/route.ts'
import { wellFormedPart } from '../../http/validation/validate.ts'
import { audit } from '../../operators/accounts/audit.ts'
import type { Needs, Queryable } from '../../postgres/postgres.ts'
import { transaction } from '../../postgres/transaction.ts'
import { supplierNamed, supplierSubject } from '../suppliers/rules.ts'
import { guardConsoleRoutes, type ConsoleGuard, type LapsedRule } from './contract.ts'

/** GET /guard: what new accounts begin with. */
export const getDefaultGuard = ({ db }: Needs): Mounted =>
  on(guardConsoleRoutes.getDefaultGuard, async () => answer(200, { guard: await defaultGuard(db) }))

/** PUT /guard. */
export const setDefaultGuard = ({ db, clock }: Needs): Mounted =>
  onEveryProblem(guardConsoleRoutes.setDefaultGuard, judge, async ({ body, operator, requestId }) => {
    const guard = await transaction(db, async (connection) => {
      await connection.query('lock table guard_default in share row exclusive mode')
      const before = await defaultGuard(connection)
      await saveDefault(connection, settingsOf(body), clock.now())
      const now = await defaultGuard(connection)
      const subject = 'new accounts'
      await audit(connection, { operator, requestId, action: 'guard.default', subject, before, after: now })
      return now
    })
    return answer(200, { guard })
  })

/** GET /suppliers/{supplierId}/guard. */
export const getSupplierGuard = ({ db }: Needs): Mounted =>
  on(guardConsoleRoutes.getSupplierGuard, async ({ params }) => {
    const { supplierId } = await supplierNamed(db, params.supplierId)
    return answer(200, await guardOf(db, supplierId))
  })

/** PUT /suppliers/{supplierId}/guard: of all hotels without rules of their own. */
export const setSupplierGuard = ({ db, clock }: Needs): Mounted =>
  onEveryProblem(
    guardConsoleRoutes.setSupplierGuard,
    judge,
    async ({ params, body, operator, requestId }) => {
      const guard = await transaction(db.unhurried, async (connection) => {
        const supplier = await supplierNamed(connection, params.supplierId)
        const { supplierId } = supplier
        await lockAccount(connection, supplierId)
        const { guard: before } = await guardOf(connection, supplierId)
        await saveSettings(connection, { supplierId, hotelId: undefined }, settingsOf(body), clock.now())
        const now = await guardOf(connection, supplierId)
        const subject = supplierSubject(supplier)
        await audit(connection, {
          operator,
          requestId,
          action: 'guard.change',
          subject,
          before,
          after: now.guard,
        })
        return now
      })
      return answer(200, guard)
    },
  )

async function defaultGuard(db: Queryable): Promise<ConsoleGuard> {
  const settings = (await selectOptionalDefault(db)) ?? defaultSettings
  return { ...settings, rules: [...settings.rules] }
}

async function guardOf(db: Queryable, supplierId: number) {
  const stored = await selectOptionalSettings(db, supplierId, undefined)
  const { rules, learned, expiryHours, onExpiry } = shownSettings(stored)
  const guard: ConsoleGuard = { rules, learned, expiryHours, onExpiry }
  if (!stored) return { guard }
  const { hotels, codes } = stored.lapsed
  const lapsed = lapsedRules(stored).map((rule): LapsedRule => ({ rule, hotels, hotelIds: codes }))
  return { guard, ...(lapsed.length > 0 ? { lapsed } : {}) }
}

type Sent = BodyOf<typeof guardConsoleRoutes.setDefaultGuard>

function judge(sent: unknown, shapeProblems: readonly Problem[]): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: only the well-formed part is left.
  const body = wellFormedPart(sent, shapeProblems) as Partial<Sent> | undefined
  rejectIfAny(besideShape(shapeProblems, rulesProblems(body?.rules)))
}
