import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  acknowledgeAll,
  closeNights,
  dropPrice,
  pushUnknown,
} from '../../../test/stage/scenes/alert-causes.ts'
import { openShop, platformOf, pushNights, type Shop } from '../../../test/stage/scenes/booking.ts'
import { until } from '../../../test/stage/scenes/deliveries.ts'
import { client, gatewayForTests, type TestGateway } from '../../../test/stage/harness.ts'
import { startMailServer } from '../../../test/stage/servers/mail-server.ts'
import { httpAnswer, startReceiver } from '../../../test/stage/servers/receiver.ts'
import { expectOk } from '../../../test/stage/story.ts'
import { minutes } from '../../../test/stage/pace.ts'
import { certificationEvidence } from '../../certification/evidence.ts'
import { watchCertifications } from '../../certification/watch.ts'
import { openLog } from '../../base/log.ts'
import { telemetry } from '../../base/telemetry.ts'
import type { FindingKind } from '../../findings/contract.ts'
import { loopbackNetworks, resolveAsSystem } from '../../outbound/vet-url.ts'
import { alertChannels } from '../channels/channels.ts'
import { tellOnce } from '../messages/tell.ts'
import { watchOnce } from './watch.ts'

/** The life of an alert of each kind, from its cause to its end, as its supplier and its webhook see it. */

const noonMs = Date.parse('2027-03-01T12:00:00Z')
const hour = 60
const wholeYear = { startDate: '2027-03-01', endDate: '2028-02-29' }

const mailServer = await startMailServer()
let liveAnswer = httpAnswer(500, '{}')
const told = await startReceiver()
const checked = await startReceiver((socket) => socket.write(liveAnswer))
after(async () => {
  await Promise.all([mailServer.close(), told.close(), checked.close()])
})

type Stage = {
  gateway: TestGateway
  shop: Shop
  /** Moves the clock so many minutes after noon of the first day, and looks. */
  lookAt: (minute: number) => Promise<void>
  moveTo: (minute: number) => void
  /** A price check of four nights, for which the supplier answers with a price, or fails. */
  check: (price: number | undefined) => Promise<unknown>
}

type Life = {
  kind: FindingKind
  /** The ARI of the hotel before; a year by default. */
  ari?: Record<string, unknown>
  /** The cause, after which a look finds it at this minute. */
  begin: (stage: Stage) => Promise<void>
  seenAt?: number
  /** More of it; absent: there is no more of it. */
  grow?: (stage: Stage) => Promise<void>
  end: (stage: Stage) => Promise<void>
  endsAfter?: number
}

const expireKey = async ({ gateway, shop }: Stage, at: string): Promise<void> => {
  const admin = await gateway.operator('admin')
  expectOk(await admin.put(`/keys/${shop.supplier.keyId}/expiry`, { at }))
}

/** The last use of a key is stored some seconds later. */
const usedKey = ({ gateway }: Stage): Promise<void> =>
  until('the last use is stored', async () => {
    const { rowCount } = await gateway.db.query('select from api_key where last_used_at is not null')
    return rowCount === 1
  })

const lives: readonly Life[] = [
  {
    kind: 'push.refused',
    begin: ({ shop }) => pushUnknown(shop, 5),
    grow: ({ shop }) => pushUnknown(shop, 9),
    end: async () => {},
    endsAfter: 30,
  },
  {
    kind: 'ari.stale',
    begin: async () => {},
    seenAt: 24 * hour + 1,
    end: ({ shop }) => pushNights(shop.supplier, wholeYear),
  },
  {
    kind: 'coverage.low',
    ari: { startDate: '2027-03-02', endDate: '2027-03-30' },
    begin: async () => {},
    grow: async ({ shop }) => void (await closeNights(shop, true, '2027-03-05')),
    end: async ({ shop }) => {
      await closeNights(shop, false, '2027-03-05')
      await pushNights(shop.supplier, wholeYear)
    },
  },
  {
    kind: 'booking.undelivered',
    begin: async ({ shop }) => assert.equal((await shop.book()).status, 201),
    seenAt: 31,
    grow: async ({ shop, moveTo }) => {
      moveTo(3 * hour)
      assert.equal((await shop.book()).status, 201)
    },
    end: ({ shop }) => acknowledgeAll(shop),
  },
  {
    kind: 'webhook.failing',
    begin: async ({ check }) => {
      for (let call = 0; call < 5; call++) await check(undefined)
    },
    // The circuit of the URL opens again by the time of the machine.
    end: ({ check }) => until('a call', async () => (await check(100)) !== 'circuit_open'),
  },
  {
    kind: 'drift.high',
    begin: async ({ check }) => void (await check(120)),
    end: async ({ check }) => void (await check(100)),
  },
  {
    kind: 'guard.held',
    begin: async ({ shop }) => {
      const rules = [{ kind: 'priceDrop', percent: 30, action: 'hold' }]
      expectOk(await shop.supplier.post('/push/guard', { rules }))
      await dropPrice(shop, '2027-04-01')
    },
    grow: ({ shop }) => dropPrice(shop, '2027-04-02'),
    end: async ({ shop: { supplier } }) => {
      const { body } = expectOk(await supplier.post('/push/guard/holds', { hotelId: 'H1' }))
      const holdIds = Object(body)['holds'].map(({ holdId }: { holdId: string }) => holdId)
      expectOk(await supplier.post('/push/guard/discard', { hotelId: 'H1', holdIds }))
    },
  },
  {
    kind: 'key.expiring',
    begin: async (stage) => {
      await expireKey(stage, '2027-03-10T00:00:00Z')
      await usedKey(stage)
    },
    end: (stage) => expireKey(stage, '2028-03-10T00:00:00Z'),
  },
  {
    kind: 'mass.closed',
    begin: async ({ shop, lookAt }) => {
      await lookAt(0)
      await closeNights(shop, true, '2027-04-30')
    },
    end: async ({ shop }) => void (await closeNights(shop, false, '2027-04-30')),
  },
  {
    kind: 'certification.regressed',
    ari: { startDate: '2027-03-01', endDate: '2028-02-28' },
    begin: async (stage) => {
      await usedKey(stage)
      await stage.lookAt(0)
    },
    // The day after, the 365th night has no price.
    seenAt: 12 * hour + 1,
    end: ({ shop }) => pushNights(shop.supplier, wholeYear),
  },
]

async function stageOf({ ari = wholeYear }: Life): Promise<Stage> {
  const gateway = await gatewayForTests({
    now: new Date(noonMs).toISOString(),
    allowPrivate: true,
    outbound: { reach: (to) => to },
    checkBudgetMs: minutes(10),
    mail: { smtpUrl: mailServer.url, from: 'alerts@gateway.example' },
  })
  const shop = await openShop(gateway, 'Acme', ari)
  const { supplier } = shop
  const platform = await platformOf(gateway)
  const { db, clock } = gateway
  const logged: string[] = []
  const log = openLog('warn', { write: (line) => void logged.push(line) })
  const needs = { db, clock, log, telemetry: telemetry() }
  const outbound = { privateNetworks: loopbackNetworks, resolve: resolveAsSystem }
  const mail = { smtpUrl: mailServer.url, from: 'alerts@gateway.example' }
  const channels = alertChannels({ ...needs, outbound, mail })
  after(() => channels.close())
  const holds = gateway.app.startHoldWatch()
  after(() => holds.close())
  const authorization = `Bearer ${await gateway.token('operator')}`
  const inConsole = client(gateway.url, { authorization }, '/console/api')
  const written = async () => void expectOk(await inConsole.get('/price-checks'))
  const watchNeeds = {
    ...needs,
    trafficNotes: { written: async () => {} },
    certificationEvidence: certificationEvidence(needs),
    priceChecks: { ledger: { written } },
  }
  const moveTo = (minute: number): void => clock.set(new Date(noonMs + minute * 60_000).toISOString())
  return {
    gateway,
    shop,
    moveTo,
    lookAt: async (minute) => {
      moveTo(minute)
      await written()
      await watchOnce(needs, { certifications: (_needs, nowMs) => watchCertifications(watchNeeds, nowMs) })
      await holds.look()
      while ((await tellOnce({ ...needs, alertChannels: channels })) > 0);
      assert.deepEqual(
        logged.filter((line) => /will be repeated|not sent/.test(line)),
        [],
      )
    },
    check: async (price) => {
      const webhook = `http://127.0.0.1:${checked.port}/`
      expectOk(await supplier.post('/push/webhook/availability', { webhook }))
      const nights = [price, price, price, price]
      const roomRate = {
        roomId: 'DBL',
        rateId: 'BAR',
        currency: 'USD',
        inventory: 5,
        amountBeforeTax: nights,
      }
      const amountAfterTax = nights.map((one = 0) => (one * 11) / 10)
      liveAnswer =
        price === undefined
          ? httpAnswer(500, '{}')
          : httpAnswer(200, JSON.stringify({ roomRate: { ...roomRate, amountAfterTax } }))
      const stay = { roomId: 'DBL', rateId: 'BAR', checkin: '2027-04-20', checkout: '2027-04-24' }
      const guests = { roomCount: 1, adultCount: 2, childAges: [] }
      const asked = { hotel: { supplier: 'Acme', hotelId: 'H1' }, ...stay, ...guests }
      const { body } = expectOk(await platform.post('/booking/priceCheck', asked))
      await written()
      return Object(Object(body)['failure'])['reason'] ?? body['outcome']
    },
  }
}

for (const life of lives) {
  const { kind, begin, seenAt = 1, grow, end, endsAfter = 2 } = life
  test(`${kind} opens, is told once, ${grow ? 'again when it grows, ' : ''}and resolves by itself`, async () => {
    const stage = await stageOf(life)
    const { shop, lookAt, moveTo } = stage
    mailServer.mails.splice(0)
    const webhook = `http://127.0.0.1:${told.port}/alerts`
    const saved = await shop.supplier.post('/push/alerts/settings', {
      kinds: [kind],
      webhook,
      emails: ['desk@hotel.example'],
    })
    expectOk(saved)
    const code = /\b(\d{8})\b/.exec(mailServer.mails.splice(0)[0]?.text ?? '')?.[1]
    expectOk(
      await shop.supplier.post('/push/alerts/settings', { codes: [{ email: 'desk@hotel.example', code }] }),
    )
    told.calls.splice(0)
    /** The messages since the last question: both channels have the same. */
    const messages = (): number => {
      const calls = told.calls.splice(0)
      assert.ok(calls.every(({ body }) => body.includes(`"kind":"${kind}"`)))
      assert.equal(mailServer.mails.splice(0).length, calls.length)
      return calls.length
    }
    const states = async (): Promise<string[]> => {
      const { body } = expectOk(
        await shop.supplier.post('/push/alerts', { kinds: [kind], states: ['open', 'resolved'] }),
      )
      return Object(body)['alerts'].map(({ state }: { state: string }) => state)
    }

    await begin(stage)
    assert.deepEqual(await states(), [])
    await lookAt(seenAt)
    assert.deepEqual([await states(), messages()], [['open'], 1])
    await lookAt(seenAt + 1)
    assert.deepEqual([await states(), messages()], [['open'], 0], 'told once')

    if (grow) {
      moveTo(seenAt + 4 * hour - 10)
      await grow(stage)
      await lookAt(seenAt + 4 * hour - 5)
      assert.equal(messages(), 0, 'not before four hours')
    }
    await lookAt(seenAt + 4 * hour + 1)
    assert.deepEqual([await states(), messages()], [['open'], grow ? 1 : 0])

    moveTo(seenAt + 4 * hour + 2)
    await end(stage)
    await lookAt(seenAt + 4 * hour + 2 + endsAfter * 10)
    assert.deepEqual([await states(), messages()], [['resolved'], 0])
  })
}
