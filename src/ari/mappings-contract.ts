import Type, { type Static } from 'typebox'
import { hotelId } from '../hotels/contract.ts'
import { oneOf, route, success } from '../http/route.ts'
import { occupancy } from '../products/contract.ts'

/** `archived`: the product is not available. `no_ari`: it is available, but has no values on any night. */
const mappingStatuses = ['active', 'archived', 'no_ari'] as const

const nightOrNull = (description: string) =>
  Type.Union([Type.String({ format: 'date' }), Type.Null()], { description })

const mapping = Type.Object({
  roomId: Type.String(),
  roomName: Type.String(),
  roomType: Type.String(),
  platformRoomId: Type.String({ description: "The platform's identifier of the room; opaque and stable" }),
  rateId: Type.String(),
  rateName: Type.String(),
  platformRateId: Type.String({ description: "The platform's identifier of the rate; opaque and stable" }),
  mealPlan: Type.Union([Type.String(), Type.Null()]),
  occupancy,
  isAvailable: Type.Boolean(),
  pricingModel: Type.Union([Type.String(), Type.Null()], {
    description: '`unit` or `guest`, as last pushed with a price; null before',
  }),
  ariFrom: nightOrNull('First night for which the room-rate holds anything of its own'),
  ariTo: nightOrNull('Last such night'),
  lastAriAt: Type.Union([Type.String(), Type.Null()], {
    description: "When the room-rate's ARI was last changed (UTC)",
  }),
  status: oneOf(mappingStatuses, {
    description: '`archived`: not available; `no_ari`: available but nothing is held; else `active`',
  }),
})
export type Mapping = Static<typeof mapping>

export const mappingRoutes = {
  getRoomRateMappings: route({
    method: 'POST',
    path: '/push/getRoomRateMappings',
    access: 'supplier',
    tag: 'Products',
    summary: 'Read how rooms and rates are mapped',
    description:
      "Every room-rate of the hotel, archived ones included, by room and rate in the order in which they were first pushed: the supplier's codes beside the platform's, and from when to when ARI is held. Inventory and closures of the room, which its rates share, don't count for `ariFrom` and `ariTo`.",
    body: Type.Object({ hotelId }),
    answer: Type.Object({
      ...success,
      hotelId: Type.String(),
      platformHotelId: Type.String(),
      mappings: Type.Array(mapping),
    }),
    errors: { 404: 'Unknown hotel' },
    examples: [
      {
        summary: 'The room-rates of one hotel',
        request: { hotelId: 'H1' },
        answer: {
          status: 200,
          body: { code: '200', message: 'Room and rate mappings retrieved successfully' },
        },
      },
    ],
  }),
}
