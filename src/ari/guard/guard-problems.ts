import { counted } from '../../base/counted.ts'
import { problemAt, type Problem } from '../../http/rejected.ts'
import { guardRejected, guardWarning, type HoldExample, type Reason } from './contract.ts'
import { ruleLapsed } from '../../hotels/former-currency.ts'
import type { MassVerdict } from './judged-push.ts'
import type { StoredSettings } from './rules/guard-store.ts'
import { boundOfKind, type RuleAction } from './rules/rules-contract.ts'
import { lapsedRules } from './rules/stored-guard.ts'

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

/** The rules of an account, or of a hotel, that hotels which changed their currency since don't follow. */
export function lapsedWarnings(
  stored: StoredSettings | undefined,
  hotelCode: string | undefined,
): { warnings?: Problem[] } {
  if (!stored) return {}
  const { hotels, codes, currency } = stored.lapsed
  const more = hotels - codes.length
  const named = `${codes.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  const [whose, where] =
    hotelCode === undefined
      ? [
          hotels === 1 ? `${named} changed its currency to ${currency}` : `${named} changed their currency`,
          ' there',
        ]
      : [`the hotel changed its currency to ${currency}`, '']
  const warnings = lapsedRules(stored).flatMap((index): Problem[] => {
    const rule = stored.settings.rules[index]
    if (!rule) return []
    const message = `${rule.kind} ${rule[boundOfKind[rule.kind]]} was set before ${whose}, and is not applied${where}`
    return [problemAt({ ...ruleLapsed, message }, `/rules/${index}/amount`)]
  })
  return warnings.length > 0 ? { warnings } : {}
}
