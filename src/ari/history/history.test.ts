import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openShop, pushNights, type Shop } from '../../../test/stage/scenes/booking.ts'
import { operatorOf } from '../../../test/stage/scenes/calendar.ts'
import { gatewayForTests, type Reply } from '../../../test/stage/harness.ts'
import { expectOk, problemsOf, product, storyHotel } from '../../../test/stage/story.ts'
import { dropOldPartitions } from '../../push-log/bodies/housekeeping.ts'

const gateway = await gatewayForTests()

type Fields = Record<string, unknown>

let shops = 0
const shop = (): Promise<Shop> => openShop(gateway, `history ${++shops}`)

const range = { hotelId: 'H1', startDate: '2027-04-01', endDate: '2027-06-30' }
const read = ({ supplier }: Shop, more: Fields = {}): Promise<Reply> =>
  supplier.post('/push/getAri', { ...range, ...more })
const asOf = (stage: Shop, moment: Fields, more: Fields = {}): Promise<Reply> =>
  read(stage, { asOf: moment, ...more })
const push = ({ supplier }: Shop, ari: Fields[], more: Fields = {}): Promise<Reply> =>
  supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari, ...more })

async function hotelOf({ supplier }: Shop): Promise<number> {
  const { rows } = await gateway.db.query<{ id: number }>(
    'select hotel.id from hotel join supplier on supplier.id = supplier_id where supplier.name = $1',
    [supplier.name],
  )
  return rows[0]?.id ?? 0
}

test('the ARI as of each revision is what was read then: pushes, a booking and a stop-sell', async () => {
  const stage = await shop()
  const operator = await operatorOf(gateway)
  const stopSell = {
    action: 'stop',
    reason: 'Flood',
    targets: [{ roomId: 'DBL' }],
    from: '2027-04-20',
    to: '2027-04-20',
  }
  const steps: (() => Promise<unknown>)[] = [
    () =>
      push(stage, [
        { roomId: 'DBL', date: '2027-05-02', inventory: 3, rates: [{ rateId: 'BAR', price: 70 }] },
      ]),
    () => stage.book(),
    async () => operator('POST', `/hotels/${await hotelOf(stage)}/stop-sell`, stopSell),
    () =>
      push(
        stage,
        [
          {
            roomId: 'DBL',
            startDate: '2027-04-10',
            endDate: '2027-04-25',
            rates: [{ rateId: 'NRF', closed: true }],
          },
        ],
        {
          mode: 'overlay',
        },
      ),
    () =>
      push(
        stage,
        [
          {
            roomId: 'DBL',
            date: '2027-04-12',
            rates: [{ rateId: 'BAR', prices: [{ guests: 2, ageCategory: 'adult', amount: 9 }] }],
          },
          { roomId: 'DBL', date: '2027-04-12', inventory: 9 },
          { roomId: 'DBL', date: '2027-04-12', inventory: 8 },
        ],
        { pricingModel: 'guest' },
      ),
    () => push(stage, [{ roomId: 'DBL', startDate: '2027-04-01', endDate: '2027-06-30', inventory: null }]),
  ]
  const states = new Map<number, Fields>()
  for (const step of steps) {
    const { body } = expectOk(await read(stage))
    states.set(Number(body['revision']), body)
    await step()
  }
  assert.equal(states.size, steps.length)
  for (const [revision, body] of states) {
    assert.deepEqual(expectOk(await asOf(stage, { revision })).body, body)
    const narrowed = { rateIds: ['BAR'], startDate: '2027-04-12', endDate: '2027-04-20' }
    const { body: part } = expectOk(await asOf(stage, { revision }, narrowed))
    assert.ok(JSON.stringify(part).length < JSON.stringify(body).length)
  }
  for (const revision of [0, 2]) assert.deepEqual(expectOk(await asOf(stage, { revision })).body['ari'], [])
})

test('as of a time: with every change up to it', async () => {
  const fresh = await gatewayForTests({ now: '2027-03-01T12:00:00Z' })
  const stage = await openShop(fresh)
  const first = expectOk(await read(stage)).body
  fresh.clock.set('2027-03-02T12:00:00Z')
  expectOk(await push(stage, [{ roomId: 'DBL', date: '2027-04-20', inventory: 7 }]))
  const second = expectOk(await read(stage)).body
  fresh.clock.set('2027-03-03T12:00:00Z')
  expectOk(await push(stage, [{ roomId: 'DBL', date: '2027-04-20', inventory: 8 }]))
  const at = async (time: string) => expectOk(await asOf(stage, { time })).body
  assert.deepEqual(await at('2027-03-02T11:59:59.999Z'), first)
  assert.deepEqual(await at('2027-03-02T13:00:00+01:00'), second)
  assert.deepEqual(await at('2027-03-03T11:59:59Z'), second)
  assert.deepEqual(await at('2028-01-01T00:00:00Z'), expectOk(await read(stage)).body)
  assert.deepEqual((await at('2027-02-01T00:00:00Z'))['ari'], [])
})

test('a moment must be one, in the form of one, and not ahead of the hotel', async () => {
  const stage = await shop()
  const refused = async (moment: Fields) => {
    const reply = await asOf(stage, moment)
    return [reply.status, ...problemsOf(reply)]
  }
  const unclear = ['/asOf', 'MOMENT_UNCLEAR', 'Either revision or time is required']
  assert.deepEqual(await refused({}), [400, unclear])
  assert.deepEqual(await refused({ revision: 3, time: '2027-03-01T12:00:00Z' }), [400, unclear])
  assert.deepEqual(await refused({ time: '2027-03-01' }), [
    400,
    ['/asOf/time', 'INVALID_TIME', 'time must be an ISO 8601 instant'],
  ])
  const { body } = expectOk(await read(stage))
  const now = Number(body['revision'])
  assert.deepEqual(await refused({ revision: now + 1 }), [
    400,
    ['/asOf/revision', 'REVISION_AHEAD', `The hotel is at revision ${now}`],
  ])
  expectOk(await asOf(stage, { revision: now }))
  const stranger = await gateway.supplier('history stranger')
  const reply = await stranger.post('/push/getAri', { ...range, asOf: { revision: 1 } })
  assert.deepEqual(
    [reply.status, problemsOf(reply)[0]],
    [404, ['/hotelId', 'HOTEL_NOT_FOUND', 'Hotel ID is not found']],
  )
})

test('history does not reach behind a change of currency, and a price in the former one is none after it', async () => {
  const stage = await shop()
  const before = Number(expectOk(await read(stage)).body['revision'])
  expectOk(await stage.supplier.post('/push/hotels', [storyHotel({ currency: 'EUR' })]))
  const changed = before + 1
  const empty = expectOk(await read(stage)).body
  expectOk(await push(stage, [{ roomId: 'DBL', date: '2027-04-20', rates: [{ rateId: 'BAR', price: 100 }] }]))
  assert.deepEqual(expectOk(await asOf(stage, { revision: changed })).body['ari'], empty['ari'])
  for (const moment of [{ revision: before }, { time: '2020-01-01T00:00:00Z' }]) {
    const reply = await asOf(stage, moment)
    assert.equal(reply.status, 410)
    assert.equal(reply.body['oldestRevision'], changed)
    assert.deepEqual(problemsOf(reply), [
      [
        '/asOf',
        'HISTORY_EXPIRED',
        `History does not reach behind revision ${changed}: the hotel's currency changed`,
      ],
    ])
  }
})

test('history ends where values are no longer stored: days of the log that were dropped, or an update of the service', async () => {
  const fresh = await gatewayForTests({ now: '2027-03-01T12:00:00Z' })
  const stage = await openShop(fresh)
  const inventory = (units: number) => push(stage, [{ roomId: 'DBL', date: '2027-04-20', inventory: units }])
  expectOk(await inventory(5))
  const old = expectOk(await read(stage)).body
  fresh.clock.set('2027-03-02T12:00:00Z')
  expectOk(await inventory(6))
  const expired = async (revision: number) => {
    const reply = await asOf(stage, { revision })
    return [reply.status, Object(problemsOf(reply)[0])[1], reply.body['oldestRevision']]
  }
  const oldest = Number(old['revision'])
  expectOk(await asOf(stage, { revision: oldest - 1 }))
  assert.deepEqual(
    (await dropOldPartitions(fresh.db, Date.parse('2027-03-03T12:00:00Z'), 1)).days.at(-1),
    '2027-03-01',
  )
  assert.deepEqual(expectOk(await asOf(stage, { revision: oldest })).body, old)
  assert.deepEqual(await expired(oldest - 1), [410, 'HISTORY_EXPIRED', oldest])

  // As an update leaves a hotel whose changes were stored without the values before.
  await fresh.db.query('update push_log set before = null')
  await fresh.db.query('update hotel set cells_revision = null')
  const now = expectOk(await read(stage)).body
  const revision = Number(now['revision'])
  assert.deepEqual(expectOk(await asOf(stage, { revision })).body, now)
  assert.deepEqual(await expired(revision - 1), [410, 'HISTORY_EXPIRED', revision])
})

test('a long push is compressed and put back, and rows are read in portions', async () => {
  const stage = await shop()
  expectOk(await stage.supplier.post('/push/products', { hotelId: 'H1', products: [product('SGL', 'BAR')] }))
  const before = expectOk(await read(stage)).body
  const nights = Array.from({ length: 91 }, (_, index) => ({
    roomId: 'DBL',
    date: new Date(Date.UTC(2027, 3, 1 + index)).toISOString().slice(0, 10),
    inventory: index % 7,
    rates: [{ rateId: 'BAR', price: 50 + ((index * 37) % 91), minLengthStay: 1 + (index % 3) }],
  }))
  expectOk(await push(stage, nights))
  const full = expectOk(await read(stage)).body
  expectOk(
    await push(
      stage,
      [{ roomId: 'DBL', startDate: '2027-04-01', endDate: '2027-06-30', rates: [{ rateId: 'BAR' }] }],
      { mode: 'overlay' },
    ),
  )
  const { rows } = await gateway.db.query<{ bytes: number }>(
    'select max(octet_length(before)) as bytes from push_log where hotel_id = $1 and get_byte(before, 0) = 1',
    [await hotelOf(stage)],
  )
  assert.ok((rows[0]?.bytes ?? 0) <= 1024)
  for (let units = 1; units <= 60; units++)
    expectOk(await push(stage, [{ roomId: 'SGL', date: '2027-04-20', inventory: units }]))
  for (const body of [full, before])
    assert.deepEqual(expectOk(await asOf(stage, { revision: body['revision'] })).body, body)
})

test('a hotel that a reset removed begins its history anew', async () => {
  const stage = await shop()
  expectOk(await stage.supplier.post('/push/sandbox/reset', {}))
  expectOk(await stage.supplier.post('/push/hotels', [storyHotel()]))
  expectOk(
    await stage.supplier.post('/push/products', {
      hotelId: 'H1',
      products: [product('DBL', 'BAR'), product('DBL', 'NRF')],
    }),
  )
  const again = expectOk(await read(stage)).body
  await pushNights(stage.supplier)
  assert.deepEqual(expectOk(await asOf(stage, { revision: again['revision'] })).body, again)
  const reply = await asOf(stage, { revision: 3 })
  assert.deepEqual([reply.status, reply.body['oldestRevision']], [410, Number(again['revision']) - 1])
})

const diff = ({ supplier }: Shop, body: Fields): Promise<Reply> =>
  supplier.post('/push/getAriDiff', { hotelId: 'H1', ...body })

type Listed = Record<string, unknown>
const listed = (reply: Reply): Listed[] => Array.from(Object(expectOk(reply).body['changes']))
const short = ({ roomId, rateId, startDate, endDate, field, before, after, by }: Listed) =>
  [roomId, rateId, startDate, endDate, field, before, after, by].join(' ')

/** Two prices, a booking, and a stop-sell after the 60 nights of the shop. */
async function changedShop(): Promise<{
  stage: Shop
  first: number
  reservationId: unknown
  requestId: string
}> {
  const stage = await shop()
  const first = Number(expectOk(await read(stage)).body['revision'])
  const nights = { startDate: '2027-04-29', endDate: '2027-05-02' }
  const priced = expectOk(
    await push(stage, [{ roomId: 'DBL', ...nights, rates: [{ rateId: 'BAR', price: 70.5 }] }]),
  )
  const buckets = [{ guests: 2, ageCategory: 'adult', amount: 90 }]
  expectOk(
    await push(
      stage,
      [
        {
          roomId: 'DBL',
          date: '2027-04-29',
          rates: [{ rateId: 'BAR', closedToArrival: true, prices: buckets }],
        },
      ],
      {
        pricingModel: 'guest',
      },
    ),
  )
  const { body } = await stage.book()
  const operator = await operatorOf(gateway)
  const stopSell = {
    action: 'stop',
    reason: 'Flood',
    targets: [{ roomId: 'DBL' }],
    from: '2027-04-20',
    to: '2027-04-21',
  }
  await operator('POST', `/hotels/${await hotelOf(stage)}/stop-sell`, stopSell)
  return { stage, first, reservationId: body['reservationId'], requestId: String(priced.body['requestId']) }
}

const changesOfShop = [
  'DBL  2027-04-20 2027-04-21 stopSell false true stop',
  'DBL  2027-04-20 2027-04-21 inventory 2 1 booking',
  'DBL BAR 2027-04-29 2027-04-29 closedToArrival false true push',
  'DBL BAR 2027-04-29 2027-04-29 price 70.5  push',
  'DBL BAR 2027-04-29 2027-04-29 price  90 push',
  'DBL BAR 2027-04-29 2027-04-30 price 100 70.5 push',
  'DBL BAR 2027-05-01 2027-05-02 price  70.5 push',
]

test('the changes between two states: newest first, each with its origin, nights with the same change as one range', async () => {
  const { stage, first, reservationId, requestId } = await changedShop()
  const all = listed(await diff(stage, { from: { revision: first } }))
  assert.deepEqual(all.map(short), changesOfShop)
  assert.deepEqual(
    [all[1]?.['reservationId'], all[1]?.['requestId'], all[6]?.['requestId'], all[6]?.['revision']],
    [reservationId, null, requestId, first + 1],
  )
  assert.deepEqual([all[4]?.['guests'], all[4]?.['ageCategory']], [2, 'adult'])
  assert.equal(all[0]?.['at'], '2027-03-01T12:00:00.000Z')

  const upTo = await diff(stage, { from: { revision: first }, to: { revision: first + 1 } })
  assert.deepEqual(listed(upTo).map(short), changesOfShop.slice(5))
  const narrowed = { rateIds: ['NRF'], startDate: '2027-04-21', endDate: '2027-04-29' }
  assert.deepEqual(listed(await diff(stage, { from: { revision: first }, ...narrowed })).map(short), [
    'DBL  2027-04-21 2027-04-21 stopSell false true stop',
    'DBL  2027-04-21 2027-04-21 inventory 2 1 booking',
  ])
  const later = { from: { revision: first }, to: { time: '2027-02-01T00:00:00Z' } }
  assert.deepEqual(listed(await diff(stage, later)), [])
})

test('pages of changes repeat and miss none, whatever is pushed meanwhile', async () => {
  const { stage, first } = await changedShop()
  for (const limit of [1, 2, 3]) {
    const pages: string[] = []
    let cursor: unknown
    do {
      const { body } = expectOk(
        await diff(stage, { from: { revision: first }, limit, ...(cursor === undefined ? {} : { cursor }) }),
      )
      const changes: Listed[] = Array.from(Object(body['changes']))
      assert.ok(changes.length <= limit)
      pages.push(...changes.map(short))
      cursor = body['nextCursor']
      expectOk(
        await push(stage, [{ roomId: 'DBL', date: '2027-06-20', inventory: pages.length + 10 * limit }]),
      )
    } while (cursor !== null)
    // What was pushed before this round of pages comes first.
    assert.deepEqual(pages.slice(-changesOfShop.length), changesOfShop)
  }
})

test('the history of one night of a room-rate and of the room, to its beginning', async () => {
  const { stage, first } = await changedShop()
  const cell = (more: Fields) =>
    stage.supplier.post('/push/getCellHistory', { hotelId: 'H1', roomId: 'DBL', date: '2027-04-29', ...more })
  const values = (reply: Reply) =>
    listed(reply).map(({ field, before, after, revision }) => [
      field,
      before,
      after,
      Number(revision) - first,
    ])
  assert.deepEqual(values(await cell({ rateId: 'BAR' })), [
    ['closedToArrival', false, true, 2],
    ['price', 70.5, null, 2],
    ['price', null, 90, 2],
    ['price', 100, 70.5, 1],
    ['price', null, 100, 0],
  ])
  const page = expectOk(await cell({ rateId: 'BAR', field: 'price', limit: 3 }))
  assert.deepEqual([values(page).length, page.body['oldestRevision']], [3, null])
  const rest = expectOk(
    await cell({ rateId: 'BAR', field: 'price', limit: 3, cursor: page.body['nextCursor'] }),
  )
  assert.deepEqual(
    [values(rest), rest.body['oldestRevision'], rest.body['nextCursor']],
    [[['price', null, 100, 0]], 0, null],
  )
  assert.deepEqual(values(await cell({})), [['inventory', null, 2, 0]])
  const booked = listed(await cell({ date: '2027-04-20', field: 'inventory' }))
  assert.deepEqual(
    booked.map(({ by }) => by),
    ['booking', 'push'],
  )
  expectOk(await stage.supplier.post('/push/hotels', [storyHotel({ currency: 'EUR' })]))
  const changed = expectOk(await cell({ rateId: 'BAR' }))
  assert.deepEqual([values(changed), changed.body['oldestRevision']], [[], first + 5])
})

test('what cannot be listed is refused with the reason', async () => {
  const { stage, first } = await changedShop()
  const refused = async (body: Fields) => {
    const reply = await diff(stage, body)
    return [reply.status, ...problemsOf(reply).map((problem) => Object(problem).slice(0, 2).join(' '))]
  }
  assert.deepEqual(await refused({ from: {}, to: { time: 'noon' }, cursor: '?' }), [
    400,
    '/from MOMENT_UNCLEAR',
    '/to/time INVALID_TIME',
    '/cursor INVALID_CURSOR',
  ])
  assert.deepEqual(await refused({ from: { revision: 4 }, to: { revision: 3 } }), [
    400,
    '/from MOMENTS_REVERSED',
  ])
  assert.deepEqual(await refused({ from: { revision: first }, to: { revision: 99 } }), [
    400,
    '/to/revision REVISION_AHEAD',
  ])
  assert.deepEqual(
    await refused({ from: { revision: first }, startDate: '2027-04-02', endDate: '2027-04-01' }),
    [400, '/startDate DATES_REVERSED'],
  )
  assert.deepEqual(await refused({ from: { revision: first }, roomIds: ['XYZ'] }), [
    404,
    '/roomIds/0 ROOM_NOT_FOUND',
  ])
})
