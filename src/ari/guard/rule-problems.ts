import { toMinor } from '../../base/money.ts'
import { reportedValue, type Problem } from '../../http/rejected.ts'
import { minorDigits } from '../../reference/currencies.ts'
import { guardErrors, type RuleBody } from './contract.ts'
import { boundOfKind } from './rules/rules-contract.ts'
import { boundDigits } from './rules/rules.ts'

const bounds = ['percent', 'amount', 'units', 'nights'] as const
const dropMax = 99

/** What is wrong with the rules of a body besides their shape. */
export function rulesProblems(rules: readonly (Partial<RuleBody> | undefined)[] = []): Problem[] {
  return rules.flatMap((rule, index) => ruleProblems(rule, `/rules/${index}`))
}

/** A rule's bound is missing, or another one is there. */
function ruleProblems(rule: Partial<RuleBody> | undefined, path: string): Problem[] {
  if (!rule?.kind) return []
  const { kind, action, amount, percent, currency } = rule
  const own = boundOfKind[kind]
  const problems: Problem[] = []
  const add = (error: keyof typeof guardErrors, member: string, message: string, value: unknown) =>
    problems.push({ ...guardErrors[error], message, path: `${path}/${member}`, value: reportedValue(value) })
  for (const bound of bounds) {
    const value = rule[bound]
    if (bound === own && value === undefined)
      add('boundMissing', bound, `${bound} is required for ${kind}`, undefined)
    if (bound !== own && value !== undefined)
      add('boundMisplaced', bound, `${bound} is not a bound of ${kind}`, value)
  }
  if (kind === 'priceDrop' && percent !== undefined && percent > dropMax)
    add('boundInvalid', 'percent', `percent of priceDrop must be from 1 to ${dropMax}`, percent)
  if (own === 'amount' && amount !== undefined && !((toMinor(amount, boundDigits) ?? 0) > 0))
    add('boundInvalid', 'amount', `amount must be above 0, with at most ${boundDigits} decimals`, amount)
  if (own === 'amount' && currency !== undefined && minorDigits(currency) === undefined)
    add('boundInvalid', 'currency', 'currency must be an ISO 4217 code', currency)
  if (own !== 'amount' && currency !== undefined)
    add('boundMisplaced', 'currency', `currency is not a member of ${kind}`, currency)
  if (kind === 'massClose' && action !== undefined && action !== 'warn')
    add('massCloseWarns', 'action', guardErrors.massCloseWarns.message, action)
  return problems
}
