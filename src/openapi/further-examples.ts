import type { RouteName } from '../contract.ts'
import type { Example } from '../http/route.ts'

/**
 * Examples in addition to those of the contracts, which continue their story: the points that integrators
 * most often get wrong. Each example is sent with the request id `example-<operation>-<number>`, so that the
 * push log can be searched for it.
 */
export const furtherExamples: Readonly<Partial<Record<RouteName, readonly Example[]>>> = {
  pushHotels: [
    {
      summary: 'Two mistakes in one hotel: both are listed',
      request: [
        {
          hotelId: 'H2',
          hotelName: 'Hôtel du Port',
          currency: 'EURO',
          isAvailable: true,
          minChildAge: 0,
          maxChildAge: 12,
        },
      ],
      answer: {
        status: 400,
        body: { code: '400', message: 'Validation failure on minChildAge or maxChildAge' },
      },
    },
  ],
  pushProducts: [
    {
      summary: 'A room type that is not in the reference data',
      request: {
        hotelId: 'H1',
        products: [
          {
            roomId: 'STE',
            roomType: 'Penthouse Deluxe',
            roomName: 'Suite under the Roof',
            rateId: 'BAR',
            rateName: 'Best Available Rate',
            isAvailable: true,
            occupancy: { maxOccupancy: 2 },
          },
        ],
      },
      answer: { status: 400, body: { code: '400', message: 'RoomType is not valid' } },
    },
    {
      summary: 'A hotel that was not pushed',
      request: {
        hotelId: 'H9',
        products: [
          {
            roomId: 'DBL',
            roomType: 'Double',
            roomName: 'Double Room',
            rateId: 'BAR',
            rateName: 'Best Available Rate',
            isAvailable: true,
            occupancy: { maxOccupancy: 2 },
          },
        ],
      },
      answer: { status: 404, body: { code: '404', message: 'Hotel ID is not found' } },
    },
  ],
  pushAri: [
    {
      summary: 'One item is wrong: the other is applied',
      request: {
        hotelId: 'H1',
        ari: [
          { roomId: 'DBL', date: '2027-05-01', inventory: 2 },
          { roomId: 'TWN', date: '2027-05-01', inventory: 4 },
        ],
      },
      answer: { status: 207, body: { code: '207', message: 'ARI partially updated' } },
    },
    {
      summary: 'An unknown room, and nothing else',
      request: { hotelId: 'H1', ari: [{ roomId: 'TWN', date: '2027-05-01', inventory: 4 }] },
      answer: { status: 404, body: { code: '404', message: 'RoomID not found' } },
    },
    {
      summary: 'A dry run: closing one night, only to see what would change',
      request: {
        hotelId: 'H1',
        dryRun: true,
        ari: [{ roomId: 'DBL', date: '2027-05-02', closed: true }],
      },
      answer: { status: 200, body: { code: '200', message: 'ARI updated successfully' } },
    },
    {
      summary: 'What the fields of an item mean',
      request: {
        hotelId: 'H1',
        dryRun: true,
        echo: true,
        ari: [{ roomId: 'DBL', rateId: 'BAR', date: '2027-05-02', minStayArrival: 3 }],
      },
      answer: { status: 200, body: { code: '200', message: 'ARI updated successfully' } },
    },
    {
      summary: 'What closing a night would mean for the sale',
      request: {
        hotelId: 'H1',
        dryRun: true,
        impact: true,
        ari: [{ roomId: 'DBL', date: '2027-05-02', closed: true }],
      },
      answer: { status: 200, body: { code: '200', message: 'ARI updated successfully' } },
    },
  ],
  getPush: [
    {
      summary: 'A push that was refused',
      request: { requestId: 'example-pushTaxes-2' },
      answer: { status: 200, body: { code: '200', message: 'Push retrieved successfully' } },
    },
  ],
}

/** The key of both the request and the answer of one example. */
export function keyOf({ summary }: Example): string {
  return summary
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}
