import { addDays } from '../models/naive-offers.ts'

/** Cancellation policies by the contract, without any code of src/. */

/** Charged from the end of a day before arrival at 18:00, or from the booking on; the full stay unless it says otherwise. */
type NaivePenalty = { daysBefore?: number; nights?: number; percent?: number; amount?: number }
export type NaivePolicy = { code: string; penalties: readonly NaivePenalty[] }

/** What a stay is charged, in minor units. */
type Charged = { arrival: string; afterTax: number; firstNight: number }
export type Penalty = { from: string | null; amount: number }

const deadline = '18:00'

export function pushedPolicy({ code, penalties }: NaivePolicy): object {
  return {
    code,
    cancelPenalties: penalties.map(({ daysBefore, nights, percent, amount }) => ({
      ...(daysBefore === undefined
        ? {}
        : { cancelDeadline: { offsetTimeUnit: 'D', offsetTimeValue: daysBefore, deadline } }),
      penaltyCharge:
        nights === undefined
          ? {
              chargeBase: 'FullStay',
              ...(percent === undefined ? {} : { percent }),
              ...(amount === undefined ? {} : { amount }),
            }
          : { chargeBase: 'NightBase', nights },
    })),
  }
}

export function hasFlatAmount({ penalties }: NaivePolicy): boolean {
  return penalties.some(({ amount }) => amount !== undefined)
}

/** In the order of their deadlines. */
export function penaltiesOf(
  { penalties }: NaivePolicy,
  { arrival, afterTax, firstNight }: Charged,
  { timeZone, digits }: { timeZone: string; digits: number },
): Penalty[] {
  return penalties
    .map(({ daysBefore, nights, percent, amount }): Penalty => {
      const flat = amount === undefined ? undefined : amount * 10 ** digits
      const share = percent === undefined ? afterTax : Math.round((afterTax * percent) / 100)
      return {
        from: daysBefore === undefined ? null : instantIn(timeZone, addDays(arrival, -daysBefore)),
        amount: Math.min(afterTax, nights === undefined ? (flat ?? share) : firstNight),
      }
    })
    .sort((one, other) => timeOf(one) - timeOf(other))
}

/** What a cancellation at a moment costs: the last deadline that has passed counts. */
export function owedAt(penalties: readonly Penalty[], atMs: number): Penalty | undefined {
  return penalties.findLast((penalty) => timeOf(penalty) <= atMs)
}

function timeOf({ from }: Penalty): number {
  return from === null ? -Infinity : Date.parse(from)
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** The deadline on that day, with the zone's offset then. */
function instantIn(timeZone: string, date: string): string {
  const asUtc = Date.parse(`${date}T${deadline}:00Z`)
  const format =
    formats.get(timeZone) ?? new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  formats.set(timeZone, format)
  const offset = format
    .formatToParts(asUtc)
    .find(({ type }) => type === 'timeZoneName')
    ?.value.replace('GMT', '')
  return `${date}T${deadline}:00${offset || '+00:00'}`
}
