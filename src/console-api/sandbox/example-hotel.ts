import {
  dayIn,
  daysIn,
  firstDay,
  formatNight,
  monthOf,
  weekdayOf,
  weekdays,
  type DayNumber,
  type Weekday,
} from '../../base/calendar.ts'
import type { PushAriBody } from '../../ari/contract.ts'
import type { Product } from '../../products/contract.ts'
import type { Tax } from '../../taxes/contract.ts'
import { exampleHotelCode } from './contract.ts'

/**
 * A complete hotel as a supplier would push it: three rooms with two rates, taxes, and a year of prices per guest with
 * higher prices on weekends, a high season, and two weeks in which the suites are closed.
 */

type AriItem = PushAriBody['ari'][number]
type PriceLine = NonNullable<NonNullable<AriItem['rates']>[number]['prices']>[number]
type Policy = NonNullable<Product['cancelPolicies']>[number]

const timeZone = 'Europe/Lisbon'
const nights = 365

export const exampleHotel = {
  hotelId: exampleHotelCode,
  hotelName: 'Example Hotel',
  currency: 'EUR',
  isAvailable: true,
  minChildAge: 3,
  maxChildAge: 12,
  countryCodeISO2: 'PT',
  city: 'Lisbon',
  email: 'desk@hotel.example',
  address: ['Rua do Exemplo 1'],
  timezone: timeZone,
}

/** The operators' reference data that a push may use: nothing that is retired. */
export type UsableReference = { roomTypes: ReadonlySet<string>; mealPlans: ReadonlySet<string> }

type Room = {
  roomId: string
  roomName: string
  /** The first one that is not retired. */
  roomTypes: readonly string[]
  occupancy: { maxOccupancy: number; maxAdult: number; maxChild: number }
  units: number
  forTwo: number
}

const rooms: readonly Room[] = [
  {
    roomId: 'DBL',
    roomName: 'Double Room',
    roomTypes: ['Double', 'Twin'],
    occupancy: { maxOccupancy: 3, maxAdult: 2, maxChild: 1 },
    units: 6,
    forTwo: 110,
  },
  {
    roomId: 'FAM',
    roomName: 'Family Room',
    roomTypes: ['Family', 'Quad'],
    occupancy: { maxOccupancy: 4, maxAdult: 3, maxChild: 2 },
    units: 3,
    forTwo: 150,
  },
  {
    roomId: 'STE',
    roomName: 'Suite with River View',
    roomTypes: ['Suite', 'Junior Suite'],
    occupancy: { maxOccupancy: 3, maxAdult: 2, maxChild: 1 },
    units: 2,
    forTwo: 240,
  },
]

type Rate = {
  rateId: string
  rateName: string
  mealPlans: readonly string[]
  share: number
  ahead: number | null
}

const rates: readonly Rate[] = [
  { rateId: 'BAR', rateName: 'Best Available Rate', mealPlans: ['BB', 'CB'], share: 1, ahead: null },
  { rateId: 'NRF', rateName: 'Non-refundable', mealPlans: ['RO', 'EP'], share: 0.88, ahead: 7 },
]

const everything: UsableReference = {
  roomTypes: new Set(rooms.flatMap((room) => room.roomTypes)),
  mealPlans: new Set(rates.flatMap((rate) => rate.mealPlans)),
}

/** Each room with each rate. */
export function exampleProducts({ roomTypes, mealPlans }: UsableReference = everything): Product[] {
  return rooms.flatMap(({ roomId, roomName, occupancy, ...room }) =>
    rates.map(({ rateId, rateName, ...rate }) => {
      const mealPlan = rate.mealPlans.find((code) => mealPlans.has(code))
      const roomType = room.roomTypes.find((name) => roomTypes.has(name)) ?? [...roomTypes][0] ?? 'Double'
      return {
        roomId,
        roomType,
        rateId,
        roomName,
        rateName,
        isAvailable: true,
        occupancy,
        ...(mealPlan === undefined ? {} : { mealPlan }),
        cancelPolicies: [rateId === 'NRF' ? nonRefundable : flexible],
      }
    }),
  )
}

const flexible: Policy = {
  code: 'FLEX3',
  description: 'Free until three days before arrival, then one night',
  cancelPenalties: [
    {
      noShow: false,
      cancelDeadline: { offsetTimeUnit: 'D', offsetTimeValue: 3, deadline: '18:00' },
      penaltyCharge: { chargeBase: 'NightBase', nights: 1 },
    },
    { noShow: true, penaltyCharge: { chargeBase: 'FullStay', percent: 100 } },
  ],
}

const nonRefundable: Policy = {
  code: 'NRF',
  description: 'The full stay, from the time of booking',
  cancelPenalties: [
    {
      noShow: false,
      cancelDeadline: { offsetTimeUnit: 'D', offsetTimeValue: 999, deadline: '00:00' },
      penaltyCharge: { chargeBase: 'FullStay', percent: 100 },
    },
    { noShow: true, penaltyCharge: { chargeBase: 'FullStay', percent: 100 } },
  ],
}

export const exampleTaxes: Tax[] = [
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
    value: '4.00',
    appliedOn: 'net',
    appliedPer: 'per_person_per_night',
    included: false,
    payNow: false,
  },
]

const midweek: Weekday[] = ['SUN', 'MON', 'TUE', 'WED', 'THU']
const weekends: Weekday[] = ['FRI', 'SAT']
const weekendExtra = 25
const highSeasonExtra = 60
/** July and August; months count from 0. */
const highSeason = [6, 7]

/** A year from the hotel's today: an item per month, room and kind of day, then the closure. */
export function exampleYear(nowMs: number): AriItem[] {
  const first = dayIn(timeZone, nowMs)
  const items: AriItem[] = stretchesOf(first, first + nights - 1).flatMap((stretch) =>
    rooms.map((room) => item(room, stretch)),
  )
  const closedFrom = first + 90
  items.push({
    roomId: 'STE',
    startDate: formatNight(closedFrom),
    endDate: formatNight(closedFrom + 13),
    closed: true,
  })
  return items
}

/** Nights of one price: those of a month between two days that are on the same kind of day. */
export type ExampleNights = { from: DayNumber; to: DayNumber; days: Weekday[]; firstNight: DayNumber }

/** The stretches of a season, month by month, from the first night to the last. */
export function stretchesOf(first: DayNumber, last: DayNumber): ExampleNights[] {
  const stretches: ExampleNights[] = []
  for (let from = first; from <= last; from = endOfMonth(from) + 1) {
    const to = Math.min(last, endOfMonth(from))
    for (const days of [midweek, weekends]) {
      const firstNight = firstNightOn(days, from, to)
      if (firstNight !== undefined) stretches.push({ from, to, days, firstNight })
    }
  }
  return stretches
}

function item(room: Room, { from, to, days }: ExampleNights): AriItem {
  const isHigh = highSeason.includes(monthOf(from) % 12)
  const forTwo = room.forTwo + (days === weekends ? weekendExtra : 0) + (isHigh ? highSeasonExtra : 0)
  return {
    roomId: room.roomId,
    startDate: formatNight(from),
    endDate: formatNight(to),
    daysOfWeek: days,
    inventory: room.units,
    closed: false,
    rates: rates.map(({ rateId, share, ahead }) => ({
      rateId,
      closed: false,
      minLengthStay: isHigh ? 3 : null,
      minAdvanceDays: ahead,
      prices: prices(room, Math.round(forTwo * share)),
    })),
  }
}

function prices({ occupancy: { maxAdult, maxChild } }: Room, forTwo: number): PriceLine[] {
  const adults = [forTwo - 20, forTwo, forTwo + 35].slice(0, maxAdult)
  const children = [20, 35].slice(0, maxChild)
  return [
    ...adults.map((amount, index) => ({ ageCategory: 'adult' as const, guests: index + 1, amount })),
    ...children.map((amount, index) => ({ ageCategory: 'child' as const, guests: index + 1, amount })),
  ]
}

function endOfMonth(day: DayNumber): DayNumber {
  const month = monthOf(day)
  return firstDay(month) + daysIn(month) - 1
}

function firstNightOn(days: readonly Weekday[], from: DayNumber, to: DayNumber): DayNumber | undefined {
  for (let day = from; day <= to; day++)
    if (days.some((name) => weekdays[weekdayOf(day)] === name)) return day
  return undefined
}
