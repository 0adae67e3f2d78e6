import { useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useSetFilters } from '../../parts/filters.tsx'
import { densities, type Density } from './layout.ts'

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
