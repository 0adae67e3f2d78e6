import type { AriItem, PriceLine, RateLine, Tax } from '../../packages/client/src/api.ts'

/** The hotel of the demo: its static data and the plan of its year. */

export const hotelId = 'DEMO-SEA-VIEW'
export const timeZone = 'Europe/Lisbon'

export const hotel = {
  hotelId,
  hotelName: 'Sea View Resort',
  currency: 'EUR',
  isAvailable: true,
  minChildAge: 3,
  maxChildAge: 12,
  countryCodeISO2: 'PT',
  city: 'Cascais',
  timezone: timeZone,
}

const double = {
  roomId: 'DBL',
  roomType: 'Double',
  roomName: 'Double Room with Sea View',
  isAvailable: true,
  occupancy: { maxOccupancy: 3, maxAdult: 2, maxChild: 1 },
}
const family = {
  roomId: 'FAM',
  roomType: 'Family',
  roomName: 'Family Room with Garden',
  isAvailable: true,
  occupancy: { maxOccupancy: 4, maxAdult: 3, maxChild: 2 },
}
const best = { rateId: 'BAR', rateName: 'Best Available Rate', mealPlan: 'BB' }
const nonRefundable = { rateId: 'NRF', rateName: 'Non-refundable', mealPlan: 'RO' }

export const products = [
  { ...double, ...best },
  { ...double, ...nonRefundable },
  { ...family, ...best },
]

export const taxes: Tax[] = [
  {
    type: 'VAT',
    valueType: '%',
    value: 6,
    appliedOn: 'net',
    appliedPer: 'per_room_per_night',
    included: true,
    payNow: true,
  },
  {
    type: 'CITY_TAX',
    valueType: 'fixed',
    value: '2.00',
    appliedOn: 'net',
    appliedPer: 'per_person_per_night',
    included: false,
    payNow: false,
  },
]

type Weekday = NonNullable<AriItem['daysOfWeek']>[number]

/** Prices of a double room for two adults. */
const seasons = { low: 96, middle: 124, high: 168 } as const
type Season = keyof typeof seasons
const weekendExtra = 18
const units = { DBL: 6, FAM: 3 } as const
const weekdays: Weekday[] = ['MON', 'TUE', 'WED', 'THU', 'SUN']
const weekends: Weekday[] = ['FRI', 'SAT']

function seasonOf(month: number): Season {
  if (month === 7 || month === 8) return 'high'
  return month >= 4 && month <= 10 ? 'middle' : 'low'
}

type Day = Temporal.PlainDate

/** A year of guest prices, inventory and restrictions, an item for each room, stretch of season and kind of day. */
export function yearFrom(first: Day, nights: number): AriItem[] {
  const last = first.add({ days: nights - 1 })
  return stretches(first, last).flatMap(({ from, to, season }) =>
    (['DBL', 'FAM'] as const).flatMap((roomId) =>
      [weekdays, weekends].flatMap((daysOfWeek) => {
        if (!anyNight(from, to, daysOfWeek)) return []
        const isWeekend = daysOfWeek === weekends
        const forTwo = seasons[season] + (roomId === 'FAM' ? 42 : 0) + (isWeekend ? weekendExtra : 0)
        const stay = { minLengthStay: season === 'high' ? 3 : isWeekend ? 2 : null }
        const rates: RateLine[] = [{ rateId: 'BAR', ...stay, prices: guestPrices(forTwo, roomId) }]
        if (roomId === 'DBL') {
          const reduced = Math.round(forTwo * 0.88)
          rates.push({ rateId: 'NRF', ...stay, minAdvanceDays: 7, prices: guestPrices(reduced, roomId) })
        }
        return [
          {
            roomId,
            startDate: String(from),
            endDate: String(to),
            daysOfWeek,
            inventory: units[roomId],
            closed: false,
            rates,
          },
        ]
      }),
    ),
  )
}

/** Two weeks, two months on. */
export function closure(first: Day): AriItem[] {
  const from = first.add({ days: 64 - first.dayOfWeek })
  const dates = { startDate: String(from), endDate: String(from.add({ days: 13 })) }
  return ['DBL', 'FAM'].map((roomId) => ({ roomId, ...dates, closed: true }))
}

function guestPrices(forTwo: number, roomId: 'DBL' | 'FAM'): PriceLine[] {
  const adults = [forTwo - 15, forTwo, forTwo + 28].slice(0, roomId === 'FAM' ? 3 : 2)
  const children = roomId === 'FAM' ? [20, 32] : [22]
  return [
    ...adults.map((amount, index) => ({ ageCategory: 'adult' as const, guests: index + 1, amount })),
    ...children.map((amount, index) => ({ ageCategory: 'child' as const, guests: index + 1, amount })),
  ]
}

function stretches(first: Day, last: Day): { from: Day; to: Day; season: Season }[] {
  const found: { from: Day; to: Day; season: Season }[] = []
  for (let from = first; Temporal.PlainDate.compare(from, last) <= 0;) {
    const season = seasonOf(from.month)
    let to = from
    for (
      let next = to.add({ days: 1 });
      Temporal.PlainDate.compare(next, last) <= 0 && seasonOf(next.month) === season;
      next = next.add({ days: 1 })
    )
      to = next
    found.push({ from, to, season })
    from = to.add({ days: 1 })
  }
  return found
}

const names = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const

function anyNight(from: Day, to: Day, daysOfWeek: readonly string[]): boolean {
  for (let day = from; Temporal.PlainDate.compare(day, to) <= 0; day = day.add({ days: 1 })) {
    if (daysOfWeek.includes(names[day.dayOfWeek - 1] ?? '')) return true
  }
  return false
}
