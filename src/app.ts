import { catalogs } from './ari/catalog.ts'
import { committer } from './ari/commit.ts'
import { selectHotelsOnSale } from './ari/on-sale.ts'
import { pushAri } from './ari/push-ari.ts'
import { consoleHandlers, type ConsoleNeeds } from './console-handlers.ts'
import { mountConsole } from './console/web/mount-console.ts'
import { handlers, type HandlerNeeds } from './handlers.ts'
import { mountHealth } from './health.ts'
import { metricsServer, mountMetrics, type MetricsRules } from './metrics.ts'
import { pushHotels } from './hotels/push-hotels.ts'
import { authenticator, type Authenticator } from './keys/authenticate.ts'
import { noRevocations, type Revocations } from './keys/revocations.ts'
import type { Environment } from './keys/secret.ts'
import { hotelFinder } from './offers/hotel-references.ts'
import { SearchTurns } from './offers/search-turns.ts'
import { stayReader } from './offers/stays.ts'
import { mountDocs } from './openapi/docs.ts'
import { auditRoleRefused } from './operators/audit-refusals.ts'
import { operatorDoor } from './operators/door.ts'
import { signInProvider, type OidcSettings } from './operators/oidc.ts'
import { passwords, type PasswordCost } from './operators/password.ts'
import type { MfaKeys } from './operators/second-factor-secret.ts'
import { usualSignInRules, type SignInRules } from './operators/sign-in-rules.ts'
import type { ConsoleAddress } from './operators/visit.ts'
import { Gate } from './base/gate.ts'
import { shedWhenLate } from './http/loop-delay.ts'
import type { Needs } from './postgres/needs.ts'
import { outboundCaller } from './outbound/call.ts'
import type { OutboundRules } from './outbound/vet-url.ts'
import { serve, type Server } from './http/serve.ts'
import { startStoreWatch } from './postgres/store-watch.ts'
import type { Mounted } from './http/mount.ts'
import { priceFloors } from './taxes/price-floor.ts'
import { pushTaxes } from './taxes/push-taxes.ts'
import { pushProducts } from './products/push-products.ts'
import { priceChecker } from './price-check/checker.ts'
import { keepRefused } from './push-log/keep-refused.ts'
import { replayedAnswer } from './push-log/keep.ts'
import { cancelReservation } from './bookings/cancel-reservation.ts'
import { createReservation } from './bookings/create-reservation.ts'
import { deliveryBell } from './bookings/delivery-bell.ts'
import { startDeliveryWorker, type DeliveryWorker } from './deliveries/worker.ts'
import { modifyReservation } from './bookings/modify-reservation.ts'
import { bookingTurnsMax } from './bookings/once.ts'
import type { CardVault } from './cards/card-vault.ts'
import { bookTest } from './sandbox/book-test.ts'
import { getFaults, orderFaults } from './sandbox/order-faults.ts'
import { resetSandbox } from './sandbox/reset-account.ts'
import { advanceClock, getClock } from './sandbox/test-clock.ts'
import { callbackFaults } from './webhooks/callback-faults.ts'
import { callbackWatch } from './webhooks/callback-watch.ts'
import { pinger } from './webhooks/ping.ts'

export type AppNeeds = Needs & {
  environment: Environment
  outbound: OutboundRules
  vault: CardVault
  /** Whether this process answers the API. Its documentation is there beside the console too. */
  isGateway: boolean
  /** Absent: what is revoked is in the store alone. */
  revocations?: Revocations | undefined
  /** Absent: this process serves no console. */
  console: ConsoleSettings | undefined
  /** Proxies whose word is taken for where a request came from. */
  trustedProxies?: readonly string[] | undefined
  /** Absent: everybody may read them at /metrics. */
  metrics?: MetricsRules | undefined
  /** Of a price check. Absent: the usual two seconds. */
  checkBudgetMs?: number | undefined
  /** How many times longer than usual this process waits before it turns a request away for being late; 1 or more. */
  patience: number
}

export type ConsoleSettings = ConsoleAddress & {
  signIn: SignInRules
  /** Absent: the usual one. */
  passwordCost?: PasswordCost | undefined
  /** Seal the secrets of second factors; none: they are kept as they are. */
  mfaKeys: MfaKeys
  /** Absent: people sign in by password and by link only. */
  oidc: OidcSettings | undefined
}

export type App = {
  /** Compiles the shapes of all requests, so that none waits for it. */
  prepare: () => void
  /** Listens; port 0 takes a free one. `metricsUrl` is where the metrics have a port of their own. */
  listen: (where: { host: string; port: number }) => Promise<{ url: string; metricsUrl?: string }>
  /** New requests get 503 from now on, and /readyz says so; those under way finish, those that wait come to an end. */
  drain: () => void
  /** Ends the connections, waits for requests under way, then writes what is still to be written. */
  close: () => Promise<void>
  mounted: readonly Mounted[]
  /** Those that wait for something to happen included. */
  requestsInFlight: () => number
  /** From now on, until it is closed, reservations are delivered. */
  startDeliveries: () => DeliveryWorker
  /** Has the console's web application built where it isn't, behind everything else. */
  prepareConsole: () => void
}

const connectionsCloseWithinMs = 800
/** Of calls that requests wait for, once the service is to end. */
const callsFinishWithinMs = 1_500
/** Reservations that suppliers have sent to them on demand. */
const onDemandPool = { purpose: 'delivery on demand', connectionsPerHost: 16 }

/** Composes the service, once, by plain calls. */
export function startApp(needs: AppNeeds): App {
  const keys = authenticator(needs, needs)
  const ending = new AbortController()
  const handlerNeeds = handlerNeedsOf({ ...needs, ending: ending.signal }, keys)
  const { committer: commits, pings, priceChecks: prices, door } = handlerNeeds
  const mounted = [
    ...(needs.isGateway ? Object.values(handlers).map((handler) => handler(handlerNeeds)) : []),
    ...(needs.console ? Object.values(consoleHandlers).map((handler) => handler(handlerNeeds)) : []),
  ]
  let draining = false

  const server = serve(mounted, {
    ...needs,
    callerOf: keys.callerOf,
    tokenOf: keys.tokenOf,
    operatorOf: door.operatorOf,
    roleRefused: (operator, route, requestId) => auditRoleRefused(needs.db, operator, route, requestId),
    replayed: (push) => replayedAnswer(needs.db, push),
    keepRefused: (push, rejected, json) => keepRefused(needs, push, rejected, json),
  })
  const { fastify } = server
  const shedding = shedWhenLate(fastify, needs)
  mountHealth(fastify, needs, () => draining)
  const { port: metricsPort, token: metricsToken } = needs.metrics ?? {}
  const ownMetrics = metricsPort === undefined ? undefined : metricsServer(needs.telemetry, metricsToken)
  if (!ownMetrics) mountMetrics(fastify, needs.telemetry, metricsToken)
  if (needs.isGateway || needs.console) mountDocs(fastify, needs)
  const web = needs.console && mountConsole(fastify, needs)
  measure(needs, { commits, server })
  const storeWatch = startStoreWatch(needs)

  return {
    prepare: () => {
      for (const one of mounted) one.prepare()
    },
    mounted,
    requestsInFlight: () => server.requestsInFlight() + server.requestsHeldOpen(),
    startDeliveries: () => startDeliveryWorker(handlerNeeds),
    prepareConsole: () => web?.prepare(),
    listen: async ({ host, port }) => {
      const metricsUrl = await ownMetrics?.listen({ host, port: metricsPort ?? 0 })
      const url = await fastify.listen({ host, port })
      return metricsUrl === undefined ? { url } : { url, metricsUrl }
    },
    drain: () => {
      draining = true
      server.drain()
      setTimeout(() => ending.abort(), callsFinishWithinMs).unref()
    },
    close: async () => {
      ending.abort()
      // A client that hangs must not keep the rest from being closed.
      const patience = setTimeout(() => fastify.server.closeAllConnections(), connectionsCloseWithinMs)
      await fastify.close().finally(() => clearTimeout(patience))
      shedding.close()
      await storeWatch.close()
      await ownMetrics?.close()
      pings.close()
      handlerNeeds.deliveryCaller.close()
      await prices.close()
      await handlerNeeds.callbackWatch?.close()
      await commits.close()
      await door.close()
      await web?.close()
      await keys.close()
    },
  }
}

/** What handlers are given, made once. */
function handlerNeedsOf(needs: AppNeeds & { ending: AbortSignal }, keys: Authenticator): HandlerNeeds {
  const known = catalogs(needs.db, priceFloors)
  const faults = needs.environment === 'sandbox' ? callbackFaults(needs) : undefined
  const watch = needs.environment === 'sandbox' ? callbackWatch(needs) : undefined
  const prices = priceChecker({ ...needs, callbackFaults: faults, callbackWatch: watch })
  const bookNeeds: Omit<HandlerNeeds, 'platformBooking' | 'asSupplier'> = {
    ...needs,
    ...signInNeedsOf(needs, keys),
    catalogs: known,
    committer: committer(needs, known),
    pings: pinger({ ...needs, callbackWatch: watch }),
    stays: stayReader(needs.db),
    hotelsNamed: hotelFinder(needs.db),
    deliveryBell: deliveryBell(needs),
    callbackFaults: faults,
    callbackWatch: watch,
    deliveryCaller: outboundCaller(needs.outbound, needs.telemetry, onDemandPool),
    bookingTurns: new Gate(bookingTurnsMax),
    searchTurns: new SearchTurns(() => needs.telemetry.limited.inc({ limit: 'searches_of_token' })),
    priceChecks: prices,
    checkPrice: prices.check,
    hotelsOnSale: (hotels) => selectHotelsOnSale(needs.db, hotels, needs.clock.now()),
  }
  const platformBooking = {
    create: createReservation(bookNeeds),
    modify: modifyReservation(bookNeeds),
    cancel: cancelReservation(bookNeeds),
  }
  const asSupplier = {
    pushHotels: pushHotels(bookNeeds),
    pushProducts: pushProducts(bookNeeds),
    pushTaxes: pushTaxes(bookNeeds),
    pushAri: pushAri(bookNeeds),
    orderFaults: orderFaults(bookNeeds),
    getFaults: getFaults(bookNeeds),
    bookTest: bookTest({ ...bookNeeds, platformBooking }),
    getClock: getClock(bookNeeds),
    advanceClock: advanceClock(bookNeeds),
    resetSandbox: resetSandbox(bookNeeds),
  }
  return { ...bookNeeds, platformBooking, asSupplier }
}

/** How people get into the console. */
function signInNeedsOf(
  needs: AppNeeds,
  { tokenOf }: Authenticator,
): Pick<
  ConsoleNeeds,
  'consoleAddress' | 'door' | 'passwords' | 'provider' | 'rules' | 'mfaKeys' | 'revocations'
> {
  const consoleAddress: ConsoleAddress = { publicUrl: needs.console?.publicUrl }
  const oidc = needs.console?.oidc
  const rules = needs.console?.signIn ?? usualSignInRules[needs.environment]
  return {
    consoleAddress,
    rules,
    mfaKeys: needs.console?.mfaKeys ?? [],
    revocations: needs.revocations ?? noRevocations,
    door: operatorDoor({ ...needs, rules }, consoleAddress, tokenOf),
    passwords: passwords(needs.console?.passwordCost),
    provider: oidc && signInProvider(oidc, needs),
  }
}

function measure(needs: Needs, read: { commits: { waiting: () => number }; server: Server }): void {
  const { gauge } = needs.telemetry
  gauge('ari_requests_in_flight', 'Requests being worked on', read.server.requestsInFlight)
  gauge('ari_requests_held_open', 'Requests that wait for changes', read.server.requestsHeldOpen)
  gauge('ari_commit_queue_depth', 'ARI pushes waiting for a commit group', read.commits.waiting)
  gauge('ari_pool_connections', 'PostgreSQL connections of the pool', () => needs.db.pool.totalCount)
  gauge('ari_pool_idle', 'Pool connections that are idle', () => needs.db.pool.idleCount)
  gauge('ari_pool_waiting', 'Queries waiting for a pool connection', () => needs.db.pool.waitingCount)
}
