import { acknowledgeAlert, searchAlerts } from '../console/alerts/alert-endpoints.ts'
import {
  getOperatorsChannel,
  getSupplierAlertChannels,
  testSupplierAlerts,
} from '../console/alerts/channel-endpoints.ts'
import {
  addReservationNote,
  searchReservations,
  showReservation,
} from '../console/bookings/reservation-endpoints.ts'
import { explainHotel, explainStay } from '../console/calendar/explain-stay.ts'
import { getCalendar } from '../console/calendar/get-calendar.ts'
import { listCalendars } from '../console/calendar/list-calendars.ts'
import { getCalendarCell } from '../console/calendar/get-calendar-cell.ts'
import { stopSell } from '../console/calendar/stop-sell.ts'
import { resumeSales, searchStopSells } from '../console/stop-sells/stop-sell-endpoints.ts'
import { downloadPush, getPush, listPushItems, listPushes } from '../console/pushes/push-endpoints.ts'
import {
  getDefaultGuard,
  getSupplierGuard,
  setDefaultGuard,
  setSupplierGuard,
} from '../console/guard/guard-endpoints.ts'
import { createExport, downloadExport, listExports } from '../console/exports/export-endpoints.ts'
import { discardHold, releaseHold, searchHolds } from '../console/holds/hold-endpoints.ts'
import { undoPush } from '../console/pushes/undo-push.ts'
import { getHotel } from '../console/hotels/get-hotel.ts'
import { getHotelNeighbours } from '../console/hotels/get-hotel-neighbours.ts'
import { requestHotelResync } from '../console/hotels/request-resync.ts'
import { listHotels } from '../console/hotels/list-hotels.ts'
import type { ConsoleRouteName } from '../console/contract.ts'
import type { HandlerNeeds } from './handler-needs.ts'
import {
  changeSupplier,
  createSupplier,
  getSupplier,
  listSuppliers,
} from '../console/suppliers/supplier-endpoints.ts'
import { changeGoLiveStep } from '../console/suppliers/go-live-steps.ts'
import { getSupplierCertification } from '../console/suppliers/certification.ts'
import {
  changePersonRole,
  createPerson,
  createPersonLink,
  disablePerson,
  enablePerson,
  listPeople,
} from '../console/people/people-endpoints.ts'
import { getNumbers } from '../console/numbers/numbers-endpoint.ts'
import { getOverview } from '../console/overview/get-overview.ts'
import { listViews, removeView, saveView } from '../console/views/view-endpoints.ts'
import {
  pingWebhook,
  createSupplierKey,
  expireSupplierKey,
  limitSupplierKey,
  revokeSupplierKey,
  rotateSigningSecret,
  rotateSupplierKey,
} from '../console/suppliers/keys.ts'
import { pushExampleHotel } from '../console/sandbox/push-example-hotel.ts'
import {
  addReferenceEntry,
  bringBackReferenceEntry,
  getReferenceUse,
  listReferenceEntries,
  retireReferenceEntry,
} from '../console/reference/entries.ts'
import {
  bookInSandbox,
  cancelInSandbox,
  listSandboxHotels,
  getSandboxCall,
  listSandboxCalls,
  advanceSandboxClock,
  getSandboxClock,
  resetSandboxAccount,
  listSandboxFaults,
  orderSandboxFaults,
} from '../console/sandbox/sandbox-endpoints.ts'
import {
  findPushOfRevision,
  searchDrift,
  searchPriceChecks,
  summarizePriceChecks,
} from '../console/price-checks/price-check-endpoints.ts'
import {
  searchDeliveries,
  countDeliveriesToSend,
  sendDeliveriesAgain,
  sendDeliveryAgain,
} from '../console/deliveries/delivery-endpoints.ts'
import { searchKey } from '../console/search/find-key.ts'
import { changeWork, listWork } from '../console/work-queue/work-endpoints.ts'
import { search } from '../console/search/search.ts'
import {
  whoAmI,
  changePassword,
  beginSecondFactor,
  confirmSecondFactor,
  removeSecondFactor,
  signInByLink,
  signInWays,
  signUp,
  signIn,
  signOut,
  beginOidc,
  finishOidc,
} from '../console/operators/session-endpoints.ts'
import {
  changeOperatorRole,
  createOperator,
  createSignInLink,
  disableOperator,
  enableOperator,
  resetSecondFactor,
  listOperators,
  listAudit,
} from '../console/operators/operator-endpoints.ts'
import type { Mounted } from '../http/mount.ts'

/** People who search through years of data would rather wait a minute than get a timeout. */
const unhurried =
  (make: (needs: HandlerNeeds) => Mounted) =>
  (needs: HandlerNeeds): Mounted =>
    make({ ...needs, db: needs.db.unhurried })

/** Every console route's handler; the compiler demands one for each. */
export const consoleHandlers: Readonly<Record<ConsoleRouteName, (needs: HandlerNeeds) => Mounted>> = {
  whoAmI,
  searchAlerts,
  acknowledgeAlert,
  searchHolds: unhurried(searchHolds),
  releaseHold,
  discardHold,
  getOperatorsChannel,
  getSupplierAlertChannels,
  testSupplierAlerts,
  getOverview: unhurried(getOverview),
  listWork: unhurried(listWork),
  changeWork: unhurried(changeWork),
  search: unhurried(search),
  searchKey,
  signIn,
  signInByLink,
  signInWays,
  signUp,
  beginOidc,
  finishOidc,
  signOut,
  changePassword,
  beginSecondFactor,
  confirmSecondFactor,
  removeSecondFactor,
  listViews,
  saveView,
  removeView,
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
  getSupplierCertification,
  changeGoLiveStep,
  listPeople,
  createPerson,
  changePersonRole,
  disablePerson,
  enablePerson,
  createPersonLink,
  listExports,
  createExport,
  downloadExport,
  getDefaultGuard,
  setDefaultGuard,
  getSupplierGuard,
  setSupplierGuard,
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
  getHotelNeighbours,
  requestHotelResync,
  listPushes: unhurried(listPushes),
  getPush,
  listPushItems: unhurried(listPushItems),
  undoPush,
  downloadPush: unhurried(downloadPush),
  getCalendar,
  listCalendars: unhurried(listCalendars),
  getCalendarCell,
  explainStay,
  explainHotel,
  stopSell,
  searchStopSells,
  resumeSales,
  searchReservations: unhurried(searchReservations),
  showReservation,
  getNumbers: unhurried(getNumbers),
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
