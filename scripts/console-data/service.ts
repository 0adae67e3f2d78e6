import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApp, type App } from '../../src/app.ts'
import { openCardVault } from '../../src/cards/card-vault.ts'
import { readConfig } from '../../src/settings/config.ts'
import { createKey, createToken } from '../../src/keys/manage.ts'
import { claimEnvironment } from '../../src/keys/store.ts'
import { openStore } from '../../src/start/open-store.ts'
import { noRevocations } from '../../src/keys/revocations.ts'
import { createFirstAdmin, firstStart } from '../../src/operators/accounts/manage.ts'
import { signInUrl } from '../../src/operators/sessions/session-store.ts'
import { openLog } from '../../src/base/log.ts'
import { migrate } from '../../src/postgres/schema/migrate.ts'
import { resolveAsSystem, loopbackNetworks } from '../../src/outbound/vet-url.ts'
import { defaultSignInRules } from '../../src/operators/sign-in-rules.ts'
import { openDatabase } from '../../src/postgres/postgres.ts'
import { telemetry } from '../../src/base/telemetry.ts'
import { isRecord } from '../../src/http/validation/validate.ts'
import { preparePartitions } from '../../src/push-log/bodies/housekeeping.ts'
import { fillReference } from '../../src/reference/store.ts'

/** A service in this process whose clock runs behind while its past is created. */
export type PastService = {
  url: string
  /** Sets the clock; 0 is now. */
  goTo: (behindMs: number) => Promise<void>
  now: () => number
  supplier: (name: string, channelManager: string) => Promise<Ask>
  platform: () => Promise<Ask>
  /** Watches over the account from now on: what is past would be told hours late. */
  watch: () => void
  /** The link for the first sign-in. */
  signInUrl: () => Promise<string>
  stop: () => Promise<void>
}

export type Json = Record<string, unknown>
export type Answered = { status: number; body: Json }
/** POST with a body, GET without one. */
export type Ask = (path: string, body?: unknown, method?: 'PUT') => Promise<Answered>

const environment = 'sandbox'
/** Turned off: the script pushes far more in a minute than a usual account may. */
const limits = { requestsPerMinute: 0 }

export async function startPastService(port: number): Promise<PastService> {
  const folder = await mkdtemp(join(tmpdir(), 'ari-console-data-'))
  // As root the embedded PostgreSQL runs as another user, who must be able to pass through.
  await chmod(folder, 0o711)
  const { settings } = readConfig({ ARI_DATA_DIR: join(folder, 'data') })
  // Undelivered reservations are part of the data, so their warnings are not logged.
  const log = openLog('fatal')
  const store = await openStore(settings, log)
  await migrate(store.address)
  const db = openDatabase(store.address, log)
  let behindMs = 0
  const clock = { now: () => Date.now() - behindMs }
  await claimEnvironment(db, environment)
  await fillReference(db)
  const needs = { db, clock, log, telemetry: telemetry() }
  const app: App = startApp({
    ...needs,
    patience: 1,
    vault: await openCardVault(needs, { present: undefined, previous: [] }),
    environment,
    // The suppliers' servers are on this machine.
    outbound: { privateNetworks: loopbackNetworks, resolve: resolveAsSystem },
    isGateway: true,
    console: { oidc: undefined, signIn: defaultSignInRules[environment], mfaKeys: [] },
  })
  const { url } = await app.listen({ host: '127.0.0.1', port })
  await preparePartitions(db, clock.now())
  const workers: { close: () => Promise<void> }[] = [app.startDeliveries()]
  app.prepareConsole()
  return {
    url,
    now: clock.now,
    goTo: async (ms) => {
      behindMs = ms
      await preparePartitions(db, clock.now())
    },
    supplier: async (supplier, channelManager) => {
      const wanted = { supplier, channelManager, expiresAtMs: null, limits }
      const { apiKey } = await createKey(db, environment, wanted)
      return caller(url, { 'x-api-key': apiKey })
    },
    platform: async () => {
      const { token } = await createToken(db, environment, {
        role: 'platform',
        name: 'booking site',
        expiresAtMs: null,
      })
      return caller(url, { authorization: `Bearer ${token}` })
    },
    watch: () => void workers.push(app.startAlerts()),
    signInUrl: async () => {
      const doing = {
        operator: firstStart,
        requestId: undefined,
        nowMs: clock.now(),
        revocations: noRevocations,
      }
      const admin = await createFirstAdmin(db, 'admin', doing)
      return admin ? signInUrl(url, admin.link.token) : `${url}/console`
    },
    stop: async () => {
      app.drain()
      await Promise.all(workers.map((worker) => worker.close()))
      await app.close()
      await db.close()
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function caller(url: string, headers: Record<string, string>): Ask {
  return async (path, body, method) => {
    const response = await fetch(`${url}/v1${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const answer: unknown = await response.json()
    return { status: response.status, body: isRecord(answer) ? answer : {} }
  }
}
