import { addReservationNote } from './console/bookings/add-note.ts'
import { explainStay } from './console/calendar/explain-stay.ts'
import { getCalendar } from './console/calendar/get-calendar.ts'
import { getCalendarCell } from './console/calendar/get-calendar-cell.ts'
import { stopSell } from './console/calendar/stop-sell.ts'
import { downloadPush, getPush } from './console/pushes/get-push.ts'
import { getHotel } from './console/hotels/get-hotel.ts'
import { listHotels } from './console/hotels/list-hotels.ts'
import { listPushItems } from './console/pushes/list-push-items.ts'
import { listPushes } from './console/pushes/list-pushes.ts'
import type { ConsoleRouteName } from './console/contract.ts'
import type { HandlerNeeds } from './handler-needs.ts'
import { changeSupplier } from './console/suppliers/change-supplier.ts'
import { createSupplier } from './console/suppliers/create-supplier.ts'
import { getSupplier } from './console/suppliers/get-supplier.ts'
import { listSuppliers } from './console/suppliers/list-suppliers.ts'
import { getOverview } from './console/overview/get-overview.ts'
import { pingWebhook } from './console/suppliers/ping-webhook.ts'
import { pushExampleHotel } from './console/sandbox/push-example-hotel.ts'
import {
  addReferenceEntry,
  bringBackReferenceEntry,
  getReferenceUse,
  listReferenceEntries,
  retireReferenceEntry,
} from './console/reference/entries.ts'
import { bookInSandbox, cancelInSandbox, listSandboxHotels } from './console/sandbox/bookings.ts'
import { getSandboxCall, listSandboxCalls } from './console/sandbox/calls.ts'
import { advanceSandboxClock, getSandboxClock, resetSandboxAccount } from './console/sandbox/clock.ts'
import { listSandboxFaults, orderSandboxFaults } from './console/sandbox/faults.ts'
import {
  createSupplierKey,
  expireSupplierKey,
  limitSupplierKey,
  revokeSupplierKey,
  rotateSigningSecret,
  rotateSupplierKey,
} from './console/suppliers/keys.ts'
import { findPushOfRevision, searchDrift } from './console/price-checks/search-drift.ts'
import { searchDeliveries } from './console/deliveries/search-deliveries.ts'
import {
  countDeliveriesToSend,
  sendDeliveriesAgain,
  sendDeliveryAgain,
} from './console/deliveries/send-deliveries-again.ts'
import { search } from './console/search/search.ts'
import { searchPriceChecks } from './console/price-checks/search-price-checks.ts'
import { summarizePriceChecks } from './console/price-checks/summarize-price-checks.ts'
import { searchReservations } from './console/bookings/search-reservations.ts'
import { showReservation } from './console/bookings/show-reservation.ts'
import {
  whoAmI,
  changePassword,
  beginSecondFactor,
  confirmSecondFactor,
  removeSecondFactor,
  signInByLink,
  signInWays,
  signIn,
  signOut,
} from './console/operators/session-endpoints.ts'
import {
  changeOperatorRole,
  createOperator,
  createSignInLink,
  disableOperator,
  enableOperator,
  resetSecondFactor,
  listOperators,
} from './console/operators/operator-endpoints.ts'
import { listAudit } from './console/operators/list-audit.ts'
import { beginOidc, finishOidc } from './console/operators/sign-in-by-oidc.ts'
import type { Mounted } from './http/mount.ts'

/** People who search through years of data would rather wait a minute than get a timeout. */
const unhurried =
  (make: (needs: HandlerNeeds) => Mounted) =>
  (needs: HandlerNeeds): Mounted =>
    make({ ...needs, db: needs.db.unhurried })

/** Every console route's handler; the compiler demands one for each. */
export const consoleHandlers: Readonly<Record<ConsoleRouteName, (needs: HandlerNeeds) => Mounted>> = {
  whoAmI,
  getOverview: unhurried(getOverview),
  search: unhurried(search),
  signIn,
  signInByLink,
  signInWays,
  beginOidc,
  finishOidc,
  signOut,
  changePassword,
  beginSecondFactor,
  confirmSecondFactor,
  removeSecondFactor,
  listOperators,
  createOperator,
  changeOperatorRole,
  disableOperator,
  enableOperator,
  resetSecondFactor,
  createSignInLink,
  listAudit: unhurried(listAudit),
  listSuppliers: unhurried(listSuppliers),
  getSupplier,
  createSupplier,
  changeSupplier,
  createSupplierKey,
  rotateSupplierKey,
  revokeSupplierKey,
  expireSupplierKey,
  limitSupplierKey,
  rotateSigningSecret,
  pingWebhook,
  listReferenceEntries,
  getReferenceUse: unhurried(getReferenceUse),
  addReferenceEntry,
  retireReferenceEntry,
  bringBackReferenceEntry,
  listSandboxHotels,
  pushExampleHotel,
  listSandboxFaults,
  orderSandboxFaults,
  bookInSandbox,
  cancelInSandbox,
  getSandboxClock,
  advanceSandboxClock,
  resetSandboxAccount,
  listSandboxCalls,
  getSandboxCall,
  listHotels: unhurried(listHotels),
  getHotel,
  listPushes: unhurried(listPushes),
  getPush,
  listPushItems: unhurried(listPushItems),
  downloadPush: unhurried(downloadPush),
  getCalendar,
  getCalendarCell,
  explainStay,
  stopSell,
  searchReservations: unhurried(searchReservations),
  showReservation,
  addReservationNote,
  searchDeliveries: unhurried(searchDeliveries),
  sendDeliveryAgain,
  countDeliveriesToSend: unhurried(countDeliveriesToSend),
  sendDeliveriesAgain: unhurried(sendDeliveriesAgain),
  searchPriceChecks: unhurried(searchPriceChecks),
  summarizePriceChecks: unhurried(summarizePriceChecks),
  searchDrift: unhurried(searchDrift),
  findPushOfRevision: unhurried(findPushOfRevision),
}
