import Type from 'typebox'
import { stayTotal } from '../offers/stay-contract.ts'
import { date, oneOf } from '../http/route.ts'

/** What a change of kind `live` tells. */
export const liveOutcomes = ['sold_out', 'price_changed', 'circuit_open', 'ended'] as const

const optionalText = (description: string) => Type.Optional(Type.String({ description }))

export const liveOfChange = Type.Object(
  {
    outcome: oneOf(liveOutcomes, {
      description:
        'sold_out: the supplier answered that it has too few units, so the stay is not offered; price_changed: it answered with another price, which the offer shows; circuit_open: the supplier’s URL is not called for a while, and its account takes no booking meanwhile; ended: one of these is over before its `until`',
    }),
    roomId: optionalText('Absent with circuit_open and its end'),
    platformRoomId: Type.Optional(Type.String()),
    rateId: Type.Optional(Type.String()),
    platformRateId: Type.Optional(Type.String()),
    checkin: Type.Optional(date({ description: 'Arrival' })),
    checkout: Type.Optional(date({ description: 'Departure' })),
    rooms: Type.Optional(
      Type.Array(Type.Object({ adults: Type.Integer(), childAges: Type.Array(Type.Integer()) }), {
        description: 'The guests of all rooms that were asked for',
      }),
    ),
    total: Type.Optional(stayTotal),
    at: optionalText('When the supplier answered, or when it ended'),
    until: optionalText('For how long it counts; absent with ended'),
  },
  { description: 'With `live`' },
)
