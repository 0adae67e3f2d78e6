/** How a running service behaves when its address leads to a store that has lost commits. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { bookingBody, expectStatus, idOf, openShop, pushNights, type Shop } from '../stage/scenes/booking.ts'
import {
  type Reply,
  type TestSupplier,
  changesSettled,
  startGateway,
  type GatewayOptions,
  type TestGateway,
} from '../stage/harness.ts'
import { expectOk, problemsOf, pushStoryHotel } from '../stage/story.ts'
import { randomBytes } from 'node:crypto'
import { asAdmin, testServer, type TestAddress } from '../stage/postgres.ts'
import { postgresProxy } from '../stage/servers/postgres-proxy.ts'

let store: AgeingStore
let shop: Shop
let other: TestSupplier

before(async () => {
  store = await startAgeingStore()
  shop = await openShop(store.gateway)
  other = await store.gateway.supplier('Bestbeds')
})
after(() => store.stop())

const night = { checkin: '2027-04-20', checkout: '2027-04-21' }

/** A failed connection is answered with 503 until there is a new one; retries until then. */
async function served(call: () => Promise<Reply>): Promise<Reply> {
  for (let attempt = 0; ; attempt++) {
    const reply = await call()
    if (reply.status !== 503 || attempt === 100) return reply
    await wait(100)
  }
}

async function offers(supplier: string, hotelId: string): Promise<Record<string, unknown>> {
  const body = { hotels: [{ supplier, hotelId }], ...night, rooms: [{ adults: 2, childAges: [] }] }
  return expectOk(await served(() => shop.platform.post('/booking/offers', body))).body
}

/** The total of the cheapest offer of the story's hotel. */
async function priceSold(): Promise<string> {
  const { hotels } = Object(await offers('Acme', 'H1'))
  return String(hotels[0].offers[1].total.afterTax)
}

async function pushHotel(supplier: TestSupplier, hotelId: string): Promise<string> {
  await served(() => supplier.post('/push/getHotels', { hotelIds: ['H1'] }))
  await pushStoryHotel(supplier, { hotelId })
  const item = { roomId: 'DBL', startDate: '2027-04-01', endDate: '2027-04-30', inventory: 2 }
  const rates = [{ rateId: 'BAR', price: 100 }]
  expectOk(await supplier.post('/push/ari', { hotelId, pricingModel: 'unit', ari: [{ ...item, rates }] }))
  const { hotels } = expectOk(await supplier.post('/push/getHotels', { hotelIds: [hotelId] })).body
  return String(Object(hotels)[0].platformHotelId)
}

test('after a store that lost commits replaced another, no lost data is booked, sold, reported or reused', async () => {
  const first = await priceSold()
  const kept = idOf(await shop.book())
  const { cursor } = expectOk(await shop.platform.get('/booking/changes')).body
  await store.copy()

  await served(() => shop.platform.get('/booking/reservations'))
  for (const price of [54, 53, 52, 51, 50])
    await pushNights(shop.supplier, { rates: [{ rateId: 'NRF', price }] })
  const planned = { hotelId: 'H1', ari: [{ roomId: 'DBL', date: '2027-04-25', inventory: 1 }] }
  const dryRun = expectOk(await shop.supplier.post('/push/ari', { ...planned, dryRun: true, impact: true }))
  const { planId, baseRevision } = Object(dryRun.body['impact'])
  const lostHotel = await pushHotel(shop.supplier, 'LOST')
  const lost = idOf(
    await shop.platform.post('/booking/reservations', {
      ...bookingBody('Acme'),
      hotel: { supplier: 'Acme', hotelId: 'LOST' },
    }),
  )
  assert.notEqual(await priceSold(), first)
  const page = expectOk(await shop.platform.get(`/booking/changes?after=${String(cursor)}&wait=30`)).body
  await store.fallBack()

  // With the same codes, so that a caller who takes the new hotel for the lost one can book it.
  const newHotel = await pushHotel(other, 'NEW')
  assert.deepEqual((await offers('Acme', 'LOST'))['notFound'], [{ supplier: 'Acme', hotelId: 'LOST' }])
  const wrong = await shop.platform.post('/booking/reservations', {
    ...bookingBody('Acme'),
    hotel: { supplier: 'Acme', hotelId: 'LOST' },
  })
  expectStatus(wrong, 404)
  assert.equal(await priceSold(), first)
  assert.notEqual(newHotel, lostHotel)
  const made = idOf(await shop.book())
  assert.ok(Number(made) > Number(lost) && Number(lost) > Number(kept), `${kept}, ${lost}, ${made}`)
  for (const former of [cursor, page['cursor']]) {
    const refused = await shop.platform.get(`/booking/changes?after=${String(former)}`)
    expectStatus(refused, 410)
    assert.deepEqual(problemsOf(refused), [
      ['?after', 'FEED_RESTARTED', 'The feed was restarted: the database lost changes, or was replaced'],
    ])
  }
  // The hotel reaches the revision of the plan a second time, with other values.
  let revision = 0
  for (let inventory = 3; revision < baseRevision; inventory++) {
    const ari = [{ roomId: 'DBL', date: '2027-04-26', inventory }]
    const { body } = expectOk(await shop.supplier.post('/push/ari', { hotelId: 'H1', ari }))
    revision = Number(body['revision'])
  }
  assert.equal(revision, baseRevision)
  const stale = await shop.supplier.post('/push/ari', { ...planned, planId })
  assert.deepEqual([stale.status, Object(problemsOf(stale)[0])[1]], [409, 'PLAN_STALE'])
  await changesSettled(store.gateway.db)
  const { cursor: anew } = expectOk(await shop.platform.get('/booking/changes')).body
  await pushNights(shop.supplier, { rates: [{ rateId: 'NRF', price: 60 }] })
  const told = expectOk(await shop.platform.get(`/booking/changes?after=${String(anew)}&wait=30`)).body
  assert.deepEqual(Object(told)['changes'].length, 1)
})

test('an older copy of the files, which says of itself what the present store says, is known by what it lacks', async () => {
  const { db } = store.gateway
  const { cursor } = expectOk(await shop.platform.get('/booking/changes')).body
  const { number } = db.epoch
  const beatIs = async (): Promise<number> => {
    const { rows } = await db.query<{ beat: number }>('select beat from store_beat')
    return rows[0]?.beat ?? 0
  }
  while ((await beatIs()) < 2) await wait(100)
  // Puts the beats back to an earlier time.
  await db.query('update store_beat set beat = 0')
  while (db.epoch.number === number) await wait(100)
  const refused = await served(() => shop.platform.get(`/booking/changes?after=${String(cursor)}`))
  assert.deepEqual(problemsOf(expectStatus(refused, 410)).flat()[1], 'FEED_RESTARTED')
})

/**
 * A store that is replaced by an older copy of itself, as by a failover to a replica that had lost commits.
 */

type AgeingStore = {
  gateway: TestGateway
  /** Takes the copy: everything written later is lost when the copy replaces the store. */
  copy: () => Promise<void>
  /** Makes the service's address lead to the copy from now on. */
  fallBack: () => Promise<void>
  stop: () => Promise<void>
}

async function startAgeingStore(options: GatewayOptions = {}): Promise<AgeingStore> {
  const proxy = await postgresProxy()
  const server = await testServer()
  let database: TestAddress | undefined
  const gateway = await startGateway({
    ...options,
    through: (address) => {
      database = address
      return proxy.through(address)
    },
  })
  const name = database?.database ?? ''
  const older = `${name}_older`
  const whileClosed = async (...statements: string[]): Promise<void> => {
    await proxy.cut()
    const pids = `select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = '${name}'`
    for (const statement of [pids, ...statements]) await asAdmin(server.address, statement)
    await proxy.heal()
  }
  return {
    gateway,
    copy: () => whileClosed(`create database ${older} template ${name} strategy file_copy`),
    fallBack: () =>
      whileClosed(
        `alter database ${name} rename to ${name}_lost_${randomBytes(4).toString('hex')}`,
        `alter database ${older} rename to ${name}`,
      ),
    stop: async () => {
      await gateway.stop()
      await proxy.close()
      await server.stop()
    },
  }
}
