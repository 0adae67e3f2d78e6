import { dayIn, type DayNumber } from '../base/calendar.ts'

/** A hotel's time: its zone, and how far its account's test clock is ahead (0 in production). */
export type HotelClock = { timeZone: string; aheadMs: number }

/** The current day in the hotel. */
export function todayIn({ timeZone, aheadMs }: HotelClock, nowMs: number): DayNumber {
  return dayIn(timeZone, nowMs + aheadMs)
}
