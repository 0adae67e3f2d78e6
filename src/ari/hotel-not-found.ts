import { shown, type Problem } from '../http/rejected.ts'

export function hotelNotFound(hotelId: string): Problem {
  return {
    type: 'HOTEL_NOT_FOUND',
    message: 'Hotel ID is not found',
    path: '/hotelId',
    value: shown(hotelId),
    hint: 'Push the hotel with POST /push/hotels first',
  }
}
