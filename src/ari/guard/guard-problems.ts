import { counted } from '../../base/counted.ts'
import { problemAt, type Problem } from '../../http/rejected.ts'
import { guardRejected, guardWarning, type HoldExample, type Reason } from './contract.ts'
import type { MassVerdict } from './judged-push.ts'
import type { RuleAction } from './rules/rules-contract.ts'

/** The warning or error about an item for what a rule found in it. */
export function problemOf(
  { action, reason, examples }: { action: RuleAction; reason: Reason; examples: readonly HoldExample[] },
  cells: number,
  index: number,
): Problem {
  const [example] = examples
  const { before = null, after = null, bound = null } = example ?? {}
  const ofBound = bound === null ? '' : ` (bound ${bound})`
  const text = `${reason}, for example from ${before} to ${after}${ofBound}`
  const nights = counted(cells, 'night')
  if (action === 'warn') return problemAt({ ...guardWarning, message: `${nights}: ${text}` }, `/ari/${index}`)
  const verb = cells === 1 ? 'was' : 'were'
  return problemAt({ ...guardRejected, message: `${nights} ${verb} not applied: ${text}` }, `/ari/${index}`)
}

/** The warning that a push opens or closes too much, at its first item that does. */
export function massWarning({ verdict: { reason, bound }, nights }: MassVerdict, index: number): Problem {
  const verb = reason === 'massOpen' ? 'opens' : 'closes'
  const message = `The push ${verb} ${counted(nights, 'night')} of rooms and room-rates (bound ${bound})`
  return problemAt({ ...guardWarning, message }, `/ari/${index}`)
}
