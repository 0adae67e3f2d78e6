const idText = /^[1-9]\d{0,14}$/

/** reservation_id as suppliers and the platform write it; undefined for what none of ours can be. */
export function readReservationId(text: string): number | undefined {
  return idText.test(text) ? Number(text) : undefined
}
