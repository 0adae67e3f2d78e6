import { dayMs, minuteMs } from '../base/calendar.ts'
import { certify, type CertifyNeeds } from './certify.ts'
import { evidenceLimits } from './contract.ts'
import { selectAccountsToJudge } from './store.ts'

/** An account costs about 20 ms, so a round takes a fraction of a second. */
export const certificationWatch = { accountsAtOnce: 10, judgedEveryMinutes: 15 } as const

/** Judges the accounts with traffic in turn, so that what no longer works is noticed though nobody asks. */
export async function watchCertifications(
  needs: CertifyNeeds & { priceChecks: { ledger: { written: () => Promise<void> } } },
  nowMs: number,
): Promise<void> {
  await needs.priceChecks.ledger.written()
  const { accountsAtOnce, judgedEveryMinutes } = certificationWatch
  const supplierIds = await selectAccountsToJudge(needs.db, {
    usedSinceMs: nowMs - evidenceLimits.days * dayMs,
    judgedBeforeMs: nowMs - judgedEveryMinutes * minuteMs,
    limit: accountsAtOnce,
  })
  for (const supplierId of supplierIds) {
    try {
      await certify(needs, { supplierId, hotelId: undefined })
    } catch (error) {
      needs.log.warn({ err: error, supplierId }, 'an account could not be judged; this will be repeated')
    }
  }
}
