import { addReservationNote } from './console/add-note.ts'
import { explainStay } from './console/explain-stay.ts'
import { getCalendar, type CalendarNeeds } from './console/get-calendar.ts'
import { getCalendarCell } from './console/get-calendar-cell.ts'
import { stopSell } from './console/stop-sell.ts'
import { downloadPush } from './console/download-push.ts'
import { getHotel } from './console/get-hotel.ts'
import { getPush } from './console/get-push.ts'
import { listHotels } from './console/list-hotels.ts'
import { listPushItems } from './console/list-push-items.ts'
import { listPushes } from './console/list-pushes.ts'
import type { ConsoleRouteName } from './console/contract.ts'
import { changeSupplier } from './console/change-supplier.ts'
import { createSupplier } from './console/create-supplier.ts'
import { getSupplier } from './console/get-supplier.ts'
import { listSuppliers } from './console/list-suppliers.ts'
import { getOverview } from './console/overview.ts'
import { pingWebhook } from './console/ping-webhook.ts'
import { pushExampleHotel } from './console/push-example-hotel.ts'
import {
  addReferenceEntry,
  bringBackReferenceEntry,
  getReferenceUse,
  listReferenceEntries,
  retireReferenceEntry,
} from './console/reference-entries.ts'
import type { AsSupplier } from './console/sandbox-as-supplier.ts'
import { bookInSandbox, cancelInSandbox, listSandboxHotels } from './console/sandbox-bookings.ts'
import { getSandboxCall, listSandboxCalls } from './console/sandbox-calls.ts'
import { advanceSandboxClock, getSandboxClock, resetSandboxAccount } from './console/sandbox-clock.ts'
import { listSandboxFaults, orderSandboxFaults } from './console/sandbox-faults.ts'
import {
  createSupplierKey,
  expireSupplierKey,
  limitSupplierKey,
  revokeSupplierKey,
  rotateSigningSecret,
  rotateSupplierKey,
} from './console/supplier-keys.ts'
import { findPushOfRevision, searchDrift } from './console/search-drift.ts'
import { searchDeliveries } from './console/search-deliveries.ts'
import {
  countDeliveriesToSend,
  sendDeliveriesAgain,
  sendDeliveryAgain,
} from './console/send-deliveries-again.ts'
import { search } from './console/search.ts'
import { searchPriceChecks } from './console/search-price-checks.ts'
import { summarizePriceChecks } from './console/summarize-price-checks.ts'
import { searchReservations } from './console/search-reservations.ts'
import { showReservation } from './console/show-reservation.ts'
import { whoAmI } from './console/who-am-i.ts'
import {
  changeOperatorRole,
  createOperator,
  createSignInLink,
  disableOperator,
  enableOperator,
  resetSecondFactor,
} from './console/change-operators.ts'
import { changePassword } from './console/change-password.ts'
import { listAudit } from './console/list-audit.ts'
import { listOperators } from './console/list-operators.ts'
import { beginOidc, finishOidc } from './console/sign-in-by-oidc.ts'
import { beginSecondFactor, confirmSecondFactor, removeSecondFactor } from './console/second-factor.ts'
import { signInByLink } from './console/sign-in-by-link.ts'
import { signInWays } from './console/sign-in-ways.ts'
import { signIn } from './console/sign-in.ts'
import { signOut } from './console/sign-out.ts'
import type { Environment } from './keys/secret.ts'
import type { Revocations } from './keys/revocations.ts'
import type { Door } from './operators/door.ts'
import type { SignInProvider } from './operators/oidc.ts'
import type { Passwords } from './operators/password.ts'
import type { MfaKeys } from './operators/second-factor-secret.ts'
import type { SignInRules } from './operators/sign-in-rules.ts'
import type { ConsoleAddress } from './operators/visit.ts'
import type { Mounted } from './platform/mount.ts'
import type { Needs } from './platform/needs.ts'
import type { OutboundRules } from './platform/outbound.ts'
import type { PriceChecker } from './price-check/checker.ts'
import type { CardVault } from './reservations/card-vault.ts'
import type { CallbackWatch } from './webhooks/callback-watch.ts'
import type { Pinger } from './webhooks/ping.ts'

/** What the handlers of the console need of the service around them. */
export type ConsoleNeeds = Needs &
  CalendarNeeds & {
    environment: Environment
    consoleAddress: ConsoleAddress
    door: Door
    passwords: Passwords
    rules: SignInRules
    revocations: Revocations
    mfaKeys: MfaKeys
    /** Absent: people sign in by password and by link only. */
    provider: SignInProvider | undefined
    pings: Pinger
    priceChecks: PriceChecker
    /** By which URLs are vetted. */
    outbound: OutboundRules
    vault: CardVault
    asSupplier: AsSupplier
    /** Absent in production. */
    callbackWatch?: CallbackWatch | undefined
  }

/** A person who searches through years would rather wait for a minute than be told that it takes too long. */
const unhurried =
  (make: (needs: ConsoleNeeds) => Mounted) =>
  (needs: ConsoleNeeds): Mounted =>
    make({ ...needs, db: needs.db.unhurried })

/** Every console route's handler; the compiler demands one for each. */
export const consoleHandlers: Readonly<Record<ConsoleRouteName, (needs: ConsoleNeeds) => Mounted>> = {
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
