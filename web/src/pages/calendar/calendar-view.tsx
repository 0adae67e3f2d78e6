import { Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type Ref, useDeferredValue, useEffect, useImperativeHandle, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Calendar } from '../../../../src/console-api/calendar/contract.ts'
import { CalendarGrid } from './grid/calendar-grid.tsx'
import { type CalendarUrl, rowOfUrl, selectionOf } from './grid/calendar-url.ts'
import classes from './calendar.module.css'
import { CellPanel } from './panels/cell-panel.tsx'
import { dateOf, dayOf } from './grid/days.ts'
import { ExplainPanel } from './panels/explain-panel.tsx'
import type { Place } from './grid/layout.ts'
import { type CellContext, type CellWords, cellOf, type ProductRow, type Row, rowsOf } from './grid/rows.ts'
import type { StopSellDraft } from './panels/stop-sell-dialog.tsx'
import { Legend, Toolbar } from './toolbar.tsx'
import type { GridHandle, Selection } from './grid/use-cells.ts'
import { useFirstNight } from './grid/use-first-night.ts'
import { useCellWords } from './panels/words.ts'

export type ViewHandle = { stopSellDraft: () => StopSellDraft }

const noCell = { hotel: '', room: '', rate: '', night: '', checkin: '', checkout: '' } as const

/** The calendar with its toolbar and panels; its whole state is in the URL. */
export function CalendarView({
  calendar,
  url,
  set,
  handle,
}: {
  calendar: Calendar
  url: CalendarUrl
  set: (values: Partial<CalendarUrl>) => void
  handle: Ref<ViewHandle>
}) {
  const { t } = useTranslation()
  const cells = useMemo(() => contextOf(calendar), [calendar])
  const words = useCellWords(calendar, cells)
  const search = useDeferredValue(url.rooms)
  const isRoomsOnly = url.rows === 'rooms'
  const rows = useMemo(() => rowsOf(calendar, search, isRoomsOnly), [calendar, search, isRoomsOnly])
  const named = useMemo(() => rowOfUrl(calendar, url), [calendar, url])
  const selection = useMemo(() => selectionOf(url, named, rows, cells), [url, named, rows, cells])
  const grid = useRef<GridHandle>(null)
  const point = useRef<(place: Place | undefined) => void>(() => {})
  const { hotel } = calendar
  const { firstNight, onFirstNight, toolbar } = useFirstNight({ url, set }, cells, grid)
  const { byKeyboard, open, choose, close } = useSelection(rows, cells, set, grid)
  useImperativeHandle(handle, () => ({
    stopSellDraft: () => {
      const from = selection ? cells.from + selection.first : cells.today
      const to = selection ? cells.from + selection.last : cells.today
      return { room: url.room, rate: url.rate, from: dateOf(from), to: dateOf(to) }
    },
  }))
  return (
    <>
      <Toolbar url={url} set={set} firstDate={calendar.from} lastDate={calendar.to} {...toolbar} />
      <Legend />
      <div className={classes['layout']}>
        <div className={classes['main']}>
          <Readout rows={rows} words={words} point={point} />
          {rows.length === 0 ? (
            <Text>{t(calendar.rooms.length === 0 ? 'calendar.empty' : 'calendar.noneFound')}</Text>
          ) : (
            <CalendarGrid
              label={t('calendar.gridLabel', { name: hotel.name })}
              rows={rows}
              cells={cells}
              words={words}
              density={url.density}
              money={hotel}
              corner={t('calendar.roomsAndRates', { currency: hotel.currency })}
              firstNight={firstNight}
              selection={selection}
              onCell={open}
              onChoose={choose}
              onEscape={close}
              onFirstNight={onFirstNight}
              onPoint={(place) => point.current(place)}
              handle={grid}
            />
          )}
        </div>
        {named && selection && (
          <Panels
            calendar={calendar}
            url={url}
            set={set}
            row={named}
            firstNight={selection.first}
            cells={cells}
            words={words}
            takesFocus={byKeyboard}
            onClose={close}
          />
        )}
      </div>
    </>
  )
}

/** Opens a night or stay on a click, a key or a drag in the grid. */
export function useSelection(
  rows: readonly Row[],
  { from }: CellContext,
  set: (values: Partial<CalendarUrl>) => void,
  grid: { readonly current: GridHandle | null },
) {
  const [byKeyboard, setByKeyboard] = useState(false)
  const open = (place: Place, isKey: boolean): void => {
    const row = rows[place.row]
    if (!row || row.kind === 'hotel') return
    setByKeyboard(isKey)
    set({ ...noCell, ...addressOf(row), night: dateOf(from + place.night) })
  }
  const choose = ({ row: index, first, last }: Selection): void => {
    const row = rows[index]
    if (!row || row.kind === 'hotel') return
    setByKeyboard(false)
    const [checkin, checkout] = [dateOf(from + first), dateOf(from + last + 1)]
    set({ ...noCell, ...addressOf(row), checkin, checkout })
  }
  const close = (): void => {
    set(noCell)
    grid.current?.focus()
  }
  return { byKeyboard, open, choose, close }
}

/** Describes the cell under the pointer; a separate component, so that pointing redraws nothing else. */
export function Readout({
  rows,
  words,
  point,
}: {
  rows: readonly Row[]
  words: CellWords
  point: { current: (place: Place | undefined) => void }
}) {
  const { t } = useTranslation()
  const [place, setPlace] = useState<Place>()
  const isTouch = useMediaQuery('(hover: none)')
  useEffect(() => {
    point.current = (next) =>
      setPlace((before) => (before?.row === next?.row && before?.night === next?.night ? before : next))
  }, [point])
  const row = place && rows[place.row]
  return (
    <div className={classes['readout']}>
      {row
        ? (row.of?.words ?? words).cell(row, place.night, true)
        : t(isTouch ? 'calendar.hintTouch' : 'calendar.hint')}
    </div>
  )
}

export function contextOf({ from, to, today, hotel }: Calendar): CellContext {
  const first = dayOf(from) ?? 0
  return {
    from: first,
    nights: (dayOf(to) ?? first) - first + 1,
    today: dayOf(today) ?? first,
    isHotelAvailable: hotel.isAvailable,
  }
}

function addressOf(row: ProductRow): { hotel: string; room: string; rate: string } {
  const hotel = row.of === undefined ? '' : String(row.of.hotelId)
  return { hotel, room: row.room.roomId, rate: row.kind === 'rate' ? row.rate.rateId : '' }
}

/** The panels for the selected night or stay. */
export function Panels({
  calendar: { hotel },
  url,
  set,
  row,
  firstNight,
  cells,
  words,
  takesFocus,
  onClose,
}: {
  calendar: Pick<Calendar, 'hotel'>
  url: CalendarUrl
  set: (values: Partial<CalendarUrl>) => void
  row: ProductRow
  firstNight: number
  cells: CellContext
  words: CellWords
  takesFocus: boolean
  onClose: () => void
}) {
  const { hotelId, timeZone: zone } = hotel
  const { room, rate, night } = url
  const shared = { zone, takesFocus, onClose }
  if (night === '')
    return url.checkin === '' ? null : (
      <ExplainPanel hotelId={hotelId} room={row.room} url={url} set={set} {...shared} />
    )
  const explain = (nights: number): void =>
    set({ night: '', checkin: night, checkout: dateOf(cells.from + firstNight + nights) })
  return (
    <CellPanel
      address={{ hotelId, room, rate, night }}
      names={row.kind === 'rate' ? [row.room.name, row.rate.name] : [row.room.name]}
      reasons={cellOf(row, firstNight, cells).reasons}
      words={words}
      onExplain={explain}
      {...shared}
    />
  )
}
