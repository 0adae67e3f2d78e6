/**
 * Services on one database, a supplier that receives deliveries, and the platform's calls to
 * them.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { runAri } from '../programs/programs.ts'
import { startReceiver, type Receiver } from '../servers/receiver.ts'
import { clientOf, type Answered, type Client } from '../crash/http.ts'
import { startService, type Service } from '../crash/service.ts'
import { nightAhead } from '../nights.ts'

export type Market = {
  services: Service[]
  /** Kills one at once and starts it again, on another port. */
  crash: (index: number) => Promise<void>
  receiver: Receiver
  supplier: (path: string, body: unknown) => Promise<void>
  /**
   * A call of the platform, repeated under the same Idempotency-Key until it is answered: by the service of
   * that index while it is running. A 503 is repeated too.
   */
  call: (index: number, path: string, body: unknown, method?: string) => Promise<Answered>
  rows: <Row extends object>(sql: string, values?: unknown[]) => Promise<Row[]>
  close: () => Promise<void>
}

const againAfterMs = 40
/** The receiver is on this machine. */
export const privateWebhooks = { ARI_ALLOW_PRIVATE_WEBHOOKS: 'true' }

/** `running`: services that exist already, instead of two of its own. */
export async function openMarket(
  environ: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>> = {},
  running?: Service[],
): Promise<Market> {
  const start = (): Promise<Service> => startService({ ...environ, ...privateWebhooks, ...more })
  const services = running ?? [await start(), await start()]
  const made = await runAri(environ, 'key', 'create', '--supplier', 'market', '--rate-limit', '0')
  assert.equal(made.code, 0, made.stderr)
  const { apiKey }: { apiKey: string } = JSON.parse(made.stdout)
  const token = await runAri(environ, 'token', 'create', '--role', 'platform')
  assert.equal(token.code, 0, token.stderr)
  const { token: platformToken }: { token: string } = JSON.parse(token.stdout)
  const authorization = `Bearer ${platformToken}`
  const receiver = await startReceiver()
  const clients = new Map<string, Client>()
  const clientTo = (index: number): Client => {
    const url = services[index % services.length]?.url ?? ''
    const client = clients.get(url) ?? clientOf(url, apiKey)
    clients.set(url, client)
    return client
  }
  const db = new pg.Client({ connectionString: environ['DATABASE_URL'] })
  await db.connect()
  return {
    services,
    crash: async (index) => {
      await services[index]?.end('SIGKILL')
      services[index] = await start()
    },
    receiver,
    supplier: async (path, body) => {
      const answered = await clientTo(0).send(path, body)
      assert.ok(answered.isAnswered && answered.status === 200, JSON.stringify(answered))
    },
    call: async (index, path, body, method = 'POST') => {
      const headers = { authorization, 'idempotency-key': randomUUID() }
      for (;;) {
        const answered = await clientTo(index).send(path, body, headers, method)
        // A status without its whole body proves nothing.
        if (answered.isAnswered && answered.status !== 503 && isWhole(answered) && !isInUse(answered))
          return answered
        await wait(Math.random() * againAfterMs)
      }
    },
    rows: async (sql, values = []) => (await db.query(sql, values)).rows,
    close: async () => {
      for (const client of clients.values()) client.close()
      await db.end()
      await receiver.close()
      if (!running) for (const service of services) await service.end('SIGTERM')
    },
  }
}

/** The first call is under way, or was until its process was killed a moment ago. */
function isInUse({ status, text }: Answered): boolean {
  return status === 409 && text.includes('IDEMPOTENCY_KEY_IN_USE')
}

function isWhole({ text }: Answered): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** A hotel with one room that is sold at two rates, `units` of it on each of the next 60 nights. */
export async function pushHotel(market: Market, hotelId: string, units: number): Promise<void> {
  const hotel = { hotelId, hotelName: hotelId, currency: 'USD', timezone: 'UTC' }
  const open = { isAvailable: true }
  await market.supplier('/push/hotels', [{ ...hotel, ...open, minChildAge: 2, maxChildAge: 12 }])
  const room = { roomId: 'DBL', roomType: 'Double', roomName: 'Double', occupancy: { maxOccupancy: 2 } }
  const products = ['BAR', 'NRF'].map((rateId) => ({ ...room, ...open, rateId, rateName: rateId }))
  await market.supplier('/push/products', { hotelId, products })
  const rates = [
    { rateId: 'BAR', price: 100 },
    { rateId: 'NRF', price: 80 },
  ]
  const dates = { startDate: nightAhead(0), endDate: nightAhead(60) }
  const ari = [{ roomId: 'DBL', ...dates, inventory: units, rates }]
  await market.supplier('/push/ari', { hotelId, pricingModel: 'unit', ari })
}

export function bookingOf(hotelId: string, from: number, to: number, rateIds: readonly string[]) {
  const guest = { firstName: 'Ada', lastName: 'Lovelace' }
  return {
    hotel: { supplier: 'market', hotelId },
    checkin: nightAhead(from),
    checkout: nightAhead(to),
    rooms: rateIds.map((rateId) => ({ roomId: 'DBL', rateId, adults: 2, childAges: [], guest })),
    customer: guest,
    payment: { type: 'Channel Collect' },
  }
}
