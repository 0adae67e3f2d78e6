import type { Calendar } from '../../../../src/console/calendar/contract.ts'
import type { CalendarUrl } from './calendar-url.ts'
import { CellPanel } from './cell-panel.tsx'
import type { CellWords } from './cell-words.ts'
import { dateOf } from './days.ts'
import { ExplainPanel } from './explain-panel.tsx'
import { cellOf, type CellContext, type Row } from './rows.ts'

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
  calendar: Calendar
  url: CalendarUrl
  set: (values: Partial<CalendarUrl>) => void
  row: Row
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
