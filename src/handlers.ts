import { getAri } from './ari/get-ari.ts'
import { getRoomRateMappings } from './ari/get-room-rate-mappings.ts'
import { pushAri, type AriNeeds } from './ari/push-ari.ts'
import { listChanges } from './changes/list-changes.ts'
import type { ConsoleNeeds } from './console-handlers.ts'
import type { RouteName } from './contract.ts'
import { getHotels, type GetHotelsNeeds } from './hotels/get-hotels.ts'
import { pushHotels } from './hotels/push-hotels.ts'
import { getLimits } from './keys/get-limits.ts'
import { findOffers, type OfferNeeds } from './offers/find-offers.ts'
import type { OutboundRules } from './outbound/vet-url.ts'
import type { Mounted } from './http/mount.ts'
import { getTaxes } from './taxes/get-taxes.ts'
import { pushTaxes } from './taxes/push-taxes.ts'
import { getProducts } from './products/get-products.ts'
import { pushProducts } from './products/push-products.ts'
import { checkPrice, type PriceCheckNeeds } from './price-check/check-price.ts'
import { listPriceChecks } from './price-check/list-price-checks.ts'
import { getPush } from './push-log/get-push.ts'
import { listPushes } from './push-log/list-pushes.ts'
import { getReference } from './reference/get-reference.ts'
import { acknowledgeReservations } from './deliveries/acknowledge-reservations.ts'
import { cancelReservation } from './bookings/cancel-reservation.ts'
import { createReservation } from './bookings/create-reservation.ts'
import { getReservation } from './bookings/get-reservation.ts'
import { listDeliveries } from './deliveries/list-deliveries.ts'
import { listReservations } from './bookings/list-reservations.ts'
import { modifyReservation } from './bookings/modify-reservation.ts'
import type { BookNeeds } from './bookings/once.ts'
import { pushBooking, type PushBookingNeeds } from './deliveries/push-booking.ts'
import { retrieveReservations } from './deliveries/retrieve-reservations.ts'
import { sendDeliveriesAgain } from './deliveries/send-deliveries-again.ts'
import { bookTest, type BookTestNeeds } from './sandbox/book-test.ts'
import { getFaults, orderFaults } from './sandbox/order-faults.ts'
import { resetSandbox } from './sandbox/reset-account.ts'
import { advanceClock, getClock } from './sandbox/test-clock.ts'
import { getWebhooks } from './webhooks/get-webhooks.ts'
import type { Pinger } from './webhooks/ping.ts'
import { registerAvailabilityWebhook, registerPushbookWebhook } from './webhooks/register-webhook.ts'
import { removeAvailabilityWebhook, removePushbookWebhook } from './webhooks/remove-webhook.ts'
import { testWebhook } from './webhooks/test-webhook.ts'

/** What the handlers of the API need of the service around them. */
export type HandlerNeeds = AriNeeds &
  PushBookingNeeds &
  GetHotelsNeeds &
  OfferNeeds &
  PriceCheckNeeds &
  BookTestNeeds &
  BookNeeds &
  ConsoleNeeds & { outbound: OutboundRules; pings: Pinger }

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
  registerAvailabilityWebhook,
  registerPushbookWebhook,
  removeAvailabilityWebhook,
  removePushbookWebhook,
  getWebhooks,
  testWebhook,
  pushBooking,
  retrieveReservations,
  acknowledgeReservations,
  listDeliveries,
  sendDeliveriesAgain,
  listPushes,
  getPush,
  getReference,
  getLimits,
  findOffers,
  checkPrice,
  listPriceChecks,
  listChanges,
  createReservation,
  modifyReservation,
  getReservation,
  listReservations,
  cancelReservation,
  orderFaults,
  getFaults,
  bookTest,
  advanceClock,
  getClock,
  resetSandbox,
}
