import Type from 'typebox'
import { hotelReference } from '../../offers/contract.ts'
import { route, success } from '../../http/route.ts'

export const resyncRoutes = {
  requestResync: route({
    method: 'POST',
    path: '/booking/resync',
    access: 'platform',
    tag: 'Booking',
    summary: 'Ask the supplier for all ARI of a hotel again',
    description:
      'Raises the alert `resync.requested` for the supplier. It is announced at once to the URL and the addresses that the supplier has for alerts (`POST /push/alerts/settings`), and resolved by itself when ARI of the hotel has been pushed. Repeating the request before then announces nothing again, unless the supplier had neither a URL nor an address until now.',
    body: Type.Object({ hotel: hotelReference }),
    takesIdempotencyKey: true,
    answer: Type.Object({
      ...success,
      platformHotelId: Type.String(),
      supplier: Type.String({ description: 'Name of the supplier account' }),
      hotelId: Type.String({ description: "The supplier's code of the hotel" }),
      requestedAt: Type.String({
        format: 'date-time',
        description: 'When the request was made that is still open: an earlier time if this is a repeat',
      }),
      isAnnounced: Type.Boolean({
        description:
          'Whether the request is sent to a URL or an address that the supplier has for alerts of this kind, now or, if this is a repeat, since requestedAt. Otherwise the supplier sees it only in its list of alerts',
      }),
    }),
    errors: { 404: 'Unknown hotel' },
    examples: [
      {
        summary: 'A hotel by its platformHotelId',
        request: { hotel: { platformHotelId: '1' } },
        answer: { status: 200, body: { code: '200', message: 'Resync requested' } },
      },
    ],
  }),
}
