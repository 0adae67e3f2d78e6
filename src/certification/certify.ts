import { raiseFindings, resolveFindings } from '../findings/store.ts'
import type { Needs } from '../postgres/postgres.ts'
import { areRequiredProven, judgeAll, lastingStates, scoreOf } from './checks.ts'
import type { CheckId, CheckResult } from './contract.ts'
import type { CheckVerdict } from './facts.ts'
import type { Evidence } from './evidence.ts'
import { gatherFacts } from './gather-facts.ts'
import { seenIn } from './push-checks.ts'
import { selectCertification, upsertCertification, type CertifiedScope } from './store.ts'
import type { TrafficNotes } from './traffic-notes.ts'

export type CertifyNeeds = Needs & {
  trafficNotes: Pick<TrafficNotes, 'written'>
  certificationEvidence: Evidence
}

export type Certification = { score: number; isCertified: boolean; checks: CheckResult[] }

/** Judges the traffic of an account so far, and stores the verdicts; or that of one hotel, of which nothing is stored. */
export function certify(needs: CertifyNeeds, scope: CertifiedScope): Promise<Certification> {
  return needs.certificationEvidence.inTurn(scope.supplierId, () => judgeAndStore(needs, scope))
}

async function judgeAndStore(needs: CertifyNeeds, scope: CertifiedScope): Promise<Certification> {
  const { former, seen, nowMs, certification, areProven } = await judge(needs, scope)
  const { supplierId, hotelId } = scope
  if (hotelId !== undefined) return certification
  const { checks } = certification
  // Before the verdicts are stored: a process that dies in between does it again.
  await reportRegressed(needs, { supplierId, checks, former, nowMs })
  const verdicts = checks.flatMap(({ id, state, evidence, why }): [CheckId, CheckVerdict][] =>
    lastingStates.includes(state) ? [[id, { state, evidence, why }]] : [],
  )
  const judged = { seen: [...seen], verdicts, isCertified: areProven, nowMs }
  await upsertCertification(needs.db, supplierId, judged)
  return certification
}

/** The same for those who only look: nothing is stored. */
export async function previewCertification(
  needs: CertifyNeeds,
  scope: CertifiedScope,
): Promise<Certification> {
  const { certification } = await needs.certificationEvidence.inTurn(scope.supplierId, () =>
    judge(needs, scope),
  )
  return certification
}

async function judge(needs: CertifyNeeds, scope: CertifiedScope) {
  await needs.trafficNotes.written()
  const facts = await gatherFacts({ ...needs, evidence: needs.certificationEvidence }, scope)
  const stored = await selectCertification(needs.db, scope.supplierId)
  const isWhole = scope.hotelId === undefined
  const seen = new Set([...(isWhole ? stored.seen : []), ...seenIn(facts)])
  const former = new Map(isWhole ? stored.verdicts : [])
  const checks = judgeAll(facts, seen, former)
  const areProven = areRequiredProven(checks)
  const isCertified = areProven || stored.isCertifiedByOperator
  const certification: Certification = { score: scoreOf(checks), isCertified, checks }
  return { former, seen, nowMs: facts.nowMs, certification, areProven }
}

type Judgement = {
  supplierId: number
  checks: readonly CheckResult[]
  former: ReadonlyMap<CheckId, CheckVerdict>
  nowMs: number
}

/** A check that was proven and fails is a finding until it is proven again. */
async function reportRegressed(
  { db }: Needs,
  { supplierId, checks, former, nowMs }: Judgement,
): Promise<void> {
  const nameOf = ({ id }: CheckResult) =>
    ({ supplierId, kind: 'certification.regressed', subject: id }) as const
  const regressed = checks.filter(
    ({ id, state }) => state === 'failing' && former.get(id)?.state === 'proven',
  )
  const findings = regressed.map((check) => {
    const { title, level, why, howTo, evidence } = check
    const { requestId = null, hotelId = null } = evidence ?? {}
    return { ...nameOf(check), evidence: { check: title, level, why, howTo, requestId, hotelId } }
  })
  await raiseFindings(db, findings, nowMs)
  await resolveFindings(db, checks.filter(({ state }) => state === 'proven').map(nameOf), nowMs)
}
