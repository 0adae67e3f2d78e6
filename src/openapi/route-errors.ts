import { alertErrors } from '../alerts/contract.ts'
import { alertSettingsErrors } from '../alerts/channels/settings-contract.ts'
import { digestErrors } from '../ari/digest/digest-contract.ts'
import { guardErrors, guardRejected } from '../ari/guard/contract.ts'
import { historyErrors, momentsReversed } from '../ari/history/history-contract.ts'
import { planErrors } from '../ari/impact/contract.ts'
import { daysAheadMax, itemErrors } from '../ari/item-contract.ts'
import { undoErrors } from '../ari/history/undo-contract.ts'
import { bulkRouteErrors } from './bulk-route-errors.ts'
import type { RouteName } from '../contract.ts'
import { hotelErrors } from '../hotels/contract.ts'
import { offerErrors } from '../offers/contract.ts'
import { priceCheckErrors } from '../price-check/contract.ts'
import { cancelPolicyErrors } from '../products/policies/contract.ts'
import { productErrors, productReadErrors } from '../products/contract.ts'
import { cardErrors } from '../cards/contract.ts'
import { deliveryErrors } from '../deliveries/contract.ts'
import { reservationErrors } from '../bookings/errors-contract.ts'
import { reportErrors } from '../bookings/report-contract.ts'
import { searchErrors } from '../bookings/search/search-contract.ts'
import { sandboxErrors } from '../sandbox/contract.ts'
import { taxErrors } from '../taxes/contract.ts'
import { secretsOverlap, noSigningSecret } from '../webhooks/contract.ts'
import { webhookErrors } from '../webhooks/url-errors.ts'
import type { ListedError } from './shapes.ts'

/** Possible errors beyond the shape of a request, by operation; a test compares the list with the source. */

const { notFound: hotelIdNotFound, ...hotelShapeFaults } = hotelErrors
const { hotelNotFound, ...taxShapeFaults } = taxErrors

const rateIdNotFound: ListedError = {
  type: 'RATE_NOT_FOUND',
  message: 'RateID not found',
  hint: 'Push the rate, with this room, with POST /push/products first',
}

const currencyMismatch: ListedError = {
  type: 'CURRENCY_MISMATCH',
  message: "currency must be the hotel's currency …",
  hint: 'Change it with POST /push/hotels, or omit currency',
}

const ariErrors: readonly ListedError[] = [
  hotelIdNotFound,
  itemErrors.roomNotFound,
  rateIdNotFound,
  {
    type: 'PRICING_MODEL_REQUIRED',
    message: 'pricingModel is required when a price is sent',
    hint: 'Send unit (a price for the room) or guest (a price by number of guests)',
  },
  currencyMismatch,
  itemErrors.datesReversed,
  {
    type: 'DATE_IN_PAST',
    message: 'startDate must not be earlier than yesterday',
    hint: "Yesterday in the hotel's time zone is the earliest night",
  },
  {
    type: 'DATE_TOO_FAR',
    message: `endDate must be at most ${daysAheadMax} days ahead`,
    hint: 'Push these nights at a later date',
  },
  {
    type: 'AMBIGUOUS_DATES',
    message: 'date cannot be sent together with startDate or endDate',
    hint: 'Send one of the two forms',
  },
  {
    type: 'NO_NIGHTS',
    message: 'daysOfWeek matches no night of the range',
    hint: 'Send a weekday that occurs in the range',
  },
  itemErrors.bothForms,
  {
    type: 'AMBIGUOUS_PRICE',
    message: 'prices and price cannot be sent together',
    hint: 'State each price once',
  },
  { type: 'DUPLICATE_RATE', message: 'rateId appears twice in one item', hint: 'Merge the two lines' },
  {
    type: 'DUPLICATE_PRICE',
    message: 'The same price appears twice in one rate line',
    hint: 'Send each combination of ageCategory and guests once; the unit model has one price per night',
  },
  {
    type: 'OCCUPANCY_EXCEEDED',
    message: "guests exceeds the product's occupancy",
    hint: "At most the product's maxAdult, maxChild, maxInfant or maxOccupancy",
  },
  {
    type: 'INVALID_AMOUNT',
    message: 'Amount must have at most 2 decimals in USD',
    hint: "The currency's ISO 4217 minor digits; amounts are never rounded",
  },
  {
    type: 'INVALID_AMOUNT',
    message: 'Amount must be greater than zero',
    hint: 'Use closed or inventory 0 to stop the sale, null to clear the price',
  },
  {
    type: 'TOO_MANY_ITEMS',
    message: 'ari must have at most 1000 elements',
    hint: 'Split the push; see GET /v1/push/limits',
  },
  {
    type: 'TOO_MANY_CELLS',
    message: 'The push covers … nights of rooms and rates; at most 200000 are allowed',
    hint: 'Split the push by rooms or dates',
  },
  {
    type: 'NOT_APPLIED',
    message: 'Not applied: the push is atomic and another item was rejected',
    hint: 'Fix the other items, or send atomic false',
  },
  guardRejected,
]

const bookingErrors: readonly ListedError[] = [
  reservationErrors.hotelNotFound,
  reservationErrors.roomNotFound,
  reservationErrors.rateNotFound,
  reservationErrors.notBookable,
  reservationErrors.soldOut,
  reservationErrors.priceChanged,
  reservationErrors.priceCheckFailed,
  reservationErrors.termsDiffer,
  reservationErrors.termsChanged,
  reservationErrors.termsCount,
  offerErrors.referenceMissing,
  offerErrors.referenceAmbiguous,
  offerErrors.datesReversed,
  offerErrors.stayTooLong,
  hotelErrors.email,
  hotelErrors.country,
  hotelErrors.currency,
  cardErrors.number,
  cardErrors.expired,
  cardErrors.virtualIncomplete,
  cardErrors.notVirtual,
  cardErrors.validity,
  cardErrors.amount,
  cardErrors.currency,
  cardErrors.otherCurrency,
  cardErrors.notAccepted,
  cardErrors.vaultClosed,
  cardErrors.elsewhere,
]

const readTooLarge = {
  type: 'READ_TOO_LARGE',
  message: 'More than 6000 months of rooms and rates are requested',
  hint: 'Request fewer roomIds or rateIds, or a shorter range, and read the rest with more requests',
}

export const errorsBeyondShape: Readonly<Partial<Record<RouteName, readonly ListedError[]>>> = {
  pushHotels: Object.values(hotelShapeFaults),
  pushProducts: [
    hotelIdNotFound,
    currencyMismatch,
    ...Object.values(productErrors),
    ...Object.values(cancelPolicyErrors),
  ],
  getProducts: [hotelIdNotFound, ...Object.values(productReadErrors)],
  pushTaxes: [hotelNotFound, currencyMismatch, ...Object.values(taxShapeFaults)],
  getTaxes: [hotelNotFound],
  getRoomRateMappings: [hotelIdNotFound],
  pushAri: [...ariErrors, ...Object.values(planErrors)],
  getAri: [
    hotelIdNotFound,
    itemErrors.roomNotFound,
    rateIdNotFound,
    itemErrors.datesReversed,
    {
      type: 'RANGE_TOO_LONG',
      message: 'startDate to endDate must span at most 800 nights',
      hint: 'Read the range in parts',
    },
    readTooLarge,
    ...Object.values(historyErrors),
  ],
  getGuard: [hotelIdNotFound],
  setGuard: [
    hotelIdNotFound,
    guardErrors.boundMissing,
    guardErrors.boundMisplaced,
    guardErrors.boundInvalid,
    guardErrors.massCloseWarns,
    guardErrors.inheritNeedsHotel,
    guardErrors.inheritNotAlone,
  ],
  listHolds: [hotelIdNotFound],
  releaseHolds: [hotelIdNotFound, guardErrors.holdNotFound, guardErrors.holdNotOpen],
  discardHolds: [hotelIdNotFound, guardErrors.holdNotFound, guardErrors.holdNotOpen],
  ...bulkRouteErrors,
  getAriDigest: [hotelIdNotFound, itemErrors.roomNotFound, rateIdNotFound, ...Object.values(digestErrors)],
  getAriDiff: [
    hotelIdNotFound,
    itemErrors.roomNotFound,
    rateIdNotFound,
    itemErrors.datesReversed,
    ...Object.values(historyErrors),
    momentsReversed,
    readTooLarge,
  ],
  getCellHistory: [hotelIdNotFound, itemErrors.roomNotFound, rateIdNotFound],
  undo: [hotelIdNotFound, itemErrors.roomNotFound, ...Object.values(undoErrors)],
  registerAvailabilityWebhook: Object.values(webhookErrors),
  registerPushbookWebhook: Object.values(webhookErrors),
  rotateWebhookSecret: [noSigningSecret, secretsOverlap],
  listPushes: [hotelNotFound],
  listPriceChecks: [hotelNotFound],
  checkPrice: [
    ...Object.values(priceCheckErrors),
    offerErrors.referenceMissing,
    offerErrors.referenceAmbiguous,
    offerErrors.datesReversed,
    offerErrors.stayTooLong,
  ],
  requestResync: [offerErrors.referenceMissing, offerErrors.referenceAmbiguous],
  orderFaults: [sandboxErrors.production, sandboxErrors.hotelNotFound],
  getFaults: [sandboxErrors.production],
  advanceClock: [sandboxErrors.production, sandboxErrors.durationInvalid, sandboxErrors.clockTooFar],
  getClock: [sandboxErrors.production],
  resetSandbox: [sandboxErrors.production],
  getCertification: [hotelNotFound],
  sendForgery: [sandboxErrors.production],
  bookTest: [
    sandboxErrors.production,
    sandboxErrors.hotelNotFound,
    sandboxErrors.reservationNotFound,
    sandboxErrors.idRequired,
  ],
  pushBooking: [deliveryErrors.notFound, deliveryErrors.notRegistered, deliveryErrors.vaultClosed],
  retrieveReservations: [hotelNotFound],
  listAlerts: [hotelNotFound],
  acknowledgeAlerts: [alertErrors.notFound],
  rotateAlertSecret: [alertSettingsErrors.noSecret, secretsOverlap],
  setAlertSettings: [
    ...Object.values(webhookErrors),
    alertSettingsErrors.noMail,
    alertSettingsErrors.emailInvalid,
    alertSettingsErrors.codeWrong,
    alertSettingsErrors.tooManyCodes,
  ],
  testAlerts: [alertSettingsErrors.noChannel, alertSettingsErrors.testedJustNow],
  listDeliveries: [hotelNotFound],
  sendDeliveriesAgain: [hotelNotFound, deliveryErrors.deliveryNotFound, deliveryErrors.notRegistered],
  acknowledgeReservations: [deliveryErrors.notFound, deliveryErrors.versionNotFound, cardErrors.elsewhere],
  createReservation: bookingErrors,
  modifyReservation: [
    ...bookingErrors,
    reservationErrors.notFound,
    reservationErrors.hotelChanged,
    reservationErrors.cancelled,
    reservationErrors.changedMeanwhile,
    reservationErrors.penaltyDue,
    reservationErrors.forfeitDue,
    reservationErrors.unknownRoom,
    reservationErrors.repeatedRoom,
    reservationErrors.stayBegun,
  ],
  getReservation: [reservationErrors.notFound],
  listReservations: [reservationErrors.hotelNotFound, reservationErrors.supplierNotFound],
  summarizeReservations: [
    reservationErrors.hotelNotFound,
    reservationErrors.supplierNotFound,
    searchErrors.tooMany,
  ],
  getCancellation: [
    reservationErrors.notFound,
    reservationErrors.unknownRoom,
    reservationErrors.cancelled,
    reservationErrors.stayBegun,
  ],
  cancelReservation: [
    reservationErrors.notFound,
    reservationErrors.unknownRoom,
    reservationErrors.penaltyChanged,
    reservationErrors.stayBegun,
  ],
  reportStay: Object.values(reportErrors),
  findOffers: Object.values(offerErrors),
  listChanges: [
    {
      type: 'CURSOR_TOO_OLD',
      message: 'Changes after this cursor are no longer stored: it is older than 7 days',
      hint: 'Request the current cursor without after, then read everything again',
    },
    {
      type: 'FEED_RESTARTED',
      message: 'The feed was restarted: the database lost changes, or was replaced',
      hint: 'This happens after a failover or the restore of a backup: request the current cursor without after, then read everything again',
    },
  ],
}
