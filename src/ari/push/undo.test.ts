import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectStatus, openShop, pushNights, type Shop } from '../../../test/stage/scenes/booking.ts'
import { operatorOf } from '../../../test/stage/scenes/calendar.ts'
import { changesIn, cursorOfNow, getChanges } from '../../../test/stage/scenes/changes.ts'
import { changesSettled, client, gatewayForTests, type Reply } from '../../../test/stage/harness.ts'
import { meetingAtLock } from '../../../test/stage/locks.ts'
import { expectOk, problemsOf, storyHotel } from '../../../test/stage/story.ts'
import type { Queryable } from '../../postgres/postgres.ts'

const gateway = await gatewayForTests()

type Fields = Record<string, unknown>

let shops = 0
const shop = (ari: Fields = {}): Promise<Shop> => openShop(gateway, `undo ${++shops}`, ari)

const range = { hotelId: 'H1', startDate: '2027-04-01', endDate: '2027-06-30' }
const week = { roomId: 'DBL', startDate: '2027-04-12', endDate: '2027-04-18' }

/** Everything that `getAri` shows, without the revision. */
async function stateOf({ supplier }: Shop): Promise<Fields> {
  const { body } = expectOk(await supplier.post('/push/getAri', range))
  return { ...body, revision: undefined, requestId: undefined }
}

/** Returns the revision of the push. */
async function push({ supplier }: Shop, ari: Fields[], more: Fields = {}, headers = {}): Promise<number> {
  const body = { hotelId: 'H1', pricingModel: 'unit', ari, ...more }
  return Number(expectOk(await supplier.post('/push/ari', body, headers)).body['revision'])
}

const undo = ({ supplier }: Shop, named: Fields, headers = {}): Promise<Reply> =>
  supplier.post('/push/undo', { hotelId: 'H1', ...named }, headers)

/** The answer without what differs from run to run. */
function answered({ body }: Reply): Fields {
  assert.deepEqual(body['notCovered'], ['products', 'taxes'])
  return Object.fromEntries(Object.entries(body).filter(([name]) => !differing.includes(name)))
}
const differing = ['requestId', 'undone', 'notCovered']

const price = (rateId: string, amount: number | null): Fields => ({ rates: [{ rateId, price: amount }] })

test('an undo without later changes restores what was there, and is a push of its own that can be undone', async () => {
  const stage = await shop()
  const first = await stateOf(stage)
  const mistake = await push(stage, [{ ...week, ...price('BAR', 1), closed: true }])
  const second = await stateOf(stage)
  const undone = expectOk(await undo(stage, { revision: mistake }, { 'x-request-id': 'the-undo' }))
  const nights = { roomId: 'DBL', startDate: '2027-04-12', endDate: '2027-04-18' }
  assert.deepEqual(answered(undone), {
    code: '200',
    message: 'Push undone',
    hotelId: 'H1',
    revision: mistake + 1,
    summary: { cellsChanged: 14, conflicts: 0, inventoryLeftOut: 0, pastNights: 0 },
    changes: [
      { ...nights, rateId: null, field: 'closed', before: true, after: false },
      { ...nights, rateId: 'BAR', field: 'price', before: 1, after: 100 },
    ],
    conflicts: [],
  })
  assert.deepEqual(await stateOf(stage), first)
  const logged = Object(expectOk(await stage.supplier.get('/push/log/the-undo')).body['push'])
  assert.deepEqual(
    [logged['kind'], logged['outcome'], logged['revision'], logged['cellsChanged']],
    ['undo', 'applied', mistake + 1, 14],
  )
  const diff = expectOk(
    await stage.supplier.post('/push/getAriDiff', { hotelId: 'H1', from: { revision: mistake } }),
  ).body['changes']
  assert.deepEqual(
    Object(diff).map(({ by, requestId, field }: Fields) => [by, requestId, field]),
    [
      ['undo', 'the-undo', 'closed'],
      ['undo', 'the-undo', 'price'],
    ],
  )
  expectOk(await undo(stage, { requestId: 'the-undo' }))
  assert.deepEqual(await stateOf(stage), second)
  expectOk(await undo(stage, { revision: mistake + 2 }))
  assert.deepEqual(await stateOf(stage), first)
})

test('the platform sees an undo in the change feed like any push', async () => {
  const stage = await shop()
  const mistake = await push(stage, [{ ...week, ...price('BAR', 1) }])
  const cursor = await cursorOfNow(gateway, stage.platform)
  expectOk(await undo(stage, { revision: mistake }))
  await changesSettled(gateway.db)
  const changes = changesIn(await getChanges(stage.platform, { after: cursor }))
  assert.deepEqual(
    changes.map(({ kind, revision }) => [kind, revision]),
    [['ari', mistake + 1]],
  )
})

test('a dry run has the same answer and changes nothing', async () => {
  const stage = await shop()
  const mistake = await push(stage, [{ ...week, ...price('BAR', 1) }])
  const state = await stateOf(stage)
  const dry = expectOk(await undo(stage, { revision: mistake, dryRun: true }))
  assert.deepEqual(await stateOf(stage), state)
  const { dryRun, revision, ...rest } = answered(dry)
  assert.deepEqual([dryRun, revision], [true, mistake])
  const { revision: after, ...real } = answered(expectOk(await undo(stage, { revision: mistake })))
  assert.deepEqual([rest, after], [real, mistake + 1])
})

test('conflicts name who changed the value since: abort changes nothing, skip undoes the rest', async () => {
  const stage = await shop({ inventory: 9 })
  const mistake = await push(stage, [{ ...week, inventory: 12, ...price('BAR', 1) }])
  await push(
    stage,
    [{ roomId: 'DBL', date: '2027-04-13', ...price('BAR', 120) }],
    {},
    { 'x-request-id': 'a-repair' },
  )
  const inner = await push(stage, [{ roomId: 'DBL', date: '2027-04-14', ...price('BAR', 7) }])
  expectOk(await undo(stage, { revision: inner }))
  const booked = expectStatus(await stage.book({ checkin: '2027-04-17', checkout: '2027-04-18' }), 201)
  const state = await stateOf(stage)
  const aborted = expectStatus(await undo(stage, { revision: mistake, fields: ['price', 'inventory'] }), 409)
  assert.deepEqual(problemsOf(aborted), [
    ['/onConflict', 'UNDO_CONFLICT', '2 nights no longer have what that push wrote'],
  ])
  assert.deepEqual(await stateOf(stage), state)
  const skipped = expectStatus(
    await undo(stage, { revision: mistake, fields: ['price', 'inventory'], onConflict: 'skip' }),
    207,
  )
  const { conflicts, summary, changes, code, message } = skipped.body
  assert.deepEqual(aborted.body['conflicts'], conflicts)
  assert.deepEqual([code, message], ['207', 'Push partially undone'])
  assert.deepEqual(summary, { cellsChanged: 12, conflicts: 2, inventoryLeftOut: 0, pastNights: 0 })
  const on = (date: string, rateId: string | null, field: string): Fields => ({
    roomId: 'DBL',
    rateId,
    startDate: date,
    endDate: date,
    field,
  })
  assert.deepEqual(
    Object(conflicts).map(({ at, ...rest }: Fields) => {
      assert.equal(typeof at, 'string')
      return rest
    }),
    [
      {
        ...on('2027-04-17', null, 'inventory'),
        pushed: 12,
        now: 11,
        by: 'booking',
        requestId: null,
        reservationId: booked.body['reservationId'],
        revision: inner + 2,
      },
      {
        ...on('2027-04-13', 'BAR', 'price'),
        pushed: 1,
        now: 120,
        by: 'push',
        requestId: 'a-repair',
        revision: mistake + 1,
      },
    ],
  )
  assert.deepEqual(
    Object(changes).map(({ startDate, endDate, field, before, after }: Fields) => [
      startDate,
      endDate,
      field,
      before,
      after,
    ]),
    [
      ['2027-04-12', '2027-04-16', 'inventory', 12, 9],
      ['2027-04-18', '2027-04-18', 'inventory', 12, 9],
      ['2027-04-12', '2027-04-12', 'price', 1, 100],
      ['2027-04-14', '2027-04-18', 'price', 1, 100],
    ],
  )
  const again = expectStatus(await undo(stage, { revision: mistake, fields: ['price'] }), 409)
  assert.deepEqual(
    Object(again.body['conflicts']).map(({ startDate, by }: Fields) => [startDate, by]),
    [
      ['2027-04-12', 'undo'],
      ['2027-04-13', 'push'],
      ['2027-04-14', 'undo'],
    ],
  )
})

test('a push that changed a value and changed it back is not named as what changed it', async () => {
  const stage = await shop()
  const night = { roomId: 'DBL', date: '2027-04-13' }
  const mistake = await push(stage, [{ ...week, ...price('BAR', 1) }])
  const repair = await push(stage, [{ ...night, ...price('BAR', 120) }])
  const forth = [
    { ...night, ...price('BAR', 7) },
    { ...night, ...price('BAR', 120) },
  ]
  await push(stage, [...forth, { ...night, closed: true }])
  const { conflicts } = expectStatus(await undo(stage, { revision: mistake }), 409).body
  assert.deepEqual(
    Object(conflicts).map(({ startDate, endDate, now, revision }: Fields) => [
      startDate,
      endDate,
      now,
      revision,
    ]),
    [['2027-04-13', '2027-04-13', 120, repair]],
  )
})

test('inventory is left out unless it is named, and is never raised', async () => {
  const stage = await shop({ inventory: 5 })
  const lowered = await push(stage, [{ ...week, inventory: 0, ...price('BAR', 1) }])
  const { summary } = expectOk(await undo(stage, { revision: lowered })).body
  assert.deepEqual(summary, { cellsChanged: 7, conflicts: 0, inventoryLeftOut: 7, pastNights: 0 })
  const named = expectOk(await undo(stage, { revision: lowered, fields: ['inventory'] }))
  assert.deepEqual(
    [named.body['message'], named.body['summary']],
    ['Nothing to undo', { cellsChanged: 0, conflicts: 0, inventoryLeftOut: 7, pastNights: 0 }],
  )
  const raised = await push(stage, [{ ...week, inventory: 50 }])
  const back = expectOk(await undo(stage, { revision: raised, fields: ['inventory'] }))
  assert.deepEqual(
    Object(back.body['changes']).map(({ before, after }: Fields) => [before, after]),
    [[50, 0]],
  )
})

test('roomIds and fields narrow it', async () => {
  const stage = await shop()
  const mistake = await push(stage, [{ ...week, rates: [{ rateId: 'BAR', price: 1, minLengthStay: 9 }] }])
  const { changes } = expectOk(await undo(stage, { revision: mistake, fields: ['minLengthStay'] })).body
  assert.deepEqual(
    Object(changes).map(({ field, before, after }: Fields) => [field, before, after]),
    [['minLengthStay', 9, null]],
  )
  const unknown = expectStatus(await undo(stage, { revision: mistake, roomIds: ['DBL', 'NONE'] }), 404)
  assert.deepEqual(problemsOf(unknown), [['/roomIds/1', 'ROOM_NOT_FOUND', 'RoomID not found']])
})

test('a changed pricing model comes back with its buckets, and no night ever has prices of both', async () => {
  const stage = await shop()
  const guests = (amounts: Record<number, number>): Fields => ({
    rates: [
      {
        rateId: 'BAR',
        prices: Object.entries(amounts).map(([count, amount]) => ({
          guests: Number(count),
          ageCategory: 'adult',
          amount,
        })),
      },
    ],
  })
  await push(stage, [{ ...week, ...guests({ 1: 80, 2: 90 }) }], { pricingModel: 'guest' })
  const first = await stateOf(stage)
  const toUnit = await push(stage, [{ ...week, ...price('BAR', 70) }])
  expectOk(await undo(stage, { revision: toUnit }))
  assert.deepEqual(await stateOf(stage), first)

  // A price for one more guest was pushed after the unit's price was replaced.
  const unitAgain = await push(stage, [{ ...week, ...price('BAR', 70) }])
  const toGuests = await push(stage, [{ ...week, ...guests({ 2: 95 }) }], { pricingModel: 'guest' })
  await push(stage, [{ roomId: 'DBL', date: '2027-04-15', ...guests({ 1: 85 }) }], { pricingModel: 'guest' })
  const skipped = expectStatus(await undo(stage, { revision: toGuests, onConflict: 'skip' }), 207)
  assert.deepEqual(
    Object(skipped.body['conflicts']).map(
      ({ startDate, guests: count, pushed, now, by, revision }: Fields) => [
        startDate,
        count,
        pushed,
        now,
        by,
        revision,
      ],
    ),
    [
      ['2027-04-15', undefined, null, null, 'push', unitAgain + 2],
      ['2027-04-15', 2, 95, 95, 'push', unitAgain + 2],
    ],
  )
})

test('past nights stay as they are, and the answer counts them', async () => {
  const fresh = await gatewayForTests({ now: '2027-04-10T12:00:00Z' })
  const stage = await openShop(fresh, 'past', { startDate: '2027-04-10' })
  const mistake = await push(stage, [{ ...week, ...price('BAR', 1) }])
  fresh.clock.set('2027-04-15T12:00:00Z')
  const { summary, changes } = expectOk(await undo(stage, { revision: mistake })).body
  assert.deepEqual(summary, { cellsChanged: 5, conflicts: 0, inventoryLeftOut: 0, pastNights: 2 })
  assert.equal(Object(changes)[0].startDate, '2027-04-14')
})

test("a cell keeps its sequence: a late push stays late, and the undo doesn't wait for a higher one", async () => {
  const stage = await shop()
  const mistake = await push(stage, [{ ...week, ...price('BAR', 1) }], { sequence: 20 })
  expectOk(await undo(stage, { revision: mistake }))
  const first = await stateOf(stage)
  const late = await stage.supplier.post('/push/ari', {
    hotelId: 'H1',
    pricingModel: 'unit',
    sequence: 19,
    ari: [{ ...week, ...price('BAR', 2) }],
  })
  assert.equal(Object(late.body['summary']).superseded, 1)
  assert.deepEqual(await stateOf(stage), first)
  await push(stage, [{ ...week, ...price('BAR', 3) }], { sequence: 20 })
  assert.notDeepEqual(await stateOf(stage), first)
})

test("an operator's stop-sell stays", async () => {
  const stage = await shop()
  const operator = await operatorOf(gateway)
  const { rows } = await gateway.db.query<{ id: number }>(
    'select hotel.id from hotel join supplier on supplier.id = supplier_id where supplier.name = $1',
    [stage.supplier.name],
  )
  const mistake = await push(stage, [{ ...week, ...price('BAR', 1) }])
  const stop = {
    action: 'stop',
    reason: 'Flood',
    targets: [{ roomId: 'DBL' }],
    from: '2027-04-12',
    to: '2027-04-18',
  }
  expectOk(await operator('POST', `/hotels/${rows[0]?.id}/stop-sell`, stop))
  expectOk(await undo(stage, { revision: mistake }))
  const history = { hotelId: 'H1', roomId: 'DBL', date: '2027-04-12', field: 'stopSell' }
  const { changes } = expectOk(await stage.supplier.post('/push/getCellHistory', history)).body
  assert.deepEqual(
    Object(changes).map(({ after, by }: Fields) => [after, by]),
    [[true, 'stop']],
  )
  const refused = expectStatus(await undo(stage, { revision: mistake + 1 }), 409)
  assert.deepEqual(problemsOf(refused), [
    ['/revision', 'NOT_UNDOABLE', `Revision ${mistake + 1} is a stop-sell of the platform`],
  ])
})

test('what can be named, and what cannot be undone', async () => {
  const stage = await shop()
  const now = await push(stage, [{ ...week, ...price('BAR', 1) }], {}, { 'x-request-id': 'first' })
  const refused = async (named: Fields, status: number): Promise<unknown[]> =>
    problemsOf(expectStatus(await undo(stage, named), status))
  const unclear = [['', 'PUSH_UNCLEAR', 'Either requestId or revision is required']]
  assert.deepEqual(await refused({}, 400), unclear)
  assert.deepEqual(await refused({ revision: 3, requestId: 'first' }, 400), unclear)
  assert.deepEqual(await refused({ revision: now + 1 }, 400), [
    ['/revision', 'REVISION_AHEAD', `The hotel is at revision ${now}`],
  ])
  assert.deepEqual(await refused({ revision: 1 }, 409), [
    ['/revision', 'NOT_UNDOABLE', 'Revision 1 is not a push that changed ARI'],
  ])
  expectStatus(await stage.book(), 201)
  assert.deepEqual(await refused({ revision: now + 1 }, 409), [
    ['/revision', 'NOT_UNDOABLE', `Revision ${now + 1} is a booking`],
  ])
  assert.deepEqual(await refused({ requestId: 'never' }, 404), [
    ['/requestId', 'PUSH_NOT_FOUND', 'No push of this hotel with that request id is stored'],
  ])
  await push(stage, [{ ...week, ...price('BAR', 1) }], {}, { 'x-request-id': 'unchanged' })
  assert.deepEqual(await refused({ requestId: 'unchanged' }, 409), [
    ['/requestId', 'NOT_UNDOABLE', 'That push changed nothing'],
  ])
  await stage.supplier.post('/push/hotels', [storyHotel({ hotelName: 'New' })], { 'x-request-id': 'hotels' })
  assert.deepEqual(await refused({ requestId: 'hotels' }, 409), [
    ['/requestId', 'NOT_UNDOABLE', 'That is a push of hotels'],
  ])
  await push(stage, [{ ...week, ...price('BAR', 2) }], {}, { 'x-request-id': 'first' })
  assert.deepEqual(await refused({ requestId: 'first' }, 409), [
    ['/requestId', 'REQUEST_ID_SHARED', '2 pushes of this hotel that changed ARI have that request id'],
  ])
  const stranger = await gateway.supplier('undo stranger')
  const foreign = await stranger.post('/push/undo', { hotelId: 'H1', requestId: 'first' })
  assert.deepEqual(problemsOf(foreign), [['/hotelId', 'HOTEL_NOT_FOUND', 'Hotel ID is not found']])
})

test('history does not reach behind a change of currency, nor behind what is stored', async () => {
  const stage = await shop()
  const before = await push(stage, [{ ...week, ...price('BAR', 1) }])
  const later = await push(stage, [{ ...week, ...price('BAR', 2) }])
  await gateway.db.query('update push_log set before = null where revision = $1 and hotel_code = $2', [
    before,
    'H1',
  ])
  const gone = expectStatus(await undo(stage, { revision: before }), 410)
  assert.deepEqual(
    [gone.body['oldestRevision'], problemsOf(gone)],
    [
      before,
      [
        [
          '/revision',
          'HISTORY_EXPIRED',
          `History does not reach behind revision ${before}: earlier changes are no longer stored`,
        ],
      ],
    ],
  )
  expectOk(await undo(stage, { revision: later }))
  expectOk(await stage.supplier.post('/push/hotels', [storyHotel({ currency: 'EUR' })]))
  const refused = expectStatus(await undo(stage, { revision: later }), 410)
  assert.equal(refused.body['oldestRevision'], later + 2)
})

test('a repeat with the same Idempotency-Key gets the stored answer', async () => {
  const stage = await shop()
  const mistake = await push(stage, [{ ...week, ...price('BAR', 1) }])
  const once = expectOk(await undo(stage, { revision: mistake }, { 'idempotency-key': 'k1' }))
  const twice = expectOk(await undo(stage, { revision: mistake }, { 'idempotency-key': 'k1' }))
  assert.equal(twice.text, once.text)
})

test('a repeat at the same moment gets the answer of the first too, at every process', async () => {
  const stage = await shop()
  const other = await gateway.second()
  const key = { 'x-api-key': stage.supplier.apiKey, 'idempotency-key': 'at-once' }
  const mistake = await push(stage, [{ ...week, ...price('BAR', 1) }])
  const lock = (connection: Queryable) => connection.query('select from hotel for update')
  const body = { hotelId: 'H1', revision: mistake }
  const calls = [gateway.url, other.url].map((url) => () => client(url, key).post('/push/undo', body))
  const [one, two] = await meetingAtLock(gateway.db, lock, calls)
  const there = [one, two].map((reply) => reply && expectOk(reply))
  assert.equal(there[0]?.text, there[1]?.text)
  const here = await shop()
  const wrong = await push(here, [{ ...week, ...price('BAR', 1) }])
  const again = { 'idempotency-key': 'here-at-once' }
  const replies = await Promise.all([1, 2, 3].map(() => undo(here, { revision: wrong }, again)))
  assert.equal(new Set(replies.map((reply) => expectOk(reply).text)).size, 1)
})

test('undos and pushes of one hotel at the same time: each push is undone once', async () => {
  const stage = await shop()
  const first = await stateOf(stage)
  const mistake = await push(stage, [{ ...week, ...price('BAR', 1) }])
  const replies = await Promise.all([
    ...Array.from({ length: 8 }, () => undo(stage, { revision: mistake })),
    pushNights(stage.supplier, { startDate: '2027-06-01', endDate: '2027-06-02', rates: [] }),
  ])
  const statuses = replies.slice(0, 8).map((reply) => reply?.status)
  assert.deepEqual(
    statuses.toSorted((one = 0, other = 0) => one - other),
    [200, 409, 409, 409, 409, 409, 409, 409],
  )
  for (const reply of replies)
    if (reply?.status === 409) assert.deepEqual(Object(reply.body['conflicts'])[0].by, 'undo')
  expectOk(
    await stage.supplier.post('/push/ari', {
      hotelId: 'H1',
      ari: [{ roomId: 'DBL', startDate: '2027-06-01', endDate: '2027-06-02', inventory: null }],
    }),
  )
  assert.deepEqual(await stateOf(stage), first)
})
