import {
  daysIn,
  firstDay,
  monthOf,
  weekdayOf,
  weekdays,
  type DayNumber,
  type MonthNumber,
  type Weekday,
} from '../../base/calendar.ts'

/** Bit n stands for the month's night n (0 = the 1st). */
export type NightMask = number

/** A month and a selection of its nights. */
export type MonthNights = { month: MonthNumber; mask: NightMask }

/** Bit 0 is Monday, bit 6 is Sunday. */
export type WeekdayMask = number
export const everyWeekday: WeekdayMask = 127

export function weekdayMask(days: readonly Weekday[]): WeekdayMask {
  let mask = 0
  for (const day of days) mask |= 1 << weekdays.indexOf(day)
  return mask
}

/** The nights between two days, both included, on the given weekdays; months without any are left out. */
export function nightsBetween(from: DayNumber, to: DayNumber, onDays: WeekdayMask): MonthNights[] {
  const months: MonthNights[] = []
  const last = monthOf(to)
  for (let month = monthOf(from); month <= last; month++) {
    const first = firstDay(month)
    const begin = Math.max(0, from - first)
    const end = Math.min(daysIn(month), to - first + 1)
    // `end` may be 31, and 1 << 31 is negative, so the upper bits come from shifting right.
    let mask = (0xffffffff >>> (32 - end)) & ~((1 << begin) - 1)
    if (onDays !== everyWeekday) mask &= weekdayNights(weekdayOf(first), onDays)
    if (mask !== 0) months.push({ month, mask })
  }
  return months
}

function weekdayNights(firstWeekday: number, onDays: WeekdayMask): NightMask {
  let mask = 0
  for (let night = 0; night < 31; night++) {
    if ((onDays >> ((firstWeekday + night) % 7)) & 1) mask |= 1 << night
  }
  return mask
}

/** The nights of a mask, in order. Where an array costs too much, loop over its bits: `block.ts` does. */
export function nightsIn(mask: NightMask): number[] {
  const nights: number[] = []
  for (let rest = mask; rest !== 0; rest &= rest - 1) nights.push(31 - Math.clz32(rest & -rest))
  return nights
}

export function countNights(mask: NightMask): number {
  let rest = mask - ((mask >>> 1) & 0x55555555)
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333)
  return (((rest + (rest >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
}

/** The nights of the mask that fit. */
export function nightsWhere(mask: NightMask, fits: (night: number) => boolean): NightMask {
  let found = 0
  for (let rest = mask; rest !== 0; rest &= rest - 1) {
    const night = 31 - Math.clz32(rest & -rest)
    if (fits(night)) found |= 1 << night
  }
  return found
}

/** The nights of the mask that have the value. */
export function nightsWith(value: number, values: readonly number[], mask: NightMask): NightMask {
  let found = 0
  for (let rest = mask; rest !== 0; rest &= rest - 1) {
    const night = 31 - Math.clz32(rest & -rest)
    if (values[night] === value) found |= 1 << night
  }
  return found
}
