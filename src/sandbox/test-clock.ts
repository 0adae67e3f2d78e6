import { takeAccount } from '../hotels/account-lock.ts'
import type { Environment } from '../keys/secret.ts'
import { answer, on, type Answer, type Mounted } from '../http/mount.ts'
import type { Needs } from '../postgres/needs.ts'
import { Rejected } from '../http/rejected.ts'
import type { AnswerOf } from '../http/route.ts'
import { transaction } from '../postgres/transaction.ts'
import type { CardVault } from '../cards/card-vault.ts'
import { leap } from '../deliveries/leap.ts'
import { accountFaults, sandboxAccountRoutes, testClock } from './account-contract.ts'
import { advanceHotels, selectAheadMs } from './clock-store.ts'
import { inSandbox } from './in-sandbox.ts'

export type TestClockNeeds = Needs & { environment: Environment; vault: Pick<CardVault, 'openableKeyIds'> }

const dayMs = 86_400_000

/** POST /push/sandbox/clock. */
export const advanceClock = (needs: TestClockNeeds): Mounted =>
  inSandbox(
    needs.environment,
    on(sandboxAccountRoutes.advanceClock, async ({ body, caller: { supplierId } }) => {
      const byMs = readDuration(body.advanceBy)
      const { aheadMs, deliveriesDue } = await transaction(needs.db.unhurried, async (connection) => {
        const before = await takeAccount(connection, supplierId)
        const after = before + byMs
        if (after > testClock.aheadMaxDays * dayMs) throw refused(accountFaults.clockTooFar, body.advanceBy)
        await advanceHotels(connection, supplierId, after)
        const due = await leap(connection, {
          supplierId,
          aheadMs: before,
          byMs,
          nowMs: needs.clock.now(),
          openableKeys: needs.vault.openableKeyIds(),
        })
        return { aheadMs: after, deliveriesDue: due }
      })
      const said: AnswerOf<typeof sandboxAccountRoutes.advanceClock> = {
        code: '200',
        message: 'Clock advanced',
        clock: shownClock(needs, aheadMs),
        deliveriesDue,
      }
      return answer(200, said)
    }),
  )

/** GET /push/sandbox/clock. */
export const getClock = (needs: TestClockNeeds): Mounted =>
  inSandbox(
    needs.environment,
    on(sandboxAccountRoutes.getClock, async ({ caller: { supplierId } }): Promise<Answer> => {
      const clock = shownClock(needs, await selectAheadMs(needs.db, supplierId))
      return answer(200, { code: '200', message: 'Clock retrieved successfully', clock })
    }),
  )

export function shownClock({ clock }: Pick<Needs, 'clock'>, aheadMs: number) {
  return {
    now: new Date(clock.now() + aheadMs).toISOString(),
    aheadBy: Temporal.Duration.from({ milliseconds: aheadMs }).round({ largestUnit: 'days' }).toString(),
  }
}

/** Weeks, days, hours, minutes and seconds have one length; months and years have not. */
const durationText =
  /^P(?=[\dT])(?:\d{1,9}W)?(?:\d{1,9}D)?(?:T(?=\d)(?:\d{1,9}H)?(?:\d{1,9}M)?(?:\d{1,9}S)?)?$/

/** A day is 24 hours. */
function readDuration(text: string): number {
  if (!durationText.test(text)) throw refused(accountFaults.durationInvalid, text)
  const { weeks, days, hours, minutes, seconds } = Temporal.Duration.from(text)
  const ms = (weeks * 7 + days) * dayMs + ((hours * 60 + minutes) * 60 + seconds) * 1_000
  if (ms === 0) throw refused(accountFaults.durationInvalid, text)
  return ms
}

function refused(fault: { type: string; message: string; hint: string }, value: string): Rejected {
  return new Rejected(400, { ...fault, path: '/advanceBy', value })
}
