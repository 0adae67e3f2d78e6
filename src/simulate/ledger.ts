import type { DeliveredReservation, Delivery } from '../bookings/callback-contract.ts'

/** The reservations that a supplier has received, stored so that a repeat changes nothing. */

export const receipts = [
  'created',
  'changed',
  'cancelled',
  'cancelled unseen',
  'duplicate',
  'outdated',
] as const
/** `cancelled unseen`: it was never confirmed. `outdated`: the supplier already has a newer version. */
export type Receipt = (typeof receipts)[number]

export type LedgerEntry = { version: number; status: Delivery['status'] }

export type Received = {
  reservationId: string
  version: number
  status: Delivery['status']
  receipt: Receipt
  arrival: string
  departure: string
  rooms: number
  guest: string
  total: string
  /** Masked; absent when there is no card. */
  card?: string
}

/** Beyond this, the oldest are forgotten: the program is for trials. */
const entriesMax = 100_000

export class ReservationLedger {
  readonly #entryById = new Map<string, LedgerEntry>()

  get(reservationId: string): LedgerEntry | undefined {
    return this.#entryById.get(reservationId)
  }

  /** Takes in all reservations of one body; each one gives its whole state. */
  receive({ status, reservations }: Delivery): Received[] {
    return reservations.reservation.map((reservation) => {
      const version = Number(reservation.reservation_version)
      const receipt = this.#receive(reservation.reservation_id, { version, status })
      return { ...summaryOf(reservation), version, status, receipt }
    })
  }

  #receive(id: string, received: LedgerEntry): Receipt {
    const known = this.#entryById.get(id)
    if (known?.version === received.version) return 'duplicate'
    if (known && known.version > received.version) return 'outdated'
    this.#entryById.set(id, received)
    if (this.#entryById.size > entriesMax) {
      const oldest = this.#entryById.keys().next()
      if (!oldest.done) this.#entryById.delete(oldest.value)
    }
    if (received.status === 'Cancel') return known ? 'cancelled' : 'cancelled unseen'
    return known ? 'changed' : 'created'
  }
}

function summaryOf(reservation: DeliveredReservation): Omit<Received, 'version' | 'status' | 'receipt'> {
  const [first] = reservation.room
  const card = reservation.paymentcarddetail
  return {
    reservationId: reservation.reservation_id,
    arrival: first?.arrival_date ?? '',
    departure: first?.departure_date ?? '',
    rooms: reservation.room.length,
    guest: `${reservation.customer.first_name} ${reservation.customer.last_name}`.trim(),
    total: `${reservation.totalamountaftertax} ${reservation.currencycode}`,
    ...(card ? { card: `${card.CardType} …${card.CardNumber.slice(-4)}` } : {}),
  }
}
