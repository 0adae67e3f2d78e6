import { acknowledgeAlerts, listAlerts } from '../alerts/alert-endpoints.ts'
import { requestResync } from '../alerts/resync/resync-endpoints.ts'
import {
  getAlertSettings,
  rotateAlertSecret,
  setAlertSettings,
  testAlerts,
} from '../alerts/channels/settings-endpoints.ts'
import { getAri } from '../ari/read/get-ari.ts'
import { getRoomRateMappings } from '../ari/read/get-room-rate-mappings.ts'
import { pushAri } from '../ari/push/push-ari.ts'
import { getAriDigest } from '../ari/digest/get-ari-digest.ts'
import { getGuard, setGuard } from '../ari/guard/guard-endpoints.ts'
import { discardHolds, listHolds, releaseHolds } from '../ari/holds/hold-endpoints.ts'
import { getAriDiff, getCellHistory } from '../ari/history/history-endpoints.ts'
import { undo } from '../ari/push/undo.ts'
import {
  cancelBulkJob,
  createBulkJob,
  getBulkErrors,
  getBulkJob,
  startBulkJob,
  uploadBulkData,
} from '../bulk/load/bulk-endpoints.ts'
import { createExport, getExportData } from '../bulk/export/export-endpoints.ts'
import { getCertification, sendForgery } from '../certification/certification-endpoints.ts'
import { listChanges } from '../changes/list-changes.ts'
import {
  onCancelReservation,
  onCreateReservation,
  onModifyReservation,
  getCancellation,
  getReservation,
} from '../bookings/book/booking-endpoints.ts'
import { getTokenLimits } from '../bookings/search/get-token-limits.ts'
import { listReservations, summarizeReservations } from '../bookings/search/search-endpoints.ts'
import type { RouteName } from '../contract.ts'
import type { HandlerNeeds } from './handler-needs.ts'
import {
  onAdvanceClock,
  onBookTest,
  onGetClock,
  onGetFaults,
  onOrderFaults,
  onResetSandbox,
} from '../sandbox/sandbox-endpoints.ts'
import { getHotels, pushHotels } from '../hotels/hotel-endpoints.ts'
import { getLimits } from '../keys/get-limits.ts'
import { findOffers } from '../offers/search/find-offers.ts'
import type { Mounted } from '../http/calls/mount.ts'
import { onReportStay } from '../bookings/from-hotel/report-endpoint.ts'
import { getTaxes, pushTaxes } from '../taxes/tax-endpoints.ts'
import { getProducts, pushProducts } from '../products/product-endpoints.ts'
import { checkPrice, listPriceChecks } from '../price-check/price-check-endpoints.ts'
import { getPush, listPushes } from '../push-log/read/push-log-endpoints.ts'
import { getReference } from '../reference/get-reference.ts'
import {
  acknowledgeReservations,
  retrieveReservations,
} from '../deliveries/on-request/retrieve-reservations.ts'
import { listDeliveries, sendDeliveriesAgain } from '../deliveries/on-request/supplier-deliveries.ts'
import { pushBooking } from '../deliveries/on-request/push-booking.ts'
import {
  getWebhooks,
  registerAvailabilityWebhook,
  registerPushbookWebhook,
  removeAvailabilityWebhook,
  removePushbookWebhook,
  rotateWebhookSecret,
  testWebhook,
} from '../webhooks/webhook-endpoints.ts'

/** Every route's handler; the compiler demands one for each. */
export const handlers: Readonly<Record<RouteName, (needs: HandlerNeeds) => Mounted>> = {
  pushHotels,
  getHotels,
  pushProducts,
  getProducts,
  getRoomRateMappings,
  pushTaxes,
  getTaxes,
  pushAri,
  getAri,
  getAriDigest,
  getAriDiff,
  getCellHistory,
  undo,
  getGuard,
  setGuard,
  listHolds,
  releaseHolds,
  discardHolds,
  createBulkJob,
  createExport,
  getExportData,
  uploadBulkData,
  startBulkJob,
  cancelBulkJob,
  getBulkJob,
  getBulkErrors,
  registerAvailabilityWebhook,
  registerPushbookWebhook,
  removeAvailabilityWebhook,
  removePushbookWebhook,
  getWebhooks,
  rotateWebhookSecret,
  testWebhook,
  pushBooking,
  retrieveReservations,
  acknowledgeReservations,
  reportStay: onReportStay,
  listAlerts,
  acknowledgeAlerts,
  getAlertSettings,
  setAlertSettings,
  rotateAlertSecret,
  testAlerts,
  listDeliveries,
  sendDeliveriesAgain,
  listPushes,
  getPush,
  getReference,
  getLimits,
  findOffers,
  checkPrice,
  requestResync,
  listPriceChecks,
  listChanges,
  createReservation: onCreateReservation,
  modifyReservation: onModifyReservation,
  getCancellation,
  getReservation,
  listReservations,
  summarizeReservations,
  getTokenLimits,
  cancelReservation: onCancelReservation,
  orderFaults: onOrderFaults,
  getFaults: onGetFaults,
  bookTest: onBookTest,
  advanceClock: onAdvanceClock,
  getClock: onGetClock,
  resetSandbox: onResetSandbox,
  getCertification,
  sendForgery,
}
