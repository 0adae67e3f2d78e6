import type { CardVault } from '../../cards/card-vault.ts'
import type { OwnedKey } from '../../http/calls/call.ts'
import type { Answered } from '../../http/calls/mount.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { transaction, type Transaction } from '../../postgres/transaction.ts'
import type { BookingCalls } from './booking-calls.ts'
import { repeatable, selectStoredAnswer, storeAnswer } from './stored-answers.ts'

export type IdempotentNeeds = Needs & { bookingCalls: BookingCalls; vault: CardVault }

/**
 * A call of the platform that changes something without booking (`runIdempotentBooking` is for those): in one transaction
 * with its answer, which a repeat under the same Idempotency-Key gets; the work is not done again then.
 */
export function runIdempotentCall<Body>(
  needs: IdempotentNeeds,
  {
    idempotencyKey,
    route,
    body,
  }: { idempotencyKey: OwnedKey | undefined; route: string; body: Record<string, unknown> | undefined },
  work: (connection: Transaction) => Promise<Answered<Body>>,
): Promise<Answered<Body>> {
  const nowMs = needs.clock.now()
  const request = repeatable(idempotencyKey, { route, reservationId: undefined, body }, needs.vault)
  const once = (): Promise<Answered<Body>> =>
    transaction(needs.db, async (connection) => {
      const again = request && (await selectStoredAnswer<Body>(connection, request, nowMs))
      if (again) return again
      const answered = await work(connection)
      if (request) connection.lastly((later) => storeAnswer(later, request, answered, nowMs))
      return answered
    })
  return request ? needs.bookingCalls.run(needs.db, needs.log, { request, nowMs }, once) : once()
}
