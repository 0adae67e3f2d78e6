import type { ConstraintError } from '../http/route.ts'
import { unknownReferenceError } from '../offers/contract.ts'

/** Refusals caused by the state of a hotel or a reservation. */
export const reservationErrors = {
  hotelNotFound: unknownReferenceError,
  supplierNotFound: {
    type: 'SUPPLIER_NOT_FOUND',
    message: 'Supplier not found',
    hint: 'Send the name of the account; it is case-sensitive',
  },
  roomNotFound: {
    type: 'ROOM_NOT_FOUND',
    message: 'RoomID not found',
    hint: 'Book a room from POST /v1/booking/offers',
  },
  rateNotFound: {
    type: 'RATE_NOT_FOUND',
    message: 'RateID not found',
    hint: 'Book a room and rate that POST /v1/booking/offers lists together',
  },
  notFound: {
    type: 'RESERVATION_NOT_FOUND',
    message: 'Reservation not found',
    hint: 'Check the reservation id',
  },
  unknownRoom: {
    type: 'ROOM_RESERVATION_NOT_FOUND',
    message: 'The reservation has no such room',
    hint: 'Send a roomReservationId of its present version, or none',
  },
  repeatedRoom: {
    type: 'ROOM_RESERVATION_REPEATED',
    message: 'Two rooms have the same roomReservationId',
    hint: 'Name each booked room once; leave the member out for a new one',
  },
  hotelChanged: {
    type: 'HOTEL_CHANGED',
    message: 'A reservation cannot be moved to another hotel',
    hint: 'Cancel it and create a new one',
  },
  notBookable: {
    type: 'NOT_BOOKABLE',
    message: 'The stay cannot be booked',
    hint: 'rules lists the reasons; POST /v1/booking/offers lists what can be booked',
  },
  soldOut: {
    type: 'SOLD_OUT',
    message: 'Sold out',
    hint: 'POST /v1/booking/offers lists what can be booked',
  },
  priceChanged: {
    type: 'PRICE_CHANGED',
    message: 'The price has changed',
    hint: 'Ask the guest, then repeat the request with expectedTotal set to afterTax and dueAtProperty of the new total, and its currency',
  },
  forfeitDue: {
    type: 'PENALTY_DUE',
    message: 'The change forfeits what is owed to the hotel',
    hint: 'Ask the guest, then repeat the request with acceptForfeit set to forfeited.amount',
  },
  termsChanged: {
    type: 'TERMS_CHANGED',
    message: 'The terms are others than the guest agreed to',
    hint: 'Ask the guest, then repeat the request with expectedTerms: the termsDigest of each room, which terms lists and a dry run answers with',
  },
  termsCount: {
    type: 'EXPECTED_TERMS_COUNT',
    message: 'expectedTerms must have one digest for each of rooms',
    hint: 'Send them in the order of rooms',
  },
  penaltyDue: {
    type: 'PENALTY_DUE',
    message: 'The hotel has another currency by now, and cancelling costs a penalty',
    hint: 'Cancel the reservation and book anew, or only give up nights, rooms or guests: those stay in the booked currency',
  },
  priceCheckFailed: {
    type: 'PRICE_CHECK_FAILED',
    message: 'The price could not be checked with the supplier',
    hint: 'Nothing was booked; repeat the request after Retry-After',
  },
  termsDiffer: {
    type: 'TERMS_DIFFER',
    message: 'The supplier’s terms differ from those that are sold',
    hint: 'Nothing was booked; POST /v1/booking/priceCheck shows the differences. The supplier has to push the product with the meal plan and the penalties that it answers',
  },
  cancelled: {
    type: 'RESERVATION_CANCELLED',
    message: 'The reservation is cancelled',
    hint: 'A cancellation is final; create a new reservation',
  },
  changedMeanwhile: {
    type: 'RESERVATION_CHANGED',
    message: 'The reservation was changed at the same time',
    hint: 'Read it, then send the full state again',
  },
  stayBegun: {
    type: 'STAY_BEGUN',
    message: 'The stay has begun: the reservation cannot be changed or cancelled any more',
    hint: 'From the day after the arrival, or once a guest has arrived, only the hotel can report what became of the stay; contact it',
  },
  penaltyChanged: {
    type: 'PENALTY_CHANGED',
    message: 'Cancelling costs another penalty than was expected',
    hint: 'Ask the guest, then repeat the request with expectedPenalty set to penalty.amount',
  },
} as const satisfies Record<string, ConstraintError>
