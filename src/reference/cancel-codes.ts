import type { CancelPenalty } from './cancel-penalty-contract.ts'

/**
 * A code for a cancellation policy: a readable name for usual terms. A pushed policy that has the code, and no
 * penalties of its own, has these.
 */
export type CancelCode = { code: string; description: string; cancelPenalties: readonly CancelPenalty[] }

type Charge = CancelPenalty['penaltyCharge']

const firstNight = { chargeBase: 'NightBase', nights: 1 } as const satisfies Charge
const halfOfStay = { chargeBase: 'FullStay', percent: 50 } as const satisfies Charge
const fullStay = { chargeBase: 'FullStay', percent: 100 } as const satisfies Charge

/** Free until 18:00 on the day that is so many days before arrival, in the hotel's zone; then the charge. */
function freeUntil(days: number, penaltyCharge: Charge): CancelPenalty[] {
  return [
    {
      cancelDeadline: { offsetTimeUnit: 'D', offsetTimeValue: days, deadline: '18:00' },
      penaltyCharge,
    },
  ]
}

function flexible(days: number, ending: string, charge: Charge, charged: string): CancelCode {
  return {
    code: `FLEX${days}${ending}`,
    description: `Free cancellation until 18:00, ${days === 1 ? '1 day' : `${days} days`} before arrival, then ${charged}`,
    cancelPenalties: freeUntil(days, charge),
  }
}

/** The code for other terms: only the penalties that are pushed with it count. */
export const customCode = 'CUSTOM'

/** The codes that the service ships with; operators add others. */
export const shippedCancelCodes: readonly CancelCode[] = [
  {
    code: 'FLEX',
    description: 'Free cancellation until 18:00 on the day of arrival, then the first night',
    cancelPenalties: freeUntil(0, firstNight),
  },
  { code: 'FREE', description: 'Free cancellation at any time before arrival', cancelPenalties: [] },

  ...[1, 2, 3, 5, 7, 14, 30].map((days) => flexible(days, '', firstNight, 'the first night')),
  ...[1, 2, 3, 5, 7, 14, 21, 30, 45, 60].map((days) => flexible(days, 'FS', fullStay, 'the full stay')),
  ...[3, 7, 14, 30].map((days) => flexible(days, 'HALF', halfOfStay, 'half of the stay')),

  {
    code: 'PNR50',
    description: 'Half of the stay at any time after booking',
    cancelPenalties: [{ penaltyCharge: halfOfStay }],
  },
  {
    code: 'PNR1N',
    description: 'The first night at any time after booking',
    cancelPenalties: [{ penaltyCharge: firstNight }],
  },
  {
    code: 'NRF',
    description: 'Non-refundable: the full stay at any time after booking',
    cancelPenalties: [{ penaltyCharge: fullStay }],
  },
  { code: customCode, description: 'Other terms, as the penalties of the policy state', cancelPenalties: [] },
]

const shippedByCode = new Map(shippedCancelCodes.map((one) => [one.code, one.cancelPenalties]))

export function isShipped(code: string): boolean {
  return shippedByCode.has(code)
}

/** The penalties of codes that operators added, by code. */
export type AddedCancelCodes = Readonly<Record<string, readonly CancelPenalty[]>>

/** The penalties that a code means by itself; undefined: none are known. */
export function listedPenalties(
  code: string | undefined,
  added: AddedCancelCodes,
): readonly CancelPenalty[] | undefined {
  if (code === undefined || code === customCode) return undefined
  return shippedByCode.get(code) ?? (Object.hasOwn(added, code) ? added[code] : undefined)
}
