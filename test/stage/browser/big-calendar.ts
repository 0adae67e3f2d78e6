import type { TestGateway, TestSupplier } from '../harness.ts'
import { expectOk } from '../story.ts'

/** A hotel of 200 room-rates whose 760 nights look like those of a real one: weekends dearer, restrictions, closures. */

const roomCount = 40
const rateCodes = ['BAR', 'NRF', 'BB', 'HB', 'CORP']
const weeks = 108
export const bigFrom = '2027-03-01'

const day = (days: number): string =>
  new Date(Date.parse(`${bigFrom}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)

export async function pushBigHotel(
  gateway: TestGateway,
  name = 'Big supplier',
): Promise<{ supplier: TestSupplier; hotel: number }> {
  const supplier = await gateway.supplier(name, { ariCellsMax: 1_000_000 })
  const hotel = {
    hotelId: 'BIG',
    hotelName: 'Grand Hotel Lagune',
    currency: 'EUR',
    isAvailable: true,
    minChildAge: 2,
    maxChildAge: 12,
    timezone: 'Europe/Rome',
  }
  expectOk(await supplier.post('/push/hotels', [hotel]))
  const rooms = Array.from({ length: roomCount }, (_, index) => `R${String(index + 1).padStart(2, '0')}`)
  const products = rooms.flatMap((roomId, room) =>
    rateCodes.map((rateId) => ({
      roomId,
      rateId,
      roomType: 'Double',
      roomName: `${['Double', 'Twin', 'Suite', 'Family room'][room % 4] ?? ''} ${room + 1}`,
      rateName:
        {
          BAR: 'Best available',
          NRF: 'Non refundable',
          BB: 'Bed & breakfast',
          HB: 'Half board',
          CORP: 'Corporate',
        }[rateId] ?? rateId,
      isAvailable: true,
      mealPlan: rateId === 'BB' ? 'BB' : rateId === 'HB' ? 'HB' : 'RO',
      occupancy: { maxOccupancy: 3, maxAdult: 3 },
    })),
  )
  expectOk(await supplier.post('/push/products', { hotelId: 'BIG', products }))
  for (const [room, roomId] of rooms.entries()) {
    const ari = Array.from({ length: weeks }, (_, week) => week).flatMap((week) =>
      weekItems(roomId, room, week),
    )
    expectOk(await supplier.post('/push/ari', { hotelId: 'BIG', pricingModel: 'unit', ari }))
  }
  const { body } = expectOk(await supplier.post('/push/getHotels', { hotelIds: ['BIG'] }))
  return { supplier, hotel: Number(Object(body['hotels'])[0].platformHotelId) }
}

function weekItems(roomId: string, room: number, week: number): object[] {
  const base = 90 + room * 3 + Math.round(40 * Math.sin(week / 8))
  const days = (from: number, to: number, more: number, units: number) => ({
    roomId,
    startDate: day(week * 7 + from),
    endDate: day(week * 7 + to),
    inventory: units,
    closed: (week + room) % 23 === 7,
    rates: rateCodes.map((rateId, rate) => ({
      rateId,
      price: base + more + rate * 12,
      ...((week + rate) % 6 === 2 ? { minLengthStay: 2 } : {}),
      ...((week + room) % 9 === 4 && rate < 2 ? { closedToArrival: true, minStayArrival: 3 } : {}),
      ...((week + rate) % 11 === 5 ? { closedToDeparture: true, maxLengthStay: 14 } : {}),
      ...(rate === 4 ? { minAdvanceDays: 7 } : {}),
      ...((week + room + rate) % 17 === 3 ? { closed: true } : {}),
    })),
  })
  return [days(0, 3, 0, (week * 5 + room) % 8), days(4, 6, 35, (week * 3 + room) % 5)]
}
