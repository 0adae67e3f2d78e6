import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import {
  client,
  gatewayForTests,
  type Reply,
  type TestClient,
  type TestSupplier,
  changesSettled,
} from '../../test/stage/harness.ts'
import { changesIn, cursorOfNow, getChanges, type Change } from '../../test/stage/scenes/changes.ts'
import { expectOk, problemsOf, product, pushStoryHotel } from '../../test/stage/story.ts'
import { doChores } from '../start/housekeeping.ts'
import { readConfig } from '../settings/config.ts'
import { openLog } from '../base/log.ts'
import { telemetry } from '../base/telemetry.ts'

let platform: TestClient
let supplier: TestSupplier
let suppliers = 0
let cursor = ''

const gateway = await gatewayForTests()
before(async () => {
  platform = client(gateway.url, { authorization: `Bearer ${await gateway.token('platform')}` })
})
beforeEach(async () => {
  supplier = await gateway.supplier(`Supplier ${++suppliers}`)
  await pushStoryHotel(supplier)
  cursor = await cursorOfNow(gateway, platform)
})

const changes = (query?: Record<string, string>): Promise<Reply> => getChanges(platform, query)

/** The changes after the cursor, without members that differ between runs. */
async function reportedChanges(): Promise<Change[]> {
  await changesSettled(gateway.db)
  return withoutChance(changesIn(await changes({ after: cursor })))
}

function withoutChance(list: readonly Change[]): Change[] {
  return list.map(({ cursor: _cursor, at: _at, platformHotelId: _id, supplier: name, ...rest }) => {
    assert.equal(name, supplier.name)
    return rest
  })
}

async function pushAri(...items: object[]): Promise<Reply> {
  return expectOk(await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari: items }))
}

const night = { roomId: 'DBL', rateId: 'BAR', date: '2027-04-01' }

async function hotelNo(): Promise<number> {
  const { rows } = await gateway.db.query<{ id: number }>(
    'select hotel.id from hotel join supplier on supplier.id = supplier_id where supplier.name = $1',
    [supplier.name],
  )
  return rows[0]?.id ?? 0
}

describe('reported changes', () => {
  test('without a cursor: no earlier changes, only the current cursor', async () => {
    const { body } = expectOk(await changes({ wait: '30' }))
    assert.deepEqual(body, {
      code: '200',
      message: 'Changes retrieved successfully',
      changes: [],
      cursor: body['cursor'],
      hasMore: false,
    })
    assert.deepEqual(changesIn(await changes({ after: String(body['cursor']) })), [])
  })

  test('a complete change', async () => {
    await pushAri({ ...night, price: 100 })
    const id = await hotelNo()
    await changesSettled(gateway.db)
    const [first] = changesIn(await changes({ after: cursor }))
    assert.match(String(first?.['at']), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    assert.deepEqual(first, {
      cursor: first?.['cursor'],
      kind: 'ari',
      at: first?.['at'],
      platformHotelId: String(id),
      supplier: supplier.name,
      hotelId: 'H1',
      revision: 3,
      nights: [
        {
          roomId: 'DBL',
          platformRoomId: `${id}-R1`,
          rateId: 'BAR',
          platformRateId: `${id}-P1`,
          startDate: '2027-04-01',
          endDate: '2027-04-01',
        },
      ],
    })
    assert.deepEqual(changesIn(await changes({ after: String(first['cursor']) })), [])
  })

  test('hotels, products and taxes, of the whole hotel', async () => {
    await pushStoryHotel(supplier, { hotelId: 'H2' })
    await pushStoryHotel(supplier, { hotelName: 'Sea View Resort' })
    const taxes = [
      {
        type: 'VAT',
        valueType: '%',
        value: 10,
        appliedOn: 'net',
        appliedPer: 'per_room_per_night',
        included: false,
        payNow: true,
      },
    ]
    expectOk(await supplier.post('/push/taxes', { hotelId: 'H1', taxes }))
    const products = [product('DBL', 'BAR', { mealPlan: 'BB' })]
    expectOk(await supplier.post('/push/products', { hotelId: 'H1', products }))
    assert.deepEqual(await reportedChanges(), [
      { kind: 'hotel', hotelId: 'H2', revision: 1 },
      { kind: 'products', hotelId: 'H2', revision: 2 },
      { kind: 'hotel', hotelId: 'H1', revision: 3 },
      { kind: 'taxes', hotelId: 'H1', revision: 4 },
      { kind: 'products', hotelId: 'H1', revision: 5 },
    ])
  })

  test('the nights of each room and rate, as ranges over the months', async () => {
    await pushAri(
      {
        roomId: 'DBL',
        startDate: '2027-04-28',
        endDate: '2027-05-03',
        inventory: 5,
        rates: [{ rateId: 'BAR', price: 100 }],
      },
      {
        roomId: 'DBL',
        rateId: 'NRF',
        startDate: '2027-04-26',
        endDate: '2027-05-09',
        daysOfWeek: ['SAT', 'SUN'],
        price: 90,
      },
    )
    assert.deepEqual(await reportedNights(), [
      ['DBL', undefined, '2027-04-28', '2027-05-03'],
      ['DBL', 'BAR', '2027-04-28', '2027-05-03'],
      ['DBL', 'NRF', '2027-05-01', '2027-05-02'],
      ['DBL', 'NRF', '2027-05-08', '2027-05-09'],
    ])
  })

  test('only the nights whose values changed, cleared ones too', async () => {
    await pushAri({
      roomId: 'DBL',
      rateId: 'BAR',
      startDate: '2027-04-01',
      endDate: '2027-04-05',
      price: 100,
    })
    cursor = await cursorOfNow(gateway, platform)
    await pushAri(
      { roomId: 'DBL', rateId: 'BAR', startDate: '2027-04-01', endDate: '2027-04-06', price: 100 },
      { ...night, date: '2027-04-03', price: null },
    )
    assert.deepEqual(await reportedNights(), [
      ['DBL', 'BAR', '2027-04-03', '2027-04-03'],
      ['DBL', 'BAR', '2027-04-06', '2027-04-06'],
    ])
  })

  test('nothing of a push that changed nothing, was refused, or was a dry run', async () => {
    await pushAri({ ...night, price: 100 })
    cursor = await cursorOfNow(gateway, platform)
    await pushAri({ ...night, price: 100 })
    await pushStoryHotel(supplier)
    const ari = [{ ...night, price: 110 }]
    expectOk(await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', dryRun: true, ari }))
    const unknown = { ...night, roomId: 'TWN', price: 110 }
    assert.equal(
      (await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari: [unknown] })).status,
      404,
    )
    assert.deepEqual(await reportedChanges(), [])
  })

  test('nights that changed again are reported with the later change, and only there', async () => {
    await pushAri({ ...night, price: 100 }, { ...night, date: '2027-04-02', price: 100 })
    await pushAri({ ...night, price: 110 })
    assert.deepEqual(
      (await reportedChanges()).map(({ revision, nights }) => [
        revision,
        Object(nights).length,
        Object(nights)[0].startDate,
      ]),
      [
        [3, 1, '2027-04-02'],
        [4, 1, '2027-04-01'],
      ],
    )
    await pushAri({ ...night, date: '2027-04-02', price: 120 })
    assert.deepEqual(
      (await reportedChanges()).map(({ revision }) => revision),
      [4, 5],
    )
  })

  test('page by page each change once, with hasMore', async () => {
    for (let day = 1; day <= 7; day++) await pushAri({ ...night, date: `2027-04-0${day}`, price: 100 })
    await changesSettled(gateway.db)
    const pages: unknown[] = []
    for (let hasMore: unknown = true; hasMore;) {
      const reply = await changes({ after: cursor, limit: '3' })
      pages.push(changesIn(reply).map(({ revision }) => revision))
      cursor = String(reply.body['cursor'])
      hasMore = reply.body['hasMore']
    }
    assert.deepEqual(pages, [[3, 4, 5], [6, 7, 8], [9]])
  })

  test('a page whose changes have all changed again is empty, and leads on', async () => {
    for (let price = 100; price < 104; price++) await pushAri({ ...night, price })
    await changesSettled(gateway.db)
    const pages: unknown[] = []
    for (let hasMore: unknown = true; hasMore;) {
      const reply = await changes({ after: cursor, limit: '1', wait: '30' })
      pages.push(changesIn(reply).map(({ revision }) => revision))
      assert.notEqual(reply.body['cursor'], cursor)
      cursor = String(reply.body['cursor'])
      hasMore = reply.body['hasMore']
    }
    assert.deepEqual(pages, [[], [], [], [6]])
  })

  test('page by page also within one push of several hotels', async () => {
    const hotels = ['H2', 'H3', 'H4', 'H5'].map((hotelId) => ({
      hotelId,
      hotelName: hotelId,
      currency: 'USD',
      isAvailable: true,
      minChildAge: 2,
      maxChildAge: 12,
      timezone: 'UTC',
    }))
    expectOk(await supplier.post('/push/hotels', hotels))
    await pushAri({ ...night, price: 100 })
    await changesSettled(gateway.db)
    const pages: unknown[] = []
    for (let hasMore: unknown = true; hasMore;) {
      const reply = await changes({ after: cursor, limit: '2' })
      pages.push(changesIn(reply).map(({ hotelId }) => hotelId))
      cursor = String(reply.body['cursor'])
      hasMore = reply.body['hasMore']
    }
    assert.deepEqual(pages, [['H2', 'H3'], ['H4', 'H5'], ['H1']])
  })

  async function reportedNights(): Promise<unknown[]> {
    return (await reportedChanges()).flatMap(({ nights }) =>
      Object(nights).map((one: Change) => [one['roomId'], one['rateId'], one['startDate'], one['endDate']]),
    )
  }
})

describe('the order', () => {
  test('waits for a transaction that is under way, so that its changes are not skipped', async () => {
    const early = await gateway.db.pool.connect()
    try {
      await early.query('begin')
      await early.query('select pg_current_xact_id()')
      await pushAri({ ...night, price: 100 })
      assert.deepEqual(changesIn(await changes({ after: cursor })), [])
      await early.query(
        `insert into change (kind, hotel_ids, revisions_from, revisions_to) values ('taxes', array[$1::int], '{9}', '{9}')`,
        [await hotelNo()],
      )
      await early.query('commit')
    } finally {
      early.release()
    }
    assert.deepEqual(new Set((await reportedChanges()).map(({ kind }) => kind)), new Set(['ari', 'taxes']))
  })

  test('is that of the revisions, also where a transaction began before the one whose lock it waited for', async () => {
    const id = await hotelNo()
    const early = await gateway.db.pool.connect()
    try {
      await early.query('begin')
      await early.query('select pg_current_xact_id()')
      await pushAri({ ...night, price: 100 })
      await early.query('select from hotel where id = $1 for update', [id])
      await early.query(
        `insert into change (kind, hotel_ids, revisions_from, revisions_to) values ('taxes', array[$1::int], '{4}', '{4}')`,
        [id],
      )
      await early.query('commit')
    } finally {
      early.release()
    }
    assert.deepEqual(
      (await reportedChanges()).map(({ revision }) => revision),
      [3, 4],
    )
  })
})

describe('refused requests', () => {
  test('all invalid parameters, at once', async () => {
    const reply = await changes({ after: 'yesterday', wait: '31', limit: '0' })
    assert.equal(reply.status, 400)
    assert.deepEqual(problemsOf(reply), [
      ['?after', 'INVALID_CURSOR', 'after is not a valid cursor'],
      ['?wait', 'INVALID_WAIT', 'wait must be an integer from 0 to 30'],
      ['?limit', 'INVALID_LIMIT', 'limit must be an integer from 1 to 1000'],
    ])
  })

  test('a cursor after which changes were deleted; one at the end of the deleted changes continues', async () => {
    await pushAri({ ...night, price: 100 })
    const [first] = changesIn(await changes({ after: cursor, wait: '30' }))
    await pushAri({ ...night, price: 110 })
    await keepHouse(8)
    const reply = await changes({ after: cursor })
    assert.equal(reply.status, 410)
    assert.deepEqual(problemsOf(reply), [
      ['?after', 'CURSOR_TOO_OLD', 'Changes after this cursor are no longer stored: it is older than 7 days'],
    ])
    assert.equal((await changes({ after: String(first?.['cursor']) })).status, 410)
    cursor = await cursorOfNow(gateway, platform)
    await pushAri({ ...night, price: 120 })
    await keepHouse(6)
    assert.equal((await reportedChanges()).length, 1)
  })

  test('a cursor of another database, of a database that was further ahead, and of a version without epochs', async () => {
    const [, , turn] = Buffer.from(cursor, 'base64url').toString().split(' ')
    const { id = '' } = gateway.db.epoch
    for (const text of [`0123456789ab ${turn} 1 1`, `${id} 999999999 1 1`, `${turn} 1 1`]) {
      const reply = await changes({ after: Buffer.from(`change ${text}`).toString('base64url') })
      assert.equal(reply.status, 410, text)
      assert.deepEqual(problemsOf(reply), [
        ['?after', 'FEED_RESTARTED', 'The feed was restarted: the database lost changes, or was replaced'],
      ])
    }
  })

  async function keepHouse(daysAhead: number): Promise<void> {
    const { settings } = readConfig({})
    const clock = { now: () => Date.now() + daysAhead * 86_400_000 }
    await doChores({ db: gateway.db, clock, log: openLog('silent'), telemetry: telemetry() }, settings)
  }
})
