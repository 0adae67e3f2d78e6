import { addDays, type ItemSent } from './naive-ari.ts'

export type Value = number | true
/** By `room-rate|date`, of the room itself `|date`: each value that is set, prices as `adult/2` or `unit`. */
export type NightsRead = Map<string, Map<string, Value>>

const weekdayNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

/** What getAri answers, night by night. */
export function readBackNights(ari: readonly ItemSent[]): NightsRead {
  const read: NightsRead = new Map()
  const put = (key: string, name: string, value: unknown): void => {
    if (value === undefined || value === null || value === false) return
    const night = read.get(key) ?? new Map<string, Value>()
    read.set(key, night.set(name, value === true || Number(value)))
  }
  for (const { startDate = '', endDate = '', daysOfWeek, inventory, closed, rates = [] } of ari)
    for (let date = startDate; date <= endDate; date = addDays(date, 1)) {
      if (daysOfWeek?.includes(weekdayNames[new Date(date).getUTCDay()] ?? '') === false) continue
      put(`|${date}`, 'inventory', inventory)
      put(`|${date}`, 'closed', closed)
      for (const { rateId, prices, ...fields } of rates) {
        const stored = Object.entries(fields).filter(([name]) => name !== 'pricingModel')
        for (const [name, value] of stored) put(`${rateId}|${date}`, name, value)
        for (const { ageCategory, guests, amount } of prices ?? [])
          put(`${rateId}|${date}`, ageCategory ? `${ageCategory}/${guests}` : 'unit', amount)
      }
    }
  return read
}
