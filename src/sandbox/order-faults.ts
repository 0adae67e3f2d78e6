import { takeAccount } from '../hotels/account-lock.ts'
import type { Environment } from '../keys/secret.ts'
import { answer, on, type Answer, type Mounted } from '../http/mount.ts'
import type { Needs } from '../postgres/needs.ts'
import type { Queryable } from '../postgres/postgres.ts'
import { rejectIfAny, shown, type Problem } from '../http/rejected.ts'
import type { AnswerOf, BodyOf } from '../http/route.ts'
import { transaction } from '../postgres/transaction.ts'
import type { CallbackFaults } from '../webhooks/callback-faults.ts'
import {
  replaceFaults,
  selectFaults,
  selectHotelsByCode,
  type FaultToOrder,
} from '../webhooks/fault-store.ts'
import { orderedFaults } from '../webhooks/faults-contract.ts'
import { sandboxFaults, sandboxRoutes } from './contract.ts'
import { inSandbox } from './in-sandbox.ts'

export type OrderFaultsNeeds = Needs & {
  environment: Environment
  callbackFaults?: CallbackFaults | undefined
}

type Wanted = BodyOf<typeof sandboxRoutes.orderFaults>['faults'][number]

/** POST /push/sandbox/faults. */
export const orderFaults = (needs: OrderFaultsNeeds): Mounted =>
  inSandbox(
    needs.environment,
    on(sandboxRoutes.orderFaults, async ({ body, caller: { supplierId } }) => {
      const nowMs = needs.clock.now()
      await transaction(needs.db, async (connection) => {
        // Two orders at once would leave the faults of both, and a reset would remove a hotel that was just found.
        await takeAccount(connection, supplierId)
        const faults = await withHotels(connection, supplierId, body.faults)
        await replaceFaults(connection, supplierId, faults, nowMs + orderedFaults.keptMs)
      })
      needs.callbackFaults?.forget()
      return answerFaults(needs, supplierId, 'Faults ordered')
    }),
  )

/** GET /push/sandbox/faults. */
export const getFaults = (needs: OrderFaultsNeeds): Mounted =>
  inSandbox(
    needs.environment,
    on(sandboxRoutes.getFaults, async ({ caller: { supplierId } }) => {
      return answerFaults(needs, supplierId, 'Faults retrieved successfully')
    }),
  )

async function withHotels(
  db: Queryable,
  supplierId: number,
  wanted: readonly Wanted[],
): Promise<FaultToOrder[]> {
  const codes = wanted.flatMap(({ hotelId }) => (hotelId === undefined ? [] : [hotelId]))
  const idByCode = await selectHotelsByCode(db, supplierId, codes)
  const problems: Problem[] = []
  const faults: FaultToOrder[] = []
  for (const [index, { calls, fault, times = 1, hotelId }] of wanted.entries()) {
    const id = hotelId === undefined ? null : idByCode.get(hotelId)
    if (id === undefined) {
      problems.push({
        ...sandboxFaults.hotelNotFound,
        path: `/faults/${index}/hotelId`,
        value: shown(hotelId),
      })
    } else faults.push({ calls, fault, times, hotelId: id })
  }
  rejectIfAny(problems, 404)
  return faults
}

async function answerFaults({ db, clock }: Needs, supplierId: number, message: string): Promise<Answer> {
  const held = await selectFaults(db, supplierId, clock.now())
  const faults = held.map(({ expiresAtMs, ...rest }) => ({
    ...rest,
    expiresAt: new Date(expiresAtMs).toISOString(),
  }))
  const said: AnswerOf<typeof sandboxRoutes.orderFaults> = { code: '200', message, faults }
  return answer(200, said)
}
