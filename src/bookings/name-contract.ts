import Type from 'typebox'
import { code, oneOf } from '../http/route.ts'

/** The names of reservations and rooms. */

/** In requests. */
export const sentNames = {
  clientReference: Type.Optional(
    code({
      description:
        'Your own name for the reservation, without card numbers. A change without it keeps the former',
      examples: ['order-4711'],
    }),
  ),
  channel: Type.Optional(
    code({
      description:
        'Where it was sold. Absent: the channel of your token, if it has one; a change without it keeps the former',
      examples: ['app'],
    }),
  ),
}

/** In answers. */
export const nameMembers = {
  clientReference: Type.Optional(Type.String({ description: 'Your own name for the reservation' })),
  channel: Type.Optional(Type.String({ description: 'Where it was sold' })),
}

/** `id`: by roomReservationId. `guest`: the same room, rate and guest. `room`: the same room. `order`: none of these. */
export const matchedBys = ['id', 'guest', 'room', 'order', 'new'] as const

export const matchedRoomsSaid = {
  rooms: Type.Array(
    Type.Object({
      roomReservationId: Type.String({ examples: ['55191-2'] }),
      matchedBy: oneOf(matchedBys, {
        description:
          'How the booked room was found. `id`: by roomReservationId; `guest`: the same room, rate and guest; `room`: the same room; `order`: none of these; `new`: it was not booked before',
      }),
    }),
    { description: 'In the order of the request: which booked room each of them is' },
  ),
  roomsGone: Type.Array(Type.String(), {
    description: 'The `roomReservationId` of each room that was booked before and is not any more',
  }),
}
