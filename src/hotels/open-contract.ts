/** The open reservations that have what is taken off sale. */
export type OpenReservations = {
  reservations: number
  /** YYYY-MM-DD; before today where guests have arrived. */
  firstArrival: string
}
