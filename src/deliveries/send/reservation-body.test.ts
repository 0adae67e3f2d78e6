import assert from 'node:assert/strict'
import { test } from 'node:test'
import { validator } from '../../http/validation/validate.ts'
import { delivery } from '../../bookings/callback-contract.ts'
import type { ReservationContent, ReservationVersion } from '../../bookings/state.ts'
import { supplierBody } from './reservation-body.ts'

const content: ReservationContent = {
  supplier: 'Acme',
  hotelCode: 'H1',
  hotelName: 'Sea View',
  checkin: '2027-03-01',
  checkout: '2027-03-02',
  currency: 'USD',
  minorDigits: 2,
  rooms: [
    {
      roomNo: 1,
      rateNo: 1,
      roomId: 'DBL',
      rateId: 'BAR',
      roomName: 'Double Room',
      rateName: 'Best Available Rate',
      mealPlan: 'RO',
      adults: 2,
      childAges: [5],
      party: { adults: 2, childAges: [5], infantAges: [] },
      guest: { firstName: 'Ada', lastName: 'Lovelace' },
      nights: [{ date: '2027-03-01', beforeTax: 11_000, afterTax: 12_000 }],
      taxes: [{ type: 'VAT', included: true, payNow: true, amount: 1_000 }],
      total: { beforeTax: 11_000, tax: 1_000, afterTax: 12_000, dueAtProperty: 0 },
      cancelPolicy: null,
      basis: { prices: [12_000], taxes: [] },
    },
  ],
  customer: {
    firstName: 'Grace',
    lastName: 'Hopper',
    email: 'grace@guest.example',
    phone: '+1 555 0100',
    countryCode: 'US',
    remarks: 'Late',
  },
  payment: { type: 'Channel Collect', card: { type: 'VI', number: '411111******1111' } },
  total: { beforeTax: 11_000, tax: 1_000, afterTax: 12_000, dueAtProperty: 0 },
  priceChecks: [],
  contract: { pricesAre: 'sell', commissionPercent: '12.5' },
}

const version: ReservationVersion = {
  id: '55191',
  hotelId: 1,
  version: 1,
  status: 'Confirm',
  createdAtMs: Date.parse('2027-02-18T16:14:54.123Z'),
  modifiedAtMs: Date.parse('2027-02-18T16:14:54.999Z'),
  content,
  reports: [],
}

const card = {
  holderName: 'Grace Hopper',
  type: 'VI',
  number: '4111111111111111',
  expiry: '01/2030',
  cvv: '123',
}

const [room] = content.rooms
assert.ok(room)

test('the body is the contract’s, word for word, and has the documented shape', () => {
  const body = supplierBody([version], () => card)
  assert.deepEqual(body, {
    hotelId: 'H1',
    status: 'Confirm',
    reservations: {
      reservation: [
        {
          reservation_id: '55191',
          reservation_version: '1',
          reservation_datetime: '2027-02-18T16:14:54',
          modified_datetime: '2027-02-18T16:14:54Z',
          status: 'Confirm',
          propertyname: 'Sea View',
          payment_required: '0',
          payment_type: 'Channel Collect',
          currencycode: 'USD',
          totalamountbeforetax: '110.00',
          totaltax: '10.00',
          totalamountaftertax: '120.00',
          forfeited: '0.00',
          amountdueatproperty: '0.00',
          prices_are: 'sell',
          commission: '13.75',
          amountpayable: '106.25',
          customer: {
            first_name: 'Grace',
            last_name: 'Hopper',
            email: 'grace@guest.example',
            phone: '+1 555 0100',
            country_code: 'US',
            remarks: 'Late',
          },
          paymentcarddetail: {
            CardHolderName: 'Grace Hopper',
            CardType: 'VI',
            CardNumber: '4111111111111111',
            ExpireDate: '01/2030',
            cvv: '123',
            IsVirtual: '0',
          },
          room: [
            {
              room_reservation_id: '55191-1',
              arrival_date: '2027-03-01',
              departure_date: '2027-03-02',
              room_id: 'DBL',
              room_name: 'Double Room',
              meal_plan: 'RO',
              first_name: 'Ada',
              last_name: 'Lovelace',
              price: [
                {
                  date: '2027-03-01',
                  rate_id: 'BAR',
                  rate_name: 'Best Available Rate',
                  amount: '120.00',
                  amountbeforetax: '110.00',
                  amountaftertax: '120.00',
                },
              ],
              taxes: [{ name: 'VAT', value: '10.00', included: '1', pay_now: '1' }],
              amountaftertax: '120.00',
              GuestCount: [
                { AgeQualifyingCode: '10', Count: '2' },
                { AgeQualifyingCode: '8', Count: '1', Age: '5' },
              ],
            },
          ],
        },
      ],
    },
  })
  assert.ok(validator(delivery).matches(body))
})

test('without a card there is none, not even masked; absent members are omitted', () => {
  const plain = {
    ...version,
    content: {
      ...content,
      customer: { firstName: 'Grace', lastName: 'Hopper' },
      rooms: [{ ...room, mealPlan: null }],
    },
  }
  const body = supplierBody([plain])
  assert.doesNotMatch(JSON.stringify(body), /paymentcarddetail|\*\*|meal_plan|email|remarks/)
  assert.ok(validator(delivery).matches(body))
})

test('guests are counted by age; the hotel collects; currencies without minor digits have none', () => {
  const yen = {
    ...version,
    content: {
      ...content,
      currency: 'JPY',
      minorDigits: 0,
      payment: { type: 'Hotel Collect' as const },
      rooms: [{ ...room, party: { adults: 1, childAges: [5, 7, 5], infantAges: [0] } }],
    },
  }
  const [reservation] = supplierBody([yen]).reservations.reservation
  assert.deepEqual(
    [reservation?.payment_required, reservation?.totalamountaftertax, reservation?.room[0]?.GuestCount],
    [
      '1',
      '12000',
      [
        { AgeQualifyingCode: '10', Count: '1' },
        { AgeQualifyingCode: '8', Count: '2', Age: '5' },
        { AgeQualifyingCode: '8', Count: '1', Age: '7' },
        { AgeQualifyingCode: '7', Count: '1', Age: '0' },
      ],
    ],
  )
})

test('one body never mixes statuses or hotels', () => {
  assert.throws(() => supplierBody([version, { ...version, id: '2', status: 'Cancel' }]), /one hotel/)
  assert.throws(() => supplierBody([version, { ...version, id: '2', hotelId: 2 }]), /one hotel/)
  const two = supplierBody([version, { ...version, id: '2' }])
  assert.deepEqual(
    two.reservations.reservation.map((one) => one.reservation_id),
    ['55191', '2'],
  )
})
