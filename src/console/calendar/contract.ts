import Type from 'typebox'
import type { RateRestriction, RestrictionName } from '../../ari/restrictions.ts'
import { askedRoom, roomsPerStayMax, type OfferRule } from '../../offers/contract.ts'
import { code, consoleRoute, date, oneOf, text } from '../../http/route.ts'

/** Nights that one answer reaches, and room-rates times nights: a larger window ends earlier and says so. */
export const calendarNightsMax = 768
export const calendarCellsMax = 400_000

/** The values of one row, night after night, −1 where there is none; as runs (value, nights, …) where that is shorter. */
export type CalendarColumn = readonly number[] | { runs: readonly number[] }

/** Why a night of a room-rate can't be sold to the party, whatever the stay; each is a bit of `unsellable`. */
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

/** Columns that hold nothing in the window are absent. */
export type CalendarRow = {
  units?: CalendarColumn
  closed?: CalendarColumn
  stopSell?: CalendarColumn
  /** The hotel's revision that set a value of the night last. */
  revision?: CalendarColumn
}

export type CalendarRate = CalendarRow & {
  rateId: string
  name: string
  mealPlan: string | null
  isAvailable: boolean
  pricingModel: 'unit' | 'guest' | null
  /** Whether the party may stay in it. */
  takesParty: boolean
  /** For the party, in minor units. */
  price?: CalendarColumn
  unsellable?: CalendarColumn
} & Partial<Record<RateRestriction, CalendarColumn>>

export type CalendarRoom = CalendarRow & { roomId: string; name: string; rates: CalendarRate[] }

export type CalendarParty = { adults: number; childAges: readonly number[] }

export type Calendar = {
  isUnchanged: false
  /** Sent as `since`, it makes an answer of one line as long as nothing has changed. */
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
  /** The hotel's date. */
  today: string
  from: string
  /** The last night, perhaps earlier than asked. */
  to: string
  party: CalendarParty
  rooms: CalendarRoom[]
}

/** Who set a value: a push, a reservation, or an operator. */
export type CellSetter =
  | {
      by: 'push'
      pushId: number
      requestId: string
      at: string
      item: number | null
      keyId: number | null
      key: string | null
    }
  | { by: 'reservation'; reservationId: string; at: string }
  | {
      by: 'operator'
      operator: string
      requestId: string
      at: string
      /** Null where none was given, or where the push log no longer keeps it. */
      reason: string | null
    }

export type CellValue = {
  of: 'room' | 'rate'
  field: RestrictionName | 'inventory' | 'price'
  /** Of a price of the guest model. */
  guests?: number
  ageCategory?: 'adult' | 'child' | 'infant'
  /** A decimal, a number, or true for a switch that is on; null: it was cleared. */
  value: string | number | boolean | null
  /** A price in a currency that the hotel had before. */
  isFormerCurrency?: boolean
  revision: number
  /** Null where the push log no longer keeps it. */
  setBy: CellSetter | null
}

export type CellPush = {
  pushId: number
  requestId: string
  at: string
  kind: 'ari' | 'stopSell'
  outcome: string
  revision: number | null
  /** The items that name the night, with what they send for it. */
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
  /** The log was searched back to here; null: it holds no push for the hotel. */
  searchedBackTo: string | null
  /** Whether nothing older is kept. */
  isWhole: boolean
}

export type ExplainedRule = {
  rule: OfferRule
  pass: boolean
  of?: 'room' | 'rate'
  dates: string[]
  held: unknown
  asked: unknown
  missing?: { ageCategory: string; guests: number }
  reason?: string
  setBy: CellSetter | null
}

export type ExplainedOffer = {
  unitsLeft: number
  rooms: { nights: { date: string; amount: string }[] }[]
  taxes: { type: string; included: boolean; payNow: boolean; amount: string }[]
  total: { beforeTax: string; tax: string; afterTax: string; dueAtProperty: string }
  cancelPolicy: {
    code: string | null
    description: string | null
    penalties: { from: string | null; amount: string; noShow?: boolean }[]
  } | null
  fees: { name: string; amount: string; appliedPer: string; payNow: false }[]
  trace: {
    persons: number
    nights: {
      date: string
      price: string
      includedAmounts: string
      divisor: string
      net: string
      taxes: { type: string; rate: string; constant: string; amount: string }[]
    }[]
    taxes: { type: string; exact: string; amount: string }[]
  }[]
}

export type ExplainedStay = {
  isBookable: boolean
  currency: string
  revision: number
  rules: ExplainedRule[]
  /** Where it can be booked. */
  offer: ExplainedOffer | null
  /** The smallest change that makes it bookable, where there is one. */
  nearest: {
    checkin: string
    checkout: string
    rooms: { adults: number; childAges: number[] }[]
    change: string
  } | null
}

export const stopSellTargetsMax = 500
export const stopSellActions = ['stop', 'open'] as const

export type StoppedRow = {
  roomId: string
  rateId: string | null
  nights: number
  /** Nights that were not so already. */
  changed: number
}

export type StopSellAnswer = {
  isPreview: boolean
  revision: number
  requestId: string
  rows: StoppedRow[]
  nightsChanged: number
}

const hotelParam = { hotelId: text({ maxLength: 10, description: 'platformHotelId' }) }
const queried = (description: string) => Type.Optional(text({ description, maxLength: 200 }))

export const calendarRoutes = {
  getCalendar: consoleRoute<Calendar | { isUnchanged: true; version: string }>()({
    method: 'GET',
    path: '/hotels/{hotelId}/calendar',
    params: Type.Object(hotelParam),
    query: Type.Object({
      from: Type.Optional(date({ description: "First night; a week before the hotel's today unless told" })),
      to: Type.Optional(
        date({ description: 'Last night, included; the last that can be pushed unless told' }),
      ),
      adults: queried('Of the party whose prices are shown; 2 unless told'),
      childAges: queried('Of the party, with commas between'),
      since: queried('version of the answer that is at hand'),
    }),
  }),
  getCalendarCell: consoleRoute<CalendarCell>()({
    method: 'GET',
    path: '/hotels/{hotelId}/calendar/cell',
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
    params: Type.Object(hotelParam),
    body: Type.Object({
      roomId: code(),
      rateId: code(),
      checkin: date({ description: 'First night' }),
      checkout: date({ description: 'Day of departure' }),
      rooms: Type.Array(askedRoom, { minItems: 1, maxItems: roomsPerStayMax }),
    }),
  }),
  stopSell: consoleRoute<StopSellAnswer>()({
    method: 'POST',
    path: '/hotels/{hotelId}/stop-sell',
    role: 'operator',
    params: Type.Object(hotelParam),
    body: Type.Object({
      action: oneOf(stopSellActions, {
        description: '`stop` closes for sale, `open` lifts what was stopped',
      }),
      targets: Type.Array(
        Type.Object({
          roomId: code(),
          rateId: Type.Optional(code({ description: 'Absent: the room with all its rates' })),
        }),
        { minItems: 1, maxItems: stopSellTargetsMax },
      ),
      from: date({ description: 'First night' }),
      to: date({ description: 'Last night, included' }),
      reason: Type.Optional(text({ maxLength: 200, description: 'For the audit log and the supplier' })),
      preview: Type.Optional(Type.Boolean({ description: 'Say what it would do, and do nothing' })),
    }),
  }),
}
