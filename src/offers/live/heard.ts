import { instantOf } from '../../base/calendar.ts'
import type { BookableRoomRate, BookingCatalog } from '../stays/booking-catalog.ts'
import type { HotelStay } from '../stays/stays.ts'
import type { RenderedTotal } from '../terms/stay-total.ts'
import { LiveAnswers, type LiveStay } from '../stays/live-answers.ts'
import { liveTotal } from './live-total.ts'

/** What an offer has as `live`. */
export type OfferLive =
  | { outcome: 'price_changed'; total: RenderedTotal; at: string }
  | { outcome: 'circuit_open'; until: string }

/** What a hotel's supplier said when it was asked, or that it isn't asked for now. */
export type Heard = { answers: LiveAnswers | undefined; paused: OfferLive | undefined }

export function heardOf(
  stay: Pick<HotelStay, 'live' | 'catalog'>,
  nowMs: number,
  pausedUntilMs: number | undefined,
): Heard {
  const paused: OfferLive | undefined =
    pausedUntilMs === undefined ? undefined : { outcome: 'circuit_open', until: instantOf(pausedUntilMs) }
  return { answers: LiveAnswers.of(stay, nowMs), paused }
}

/** What an offer says of it: while nothing can be booked, that comes first. */
export function liveOfOffer(
  { answers, paused }: Heard,
  catalog: BookingCatalog,
  roomRate: BookableRoomRate,
  asked: LiveStay,
): OfferLive | undefined {
  if (paused) return paused
  const answer = answers?.otherPrice(roomRate.key, asked)
  if (!answer?.prices) return undefined
  const { arrival, rooms, prices, atMs } = answer
  const total = liveTotal(catalog, roomRate, arrival, { rooms, prices })
  return { outcome: 'price_changed', total, at: instantOf(atMs) }
}
