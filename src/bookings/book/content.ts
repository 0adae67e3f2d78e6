import type { BookingCatalog } from '../../offers/stays/booking-catalog.ts'
import { withClaims } from '../owed/claims.ts'
import type { Change } from '../owed/consent.ts'
import type { Agreed } from '../sale/agree-price.ts'
import type { Checks } from '../sale/check-prices.ts'
import type { ReservationBody } from '../contract.ts'
import { personName } from '../person-name.ts'
import { numbered } from '../price/matched-rooms.ts'
import type { GivenUp, Payment, ReservationContent } from '../state.ts'
import type { LockedHotel } from '../store.ts'
import { matchedRooms, type PresentState } from './book.ts'

type Sold = {
  catalog: BookingCatalog
  hotel: Pick<LockedHotel, 'name' | 'pricesAre' | 'commissionPercent'>
  agreed: Agreed
  checks: Checks
  card: Payment['card']
  present: PresentState | undefined
  unitsGivenUp: readonly GivenUp[]
  atMs: number
}

/** The state to store, with the one that it follows: only known members, whatever else was sent. */
export function changeOf(body: ReservationBody, sold: Sold): Change {
  const { catalog, hotel, agreed, checks, card, present, unitsGivenUp, atMs } = sold
  const { checkin, checkout, customer, payment } = body
  const { supplier, hotelCode } = catalog
  const { name: hotelName, pricesAre, commissionPercent } = hotel
  // A change keeps the contract under which the reservation was made.
  const contract = present ? present.content.contract : { pricesAre, commissionPercent }
  const { email, phone, countryCode, remarks } = customer
  const { clientReference = present?.content.clientReference, channel = present?.content.channel } = body
  const matched = matchedRooms({ body, present })
  const { minorDigits } = agreed
  const { rooms, roomNumbersUsed } = numbered(agreed.rooms, matched, present?.content)
  const after: ReservationContent = {
    supplier,
    hotelCode,
    hotelName,
    checkin,
    checkout,
    currency: agreed.currency,
    minorDigits,
    rooms,
    ...(roomNumbersUsed === undefined ? {} : { roomNumbersUsed }),
    ...(present ? withClaims(present.content, { checkin, checkout, rooms, minorDigits }, matched, atMs) : {}),
    ...(unitsGivenUp.length > 0 ? { unitsGivenUp: [...unitsGivenUp] } : {}),
    customer: {
      ...personName(customer),
      ...(email === undefined ? {} : { email }),
      ...(phone === undefined ? {} : { phone }),
      ...(countryCode === undefined ? {} : { countryCode }),
      ...(remarks === undefined ? {} : { remarks }),
    },
    payment: { type: payment.type, ...(card ? { card } : {}) },
    ...(contract ? { contract } : {}),
    ...(clientReference === undefined ? {} : { clientReference }),
    ...(channel === undefined ? {} : { channel }),
    total: agreed.total,
    priceChecks: checks.checkedRoomRates,
  }
  return { before: present?.content, after, matched, atMs }
}
