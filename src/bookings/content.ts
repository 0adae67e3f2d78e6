import type { BookingCatalog } from '../offers/booking-catalog.ts'
import type { Problem } from '../http/rejected.ts'
import type { Agreed, Checks } from './agree-price.ts'
import { cardFaults } from '../cards/contract.ts'
import { maskedNumber } from '../base/card-number.ts'
import type { ReservationBody } from './contract.ts'
import { Rejected } from '../http/rejected.ts'
import type { Payment, ReservationContent } from './state.ts'
import { vaultClosed } from '../cards/store.ts'
import type { CardVault } from '../cards/card-vault.ts'
import type { Card } from '../cards/vault.ts'

/** The card of a body, as far as it is kept. */
export type AcceptedCard = {
  /** Undefined: no card is kept. */
  card: Card | undefined
  warnings: Problem[]
}

/** A card is kept only for suppliers whose contract says that they receive cards. */
export function acceptCard(card: Card | undefined, deliversCards: boolean, vault: CardVault): AcceptedCard {
  if (!card) return { card: undefined, warnings: [] }
  const path = '/payment/card'
  if (!deliversCards) return { card: undefined, warnings: [{ ...cardFaults.notDelivered, path }] }
  if (vault.status().state === 'unused') throw new Rejected(400, { ...cardFaults.notAccepted, path })
  if (!vault.acceptsCards()) throw vaultClosed()
  const { holderName, type, number, expiry, cvv } = card
  return {
    card: { holderName, type, number, expiry, ...(cvv === undefined ? {} : { cvv }) },
    warnings: [],
  }
}

export function shownCard({ type, number }: Card): NonNullable<Payment['card']> {
  return { type, number: maskedNumber(number) }
}

/** The state to store: only known members, whatever else was sent. */
export function contentOf(
  catalog: BookingCatalog,
  hotelName: string,
  { checkin, checkout, customer, payment }: ReservationBody,
  { agreed, checks, card }: { agreed: Agreed; checks: Checks; card: Payment['card'] },
): ReservationContent {
  const { supplier, hotelCode } = catalog
  const { firstName, lastName, email, phone, countryCode, remarks } = customer
  return {
    supplier,
    hotelCode,
    hotelName,
    checkin,
    checkout,
    currency: agreed.currency,
    minorDigits: agreed.minorDigits,
    rooms: agreed.rooms,
    customer: {
      firstName,
      lastName,
      ...(email === undefined ? {} : { email }),
      ...(phone === undefined ? {} : { phone }),
      ...(countryCode === undefined ? {} : { countryCode }),
      ...(remarks === undefined ? {} : { remarks }),
    },
    payment: { type: payment.type, ...(card ? { card } : {}) },
    total: agreed.total,
    priceChecks: checks.told,
  }
}

const dayMs = 86_400_000
const keptAfterDepartureDays = 7

/** When the card is destroyed: after the seventh day from departure (UTC). */
export function cardKeptUntilMs(departure: number): number {
  return (departure + keptAfterDepartureDays + 1) * dayMs
}
