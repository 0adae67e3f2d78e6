/** A service with hotels, each with a key and a URL of its own, and the client that checks their prices. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { join } from 'node:path'
import { createKey, createToken } from '../../../src/keys/manage.ts'
import { openLog } from '../../../src/base/log.ts'
import { openDatabase, type Database } from '../../../src/postgres/postgres.ts'
import { testAuthority } from '../servers/certificates.ts'
import { minutes } from '../pace.ts'
import { environOf, newTestDatabase, type TestAddress } from '../postgres.ts'
import { clientOf, type Client } from '../crash/http.ts'
import { startService } from '../crash/service.ts'
import { nightAhead } from '../nights.ts'

const keptWithinMs = minutes(2)

export type Checked = {
  /** `outcome`, or `outcome/reason`; otherwise a description of the answer. */
  told: string
  /** As the caller measures it. */
  tookMs: number
}

export type World = {
  lanes: number
  /** Sets the URL at which the lane's hotel is checked from now on. */
  register: (lane: number, url: string) => Promise<void>
  check: (lane: number) => Promise<Checked>
  /** Waits for the expected number of stored checks, which are written a moment after they are answered. */
  kept: (expected: number) => Promise<number>
  close: () => Promise<void>
}

const breaking = import.meta.resolve('./break.ts')

export async function openWorld(lanes: number, broken?: string): Promise<World> {
  const undo: (() => Promise<unknown>)[] = []
  const address = await newDatabase(undo)
  const folder = await mkdtemp(join(tmpdir(), 'ari-price-check-'))
  undo.push(() => rm(folder, { recursive: true }))
  const authority = join(folder, 'authority.pem')
  await writeFile(authority, testAuthority)
  const service = await startService({
    ...environOf(address),
    ARI_ALLOW_PRIVATE_WEBHOOKS: 'true',
    NODE_EXTRA_CA_CERTS: authority,
    ...(broken === undefined ? {} : { NODE_OPTIONS: `--import=${breaking}`, ARI_PROOF_BREAK: broken }),
  })
  undo.push(() => service.end('SIGTERM'))
  const db = openDatabase(address, openLog('silent'))
  undo.push(db.close)
  const { token } = await createToken(db, 'sandbox', { role: 'platform', name: 'proof', expiresAtMs: null })
  const keyIds: number[] = []
  for (let lane = 0; lane < lanes; lane++) keyIds.push(await pushLane(db, service.url, lane))
  const platform = clientOf(service.url, '')
  undo.push(async () => platform.close())
  return {
    lanes,
    register: async (lane, url) => {
      // Not through the API: a ping would wait for the server. One URL per check keeps every circuit closed.
      await db.query(
        `update api_key set availability_webhook = $2, signing_secret = coalesce(signing_secret, 'whsec_AAAA')
         where id = $1`,
        [keyIds[lane], url],
      )
    },
    check: (lane) => checkOne(platform, token, lane),
    kept: async (expected) => {
      const untilMs = performance.now() + keptWithinMs
      for (;;) {
        const { rows } = await db.query<{ count: number }>('select count(*)::int as count from price_check')
        const count = rows[0]?.count ?? 0
        if (count >= expected || performance.now() > untilMs) return count
        await wait(10)
      }
    },
    close: async () => {
      for (const step of undo.reverse()) await step()
    },
  }
}

async function newDatabase(undo: (() => Promise<unknown>)[]): Promise<TestAddress> {
  const { address, drop } = await newTestDatabase()
  undo.push(drop)
  return address
}

/** A hotel is checked at the URL of the key that pushed it. */
async function pushLane(db: Database, url: string, lane: number): Promise<number> {
  const limits = { requestsPerMinute: 0 }
  const wanted = { supplier: 'Proof', channelManager: `lane ${lane}`, expiresAtMs: null, limits }
  const { apiKey, keyId } = await createKey(db, 'sandbox', wanted)
  const client = clientOf(url, apiKey)
  const hotelId = `H${lane}`
  const hotel = {
    hotelId,
    hotelName: hotelId,
    currency: 'USD',
    isAvailable: true,
    minChildAge: 2,
    maxChildAge: 12,
  }
  const product = {
    roomId: 'DBL',
    roomType: 'Double',
    roomName: 'Double',
    rateId: 'BAR',
    rateName: 'Best',
    isAvailable: true,
    occupancy: { maxOccupancy: 2 },
  }
  const line = {
    startDate: arrival,
    endDate: departure,
    inventory: 5,
    rates: [{ rateId: 'BAR', price: 100 }],
  }
  await pushed(client, '/push/hotels', [hotel])
  await pushed(client, '/push/products', { hotelId, products: [product] })
  await pushed(client, '/push/ari', { hotelId, pricingModel: 'unit', ari: [{ roomId: 'DBL', ...line }] })
  client.close()
  return keyId
}

async function pushed(client: Client, path: string, body: unknown): Promise<void> {
  const reply = await client.send(path, body)
  assert.ok(reply.isAnswered && reply.status === 200, JSON.stringify(reply))
}

const [arrival, departure] = [nightAhead(30), nightAhead(32)]

async function checkOne(platform: Client, token: string, lane: number): Promise<Checked> {
  const beganMs = performance.now()
  const reply = await platform.send(
    '/booking/priceCheck',
    {
      hotel: { supplier: 'Proof', hotelId: `H${lane}` },
      roomId: 'DBL',
      rateId: 'BAR',
      checkin: arrival,
      checkout: departure,
      roomCount: 1,
      adultCount: 2,
      childAges: [],
    },
    { authorization: `Bearer ${token}` },
  )
  const tookMs = performance.now() - beganMs
  if (!reply.isAnswered) return { told: `no answer: ${reply.why}`, tookMs }
  if (reply.status !== 200) return { told: `status ${reply.status}: ${reply.text}`, tookMs }
  const { outcome, failure } = Object(JSON.parse(reply.text))
  return { told: failure ? `${outcome}/${failure.reason}` : String(outcome), tookMs }
}
