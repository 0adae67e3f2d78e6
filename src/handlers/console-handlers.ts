import { acknowledgeAlert, searchAlerts } from '../console-api/alerts/alert-endpoints.ts'
import {
  getOperatorsChannel,
  getSupplierAlertChannels,
  testSupplierAlerts,
} from '../console-api/alerts/channel-endpoints.ts'
import { reportStayForHotel } from '../console-api/bookings/report-endpoint.ts'
import {
  addReservationNote,
  searchReservations,
  showReservation,
} from '../console-api/bookings/reservation-endpoints.ts'
import { explainHotel, explainStay } from '../console-api/calendar/explain-stay.ts'
import { getCalendar } from '../console-api/calendar/get-calendar.ts'
import { listCalendars } from '../console-api/calendar/list-calendars.ts'
import { getCalendarCell } from '../console-api/calendar/get-calendar-cell.ts'
import { stopSell } from '../console-api/calendar/stop-sell.ts'
import { resumeSales, searchStopSells } from '../console-api/stop-sells/stop-sell-endpoints.ts'
import { downloadPush, getPush, listPushItems, listPushes } from '../console-api/pushes/push-endpoints.ts'
import {
  getDefaultGuard,
  getSupplierGuard,
  setDefaultGuard,
  setSupplierGuard,
} from '../console-api/guard/guard-endpoints.ts'
import { createExport, downloadExport, listExports } from '../console-api/exports/export-endpoints.ts'
import { discardHold, releaseHold, searchHolds } from '../console-api/holds/hold-endpoints.ts'
import { undoPush } from '../console-api/pushes/undo-push.ts'
import { getHotel } from '../console-api/hotels/get-hotel.ts'
import { getHotelNeighbours } from '../console-api/hotels/get-hotel-neighbours.ts'
import { requestHotelResync } from '../console-api/hotels/request-resync.ts'
import { listHotels } from '../console-api/hotels/list-hotels.ts'
import type { ConsoleRouteName } from '../console-api/contract.ts'
import type { HandlerNeeds } from './handler-needs.ts'
import {
  changeSupplier,
  createSupplier,
  getSupplier,
  listSuppliers,
} from '../console-api/suppliers/supplier-endpoints.ts'
import { changeGoLiveStep } from '../console-api/suppliers/go-live-steps.ts'
import { getSupplierCertification } from '../console-api/suppliers/certification.ts'
import {
  changePersonRole,
  createPerson,
  createPersonLink,
  disablePerson,
  enablePerson,
  listPeople,
} from '../console-api/people/people-endpoints.ts'
import { getNumbers } from '../console-api/numbers/numbers-endpoint.ts'
import { getOverview } from '../console-api/overview/get-overview.ts'
import { listViews, removeView, saveView } from '../console-api/views/view-endpoints.ts'
import {
  pingWebhook,
  createSupplierKey,
  expireSupplierKey,
  limitSupplierKey,
  revokeSupplierKey,
  rotateSigningSecret,
  rotateSupplierKey,
} from '../console-api/suppliers/keys.ts'
import { pushExampleHotel } from '../console-api/sandbox/push-example-hotel.ts'
import {
  addReferenceEntry,
  bringBackReferenceEntry,
  getReferenceUse,
  listReferenceEntries,
  retireReferenceEntry,
} from '../console-api/reference/entries.ts'
import {
  bookInSandbox,
  quoteInSandbox,
  cancelInSandbox,
  listSandboxHotels,
  getSandboxCall,
  listSandboxCalls,
  advanceSandboxClock,
  getSandboxClock,
  resetSandboxAccount,
  listSandboxFaults,
  orderSandboxFaults,
} from '../console-api/sandbox/sandbox-endpoints.ts'
import {
  findPushOfRevision,
  searchDrift,
  searchPriceChecks,
  summarizePriceChecks,
} from '../console-api/price-checks/price-check-endpoints.ts'
import {
  searchDeliveries,
  countDeliveriesToSend,
  sendDeliveriesAgain,
  sendDeliveryAgain,
} from '../console-api/deliveries/delivery-endpoints.ts'
import { searchKey } from '../console-api/search/find-key.ts'
import { changeWork, listWork } from '../console-api/work-queue/work-endpoints.ts'
import { search } from '../console-api/search/search.ts'
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
} from '../console-api/operators/session-endpoints.ts'
import {
  changeOperatorRole,
  createOperator,
  createSignInLink,
  disableOperator,
  enableOperator,
  resetSecondFactor,
  listOperators,
  listAudit,
} from '../console-api/operators/operator-endpoints.ts'
import type { Mounted } from '../http/calls/mount.ts'

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
  quoteInSandbox,
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
  reportStayForHotel,
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
