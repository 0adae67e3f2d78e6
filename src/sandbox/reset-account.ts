import { takeAccount } from '../hotels/account-lock.ts'
import type { Environment } from '../keys/secret.ts'
import { answer, on, type Mounted } from '../http/mount.ts'
import type { Needs } from '../postgres/needs.ts'
import type { AnswerOf } from '../http/route.ts'
import { transaction } from '../postgres/transaction.ts'
import type { CallbackFaults } from '../webhooks/callback-faults.ts'
import { sandboxAccountRoutes } from './account-contract.ts'
import { inSandbox } from './in-sandbox.ts'
import { removeAll } from './reset-store.ts'
import { shownClock } from './test-clock.ts'

export type ResetNeeds = Needs & {
  environment: Environment
  callbackFaults?: CallbackFaults | undefined
}

/** POST /push/sandbox/reset: all or nothing. */
export const resetSandbox = (needs: ResetNeeds): Mounted =>
  inSandbox(
    needs.environment,
    on(sandboxAccountRoutes.resetSandbox, async ({ caller: { supplierId } }) => {
      const removed = await transaction(needs.db.unhurried, async (connection) => {
        await takeAccount(connection, supplierId)
        return removeAll(connection, supplierId)
      })
      needs.callbackFaults?.forget()
      const said: AnswerOf<typeof sandboxAccountRoutes.resetSandbox> = {
        code: '200',
        message: 'Sandbox reset',
        removed,
        clock: shownClock(needs, 0),
      }
      return answer(200, said)
    }),
  )
