import Type from 'typebox'
import { consoleRoute, oneOf, queryText } from '../../http/route.ts'

/** What was booked in a month: numbers of whole months, which the list of reservations doesn't give. */

export const numbersRowsMax = 1_000

/** Whether a month has the reservations booked in it (UTC), or those whose guests arrive in it. */
export const numbersBy = ['booked', 'arrival'] as const
export type NumbersBy = (typeof numbersBy)[number]

/** Room nights and value are of the bookings, which are the reservations that aren't cancelled. */
export type NumbersRow = {
  supplierId: number
  supplier: string
  currency: string
  bookings: number
  cancelled: number
  roomNights: number
  afterTax: string
}

export type Numbers = {
  /** `YYYY-MM` */
  month: string
  by: NumbersBy
  rows: NumbersRow[]
  /** Whether there are more rows than `numbersRowsMax`. */
  hasMore: boolean
  /** For a month without rows: the first month that has some; null if there is none. */
  firstMonth: string | null
}

export const numbersRoutes = {
  getNumbers: consoleRoute<{ numbers: Numbers }>()({
    method: 'GET',
    path: '/numbers',
    forSuppliers: 'own',
    query: Type.Object({
      month: queryText(),
      by: Type.Optional(oneOf(numbersBy)),
      supplierId: queryText(),
    }),
  }),
}
