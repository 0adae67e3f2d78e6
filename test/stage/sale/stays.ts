import { addDays } from '../models/naive-offers.ts'

/** Stays and what is sold for them, by their names. */

export type Stay = { checkin: string; checkout: string }
export type RoomRate = { roomId: string; rateId: string }

export function isSameRate(one: RoomRate, other: RoomRate): boolean {
  return one.roomId === other.roomId && one.rateId === other.rateId
}

export function overlap(one: Stay, other: Stay): boolean {
  return one.checkin < other.checkout && other.checkin < one.checkout
}

/** The shortest stay that holds all. */
export function hull(stays: readonly Stay[]): Stay {
  const first = stays.map(({ checkin }) => checkin).sort()
  const last = stays.map(({ checkout }) => checkout).sort()
  return { checkin: first[0] ?? '', checkout: last.at(-1) ?? '' }
}

export function datesOf({ checkin, checkout }: Stay): string[] {
  const dates: string[] = []
  for (let date = checkin; date < checkout; date = addDays(date, 1)) dates.push(date)
  return dates
}
