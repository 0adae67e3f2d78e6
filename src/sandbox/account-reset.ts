import { takeAccount } from '../hotels/account-lock.ts'
import type { Needs } from '../postgres/needs.ts'
import { transaction } from '../postgres/transaction.ts'
import type { CallbackFaults } from '../webhooks/callback-faults.ts'
import { accountFaults, hotelsRememberedMax } from './account-contract.ts'
import { countHotelsKnown, removeAll, type Removed } from './reset-store.ts'
import { Rejected } from '../http/rejected.ts'

export type ResetNeeds = Needs & { callbackFaults?: CallbackFaults | undefined }

/** Removes all hotels of an account and sets its clock back, all or nothing. */
export async function resetAccount(needs: ResetNeeds, supplierId: number): Promise<Removed> {
  const removed = await transaction(needs.db.unhurried, async (connection) => {
    await takeAccount(connection, supplierId)
    if ((await countHotelsKnown(connection, supplierId)) > hotelsRememberedMax)
      throw new Rejected(409, accountFaults.tooManyHotels)
    return removeAll(connection, supplierId)
  })
  needs.callbackFaults?.forget()
  return removed
}
