import { useDeferredValue, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { Calendar, CalendarOfHotels } from '../../../../src/console-api/calendar/contract.ts'
import { useFilter } from '../../parts/lists/filters.tsx'
import { CalendarGrid } from './grid/calendar-grid.tsx'
import { type CalendarUrl, openIn, rowOfUrl, selectionOf, toggled } from './grid/calendar-url.ts'
import { contextOf, Panels, Readout, useSelection } from './calendar-view.tsx'
import classes from './calendar.module.css'
import { dayOf } from './grid/days.ts'
import type { Place } from './grid/layout.ts'
import { type CellContext, type Row, type RowHotel, rowsOf } from './grid/rows.ts'
import { Legend, Toolbar } from './toolbar.tsx'
import { useCalendars } from './grid/use-calendar.ts'
import type { GridHandle } from './grid/use-cells.ts'
import { useFirstNight } from './grid/use-first-night.ts'
import { wordsOf } from './panels/words.ts'

/** The lines of hotels, and below an unfolded one its rooms and rates, in the grid that one hotel has too. */
export function HotelsView({
  calendar,
  url,
  set,
  open,
}: {
  calendar: CalendarOfHotels
  url: CalendarUrl
  set: (values: Partial<CalendarUrl>) => void
  open: string
}) {
  const { t } = useTranslation()
  const cells = useMemo(() => windowOf(calendar), [calendar])
  const unfolded = useUnfolded(calendar, url, open)
  const { rows, words } = useRows(calendar, unfolded, url, cells)
  const [, setOpen] = useFilter('open')
  const chosen = unfolded.get(Number(url.hotel))
  const chosenId = chosen?.hotel.hotelId
  const named = useMemo(() => chosen && rowOfUrl(chosen, url, chosenId), [chosen, url, chosenId])
  const selection = useMemo(
    () => selectionOf(url, named, rows, cells, chosenId),
    [url, named, rows, cells, chosenId],
  )
  const grid = useRef<GridHandle>(null)
  const point = useRef<(place: Place | undefined) => void>(() => {})
  const { firstNight, onFirstNight, toolbar } = useFirstNight({ url, set }, cells, grid)
  const selected = useSelection(rows, cells, set, grid)
  return (
    <>
      <Toolbar url={url} set={set} firstDate={calendar.from} lastDate={calendar.to} {...toolbar} />
      <Legend isOfHotels />
      <div className={classes['layout']}>
        <div className={classes['main']}>
          <Readout rows={rows} words={words} point={point} />
          <CalendarGrid
            label={t('calendar.many.grid')}
            rows={rows}
            cells={cells}
            words={words}
            density={url.density}
            money={noMoney}
            corner={t('calendar.many.corner')}
            firstNight={firstNight}
            selection={selection}
            onCell={(place, byKeyboard) => {
              const row = rows[place.row]
              if (row?.kind === 'hotel') setOpen(toggled(open, row.hotel.hotelId))
              else selected.open(place, byKeyboard)
            }}
            onChoose={selected.choose}
            onEscape={selected.close}
            onFirstNight={onFirstNight}
            onPoint={(place) => point.current(place)}
            handle={grid}
          />
        </div>
        {chosen && named && selection && (
          <Panels
            calendar={chosen}
            url={url}
            set={set}
            row={named}
            firstNight={selection.first}
            cells={contextOf(chosen)}
            words={words}
            takesFocus={selected.byKeyboard}
            onClose={selected.close}
          />
        )}
      </div>
    </>
  )
}

/** Every row has its hotel's own. */
const noMoney = { currency: '', minorDigits: 0 }

/** Days of the whole calendar; what is past goes by each hotel's own date. */
function windowOf({ from, to, today }: CalendarOfHotels): CellContext {
  const first = dayOf(from) ?? 0
  return {
    from: first,
    nights: (dayOf(to) ?? first) - first + 1,
    today: dayOf(today) ?? first,
    isHotelAvailable: true,
  }
}

/** The calendars of the unfolded hotels of this page, as far as they have been read. */
function useUnfolded(
  { hotels, from, to }: CalendarOfHotels,
  party: { adults: string; childAges: string },
  open: string,
): ReadonlyMap<number, Calendar> {
  const ids = openIn(open).filter((id) => hotels.some(({ hotelId }) => hotelId === id))
  const read = useCalendars(ids, party, { from, to })
  return useMemo(
    () => new Map(read.flatMap((one) => (one ? [[one.hotel.hotelId, one] as const] : []))),
    [read],
  )
}

function useRows(
  calendar: CalendarOfHotels,
  unfolded: ReadonlyMap<number, Calendar>,
  url: CalendarUrl,
  cells: CellContext,
) {
  const { t } = useTranslation()
  const search = useDeferredValue(url.rooms)
  const isRoomsOnly = url.rows === 'rooms'
  return useMemo(() => {
    const rows = calendar.hotels.flatMap((hotel): Row[] => {
      const { hotelId } = hotel
      const folded: RowHotel = { hotelId, cells, words: wordsOf(t, { hotel }, cells), money: hotel }
      const own = unfolded.get(hotelId)
      const line: Row = { kind: 'hotel', key: String(hotelId), hotel, isOpen: own !== undefined, of: folded }
      if (!own) return [line]
      const context = contextOf(own)
      const of: RowHotel = { hotelId, cells: context, words: wordsOf(t, own, context), money: own.hotel }
      return [line, ...rowsOf(own, search, isRoomsOnly, of)]
    })
    return { rows, words: wordsOf(t, { hotel: noMoney }, cells) }
  }, [calendar, unfolded, cells, search, isRoomsOnly, t])
}
