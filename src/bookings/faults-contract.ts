import { unknownReferenceFault } from '../offers/contract.ts'
import type { ConstraintError } from '../http/route.ts'

/** Refusals caused by the state of a hotel or a reservation. */
export const reservationFaults = {
  hotelNotFound: unknownReferenceFault,
  supplierNotFound: {
    type: 'SUPPLIER_NOT_FOUND',
    message: 'Supplier not found',
    hint: 'It is the name of the account; upper and lower case matter',
  },
  roomNotFound: {
    type: 'ROOM_NOT_FOUND',
    message: 'RoomID not found',
    hint: 'Book what POST /v1/booking/offers names',
  },
  rateNotFound: {
    type: 'RATE_NOT_FOUND',
    message: 'RateID not found',
    hint: 'Book what POST /v1/booking/offers names, room and rate together',
  },
  notFound: {
    type: 'RESERVATION_NOT_FOUND',
    message: 'Reservation not found',
    hint: 'Check the reservation id',
  },
  hotelChanged: {
    type: 'HOTEL_CHANGED',
    message: 'A reservation stays in its hotel',
    hint: 'Cancel it and make another',
  },
  notBookable: {
    type: 'NOT_BOOKABLE',
    message: 'The stay cannot be booked',
    hint: 'See rules for what forbids it, and POST /v1/booking/offers for what can be booked',
  },
  soldOut: {
    type: 'SOLD_OUT',
    message: 'Sold out',
    hint: 'See POST /v1/booking/offers for what can be booked',
  },
  priceChanged: {
    type: 'PRICE_CHANGED',
    message: 'The price has changed',
    hint: 'Ask the guest, then send the same with expectedTotal.afterTax from total',
  },
  priceCheckFailed: {
    type: 'PRICE_CHECK_FAILED',
    message: 'The price could not be checked with the supplier',
    hint: 'Nothing was booked; send the same again later',
  },
  cancelled: {
    type: 'RESERVATION_CANCELLED',
    message: 'The reservation is cancelled',
    hint: 'Nothing follows a cancellation; make another reservation',
  },
  changedMeanwhile: {
    type: 'RESERVATION_CHANGED',
    message: 'The reservation was changed at the same moment',
    hint: 'Read it, then send the state again',
  },
  stayBegun: {
    type: 'STAY_BEGUN',
    message: 'The day of arrival is past: the reservation cannot be modified',
    hint: 'Ask the hotel; until the day of departure it can be cancelled',
  },
  stayOver: {
    type: 'STAY_OVER',
    message: 'The day of departure is past: the reservation cannot be cancelled',
    hint: 'Ask the hotel',
  },
} as const satisfies Record<string, ConstraintError>
