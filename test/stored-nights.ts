import type { StoredNight } from '../packages/client/src/digest.ts'
import { formatNight, parseNight, weekdayOf, weekdays } from '../src/base/calendar.ts'

type Fields = Record<string, unknown>

/** What getAri answered, as the nights of a supplier's own calendar. */
export function storedNights({ ari, pricingModel }: Fields, minorDigits = 2): StoredNight[] {
  const nights = new Map<string, StoredNight>()
  const add = (item: Fields, values: Fields, rateId?: string): void => {
    const from = parseNight(String(item['startDate'])) ?? 0
    const to = parseNight(String(item['endDate'])) ?? 0
    for (let day = from; day <= to; day++) {
      const days = item['daysOfWeek']
      if (Array.isArray(days) && !days.includes(weekdays[weekdayOf(day)])) continue
      const date = formatNight(day)
      const name = { roomId: String(item['roomId']), ...(rateId === undefined ? {} : { rateId }), date }
      const text = JSON.stringify(name)
      nights.set(text, { ...(nights.get(text) ?? name), ...values })
    }
  }
  for (const item of listOf(ari)) {
    const ofRoom = Object.entries(item).filter(([name]) => name === 'inventory' || name === 'closed')
    if (ofRoom.length > 0) add(item, Object.fromEntries(ofRoom))
    for (const { rateId, prices, pricingModel: ofLine, ...values } of listOf(item['rates'])) {
      const isUnit = (ofLine ?? pricingModel) === 'unit'
      const lines = listOf(prices).map(({ ageCategory, guests, amount }): [string, number] => [
        isUnit ? 'u' : `${String(ageCategory).charAt(0)}${Number(guests)}`,
        Math.round(Number(amount) * 10 ** minorDigits),
      ])
      add(
        item,
        { ...values, ...(lines.length > 0 ? { prices: Object.fromEntries(lines) } : {}) },
        String(rateId),
      )
    }
  }
  return [...nights.values()]
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value : []
}
