import Type from 'typebox'
import { integer, oneOf } from '../http/route.ts'

/** The delivery of a reservation to its supplier, as the platform sees it. */

export const deliveryStatuses = ['queued', 'sending', 'delivered', 'superseded', 'dead'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** Those that the delivery of a present version can have: only older versions are superseded. */
export const presentDeliveryStatuses = ['queued', 'sending', 'delivered', 'dead'] as const
export type PresentDeliveryStatus = (typeof presentDeliveryStatuses)[number]

const nullableText = (description: string, example: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description, examples: [example, null] })

export const deliveryState = Type.Object(
  {
    status: oneOf(deliveryStatuses, {
      description:
        '`queued`: waits for an attempt; `sending`: an attempt is being made; `delivered`: the supplier has it; `dead`: given up, an operator or the supplier can have it sent again; `superseded`: replaced by a newer version',
    }),
    since: Type.String({
      format: 'date-time',
      description:
        '`delivered`, `dead`: when it became so. Otherwise since when the supplier lacks the present state, which may be before this version',
      examples: ['2027-03-01T12:00:00.000Z'],
    }),
    attempts: integer({ minimum: 0, description: 'Attempts made, with the one under way' }),
    nextAttemptAt: nullableText(
      'Earliest time of the next attempt; null: none is planned, or one is under way',
      '2027-03-01T12:00:10.000Z',
    ),
    error: nullableText(
      'What stands in the way: `no_url` (the supplier has registered none), `http_` with the status of its answer, or the reason for the missing answer, such as `timeout`, `connect`, `tls`, `dns`, `lost`; null: nothing so far',
      'http_500',
    ),
  },
  { description: 'Delivery of the present version to the supplier' },
)
