import type { Needs } from '../postgres/postgres.ts'
import { areRequiredProven, judgeAll, lastingStates, scoreOf } from './checks.ts'
import type { CheckId, CheckResult } from './contract.ts'
import type { Judged } from './facts.ts'
import { gatherFacts } from './gather-facts.ts'
import { seenIn } from './push-checks.ts'
import { selectCertification, upsertCertification, type Scope } from './store.ts'
import type { TrafficNotes } from './traffic-notes.ts'

export type CertifyNeeds = Needs & { trafficNotes: Pick<TrafficNotes, 'written'> }

export type Certification = { score: number; isCertified: boolean; checks: CheckResult[] }

/** Judges the traffic of an account so far, and stores the verdicts; or that of one hotel, of which nothing is stored. */
export async function certify(needs: CertifyNeeds, scope: Scope): Promise<Certification> {
  await needs.trafficNotes.written()
  const facts = await gatherFacts(needs, scope)
  const { supplierId, hotelId } = scope
  const stored = await selectCertification(needs.db, supplierId)
  const isWhole = hotelId === undefined
  const seen = new Set([...(isWhole ? stored.seen : []), ...seenIn(facts)])
  const checks = judgeAll(facts, seen, new Map(isWhole ? stored.verdicts : []))
  const areProven = areRequiredProven(checks)
  if (isWhole) {
    const verdicts = checks.flatMap(({ id, state, evidence, why }): [CheckId, Judged][] =>
      lastingStates.includes(state) ? [[id, { state, evidence, why }]] : [],
    )
    await upsertCertification(needs.db, supplierId, {
      seen: [...seen],
      verdicts,
      isCertified: areProven,
      nowMs: facts.nowMs,
    })
  }
  return { score: scoreOf(checks), isCertified: areProven || stored.isCertifiedByOperator, checks }
}
