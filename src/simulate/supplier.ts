import { alertSettingsRoutes } from '../alerts/channels/settings-contract.ts'
import type { Clock } from '../base/clock.ts'
import type { AnswerOf } from '../http/route.ts'
import { webhookRoutes } from '../webhooks/contract.ts'
import type { SimulatedCall } from './answer.ts'
import { FaultPlan, type FaultOrder } from './faults.ts'
import { gatewayClient, GatewayRefused, type GatewayClient } from './gateway-client.ts'
import { ReservationLedger, type LedgerEntry } from './ledger.ts'
import { paths, startServer } from './server.ts'

/**
 * A supplier for trying the gateway: it knows only what every supplier knows, the gateway's address, a key
 * and the contract.
 */

export type SimulatedSupplier = {
  /** Its URLs, as registered. */
  urls: { priceCheck: string; booking: string; alerts?: string }
  /** Created by this registration: it will not be shown again. */
  newSecret: string | undefined
  /** The same for alerts, which are signed with a secret of the account. */
  newAlertSecret: string | undefined
  /** Without a secret, signatures can't be verified. */
  hasSecret: boolean
  order: (fault: FaultOrder) => void
  orderNothing: () => void
  reservation: (reservationId: string) => LedgerEntry | undefined
  close: () => Promise<void>
}

export type SupplierOptions = {
  /** The gateway's URL, with or without /v1. */
  url: string
  apiKey: string
  host: string
  /** 0: any free port. */
  port: number
  /** The URL at which the gateway reaches the server. Absent: the address on which it listens. */
  publicUrl?: string | undefined
  /** Secrets of earlier registrations; both during a rotation. */
  secrets: readonly string[]
  faults: readonly FaultOrder[]
  /** Whether to take alerts too, and to push again what the platform asks for. */
  takesAlerts?: boolean | undefined
  clock: Clock
  onCall: (call: SimulatedCall) => void
}

/** Listens first, then registers: the registration calls the URLs. */
export async function startSupplier(options: SupplierOptions): Promise<SimulatedSupplier> {
  const { host, clock, onCall } = options
  const gateway = gatewayClient(options)
  const secrets = [...options.secrets]
  const alertSecrets = [...options.secrets]
  const ledger = new ReservationLedger()
  const faults = new FaultPlan()
  for (const fault of options.faults) faults.order(fault)
  const server = await startServer(options, {
    gateway,
    ledger,
    faults,
    secrets: { priceCheck: secrets, booking: secrets, alerts: alertSecrets },
    clock,
    report: onCall,
  })
  try {
    const base = options.publicUrl?.replace(/\/+$/, '') ?? `http://${reachable(host)}:${server.port}`
    const urls = { priceCheck: base + paths.priceCheck, booking: base + paths.booking }
    const newSecret = await register(gateway, urls, secrets)
    if (newSecret !== undefined) await proveSecret(gateway)
    const alerts = base + paths.alerts
    const newAlertSecret = options.takesAlerts ? await registerAlerts(gateway, alerts) : undefined
    if (newAlertSecret !== undefined) alertSecrets.push(newAlertSecret)
    return {
      urls: options.takesAlerts ? { ...urls, alerts } : urls,
      newSecret,
      newAlertSecret,
      hasSecret: secrets.length > 0,
      order: (fault) => faults.order(fault),
      orderNothing: () => faults.clear(),
      reservation: (reservationId) => ledger.get(reservationId),
      close: server.close,
    }
  } catch (error) {
    await server.close()
    throw error
  }
}

/** A wildcard address can't be called. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

async function register(
  gateway: GatewayClient,
  urls: SimulatedSupplier['urls'],
  secrets: string[],
): Promise<string | undefined> {
  const first = await saved(gateway, 'registerAvailabilityWebhook', urls.priceCheck)
  if (first.signingSecret !== undefined) secrets.push(first.signingSecret)
  const second = await saved(gateway, 'registerPushbookWebhook', urls.booking)
  if (second.signingSecret !== undefined) secrets.push(second.signingSecret)
  return first.signingSecret ?? second.signingSecret
}

/**
 * Reservations that wait for the URL are sent once a signed call was accepted: the calls of the registration came before
 * this program had the secret. One that fails is as if it hadn't been asked for: they are sent a few minutes later.
 */
async function proveSecret(gateway: GatewayClient): Promise<void> {
  await gateway.ask(webhookRoutes.testWebhook, { kind: 'pushbook' }).catch(() => {})
}

type Registration = 'registerAvailabilityWebhook' | 'registerPushbookWebhook'

function saved(
  gateway: GatewayClient,
  route: Registration,
  webhook: string,
): Promise<AnswerOf<(typeof webhookRoutes)[Registration]>> {
  return gateway.ask(webhookRoutes[route], { webhook }).catch((error: unknown) => refuseUrl(webhook, error))
}

/** The kinds that are announced stay as they are. */
async function registerAlerts(gateway: GatewayClient, webhook: string): Promise<string | undefined> {
  const { signingSecret } = await gateway
    .ask(alertSettingsRoutes.setAlertSettings, { webhook })
    .catch((error: unknown) => refuseUrl(webhook, error))
  return signingSecret
}

function refuseUrl(webhook: string, error: unknown): never {
  throw error instanceof GatewayRefused && error.type.startsWith('WEBHOOK_')
    ? new Error(
        `The gateway refuses ${webhook}: ${error.message}. For it to call this machine, start it with ARI_ALLOW_PRIVATE_WEBHOOKS=true; otherwise pass --public-url, the HTTPS address at which it can reach this program`,
        { cause: error },
      )
    : error
}
