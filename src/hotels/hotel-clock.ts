import { dayIn, type DayNumber } from '../base/calendar.ts'

/** Where a hotel is in time: its zone, and how far the test clock of its account is ahead; 0 in production. */
export type HotelClock = { timeZone: string; aheadMs: number }

/** The day that it is in the hotel. */
export function todayIn({ timeZone, aheadMs }: HotelClock, nowMs: number): DayNumber {
  return dayIn(timeZone, nowMs + aheadMs)
}
