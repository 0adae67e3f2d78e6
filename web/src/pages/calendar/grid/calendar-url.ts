import { useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Calendar } from '../../../../../src/console-api/calendar/contract.ts'
import { useSetFilters } from '../../../parts/lists/filters.tsx'
import { dayOf } from './days.ts'
import { densities, type Density } from './layout.ts'
import { type CellContext, type ProductRow, type Row, rowKey } from './rows.ts'
import type { Selection } from './use-cells.ts'

/** The whole state of the page is in its URL. */
export type CalendarUrl = {
  /** The first visible night; '' is the hotel's today. */
  from: string
  density: Density
  adults: string
  childAges: string
  /** The search for rooms and rates. */
  rooms: string
  /** `rooms`: only rooms with their units, no rates. */
  rows: '' | 'rooms'
  /** In a calendar of several, the hotel of the room. */
  hotel: string
  room: string
  rate: string
  night: string
  checkin: string
  checkout: string
}

export function useCalendarUrl(): [CalendarUrl, (values: Partial<CalendarUrl>) => void] {
  const search = useSearch({ strict: false })
  const url = useMemo((): CalendarUrl => {
    const of = (name: string): string => search[name] ?? ''
    return {
      from: of('from'),
      density: densities.find((density) => density === search['density']) ?? 'fortnight',
      adults: /^[1-9]\d?$/.test(of('adults')) ? of('adults') : '2',
      childAges: /^\d{1,2}(,\d{1,2}){0,9}$/.test(of('childAges')) ? of('childAges') : '',
      rooms: of('rooms'),
      rows: of('rows') === 'rooms' ? 'rooms' : '',
      hotel: of('hotel'),
      room: of('room'),
      rate: of('rate'),
      night: of('night'),
      checkin: of('checkin'),
      checkout: of('checkout'),
    }
  }, [search])
  return [url, useSetFilters()]
}

export function partyOf({ adults, childAges }: Pick<CalendarUrl, 'adults' | 'childAges'>): {
  adults: number
  childAges: number[]
} {
  return { adults: Number(adults), childAges: childAges === '' ? [] : childAges.split(',').map(Number) }
}

/** The room or room-rate in the URL, whether or not its row is visible. */
export function rowOfUrl(
  { rooms }: Calendar,
  { room: roomId, rate: rateId }: Pick<CalendarUrl, 'room' | 'rate'>,
  hotelId?: number,
): ProductRow | undefined {
  const room = rooms.find((one) => one.roomId === roomId)
  if (!room) return undefined
  if (rateId === '') return { kind: 'room', key: rowKey(roomId, undefined, hotelId), room }
  const rate = room.rates.find((one) => one.rateId === rateId)
  return rate && { kind: 'rate', key: rowKey(roomId, rateId, hotelId), room, rate }
}

/** The nights in the URL, if they are in the calendar; on the room's row if the rate's row is not shown. */
export function selectionOf(
  url: CalendarUrl,
  named: Row | undefined,
  rows: readonly Row[],
  { from, nights }: CellContext,
  hotelId?: number,
): Selection | undefined {
  if (!named) return undefined
  const ofRate = rows.findIndex(({ key }) => key === named.key)
  const row =
    ofRate === -1 ? rows.findIndex(({ key }) => key === rowKey(url.room, undefined, hotelId)) : ofRate
  const day = dayOf(url.night)
  const [first, end] = day === undefined ? [dayOf(url.checkin), dayOf(url.checkout)] : [day, day + 1]
  if (row === -1 || first === undefined) return undefined
  const night = first - from
  if (night < 0 || night >= nights) return undefined
  return { row, first: night, last: Math.min(nights - 1, Math.max(night, (end ?? first) - 1 - from)) }
}

/** Each reads a whole calendar, every 15 seconds. */
const openMax = 5

/** The hotels that are unfolded, as the URL has them. */
export function openIn(open: string): number[] {
  return /^\d{1,10}(,\d{1,10})*$/.test(open) ? open.split(',').map(Number).slice(-openMax) : []
}

/** With one more hotel, for which the first one makes room; or without it. */
export function toggled(open: string, hotelId: number): string {
  const ids = openIn(open)
  const others = ids.filter((id) => id !== hotelId)
  return (others.length < ids.length ? others : [...ids, hotelId].slice(-openMax)).join(',')
}
