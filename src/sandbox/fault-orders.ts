import { instantOf } from '../base/calendar.ts'
import { hotelNotFound } from '../hotels/hotel-rules.ts'
import { lockAccount } from '../hotels/hotel-clock.ts'
import type { Needs, Queryable } from '../postgres/postgres.ts'
import { rejectIfAny, type Problem } from '../http/rejected.ts'
import type { AnswerOf, BodyOf } from '../http/route.ts'
import { transaction } from '../postgres/transaction.ts'
import {
  replaceFaults,
  selectFaults,
  type CallbackFaults,
  type FaultToOrder,
} from '../webhooks/callback-faults.ts'
import { selectHotelIds } from '../push-log/hotel-ids.ts'
import { orderedFaults } from '../webhooks/callback-contract.ts'
import { sandboxErrors, type sandboxRoutes } from './contract.ts'

export type OrderFaultsNeeds = Needs & { callbackFaults?: CallbackFaults | undefined }

type Wanted = BodyOf<typeof sandboxRoutes.orderFaults>['faults'][number]

/** The faults still to come, in order. */
export type OrderedFault = AnswerOf<typeof sandboxRoutes.orderFaults>['faults'][number]

/** Replaces the faults that the supplier, or the console on its behalf, ordered before. */
export async function orderFaults(
  needs: OrderFaultsNeeds,
  { supplierId, wanted }: { supplierId: number; wanted: readonly Wanted[] },
): Promise<OrderedFault[]> {
  const nowMs = needs.clock.now()
  await transaction(needs.db, async (connection) => {
    // Otherwise two concurrent orders would leave the faults of both, and a reset could remove a hotel that
    // was just found.
    await lockAccount(connection, supplierId)
    const faults = await withHotels(connection, supplierId, wanted)
    await replaceFaults(connection, supplierId, faults, nowMs + orderedFaults.keptMs)
  })
  needs.callbackFaults?.forget()
  return readFaults(needs, supplierId)
}

export async function readFaults({ db, clock }: Needs, supplierId: number): Promise<OrderedFault[]> {
  const ordered = await selectFaults(db, supplierId, clock.now())
  return ordered.map(({ expiresAtMs, ...rest }) => ({
    ...rest,
    expiresAt: instantOf(expiresAtMs),
  }))
}

async function withHotels(
  db: Queryable,
  supplierId: number,
  wanted: readonly Wanted[],
): Promise<FaultToOrder[]> {
  const codes = wanted.flatMap(({ hotelId }) => (hotelId === undefined ? [] : [hotelId]))
  const idByCode = await selectHotelIds(db, supplierId, codes)
  const problems: Problem[] = []
  const faults: FaultToOrder[] = []
  for (const [index, { calls, fault, times = 1, hotelId }] of wanted.entries()) {
    const id = hotelId === undefined ? null : idByCode.get(hotelId)
    if (hotelId !== undefined && id === undefined)
      problems.push(hotelNotFound(hotelId, sandboxErrors.hotelNotFound, `/faults/${index}/hotelId`))
    else faults.push({ calls, fault, times, hotelId: id ?? null })
  }
  rejectIfAny(problems, 404)
  return faults
}
