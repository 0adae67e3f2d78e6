import Type, { type Static } from 'typebox'
import { code, date, oneOf } from '../http/route.ts'
import { pricesAres } from '../keys/price-contract.ts'
import { feeAppliedPers } from '../products/policies/contract.ts'
import { reservationStatuses } from '../webhooks/contract.ts'
import type { CallbackDescription } from '../webhooks/callback-contract.ts'

/**
 * Reservations as they are delivered. Every number is a JSON string, and a body always contains the full
 * state.
 */

export const paymentTypes = ['Channel Collect', 'Hotel Collect'] as const
export const flags = ['0', '1'] as const
/** From OTA's table of age qualifying codes: adult, child, infant. */
export const ageQualifyingCodes = { adult: '10', child: '8', infant: '7' } as const

const plain = (description: string) => Type.String({ description })
const amount = (description: string) =>
  Type.String({ description, pattern: '^\\d+(?:\\.\\d+)?$', examples: ['120.00'] })
const count = (description: string) => Type.String({ description, pattern: '^\\d+$', examples: ['1'] })

const customer = Type.Object({
  first_name: plain('Given name; empty for a name of one word'),
  last_name: plain('Family name, or the name of one word'),
  email: Type.Optional(plain('E-mail address')),
  phone: Type.Optional(plain('Telephone number')),
  country_code: Type.Optional(plain('ISO 3166-1, two letters')),
  remarks: Type.Optional(plain('What the guest asks for')),
})

const card = Type.Object(
  {
    CardHolderName: plain('Name on the card'),
    CardType: plain('Two letters, as VI, MC or AX'),
    CardNumber: plain('Digits only'),
    ExpireDate: Type.String({ description: 'MM/YYYY', examples: ['01/2030'] }),
    cvv: Type.Optional(plain('Sent until the first delivery that was accepted')),
    IsVirtual: oneOf(flags, {
      description: '1: made for this reservation alone, with the four members below; 0: a guest’s card',
    }),
    ValidFrom: Type.Optional(date({ description: 'First day on which you can charge it' })),
    ValidTo: Type.Optional(date({ description: 'Last day on which you can charge it' })),
    Amount: Type.Optional(amount('What you can charge it with')),
    Currency: Type.Optional(plain('ISO currency code of its amount, the one of the reservation')),
  },
  { description: 'Only when your contract says so' },
)

const nightPrice = Type.Object({
  date: date({ description: 'The night' }),
  rate_id: code({ description: 'Your rate code' }),
  rate_name: plain('Name of the rate'),
  amount: Type.Optional(
    amount(
      'The price that you pushed; of a price that you answered to a price check, your amount before tax with the taxes that your prices include. Absent: booked before it was stored',
    ),
  ),
  amountbeforetax: amount('Without taxes'),
  amountaftertax: amount('With the taxes that are charged now'),
})

const taxLine = Type.Object({
  name: plain('Type of the tax'),
  value: amount('For the room and the whole stay'),
  included: oneOf(flags, { description: '1: contained in the price that you pushed' }),
  pay_now: oneOf(flags, { description: '1: charged by the platform; 0: due at the property' }),
})

const feeLine = Type.Object({
  name: plain('As pushed'),
  value: amount('For the room and the whole stay; not included in the amounts above'),
  applied_per: oneOf(feeAppliedPers),
  pay_now: Type.Literal('0', { description: 'Due at the property' }),
})

const guestCount = Type.Object({
  AgeQualifyingCode: oneOf(Object.values(ageQualifyingCodes), { description: '10 adult, 8 child, 7 infant' }),
  Count: count('How many'),
  Age: Type.Optional(count('Age; for children and infants')),
})

const room = Type.Object({
  room_reservation_id: Type.String({
    description: 'Name of the room within the reservation; the same in all versions, and never used again',
    examples: ['55191-1'],
  }),
  arrival_date: date({ description: 'First night' }),
  departure_date: date({ description: 'Day of departure' }),
  room_id: code({ description: 'Your room code' }),
  room_name: plain('Name of the room'),
  meal_plan: Type.Optional(plain('Meal plan code')),
  first_name: plain('Given name of the guest of this room; empty for a name of one word'),
  last_name: plain('Family name of the guest of this room, or the name of one word'),
  price: Type.Array(nightPrice, {
    minItems: 1,
    description: 'One element for each night; they add up to the total of the room',
  }),
  taxes: Type.Array(taxLine),
  fees: Type.Optional(Type.Array(feeLine, { description: 'Fees of your cancellation policy; absent: none' })),
  amountaftertax: amount('For the room and the whole stay; the rooms add up to the total'),
  GuestCount: Type.Array(guestCount, { minItems: 1 }),
})

const penalty = Type.Object(
  {
    amount: amount('Total for all rooms; 0.00: the cancellation was free'),
    currency: plain('ISO currency code'),
    by: Type.Array(
      Type.Object({
        room_reservation_id: plain('The room, as in `room`'),
        room_id: code({ description: 'Your room code' }),
        rate_id: code({ description: 'Your rate code' }),
        code: Type.Optional(plain('Code of the cancellation policy, as pushed')),
        from: Type.Optional(
          Type.String({
            description:
              "The deadline that had passed, in the hotel's zone; absent: from the time of booking",
            examples: ['2027-04-13T18:00:00+02:00'],
          }),
        ),
        amount: amount('Amount for this room'),
      }),
      { description: 'Rooms with a penalty' },
    ),
    unknown: Type.Optional(
      Type.Array(Type.String(), {
        description: 'The room_reservation_id of rooms whose terms you did not push: not part of the amount',
      }),
    ),
  },
  {
    description:
      'Only with Cancel: the cost of the cancellation under the booked policies, at the time of cancelling; absent: booked without known terms',
  },
)

export const deliveredReservation = Type.Object({
  reservation_id: code({ description: 'The same for all versions: use it to recognize repeats' }),
  reservation_version: count('Increases with every change'),
  reservation_datetime: Type.String({
    description:
      'Time of booking in UTC, written without a zone (modified_datetime has the Z): not the time of the hotel',
    examples: ['2027-02-18T16:14:54'],
  }),
  modified_datetime: Type.String({
    description: 'Time of this version, UTC',
    examples: ['2027-02-18T16:14:54Z'],
  }),
  status: oneOf(reservationStatuses, {
    description: 'Confirm: create or update it; Cancel: mark it cancelled',
  }),
  propertyname: plain('Name of the hotel'),
  payment_required: oneOf(flags, { description: '1: the guest pays at the hotel' }),
  payment_type: oneOf(paymentTypes),
  currencycode: plain('ISO currency code of all amounts'),
  totalamountbeforetax: amount('For the whole stay, without taxes'),
  totaltax: amount('Taxes charged now'),
  totalamountaftertax: amount('Amount charged'),
  forfeited: amount('Owed to you for what was given up: charged beside totalamountaftertax'),
  amountdueatproperty: amount('Taxes that guests pay to you, in addition; fees are not part of it'),
  prices_are: Type.Optional(
    oneOf(pricesAres, {
      description:
        'By your contract at the time of booking. sell: what you push is what guests pay, and the platform keeps a commission; net: it is what you get. Absent: booked before it was stored',
    }),
  ),
  commission: Type.Optional(
    amount(
      'What the platform keeps, or with Hotel Collect what you owe it: the percentage of your contract of totalamountbeforetax, half up; with Cancel, of what the penalty has without taxes; 0 of net prices. Absent: as prices_are, or with Cancel the terms are unknown',
    ),
  ),
  amountpayable: Type.Optional(
    amount(
      'What the platform owes you: totalamountaftertax, or with Cancel the penalty, less the commission; 0 with Hotel Collect. Absent: as commission',
    ),
  ),
  penalty: Type.Optional(penalty),
  channel_reference: Type.Optional(plain('The name that the platform has for the reservation')),
  channel: Type.Optional(plain('Where the platform sold it')),
  customer,
  paymentcarddetail: Type.Optional(card),
  room: Type.Array(room, { minItems: 1 }),
  cancelled_room: Type.Optional(
    Type.Array(
      Type.Object({
        room_reservation_id: plain('As earlier versions had it in `room`'),
        penalty: Type.Optional(
          amount('Cost of its cancellation, part of forfeited; absent: booked without known terms'),
        ),
      }),
      { description: 'Rooms that earlier versions had' },
    ),
  ),
})
export type DeliveredReservation = Static<typeof deliveredReservation>

/** A body covers one hotel and one status; the hourly run puts several reservations into one body. */
export const delivery = Type.Object({
  hotelId: code({ description: 'Your hotel code' }),
  status: oneOf(reservationStatuses),
  reservations: Type.Object({ reservation: Type.Array(deliveredReservation, { minItems: 1 }) }),
})
export type Delivery = Static<typeof delivery>

export const pushBookingCallback = {
  summary: 'Push booking',
  description: [
    'Sent to the URL of `POST /push/webhook/pushbook` when a reservation is created, changed or cancelled, when a retry is due, and when you request it.',
    'Answer with any 2xx at once and process the reservation afterwards. A JSON body of that answer may tell your own numbers: `{"confirmations": [{"reservation_id": "55191", "confirmation_number": "A-77", "room_reservation_id": "55191-1"}]}`, without `room_reservation_id` for the whole reservation. The same reservation may arrive more than once: recognize it by `reservation_id` and `reservation_version`, and a repeated call by `webhook-id`.',
  ].join('\n\n'),
  body: delivery,
  answers: { '2XX': 'Delivered', default: 'Not delivered: it is retried' },
  example: {
    request: {
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
            propertyname: 'Hôtel du Port',
            payment_required: '0',
            payment_type: 'Channel Collect',
            currencycode: 'USD',
            totalamountbeforetax: '110.00',
            totaltax: '10.00',
            totalamountaftertax: '120.00',
            forfeited: '0.00',
            amountdueatproperty: '0.00',
            prices_are: 'sell',
            commission: '16.50',
            amountpayable: '103.50',
            customer: {
              first_name: 'Ada',
              last_name: 'Lovelace',
              email: 'ada@example.com',
              phone: '+44 20 7946 0000',
              country_code: 'GB',
              remarks: 'Late arrival',
            },
            room: [
              {
                room_reservation_id: '55191-1',
                arrival_date: '2027-04-15',
                departure_date: '2027-04-16',
                room_id: 'DBL',
                room_name: 'Double Room',
                meal_plan: 'RO',
                first_name: 'Ada',
                last_name: 'Lovelace',
                price: [
                  {
                    date: '2027-04-15',
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
    },
  },
} as const satisfies CallbackDescription
