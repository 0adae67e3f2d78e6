import { exampleHotel } from '../../src/console/sandbox/example-hotel.ts'

/** The sandbox's example hotel under a code of its own, so that the demo leaves that one alone. */
export const hotelId = 'DEMO-SEA-VIEW'
export const hotel = { ...exampleHotel, hotelId, hotelName: 'Sea View Resort' }
