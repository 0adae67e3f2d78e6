import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ada, bookingBody, openShop, room, type Shop } from './booking.ts'
import { startGateway, type Reply, type TestGateway } from './harness.ts'

/** Unknown members are ignored, and whoever has misspelt a known one is told so. */

let gateway: TestGateway
let shop: Shop

before(async () => {
  gateway = await startGateway()
  shop = await openShop(gateway)
})
after(() => gateway.stop())

const hotel = { supplier: 'Acme', hotelId: 'H1' }
const stay = { checkin: '2027-04-20', checkout: '2027-04-22' }

const ignored = (name: string, path: string, meant: string) => ({
  type: 'UNKNOWN_FIELD',
  message: `${name} is not known and was ignored`,
  path,
  hint: `Did you mean ${meant}?`,
})

function warningsOf({ status, body, text }: Reply, expected = 200): unknown {
  assert.equal(status, expected, text)
  return body['warnings']
}

test('a search says which members it did not know, and nothing where all are known or far from known ones', async () => {
  const search = (more: object) =>
    shop.platform.post('/booking/offers', { hotels: [hotel], ...stay, ...more })
  assert.deepEqual(
    warningsOf(
      await search({ rooms: [{ adults: 2 }, { adults: 1, childages: [5], note: 'x' }], explian: true }),
    ),
    [ignored('explian', '/explian', 'explain'), ignored('childages', '/rooms/1/childages', 'childAges')],
  )
  assert.equal(
    warningsOf(await search({ rooms: [{ adults: 2, childAges: [], breakfast: true }] })),
    undefined,
  )
})

test('a price check is of one room without children unless told, and names what it did not know', async () => {
  const asked = { hotel, ...stay, roomId: 'DBL', rateId: 'BAR', adultCount: 2 }
  const short = await shop.platform.post('/booking/priceCheck', { ...asked, child_ages: [5], roomCounts: 2 })
  assert.deepEqual(warningsOf(short), [
    ignored('child_ages', '/child_ages', 'childAges'),
    ignored('roomCounts', '/roomCounts', 'roomCount'),
  ])
  const told = await shop.platform.post('/booking/priceCheck', { ...asked, roomCount: 1, childAges: [] })
  assert.equal(warningsOf(told), undefined)
  assert.deepEqual(short.body['stored'], told.body['stored'])
})

test('a reservation and its modification say it with their other warnings', async () => {
  const made = await shop.book({
    expectedTotals: { afterTax: '1.00' },
    customer: { ...ada, e_mail: 'a@b.example' },
  })
  assert.deepEqual(warningsOf(made, 201), [
    ignored('expectedTotals', '/expectedTotals', 'expectedTotal'),
    ignored('e_mail', '/customer/e_mail', 'email'),
  ])
  const body = bookingBody('Acme', { rooms: [room({ childrenAges: [5], childAges: undefined })] })
  const changed = await shop.platform.put(`/booking/reservations/${String(made.body['reservationId'])}`, body)
  assert.deepEqual(warningsOf(changed), [ignored('childrenAges', '/rooms/0/childrenAges', 'childAges')])
})

test('so do pushes of hotels and products', async () => {
  const pushed = {
    hotelId: 'H2',
    hotelName: 'Mill',
    currency: 'USD',
    isAvailable: true,
    timezone: 'Europe/Rome',
  }
  const hotels = [{ ...pushed, minChildAge: 3, maxChildAge: 12, chaincode: 'X', phone: { phonenumber: '1' } }]
  assert.deepEqual(warningsOf(await shop.supplier.post('/push/hotels', hotels)), [
    ignored('chaincode', '/0/chaincode', 'chainCode'),
    ignored('phonenumber', '/0/phone/phonenumber', 'phoneNumber'),
  ])
  const product = {
    roomId: 'A',
    roomType: 'Double',
    roomName: 'A',
    rateId: 'B',
    rateName: 'B',
    isAvailable: true,
  }
  const occupancy = { maxOccupancy: 2, maxAdults: 2 }
  const products = [{ ...product, mealplan: 'BB', occupancy }]
  assert.deepEqual(warningsOf(await shop.supplier.post('/push/products', { hotelId: 'H2', products })), [
    ignored('mealplan', '/products/0/mealplan', 'mealPlan'),
    ignored('maxAdults', '/products/0/occupancy/maxAdults', 'maxAdult'),
  ])
})

test('what is missing is said with what to send, and with what was sent in its place', async () => {
  const reply = await shop.platform.post('/booking/offers', {
    hotels: [hotel],
    checkIn: '2027-04-20',
    rooms: [{}],
  })
  assert.equal(reply.status, 400)
  const { errors } = JSON.parse(reply.text)
  assert.deepEqual(
    errors.map(({ path, hint }: { path: string; hint: string }) => [path, hint]),
    [
      ['/checkin', 'Send checkin: checkIn was sent, which is not known'],
      ['/checkout', 'Send checkout, a date in the form YYYY-MM-DD: Day of departure'],
      ['/rooms/0/adults', 'Send adults, an integer'],
    ],
  )
})

test('of what cannot be booked, the rules that forbid it come first', async () => {
  await shop.supplier.post('/push/ari', {
    hotelId: 'H1',
    ari: [{ roomId: 'DBL', rateId: 'NRF', date: '2027-04-20', minLengthStay: 5, closedToArrival: true }],
  })
  const reply = await shop.platform.post('/booking/offers', {
    hotels: [hotel],
    ...stay,
    rooms: [{ adults: 2 }],
    explain: true,
  })
  const [{ unavailable }] = Object(reply.body['hotels'])
  const { rules } = unavailable.find(({ rateId }: { rateId: string }) => rateId === 'NRF')
  const failing = rules.filter(({ pass }: { pass: boolean }) => !pass)
  assert.deepEqual(rules.slice(0, failing.length), failing)
  assert.deepEqual(
    failing.map(({ rule }: { rule: string }) => rule),
    ['closedToArrival', 'minLengthStay'],
  )
})
