import { alertChannels, type MailSettings, type OperatorsWebhook } from '../alerts/channels/channels.ts'
import { catalogs } from '../ari/catalog/catalog.ts'
import { committer } from '../ari/commit/commit.ts'
import type { Homes } from '../ari/push/hand-over.ts'
import { newestPricesReader } from '../ari/read/newest-prices.ts'
import { nightsBelowCounter } from '../ari/read/nights-below.ts'
import { selectHotelsOnSale } from '../ari/read/on-sale.ts'
import { Gate } from '../base/gate.ts'
import { pathPrefixOf } from '../base/path-prefix.ts'
import { uploadGate } from '../bulk/load/upload.ts'
import { bulkBell } from '../bulk/jobs/bell.ts'
import { deliveryBell } from '../bookings/outbox/delivery-queue.ts'
import { BookingCalls } from '../bookings/idempotency/booking-calls.ts'
import { bookingTurnsMax } from '../bookings/idempotency/idempotent-booking.ts'
import { certificationEvidence } from '../certification/evidence.ts'
import { trafficNotes } from '../certification/traffic-notes.ts'
import type { CardVault } from '../cards/card-vault.ts'
import type { Authenticator } from '../keys/authenticate.ts'
import type { HotelRow } from '../hotels/store.ts'
import { noRevocations, type Revocations } from '../keys/revocations.ts'
import type { Environment } from '../keys/secret.ts'
import type { MetricsRules } from '../settings/setting.ts'
import { hotelFinder } from '../offers/stay-request.ts'
import { SearchTurns } from '../offers/search/find-offers.ts'
import { readSoldHotel } from '../offers/price/stay-impact.ts'
import { Pauses } from '../offers/live/pauses.ts'
import { stayReader } from '../offers/stays/stays.ts'
import { operatorSessions, type ConsoleAddress } from '../operators/sessions/sessions.ts'
import { signInProvider, type OidcSettings } from '../operators/sign-in/oidc.ts'
import { passwords, type PasswordCost } from '../operators/sign-in/password.ts'
import type { MfaKeys } from '../operators/accounts/second-factor.ts'
import { defaultSignInRules, type SignInRules } from '../operators/sign-in-rules.ts'
import { outboundCaller } from '../outbound/call.ts'
import type { OutboundRules } from '../outbound/vet-url.ts'
import type { Needs } from '../postgres/postgres.ts'
import { priceChecker } from '../price-check/checker.ts'
import { usualLiveAnswerSeconds } from '../price-check/contract.ts'
import { priceFloors } from '../taxes/price-floor.ts'
import type { Peers } from '../processes/peers.ts'
import type { PrimaryChannel } from '../processes/process-channel.ts'
import { confirmOptionalSignUp } from '../sandbox/sign-up.ts'
import { callbackFaults } from '../webhooks/callback-faults.ts'
import { callbackWatch } from '../webhooks/callback-watch.ts'
import { noArchive, type Archive } from '../push-log/bodies/archive.ts'
import { pinger } from '../webhooks/callback.ts'

export type AppNeeds = Needs & {
  environment: Environment
  outbound: OutboundRules
  vault: CardVault
  /** Of bodies of pushes. Absent: none is set. */
  archive?: Archive | undefined
  /** Whether this process answers the API. The console alone also serves the API's documentation. */
  isGateway: boolean
  /** Absent: revocations are in the store only. */
  revocations?: Revocations | undefined
  /** The address at which people reach the service, without a trailing slash. Absent: that of each request. */
  publicUrl?: string | undefined
  /** The folder of the embedded store, whose disk the metrics measure. Absent: the store is elsewhere. */
  storeFolder?: string | undefined
  /** Absent: this process serves no console. */
  console: ConsoleSettings | undefined
  /** Proxies that are trusted to state the origin of a request. */
  trustedProxies?: readonly string[] | undefined
  /** Absent: everybody may read them at /metrics. */
  metrics?: MetricsRules | undefined
  /** Absent: this service sends no e-mail. */
  mail?: MailSettings | undefined
  /** Whether suppliers' developers make themselves accounts of the sandbox; it takes `mail` and `publicUrl`. */
  allowsSignUp?: boolean | undefined
  /** Absent: operators see alerts in the console only. */
  operatorsWebhook?: OperatorsWebhook | undefined
  /** Absent: this process is alone on its machine. */
  processes?: PrimaryChannel | undefined
  /** The other processes of its machine. */
  peers?: Peers | undefined
  /** The time limit of a price check. Absent: the usual two seconds. */
  checkBudgetMs?: number | undefined
  /** Seconds for which the answers to price checks are remembered. Absent: the usual time; 0: they are not. */
  liveAnswerSeconds?: number | undefined
  /** The time limit of a delivery's call. Absent: the usual ten seconds. */
  callWithinMs?: number | undefined
  /** The time limit of a ping. Absent: the usual two seconds. */
  pingWithinMs?: number | undefined
  /** Multiplies the time that this process waits before it refuses a request for being late; 1 or more. */
  patience: number
}

export type ConsoleSettings = {
  signIn: SignInRules
  /** Absent: the usual one. */
  passwordCost?: PasswordCost | undefined
  /** Seal the secrets of second factors; without any, the secrets are stored in plain text. */
  mfaKeys: MfaKeys
  /** Absent: people sign in by password and by link only. */
  oidc: OidcSettings | undefined
}

/** For reservations that suppliers request to be sent on demand. */
const onDemandPool = {
  purpose: 'delivery on demand',
  calls: 'pushBooking',
  connectionsPerHost: 16,
} as const

/** The needs of all handlers, created once: each handler takes those that its type names. */
export type HandlerNeeds = ReturnType<typeof handlerNeedsOf>

export function handlerNeedsOf(needs: AppNeeds & { ending: AbortSignal }, keys: Authenticator) {
  const known = catalogs(needs, priceFloors)
  const faults = needs.environment === 'sandbox' ? callbackFaults(needs) : undefined
  const watch = needs.environment === 'sandbox' ? callbackWatch(needs) : undefined
  const stays = stayReader(needs.db, needs.telemetry)
  const pauses = new Pauses(needs)
  return {
    ...needs,
    archive: needs.archive ?? noArchive,
    homes: needs.peers && homesAmong(needs.peers),
    ...signInNeedsOf(needs, keys),
    catalogs: known,
    committer: committer({ ...needs, catalogs: known, readSoldHotel }),
    pings: pinger({ ...needs, callbackWatch: watch }),
    stays,
    pauses,
    hotelsNamed: hotelFinder(needs.db, needs.telemetry),
    alertChannels: alertChannels(needs),
    deliveryBell: deliveryBell(needs),
    trafficNotes: trafficNotes(needs),
    certificationEvidence: certificationEvidence(needs),
    callbackFaults: faults,
    callbackWatch: watch,
    deliveryCaller: outboundCaller(needs.outbound, needs.telemetry, onDemandPool),
    bulkBell: bulkBell(),
    uploads: uploadGate(),
    bookingTurns: new Gate(bookingTurnsMax),
    bookingCalls: new BookingCalls(),
    searchTurns: new SearchTurns(() => needs.telemetry.limited.inc({ limit: 'searches_of_token' })),
    priceChecks: priceChecker({
      ...needs,
      stays,
      pauses,
      liveAnswerSeconds: needs.liveAnswerSeconds ?? usualLiveAnswerSeconds,
      callbackFaults: faults,
      callbackWatch: watch,
    }),
    countNightsBelow: nightsBelowCounter(needs.clock),
    newestPrices: newestPricesReader(needs.clock),
    hotelsOnSale: (hotels: readonly HotelRow[]) => selectHotelsOnSale(needs.db, hotels, needs.clock.now()),
  }
}

/** The needs of signing in to the console. */
function signInNeedsOf(needs: AppNeeds, { tokenOf }: Authenticator) {
  const { publicUrl } = needs
  const consoleAddress: ConsoleAddress = { publicUrl, pathPrefix: pathPrefixOf(publicUrl) }
  const oidc = needs.console?.oidc
  const revocations = needs.revocations ?? noRevocations
  const mayBeAsked = needs.allowsSignUp === true && needs.environment === 'sandbox'
  const signUp = mayBeAsked && publicUrl !== undefined ? { publicUrl } : undefined
  const rules = needs.console?.signIn ?? defaultSignInRules[needs.environment]
  return {
    consoleAddress,
    signUp,
    confirmSignUp: (token: string, requestId: string) =>
      confirmOptionalSignUp({ ...needs, revocations, signUp }, token, requestId),
    rules,
    mfaKeys: needs.console?.mfaKeys ?? [],
    revocations,
    sessions: operatorSessions({ ...needs, rules }, consoleAddress, tokenOf),
    passwords: passwords(needs.console?.passwordCost),
    provider: oidc && signInProvider(oidc, needs),
  }
}

/** A home takes as much processor time as the pushes of so many processes need. */
const processesPerHome = 4

/** Every process finds the same home for a hotel. The first process has other work, so the last ones are homes. */
function homesAmong(peers: Peers): Homes {
  const homes = Math.ceil(peers.count / processesPerHome)
  return {
    of: ({ supplierId, hotelCode }) => peers.at(peers.count - 1 - (hashOf(supplierId, hotelCode) % homes)),
  }
}

/** FNV-1a of 32 bits, which spreads codes that differ in their last characters only. */
function hashOf(supplierId: number, hotelCode: string): number {
  let hash = 0x811c9dc5 ^ supplierId
  for (let index = 0; index < hotelCode.length; index++)
    hash = Math.imul(hash ^ hotelCode.charCodeAt(index), 0x01000193)
  return hash >>> 0
}
