import Type from 'typebox'
import type { OpenReservations } from '../../hotels/open-contract.ts'
import type { RateRestriction, RestrictionName } from '../../ari/restrictions.ts'
import { requestedRoom, roomsPerStayMax } from '../../offers/contract.ts'
import type { CellSetter, ExplainedHotel, ExplainedStay } from './explain-contract.ts'
import { queryText, code, consoleRoute, date, oneOf, text } from '../../http/route.ts'

/** Limits of one answer: nights, and room-rates times nights. A larger window is cut short, and the answer says so. */
export const calendarNightsMax = 768
export const calendarCellsMax = 400_000
/** Of a calendar of several hotels; a page ends sooner at calendarCellsMax, and always has one hotel. */
export const linesPerPage = 25
export const nightsOfLines = 400

/** The values of one row, night by night, −1 for none; as runs (value, nights, …) if that is shorter. */
export type CalendarColumn = readonly number[] | { runs: readonly number[] }

/** Reasons why a night of a room-rate can't be sold to the party, for any stay; each is a bit of `unsellable`. */
export const unsellableReasons = [
  'past',
  'inventory',
  'price',
  'formerCurrency',
  'closedRoom',
  'closedRate',
  'stopSellRoom',
  'stopSellRate',
] as const
export type UnsellableReason = (typeof unsellableReasons)[number]

/** Columns without any value in the window are absent. */
export type CalendarRow = {
  units?: CalendarColumn
  closed?: CalendarColumn
  stopSell?: CalendarColumn
  /** The revision of the hotel that last set a value of the night. */
  revision?: CalendarColumn
}

export type CalendarRate = CalendarRow & {
  rateId: string
  name: string
  mealPlan: string | null
  isAvailable: boolean
  pricingModel: 'unit' | 'guest' | null
  /** Whether the party fits. */
  takesParty: boolean
  /** For the party, in minor units. */
  price?: CalendarColumn
  unsellable?: CalendarColumn
} & Partial<Record<RateRestriction, CalendarColumn>>

export type CalendarRoom = CalendarRow & { roomId: string; name: string; rates: CalendarRate[] }

export type CalendarParty = { adults: number; childAges: readonly number[] }

export type Calendar = {
  isUnchanged: false
  /** Send it as `since` to get a one-line answer while nothing has changed. */
  version: string
  hotel: {
    hotelId: number
    supplier: string
    code: string
    name: string
    currency: string
    minorDigits: number
    timeZone: string
    isAvailable: boolean
    minChildAge: number
    maxChildAge: number
  }
  revision: number
  /** The current date at the hotel. */
  today: string
  from: string
  /** The last night; may be earlier than requested. */
  to: string
  party: CalendarParty
  rooms: CalendarRoom[]
}

/** A hotel folded to one line of a calendar of several. */
export type CalendarLine = {
  /** Those on sale, whatever their nights hold. */
  roomRates: number
  /** How many of them can be sold to the party. */
  sellable?: CalendarColumn
  /** The lowest price of those, in minor units. */
  price?: CalendarColumn
  /** The reasons against the others, together. */
  unsellable?: CalendarColumn
}

export type CalendarHotel = Omit<Calendar['hotel'], 'minChildAge' | 'maxChildAge'> & CalendarLine

export type CalendarOfHotels = {
  isUnchanged: false
  version: string
  /** The current date in UTC; what is past goes by each hotel's own. */
  today: string
  from: string
  to: string
  party: CalendarParty
  hotels: CalendarHotel[]
  nextCursor: string | null
}

export type CellValue = {
  of: 'room' | 'rate'
  field: RestrictionName | 'inventory' | 'price'
  /** For prices per guest. */
  guests?: number
  ageCategory?: 'adult' | 'child' | 'infant'
  /** A decimal, a number, or true for a switch; null: cleared. */
  value: string | number | boolean | null
  /** Whether a price is in an earlier currency of the hotel. */
  isFormerCurrency?: boolean
  revision: number
  /** Null if it is no longer in the push log. */
  setBy: CellSetter | null
}

export type CellPush = {
  pushId: number
  requestId: string
  at: string
  kind: 'ari' | 'stopSell' | 'undo'
  outcome: string
  revision: number | null
  /** The items that include the night, with their values for it; of an undo, the fields that it changed. */
  items: { item: number; sent: Record<string, unknown> }[]
}

export type CalendarCell = {
  night: string
  roomId: string
  roomName: string
  rateId: string | null
  rateName: string | null
  currency: string
  revision: number
  values: CellValue[]
  history: CellPush[]
  /** How far back the log was searched; null: it has no push for the hotel, or the newest one's body is in an archive that is away. */
  searchedBackTo: string | null
  /** The newest push whose body is in an archive that is away: the search ends before it. */
  archiveAwayAt: string | null
  /** Whether there is nothing older in the log. */
  isWhole: boolean
}

export const stopSellTargetsMax = 500
export const stopSellActions = ['stop', 'open'] as const

export type StoppedRow = {
  roomId: string
  rateId: string | null
  nights: number
  /** Nights that change state. */
  changed: number
}

export type StopSellAnswer = {
  isPreview: boolean
  revision: number
  requestId: string
  rows: StoppedRow[]
  nightsChanged: number
  /** Of `stop`: the open reservations that have any of these nights, which it does not cancel; null without any. */
  affected: OpenReservations | null
}

const hotelParam = { hotelId: text({ maxLength: 10, description: 'platformHotelId' }) }
const askedStay = {
  checkin: date({ description: 'First night' }),
  checkout: date({ description: 'Day of departure' }),
  rooms: Type.Array(requestedRoom, { minItems: 1, maxItems: roomsPerStayMax }),
}
export const calendarRoutes = {
  getCalendar: consoleRoute<Calendar | { isUnchanged: true; version: string }>()({
    method: 'GET',
    path: '/hotels/{hotelId}/calendar',
    forSuppliers: 'own',
    params: Type.Object(hotelParam),
    query: Type.Object({
      from: Type.Optional(date({ description: "First night; by default a week before the hotel's today" })),
      to: Type.Optional(
        date({ description: 'Last night, inclusive; by default the last one that can be pushed' }),
      ),
      adults: queryText('Adults of the party whose prices are returned; 2 by default'),
      childAges: queryText('Of the party, separated by commas'),
      since: queryText('version of the answer that you already have'),
    }),
  }),
  /** Several hotels one below the other, by name, each in one line; see getCalendar for the rows of one. */
  listCalendars: consoleRoute<CalendarOfHotels | { isUnchanged: true; version: string }>()({
    method: 'GET',
    path: '/calendars',
    forSuppliers: 'own',
    query: Type.Object({
      supplierId: queryText('Number of the supplier'),
      search: queryText('Parts of the name, code, city, country code or supplier'),
      hotelIds: queryText(`Only these, up to ${linesPerPage}: platformHotelIds separated by commas`),
      adults: queryText('Adults of the party whose prices are returned; 2 by default'),
      childAges: queryText('Of the party, separated by commas'),
      cursor: queryText('nextCursor of the previous page'),
      since: queryText('version of the answer that you already have'),
    }),
  }),
  getCalendarCell: consoleRoute<CalendarCell>()({
    method: 'GET',
    path: '/hotels/{hotelId}/calendar/cell',
    forSuppliers: 'own',
    params: Type.Object(hotelParam),
    query: Type.Object({
      room: code({ description: 'roomId' }),
      rate: Type.Optional(code({ description: 'rateId; absent: the room itself' })),
      night: date(),
    }),
  }),
  explainStay: consoleRoute<ExplainedStay>()({
    method: 'POST',
    path: '/hotels/{hotelId}/explain',
    forSuppliers: 'own',
    params: Type.Object(hotelParam),
    body: Type.Object({ roomId: code(), rateId: code(), ...askedStay }),
  }),
  /** One stay at every room-rate of the hotel: why guests can't book. */
  explainHotel: consoleRoute<ExplainedHotel>()({
    method: 'POST',
    path: '/hotels/{hotelId}/explain-all',
    forSuppliers: 'own',
    params: Type.Object(hotelParam),
    body: Type.Object(askedStay),
  }),
  stopSell: consoleRoute<StopSellAnswer>()({
    method: 'POST',
    path: '/hotels/{hotelId}/stop-sell',
    role: 'operator',
    params: Type.Object(hotelParam),
    body: Type.Object({
      action: oneOf(stopSellActions, {
        description: '`stop` stops sales, `open` lifts an earlier stop',
      }),
      targets: Type.Array(
        Type.Object({
          roomId: code(),
          rateId: Type.Optional(code({ description: 'Absent: the room with all its rates' })),
        }),
        { minItems: 1, maxItems: stopSellTargetsMax },
      ),
      from: date({ description: 'First night' }),
      to: date({ description: 'Last night, inclusive' }),
      reason: Type.Optional(
        text({
          maxLength: 200,
          withoutCards: true,
          description: 'Required to stop sales: for operators and the supplier',
        }),
      ),
      until: Type.Optional(
        text({
          maxLength: 40,
          description: 'With `stop`: when sales resume by themselves, an ISO 8601 instant',
        }),
      ),
      preview: Type.Optional(Type.Boolean({ description: 'Only report what would change' })),
    }),
  }),
}
