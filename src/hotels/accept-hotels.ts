import type { Needs } from '../postgres/postgres.ts'
import type { Push } from '../http/calls/call.ts'
import { answer, type Answer } from '../http/calls/mount.ts'
import { reportedValue, type Problem } from '../http/rejected.ts'
import type { AnswerOf } from '../http/route.ts'
import { applyAndLog, type Kept } from '../push-log/keep/keep.ts'
import { matchCity } from '../reference/cities.ts'
import { hotelWarnings, timeZoneOtherwise, type Hotel, type hotelRoutes } from './contract.ts'
import { counted } from '../base/counted.ts'
import { formerAmountsText } from './former-amounts.ts'
import { ruleLapsed } from './former-currency.ts'
import { reservationsAffected } from './open-reservations.ts'
import { saveHotels, type HotelToSave, type SavedHotel } from './store.ts'

/** Saves a validated push of hotels, all or none; each is the full state of its hotel. */
export function acceptHotels(needs: Needs, push: Push, hotels: readonly Hotel[]): Promise<Answer> {
  const rows = hotels.map(toSave)
  return applyAndLog(needs, push, async (connection) => {
    const saved = await saveHotels(connection, push.caller, rows, needs.clock.now())
    const members = answerOf(push.requestId, hotels, rows, saved)
    return { answer: answer(200, members, members.warnings), kept: keptOf(saved) }
  })
}

function toSave(hotel: Hotel): HotelToSave {
  const { hotelId, hotelName, currency, isAvailable, minChildAge, maxChildAge } = hotel
  const { countryCodeISO2, city, email, chainCode, latitude, longitude, state, address, timezone } = hotel
  // Members that weren't sent disappear in JSON; so do members that the contract doesn't know.
  const plain = {
    countryCodeISO2,
    city,
    email,
    chainCode,
    latitude,
    longitude,
    state,
    address,
    phone: hotel.phone && {
      CountryAccessCode: hotel.phone.CountryAccessCode,
      phoneNumber: hotel.phone.phoneNumber,
    },
    timezone,
  }
  const cityMatched = city === undefined ? undefined : matchCity(city, countryCodeISO2)?.name
  const timeZone = timezone ?? timeZoneOtherwise
  return {
    hotelId,
    hotelName,
    currency,
    isAvailable,
    minChildAge,
    maxChildAge,
    timeZone,
    cityMatched,
    plain,
  }
}

function answerOf(
  requestId: string,
  hotels: readonly Hotel[],
  rows: readonly HotelToSave[],
  saved: ReadonlyMap<string, SavedHotel>,
): AnswerOf<typeof hotelRoutes.pushHotels> {
  const counts = { created: 0, updated: 0, unchanged: 0 }
  for (const { outcome } of saved.values()) counts[outcome]++
  const warnings = hotels.flatMap((hotel, index) => [
    ...warningsOf(hotel, rows[index]?.cityMatched, index),
    ...openWarnings(hotel, saved.get(hotel.hotelId), index),
    ...currencyWarnings(hotel, saved.get(hotel.hotelId), index),
  ])
  return { code: '200', message: 'Hotels updated successfully', requestId, ...counts, warnings }
}

function warningsOf({ city, timezone }: Hotel, cityMatched: string | undefined, index: number): Problem[] {
  const warnings: Problem[] = []
  if (timezone === undefined) warnings.push({ ...hotelWarnings.timeZoneMissing, path: `/${index}/timezone` })
  if (city !== undefined && cityMatched === undefined) {
    warnings.push({ ...hotelWarnings.cityUnknown, path: `/${index}/city`, value: reportedValue(city) })
  }
  return warnings
}

function openWarnings(
  { isAvailable, currency }: Hotel,
  saved: SavedHotel | undefined,
  index: number,
): Problem[] {
  if (!saved?.open) return []
  return saved.isClosed
    ? [{ ...reservationsAffected(saved.open, 'closed'), path: `/${index}/isAvailable`, value: isAvailable }]
    : [{ ...reservationsAffected(saved.open, 'currency'), path: `/${index}/currency`, value: currency }]
}

function currencyWarnings({ currency }: Hotel, saved: SavedHotel | undefined, index: number): Problem[] {
  const { currencyBefore: before, former } = saved ?? {}
  if (before === undefined || before === currency) return []
  const at = { path: `/${index}/currency`, value: currency }
  const unknown = former && formerAmountsText(former)
  const message = `Unknown until pushed again, and what needs them is not sold: ${unknown}`
  const rules = former?.rules ?? 0
  const lapsed = `${counted(rules, 'rule')} of the guard ${rules === 1 ? 'has' : 'have'} an amount in ${before} and ${rules === 1 ? 'is' : 'are'} no longer applied to this hotel`
  return [
    { ...hotelWarnings.currencyChanged, ...at },
    ...(unknown === undefined ? [] : [{ ...hotelWarnings.formerAmounts, ...at, message }]),
    ...(rules === 0 ? [] : [{ ...ruleLapsed, ...at, message: lapsed }]),
  ]
}

function keptOf(saved: ReadonlyMap<string, SavedHotel>): Kept {
  const isUnchanged = [...saved.values()].every((hotel) => hotel.outcome === 'unchanged')
  const outcome = isUnchanged ? 'unchanged' : 'applied'
  const [only, ...others] = saved
  if (only && others.length === 0) {
    const [hotelCode, hotel] = only
    return { outcome, hotelId: hotel.id, hotelCode, revision: hotel.revision }
  }
  return { outcome, hotelIds: [...saved.values()].map(({ id }) => id) }
}
