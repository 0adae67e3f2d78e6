import { exampleHotel } from '../../src/console-api/sandbox/example-hotel.ts'

/** The sandbox's example hotel under a code of its own, so that the demo does not touch the original. */
export const hotelId = 'DEMO-SEA-VIEW'
export const hotel = { ...exampleHotel, hotelId, hotelName: 'Sea View Resort' }
