import type { AriItem, GetAriAnswer, RateLine } from './api.ts'
import { limits, switches, type ProductName, type StoredNight } from './digest.ts'

/**
 * What `getAri` answered, as nights: the form in which `reconcile` compares. `minorDigits`: the decimals of the hotel's
 * currency.
 */
export function storedNights(
  { ari, pricingModel }: Pick<GetAriAnswer, 'ari' | 'pricingModel'>,
  minorDigits: number,
): StoredNight[] {
  const nights = new Map<string, StoredNight>()
  const add = (item: AriItem, name: ProductName, values: Partial<StoredNight>): void => {
    for (const date of datesOf(item)) {
      const key = JSON.stringify([name.roomId, name.rateId, date])
      nights.set(key, { ...(nights.get(key) ?? { ...name, date }), ...values })
    }
  }
  for (const item of ari) {
    const { roomId } = item
    const ofRoom = only(item, ['inventory', 'closed'])
    if (Object.keys(ofRoom).length > 0) add(item, { roomId }, ofRoom)
    for (const line of item.rates ?? []) {
      const values = only(line, ['inventory', ...switches, ...limits])
      const prices = pricesOf(line, line.pricingModel ?? pricingModel, minorDigits)
      add(item, { roomId, rateId: line.rateId }, { ...values, ...prices })
    }
  }
  return [...nights.values()]
}

type Value = Exclude<keyof StoredNight, 'roomId' | 'rateId' | 'date' | 'prices'>

function only(source: Partial<Pick<StoredNight, Value>>, names: readonly Value[]): Partial<StoredNight> {
  return Object.fromEntries(names.flatMap((name) => (name in source ? [[name, source[name]]] : [])))
}

function pricesOf(
  { prices }: RateLine,
  pricingModel: GetAriAnswer['pricingModel'],
  minorDigits: number,
): Pick<StoredNight, 'prices'> {
  if (!prices || prices.length === 0) return {}
  const named = prices.map(({ ageCategory, guests, amount }): [string, number] => [
    pricingModel === 'unit' ? 'u' : `${ageCategory?.charAt(0) ?? ''}${guests ?? ''}`,
    Math.round(Number(amount) * 10 ** minorDigits),
  ])
  return { prices: Object.fromEntries(named) }
}

const weekdays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] as const
const dayMs = 24 * 60 * 60 * 1_000

function datesOf({ date, startDate = date, endDate = date, daysOfWeek }: AriItem): string[] {
  const dates: string[] = []
  const last = Date.parse(endDate ?? '')
  for (let at = Date.parse(startDate ?? ''); at <= last; at += dayMs) {
    const day = new Date(at)
    const weekday = weekdays[day.getUTCDay()]
    if (!daysOfWeek || (weekday && daysOfWeek.includes(weekday))) dates.push(day.toISOString().slice(0, 10))
  }
  return dates
}
