import type { BookableRoomRate, BookingCatalog } from '../../offers/booking-catalog.ts'
import type { HotelStay, StayRange, StayReader } from '../../offers/stays.ts'
import { Rejected, reportedValue } from '../../http/rejected.ts'

/** A hotel by its platformHotelId, with everything needed to evaluate stays; throws 404 if there is none. */
export async function readHotelStay(
  stays: StayReader,
  hotelId: string,
  range: StayRange,
): Promise<HotelStay> {
  const id = hotelNumber(hotelId)
  const stay = id === undefined ? undefined : (await stays.read([id], range)).get(id)
  if (!stay) throw hotelNotFound(hotelId)
  return stay
}

/** Undefined if it can't be an id. */
export function hotelNumber(hotelId: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(hotelId) ? Number(hotelId) : undefined
}

export function hotelNotFound(hotelId: string): Rejected {
  return new Rejected(404, {
    type: 'HOTEL_NOT_FOUND',
    message: 'Hotel not found',
    path: 'hotelId',
    value: reportedValue(hotelId),
    hint: 'Send a platformHotelId',
  })
}

/** The room-rate of two codes, or any rate of the room if none is named; throws 404 if there is none. */
export function roomRateNamed(
  { roomRates }: BookingCatalog,
  { roomId, rateId }: { roomId: string; rateId: string | undefined },
  roomPath: string,
  ratePath: string,
): BookableRoomRate {
  const ofRoom = roomRates.filter(({ room }) => room.code === roomId)
  const [first] = ofRoom
  if (!first) throw notOfHotel('ROOM_NOT_FOUND', 'Room not found', roomPath, roomId)
  if (rateId === undefined) return first
  const roomRate = ofRoom.find(({ rate }) => rate.code === rateId)
  if (!roomRate) throw notOfHotel('RATE_NOT_FOUND', 'Rate not found', ratePath, rateId)
  return roomRate
}

function notOfHotel(type: string, message: string, path: string, value: string): Rejected {
  return new Rejected(404, {
    type,
    message,
    path,
    value: reportedValue(value),
    hint: 'Send a code of the hotel',
  })
}
