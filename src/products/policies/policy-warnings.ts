import { formatNight, parseNight, type DayNumber } from '../../base/calendar.ts'
import { reportedValue, type Problem } from '../../http/rejected.ts'
import type { ConstraintError } from '../../http/route.ts'
import { listedPenalties, type AddedCancelCodes } from '../../reference/cancel-codes.ts'
import { penaltyNightsMax } from '../../reference/cancel-penalty-contract.ts'
import { isNoShow, penaltiesOf } from './arrival-terms.ts'
import type { CancelPenalty, CancelPolicy } from './contract.ts'

/** What a push of policies says that may not be meant. */

export const policyWarnings = {
  codeContradicted: {
    type: 'POLICY_CODE_CONTRADICTED',
    message: 'The penalties are not those that the code means',
    hint: 'The penalties sent count; send them without the code, or with CUSTOM, or leave them out for those of the code',
  },
  termsUnknown: {
    type: 'POLICY_TERMS_UNKNOWN',
    message: 'The policy has no penalties, and its code is not in the list',
    hint: 'Send cancelPenalties, [] if cancelling is free, or a code from GET /v1/push/reference; until then the terms are sold as unknown',
  },
  gap: (dates: string): ConstraintError => ({
    type: 'POLICY_GAP',
    message: `No policy holds arrivals ${dates}`,
    hint: 'Their terms are sold as unknown; send a policy without dates for all other arrivals, or one that holds them',
  }),
  penaltiesFall: {
    type: 'PENALTIES_FALL',
    message: 'A later deadline can charge less than an earlier one',
    hint: 'The penalty of the last deadline that has passed counts; check the deadlines, for short and for long stays',
  },
} as const satisfies Record<string, ConstraintError | ((...facts: never[]) => ConstraintError)>

/** `path` is that of the list. */
export function policyWarningsOf(
  policies: readonly CancelPolicy[],
  path: string,
  { added, today }: { added: AddedCancelCodes; today: DayNumber },
): Problem[] {
  return [
    ...policies.flatMap((policy, index) => ofPolicy(policy, `${path}/${index}`, added)),
    ...gapWarning(policies, path, added, today),
  ]
}

function ofPolicy(policy: CancelPolicy, path: string, added: AddedCancelCodes): Problem[] {
  const { code, cancelPenalties = [] } = policy
  const problems: Problem[] = []
  if (code !== undefined && penaltiesOf(policy, added) === undefined)
    problems.push({ ...policyWarnings.termsUnknown, path: `${path}/code`, value: reportedValue(code) })
  const listed = listedPenalties(code, added)
  if (listed && cancelPenalties.length > 0 && !isSame(listed, cancelPenalties))
    problems.push({
      ...policyWarnings.codeContradicted,
      path: `${path}/cancelPenalties`,
      value: reportedValue(code),
    })
  if (doFall(cancelPenalties.filter((penalty) => !isNoShow(penalty))))
    problems.push({ ...policyWarnings.penaltiesFall, path: `${path}/cancelPenalties` })
  return problems
}

/** Whether cancelling costs the same; a no-show is beside what a code means. */
function isSame(listed: readonly CancelPenalty[], sent: readonly CancelPenalty[]): boolean {
  return termsText(listed) === termsText(sent)
}

function termsText(penalties: readonly CancelPenalty[]): string {
  const lines = penalties.filter((penalty) => !isNoShow(penalty) && sizeOf(penalty) !== 0)
  return JSON.stringify(
    lines
      .map((penalty) => [hoursBefore(penalty), ...chargeOf(penalty)])
      .sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)),
  )
}

/** The charge, so that different ways to say the same are equal. */
function chargeOf({ penaltyCharge }: CancelPenalty): ['nights' | 'percent' | 'amount', number] {
  const { chargeBase, nights = 0, percent, amount } = penaltyCharge
  if (chargeBase === 'NightBase') return ['nights', nights]
  const flat = Number(amount ?? 0)
  if (flat > 0) return ['amount', flat]
  if (percent !== undefined && (percent > 0 || amount === undefined)) return ['percent', percent]
  return ['percent', amount === undefined ? 100 : 0]
}

function sizeOf(penalty: CancelPenalty): number {
  return chargeOf(penalty)[1]
}

/** Hours before the midnight that begins the day of arrival; infinite from the time of booking. */
function hoursBefore({ cancelDeadline }: CancelPenalty): number {
  if (!cancelDeadline) return Number.POSITIVE_INFINITY
  const { offsetTimeUnit, offsetTimeValue, deadline = '00:00' } = cancelDeadline
  const [hours = 0, minutes = 0, seconds = 0] = deadline.split(':').map(Number)
  const timeOfDay = hours + minutes / 60 + seconds / 3_600
  return (offsetTimeUnit === 'D' ? offsetTimeValue * 24 : offsetTimeValue) - timeOfDay
}

/** Two nights, and more than any stay has, each so cheap that an amount is all of it, and so dear that it is next to nothing. */
const staysCompared = [2, penaltyNightsMax].flatMap((nights) =>
  [2 ** -20, 2 ** 40].map((price) => ({ nights, price })),
)

/** Whether a later deadline can cost less than an earlier one, of stays whose nights have one price; it shows at the extremes. */
function doFall(penalties: readonly CancelPenalty[]): boolean {
  const byTime = [...Map.groupBy(penalties, hoursBefore)].toSorted(([one], [other]) => other - one)
  return staysCompared.some((stay) => {
    // Of several at one instant the highest counts.
    const costs = byTime.map(([, some]) => Math.max(...some.map((penalty) => costOf(penalty, stay))))
    return costs.some((cost, index) => cost < (costs[index - 1] ?? 0))
  })
}

function costOf(penalty: CancelPenalty, { nights, price }: (typeof staysCompared)[number]): number {
  const [kind, size] = chargeOf(penalty)
  if (kind === 'percent') return ((nights * size) / 100) * price
  return Math.min(kind === 'nights' ? size * price : size, nights * price)
}

const rangesShownMax = 10

function gapWarning(
  policies: readonly CancelPolicy[],
  path: string,
  added: AddedCancelCodes,
  today: DayNumber,
): Problem[] {
  const saying = policies.filter(
    (policy) => policy.code !== undefined || penaltiesOf(policy, added) !== undefined,
  )
  if (saying.length === 0) return []
  const ranges = saying
    .map(({ startDate, endDate }) => ({
      from: parseNight(startDate ?? '') ?? Number.NEGATIVE_INFINITY,
      to: parseNight(endDate ?? '') ?? Number.POSITIVE_INFINITY,
    }))
    .toSorted((one, other) => one.from - other.from)
  const gaps: string[] = []
  let next = today
  for (const { from, to } of ranges) {
    if (from > next) gaps.push(rangeText(next, from - 1))
    next = Math.max(next, to + 1)
  }
  if (next !== Number.POSITIVE_INFINITY) gaps.push(`from ${formatNight(next)} on`)
  if (gaps.length === 0) return []
  const shown = gaps.slice(0, rangesShownMax).join(', ')
  return [{ ...policyWarnings.gap(gaps.length > rangesShownMax ? `${shown}, …` : shown), path }]
}

function rangeText(from: DayNumber, to: DayNumber): string {
  return from === to ? `on ${formatNight(from)}` : `${formatNight(from)} to ${formatNight(to)}`
}
