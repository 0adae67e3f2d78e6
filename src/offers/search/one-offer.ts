import type { Static } from 'typebox'
import type { DayNumber } from '../../base/calendar.ts'
import { todayIn } from '../../hotels/hotel-clock.ts'
import { validator } from '../../http/validation/validate.ts'
import { amountsAsPushed } from '../../taxes/compute/answered-amounts.ts'
import { taxAnswer } from '../../taxes/compute/answered-price.ts'
import { totalOf } from '../../taxes/compute/compute.ts'
import { offer } from '../contract.ts'
import { partiesOf, type RequestedRoom } from '../party.ts'
import { isOffered, quoteOf, wantedStay, type Quote, type WantedStay } from '../price/evaluate.ts'
import type { BookableRoomRate } from '../stays/booking-catalog.ts'
import { RoomRateDays } from '../stays/room-rate-days.ts'
import type { HotelStay } from '../stays/stays.ts'
import { OfferTexts, textsBeforeNights, type Sold } from './offer-text.ts'

/** The offer of one room-rate, as a search has it. */

export type Offer = Static<typeof offer>
const shape = validator(offer)

/** Rooms of one room-rate, with the same party in each. */
type OneStay = {
  stay: HotelStay
  roomRate: BookableRoomRate
  arrival: DayNumber
  departure: DayNumber
  roomCount: number
  room: RequestedRoom
}

/** What a supplier says of the stay: its units, and the amounts of one room, in minor units. */
type SaidOfStay = {
  inventory: number
  nights: readonly { beforeTax: number; afterTax: number }[]
}

/**
 * Undefined if the stored data doesn't allow the rooms to be booked. Of what the supplier says its units always count,
 * its price if `isSoldLive`.
 */
export function oneOffer(
  { stay, roomRate, arrival, departure, roomCount, room }: OneStay,
  { said, isSoldLive }: { said: SaidOfStay | undefined; isSoldLive: boolean },
  nowMs: number,
): Offer | undefined {
  const { catalog } = stay
  const parties = partiesOf(
    Array.from({ length: roomCount }, () => room),
    catalog,
  )
  const wanted = wantedStay({ arrival, departure }, todayIn(catalog, nowMs), parties)
  const days = new RoomRateDays(stay, { from: arrival, days: wanted.length + 1 }, parties.priceFields)
  days.turnTo(roomRate)
  const quote = isOffered(catalog, roomRate, wanted) ? quoteOf(days, roomRate, wanted) : undefined
  if (!quote) return undefined
  const sold = said && isSoldLive ? atLivePrice(quote, wanted, roomRate, said, catalog.minorDigits) : quote
  const texts = new OfferTexts(catalog, wanted, {
    nowMs: nowMs + catalog.aheadMs,
    beforeNights: textsBeforeNights(wanted),
    hasTrace: false,
  })
  const unitsLeft = Math.min(sold.unitsLeft, said?.inventory ?? sold.unitsLeft)
  const written: unknown = JSON.parse(texts.text(roomRate, { ...sold, unitsLeft }))
  if (shape.matches(written)) return written
  throw new TypeError('an offer has the wrong shape')
}

/** The rooms at the supplier's own price, with the pushed taxes computed on it. */
function atLivePrice(
  { unitsLeft, rooms }: Quote,
  { arrival, parties }: WantedStay,
  { taxes }: BookableRoomRate,
  { nights }: SaidOfStay,
  minorDigits: number,
): Sold {
  const persons = parties.distinct[0]?.persons ?? 0
  const taxed = taxAnswer({
    taxes: taxes.entries.map(({ tax }) => tax),
    nights: nights.map((night, index) => ({ ...night, day: arrival + index })),
    persons,
    minorDigits,
  })
  const amounts = amountsAsPushed(taxed.nights, taxed.lines)
  const priced = {
    taxes,
    nights: taxed.nights.map(({ day }, index) => ({ day, price: amounts[index] ?? 0 })),
    persons,
  }
  const ofRooms = rooms.map(() => taxed)
  return {
    unitsLeft,
    rooms: rooms.map(() => priced),
    taxed: {
      rooms: ofRooms,
      lines: taxed.lines.map(({ amount, ...tax }) => ({ tax, amount: amount * rooms.length })),
      total: totalOf(ofRooms),
    },
  }
}
