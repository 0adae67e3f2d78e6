import Type, { type Static } from 'typebox'
import { hotelId } from '../hotels/contract.ts'
import { code, date, lines, oneOf, route, success, type ConstraintError } from '../http/route.ts'

/** What hotels report about stays, and its shapes in answers. */

export const reportKinds = ['arrived', 'no_show', 'stay_changed', 'card_invalid', 'waived'] as const
export type ReportKind = (typeof reportKinds)[number]

/** A no-show is reported until so many days after the departure. */
export const noShowWithinDays = 7
/** Of one reservation. */
export const reportsMax = 100
const noteCharactersMax = 500

const meanings = [
  '`arrived`: the guest is there',
  '`no_show`: the guest did not come',
  '`stay_changed`: the guest leaves on another day than booked',
  '`card_invalid`: the card can’t be charged',
  '`waived`: the hotel lets go of what is owed and forfeited so far',
].join('; ')

/** The members of a report, whoever sends it. */
export const reportedMembers = {
  report: oneOf(reportKinds, { description: meanings }),
  waivePenalty: Type.Optional(
    Type.Boolean({ description: 'With `no_show` only: true = nothing is due for it' }),
  ),
}
export const reportedDeparture = Type.Optional(
  date({ description: 'The day on which the guest really leaves' }),
)
export const reportedNote = Type.Optional(
  lines({
    maxLength: noteCharactersMax,
    withoutCards: true,
    description: 'For the platform; without card numbers',
  }),
)

const optionalRoomId = (description: string) => Type.Optional(Type.String({ description }))
const dueFor = Type.Union(
  [
    Type.Object({
      amount: Type.String({
        description: 'For the rooms whose guests did not come and whose terms are known',
        examples: ['110.00'],
      }),
      currency: Type.String(),
      unknown: Type.Optional(
        Type.Array(Type.String(), {
          description: 'The `room_reservation_id` of each such room whose terms you did not push',
        }),
      ),
    }),
    Type.Null(),
  ],
  { description: 'What is due after this report; null: nothing, or the terms of no such room are known' },
)

/** A report as the platform reads it. */
export const stayReport = Type.Object({
  report: oneOf(reportKinds, { description: meanings }),
  roomReservationId: optionalRoomId('The room that it is about; absent: all rooms'),
  waivePenalty: Type.Optional(Type.Literal(true, { description: 'With `no_show`: nothing is due for it' })),
  departureDate: Type.Optional(Type.String({ description: 'The day on which the guest really leaves' })),
  note: Type.Optional(Type.String()),
  at: Type.String({ examples: ['2027-04-21T08:30:00.000Z'] }),
  by: oneOf(['supplier', 'operator'], { description: 'operator: one of the platform, for the hotel' }),
})

/** The hotel's own number as the platform reads it. */
export const hotelConfirmation = Type.Object({
  confirmationNumber: Type.String({ description: 'The hotel’s own number' }),
  roomReservationId: optionalRoomId('The room that it is of; absent: the whole reservation'),
  at: Type.String({ description: 'When the hotel said so', examples: ['2027-03-01T12:00:00.310Z'] }),
})

export const reportErrors = {
  notFound: {
    type: 'RESERVATION_NOT_FOUND',
    message: 'Reservation not found',
    hint: 'Check hotelId and reservation_id',
  },
  roomNotFound: {
    type: 'ROOM_RESERVATION_NOT_FOUND',
    message: 'The reservation has no such room',
    hint: 'Send a room_reservation_id of its present version, or none for all rooms',
  },
  waiveMisplaced: {
    type: 'WAIVE_MISPLACED',
    message: 'waivePenalty goes with the report no_show only',
    hint: 'Omit it; to let go of what is owed so far, report waived',
  },
  departureTooEarly: {
    type: 'DEPARTURE_BEFORE_ARRIVAL',
    message: 'departure_date must not be before the day of arrival',
    hint: 'Send the day on which the guest really leaves',
  },
  cancelled: {
    type: 'RESERVATION_CANCELLED',
    message: 'The reservation is cancelled: nobody was expected',
    hint: 'A cancelled reservation takes the reports waived and card_invalid only',
  },
  arrivalAhead: {
    type: 'REPORT_TOO_EARLY',
    message: 'The day of arrival has not come yet',
    hint: 'Report arrived from the day of arrival on, and no_show from the day after it, by the calendar of the hotel',
  },
  noShowTooEarly: {
    type: 'REPORT_TOO_EARLY',
    message: 'The day of arrival is not over yet',
    hint: 'Report no_show from the day after the arrival on, by the calendar of the hotel',
  },
  noShowTooLate: {
    type: 'REPORT_TOO_LATE',
    message: `More than ${noShowWithinDays} days have passed since the departure`,
    hint: 'Contact the platform',
  },
  guestArrived: {
    type: 'GUEST_ARRIVED',
    message: 'The guest was reported as arrived',
    hint: 'Report no_show for the other rooms, by their room_reservation_id; if arrived was a mistake, contact the platform',
  },
  tooMany: {
    type: 'TOO_MANY_REPORTS',
    message: `A reservation takes at most ${reportsMax} reports`,
    hint: 'Contact the platform',
  },
} as const satisfies Record<string, ConstraintError>

export const reportRoutes = {
  reportStay: route({
    method: 'POST',
    path: '/push/reservations/report',
    access: 'supplier',
    tag: 'Reservations',
    summary: 'Report what became of a stay',
    description: [
      'Tells the platform who arrived, who did not, and what the hotel lets go of. The reservation keeps its status and version, and no money moves here. Of several reports about a room the last one counts; a report that is so already is answered like the first time.',
      `\`no_show\` is taken from the day after the arrival until ${noShowWithinDays} days after the departure, by the hotel’s calendar, and not after \`arrived\`. Due is then the highest of the no-show penalty, the last penalty of the booked policy and what is owed already; with \`waivePenalty\` nothing is.`,
    ].join('\n\n'),
    body: Type.Object({
      hotelId,
      reservation_id: code({ description: 'As delivered' }),
      room_reservation_id: Type.Optional(code({ description: 'As delivered; absent: all rooms' })),
      ...reportedMembers,
      departure_date: reportedDeparture,
      note: reportedNote,
    }),
    takesIdempotencyKey: true,
    answer: Type.Object({
      ...success,
      reservation_id: Type.String(),
      room_reservation_id: optionalRoomId('As sent'),
      report: oneOf(reportKinds),
      at: Type.String({ description: 'When it was reported first', examples: ['2027-04-21T08:30:00.000Z'] }),
      penalty: dueFor,
    }),
    errors: {
      400: 'A member is missing or invalid',
      404: 'Unknown hotel, reservation or room',
      409: 'The report does not fit the stay: `REPORT_TOO_EARLY`, `REPORT_TOO_LATE`, `GUEST_ARRIVED`, `RESERVATION_CANCELLED`, `TOO_MANY_REPORTS`',
    },
    examples: [
      {
        summary: 'A guest who did not come, of an unknown reservation',
        request: { hotelId: 'H1', reservation_id: '55191', report: 'no_show' },
        answer: { status: 404, body: { code: '404', message: 'Reservation not found' } },
      },
    ],
  }),
}
export type ReportBody = Static<typeof reportRoutes.reportStay.body>
