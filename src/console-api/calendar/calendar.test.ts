import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { openShop, type Shop } from '../../../test/stage/scenes/booking.ts'
import { calendarOf, operatorOf, type OperatorCall } from '../../../test/stage/scenes/calendar.ts'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { expectOk } from '../../../test/stage/story.ts'

let operator: OperatorCall
const gateway = await gatewayForTests()
before(async () => {
  operator = await operatorOf(gateway)
})

type Scene = Shop & { hotel: number }

async function scene(name: string): Promise<Scene> {
  const shop = await openShop(gateway, name)
  const { body } = expectOk(await shop.supplier.post('/push/getHotels', { hotelIds: ['H1'] }))
  return { ...shop, hotel: Number(Object(body['hotels'])[0].platformHotelId) }
}

const at = '2027-03-01T12:00:00.000Z'

async function push(
  { supplier }: Scene,
  requestId: string,
  ari: object[],
  more: object = {},
): Promise<Record<string, unknown>> {
  const body = { hotelId: 'H1', pricingModel: 'guest', ...more, ari }
  const reply = await supplier.post('/push/ari', body, { 'x-request-id': requestId })
  return reply.body
}

test('a calendar has every room-rate, night by night: prices for the party, units, restrictions and reasons against a sale', async () => {
  const stage = await scene('whole')
  const prices = [
    { guests: 1, ageCategory: 'adult', amount: 90 },
    { guests: 2, ageCategory: 'adult', amount: 110.5 },
    { guests: 1, ageCategory: 'child', amount: 15 },
  ]
  await push(stage, 'p1', [
    {
      roomId: 'DBL',
      startDate: '2027-04-01',
      endDate: '2027-04-04',
      rates: [{ rateId: 'BAR', prices, minLengthStay: 2, closedToArrival: true, inventory: 1 }],
    },
    { roomId: 'DBL', date: '2027-04-02', inventory: 0, closed: true },
    { roomId: 'DBL', date: '2027-04-03', rates: [{ rateId: 'BAR', closed: true }] },
  ])
  const calendar = await calendarOf(
    operator,
    stage.hotel,
    '2027-03-31',
    '2027-04-05',
    '&adults=2&childAges=5',
  )
  const { revision } = calendar
  assert.deepEqual(calendar, {
    isUnchanged: false,
    version: calendar.version,
    hotel: {
      hotelId: stage.hotel,
      supplier: 'whole',
      code: 'H1',
      name: 'Sea View',
      currency: 'USD',
      minorDigits: 2,
      timeZone: 'Europe/Paris',
      isAvailable: true,
      minChildAge: 2,
      maxChildAge: 12,
    },
    revision,
    today: '2027-03-01',
    from: '2027-03-31',
    to: '2027-04-05',
    party: { adults: 2, childAges: [5] },
    rooms: [
      {
        roomId: 'DBL',
        name: 'Room DBL',
        units: [-1, 2, 0, 2, 2, 2],
        closed: [-1, -1, 1, -1, -1, -1],
        revision: [-1, revision - 1, revision, revision - 1, revision - 1, revision - 1],
        rates: [
          {
            rateId: 'BAR',
            name: 'Rate BAR',
            mealPlan: 'RO',
            isAvailable: true,
            pricingModel: 'guest',
            takesParty: true,
            units: [-1, 1, 1, 1, 1, -1],
            closed: [-1, -1, -1, 1, -1, -1],
            revision: [-1, revision, revision, revision, revision, revision - 1],
            closedToArrival: [-1, 1, 1, 1, 1, -1],
            minLengthStay: [-1, 2, 2, 2, 2, -1],
            price: [-1, 12550, 12550, 12550, 12550, 10000],
            unsellable: [2 + 4, 0, 2 + 16, 32, 0, 0],
          },
          {
            rateId: 'NRF',
            name: 'Rate NRF',
            mealPlan: 'RO',
            isAvailable: true,
            pricingModel: 'unit',
            takesParty: true,
            revision: [-1, revision - 1, revision - 1, revision - 1, revision - 1, revision - 1],
            price: [-1, 8000, 8000, 8000, 8000, 8000],
            unsellable: [2 + 4, 0, 2 + 16, 0, 0, 0],
          },
        ],
      },
    ].map((room) => packedAsSent(room, calendar)),
  })
})

/** Expands runs before comparing: which columns are sent as runs is not part of the guarantee. */
function packedAsSent(room: object, calendar: object): object {
  Object.assign(calendar, JSON.parse(JSON.stringify(calendar), spelledOut))
  return room
}

function spelledOut(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('runs' in value)) return value
  const runs: unknown = value.runs
  if (!Array.isArray(runs)) return value
  return runs.flatMap((one: number, index) =>
    index % 2 === 0 ? new Array<number>(Number(runs[index + 1])).fill(one) : [],
  )
}

test('an unchanged calendar is not sent again', async () => {
  const stage = await scene('unchanged')
  const first = await calendarOf(operator, stage.hotel, '2027-04-01', '2027-04-30')
  const path = `/hotels/${stage.hotel}/calendar?from=2027-04-01&to=2027-04-30&since=${first.version}`
  assert.deepEqual((await operator('GET', path)).body, { isUnchanged: true, version: first.version })
  await push(stage, 'p2', [{ roomId: 'DBL', date: '2027-04-02', inventory: 9 }])
  assert.equal((await operator('GET', path)).body['isUnchanged'], false)
  const otherParty = await operator('GET', `${path}&adults=1`)
  assert.equal(otherParty.body['isUnchanged'], false)
})

test('past nights and prices in an earlier currency differ from missing ones', async () => {
  const stage = await scene('former')
  const changed = [
    {
      hotelId: 'H1',
      hotelName: 'Sea View',
      currency: 'EUR',
      isAvailable: true,
      minChildAge: 2,
      maxChildAge: 12,
      timezone: 'Europe/Paris',
    },
  ]
  expectOk(await stage.supplier.post('/push/hotels', changed))
  const { rooms } = await calendarOf(operator, stage.hotel, '2027-02-28', '2027-03-01')
  assert.deepEqual(rooms[0]?.rates[0]?.unsellable, [1 + 2 + 4, 2 + 4])
  const april = await calendarOf(operator, stage.hotel, '2027-04-30', '2027-05-01')
  assert.deepEqual(april.rooms[0]?.rates[0]?.unsellable, [8, 2 + 4])
})

test('a cell shows its values, their origin, and the pushes that include the night', async () => {
  const stage = await scene('cell')
  const line = { rateId: 'BAR', prices: [{ guests: 2, ageCategory: 'adult', amount: 99 }], minStayArrival: 3 }
  await push(stage, 'c1', [
    { roomId: 'DBL', date: '2027-04-09', inventory: 3 },
    { roomId: 'DBL', startDate: '2027-04-10', endDate: '2027-04-12', rates: [line] },
  ])
  await push(stage, 'c2', [{ roomId: 'XXX', date: '2027-04-10', inventory: 3 }])
  const path = `/hotels/${stage.hotel}/calendar/cell?room=DBL&rate=BAR&night=2027-04-10`
  const { body } = expectOk(await operator('GET', path))
  const cell = Object(body)
  const set = (requestId: string, item: number, index: number) => ({
    by: 'push',
    pushId: cell.values[index].setBy.pushId,
    requestId,
    at,
    item,
    keyId: stage.supplier.keyId,
    key: 'cell',
  })
  const first = cell.values[2].setBy.requestId
  const { revision } = cell
  assert.deepEqual(
    cell.values,
    [
      { of: 'room', field: 'inventory', value: 2, revision: revision - 1, setBy: set(first, 0, 0) },
      { of: 'rate', field: 'price', value: null, revision, setBy: set('c1', 1, 1) },
      {
        of: 'rate',
        field: 'price',
        guests: 2,
        ageCategory: 'adult',
        value: '99.00',
        revision,
        setBy: set('c1', 1, 2),
      },
      { of: 'rate', field: 'minStayArrival', value: 3, revision, setBy: set('c1', 1, 3) },
    ].map((value, index) => (index === 0 ? { ...value, setBy: cell.values[0].setBy } : value)),
  )
  assert.deepEqual(
    cell.history.map(({ requestId, kind, outcome, items }: Record<string, unknown>) => [
      requestId,
      kind,
      outcome,
      items,
    ]),
    [
      ['c1', 'ari', 'applied', [{ item: 1, sent: { prices: line.prices, minStayArrival: 3 } }]],
      [cell.values[0].setBy.requestId, 'ari', 'applied', [{ item: 0, sent: { inventory: 2, price: 100 } }]],
    ],
  )
  assert.deepEqual([cell.isWhole, cell.night, cell.rateName], [true, '2027-04-10', 'Rate BAR'])
})

test('a cell of the room itself shows the operator who stopped sales', async () => {
  const stage = await scene('stopped-cell')
  const dates = { from: '2027-04-10', to: '2027-04-10' }
  const order = { action: 'stop', targets: [{ roomId: 'DBL' }], ...dates, reason: 'Burst pipe' }
  const { body: stopped } = expectOk(await operator('POST', `/hotels/${stage.hotel}/stop-sell`, order))
  const { body } = expectOk(
    await operator('GET', `/hotels/${stage.hotel}/calendar/cell?room=DBL&night=2027-04-10`),
  )
  const { values, history } = Object(body)
  assert.deepEqual(values[1], {
    of: 'room',
    field: 'stopSell',
    value: true,
    revision: stopped['revision'],
    setBy: {
      by: 'operator',
      operator: operator.id,
      requestId: stopped['requestId'],
      at,
      reason: 'Burst pipe',
    },
  })
  assert.deepEqual([history[0].kind, history[0].items], ['stopSell', [{ item: 0, sent: { stopSell: true } }]])
})

test('an explained stay shows its price, or every rule and the nearest bookable change', async () => {
  const stage = await scene('explained')
  await push(stage, 'e1', [
    { roomId: 'DBL', date: '2027-04-10', rates: [{ rateId: 'BAR', minStayArrival: 3 }] },
  ])
  const asked = { roomId: 'DBL', rateId: 'BAR', checkin: '2027-04-10', checkout: '2027-04-12' }
  const explain = async (more: object) => {
    const body = { ...asked, rooms: [{ adults: 2 }], ...more }
    return Object(expectOk(await operator('POST', `/hotels/${stage.hotel}/explain`, body)).body)
  }
  const refused = await explain({})
  const failing = refused.rules.filter(({ pass }: { pass: boolean }) => !pass)
  assert.deepEqual(
    [refused.isBookable, refused.offer, refused.nearest, failing],
    [
      false,
      null,
      {
        checkin: '2027-04-10',
        checkout: '2027-04-13',
        rooms: [{ adults: 2, childAges: [] }],
        change: '3 nights instead of 2',
      },
      [
        {
          rule: 'minStayArrival',
          pass: false,
          dates: ['2027-04-10'],
          held: 3,
          asked: 2,
          setBy: {
            by: 'push',
            pushId: failing[0].setBy.pushId,
            requestId: 'e1',
            at,
            item: 0,
            keyId: stage.supplier.keyId,
            key: 'explained',
          },
        },
      ],
    ],
  )
  const sold = await explain({ checkout: '2027-04-13' })
  const charged = { beforeTax: '300.00', tax: '30.00', afterTax: '330.00' }
  const total = { ...charged, dueAtProperty: '0.00', feesAtProperty: '0.00', allIn: '330.00' }
  assert.deepEqual(
    [sold.isBookable, sold.offer.total, sold.offer.trace.length, sold.nearest],
    [true, total, 1, null],
  )
})

test('all problems of a request are reported at once, and unknown hotels, rooms and rates are not found', async () => {
  const stage = await scene('wrong')
  const { hotel } = stage
  const get = (path: string) => operator('GET', path)
  const window = 'from=2027-04-01&to=2027-04-02'
  const cases: [Promise<{ status: number; body: Record<string, unknown> }>, number, string[]][] = [
    [get(`/hotels/77777/calendar?${window}`), 404, ['HOTEL_NOT_FOUND']],
    [
      get(`/hotels/${hotel}/calendar?from=2027-04-03&to=2027-04-02&adults=x`),
      400,
      ['DATES_REVERSED', 'INVALID_PARTY'],
    ],
    [get(`/hotels/${hotel}/calendar?${window}&childAges=5,x`), 400, ['INVALID_PARTY']],
    [get(`/hotels/${hotel}/calendar/cell?room=XXX&night=2027-04-01`), 404, ['ROOM_NOT_FOUND']],
    [get(`/hotels/${hotel}/calendar/cell?room=DBL&rate=XXX&night=2027-04-01`), 404, ['RATE_NOT_FOUND']],
    [
      operator('POST', `/hotels/${hotel}/explain`, {
        roomId: 'DBL',
        rateId: 'BAR',
        checkin: '2027-04-02',
        checkout: '2027-04-02',
        rooms: [],
      }),
      400,
      ['DATES_REVERSED'],
    ],
  ]
  for (const [asked, status, types] of cases) {
    const reply = await asked
    const told = Object(reply.body['errors']).map(({ type }: { type: string }) => type)
    assert.equal(reply.status, status)
    for (const type of types) assert.ok(told.includes(type), `${type} of ${told}`)
  }
})

test('200 room-rates and 760 nights fit in one answer of less than two megabytes', async () => {
  const supplier = await gateway.supplier('large', { ariCellsMax: 1_000_000 })
  const hotel = {
    hotelId: 'BIG',
    hotelName: 'Big',
    currency: 'EUR',
    isAvailable: true,
    minChildAge: 2,
    maxChildAge: 12,
    timezone: 'Europe/Paris',
  }
  expectOk(await supplier.post('/push/hotels', [hotel]))
  const rooms = Array.from({ length: 40 }, (_, index) => `R${index}`)
  const rates = Array.from({ length: 5 }, (_, index) => `P${index}`)
  const products = rooms.flatMap((roomId) =>
    rates.map((rateId) => ({
      roomId,
      rateId,
      roomType: 'Double',
      roomName: roomId,
      rateName: rateId,
      isAvailable: true,
      occupancy: { maxOccupancy: 3 },
    })),
  )
  expectOk(await supplier.post('/push/products', { hotelId: 'BIG', products }))
  // Prices that differ every week.
  for (const roomId of rooms) {
    const ari = Array.from({ length: 108 }, (_, week) => ({
      roomId,
      startDate: nightAfter('2027-03-01', week * 7),
      endDate: nightAfter('2027-03-01', week * 7 + 6),
      inventory: week % 9,
      rates: rates.map((rateId, rate) => ({
        rateId,
        price: 100 + ((week * 7) % 50) + rate,
        ...(week % 5 === 0 ? { minLengthStay: 2 } : {}),
      })),
    }))
    expectOk(await supplier.post('/push/ari', { hotelId: 'BIG', pricingModel: 'unit', ari }))
  }
  const { body } = await supplier.post('/push/getHotels', { hotelIds: ['BIG'] })
  const id = Number(Object(body['hotels'])[0].platformHotelId)
  const reply = await operator(
    'GET',
    `/hotels/${id}/calendar?from=2027-03-01&to=${nightAfter('2027-03-01', 759)}`,
  )
  const calendar = Object(reply.body)
  assert.equal(calendar.rooms.length, 40)
  assert.equal(calendar.to, nightAfter('2027-03-01', 759))
  assert.ok(reply.text.length < 2_000_000, `${reply.text.length} characters`)
})

function nightAfter(night: string, days: number): string {
  return new Date(Date.parse(night) + days * 86_400_000).toISOString().slice(0, 10)
}
