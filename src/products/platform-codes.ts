/** The platform's ids of rooms and rates: opaque to suppliers, stable because numbers are never reused. */
export function platformRoomId(hotelId: number, roomNo: number): string {
  return `${hotelId}-R${roomNo}`
}

export function platformRateId(hotelId: number, rateNo: number): string {
  return `${hotelId}-P${rateNo}`
}
