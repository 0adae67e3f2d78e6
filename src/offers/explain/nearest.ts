import { unset } from '../../ari/blocks/block-codec.ts'
import { counted } from '../../base/counted.ts'
import { formatNight, weekdayOf, type DayNumber } from '../../base/calendar.ts'
import { roomTexts, type LiveAnswers } from '../stays/live-answers.ts'
import type { BookableRoomRate, BookingCatalog } from '../stays/booking-catalog.ts'
import { quoteOf, wantedStay, unitsOf, type WantedStay } from '../price/evaluate.ts'
import { hasKnownAmounts } from '../stays/former-nights.ts'
import { fits, type RequestedRoom, type Parties } from '../party.ts'
import type { RoomRateDays } from '../stays/room-rate-days.ts'

/** How far arrival and departure may move. */
export const daysMovedMax = 14

/** Another stay that can be booked, with the members of a request. */
export type Nearest = { checkin: string; checkout: string; rooms: readonly RequestedRoom[]; change: string }

type Move = { shift: number; longer: number }

/**
 * Other dates, the smallest change first. The size of a change is the days by which the arrival moves plus
 * the nights by which the stay becomes longer or shorter. Among equal changes, those that move the arrival
 * less come first, then longer and later stays.
 */
const moves: readonly Move[] = allMoves()

function allMoves(): Move[] {
  const found: Move[] = []
  for (let shift = -daysMovedMax; shift <= daysMovedMax; shift++) {
    for (let departs = -daysMovedMax; departs <= daysMovedMax; departs++)
      found.push({ shift, longer: departs - shift })
  }
  return found.sort(
    (one, other) =>
      sizeOf(one) - sizeOf(other) ||
      Math.abs(one.shift) - Math.abs(other.shift) ||
      other.longer - one.longer ||
      other.shift - one.shift,
  )
}

function sizeOf({ shift, longer }: Move): number {
  return Math.abs(shift) + Math.abs(longer)
}

type Candidate = { arrival: DayNumber; departure: DayNumber; rooms: readonly number[] }

/**
 * The smallest change of a stay that makes it bookable at the room-rate to which `days` is set, whose window
 * must extend `daysMovedMax` days around the stay. Prefers other dates for all rooms; if there are none, as
 * many rooms as possible.
 */
export function nearestOf(
  days: RoomRateDays,
  catalog: BookingCatalog,
  roomRate: BookableRoomRate,
  {
    requested,
    wanted,
    live,
  }: { requested: readonly RequestedRoom[]; wanted: WantedStay; live: LiveAnswers | undefined },
): Nearest | undefined {
  const { parties, today } = wanted
  if (!catalog.isAvailable || !roomRate.isAvailable) return undefined
  const fitting = [...parties.partyByRoom.keys()].filter((room) => {
    const party = parties.distinct[parties.partyByRoom[room] ?? 0]
    return party !== undefined && fits(party, roomRate)
  })
  const nights = new WindowNights(days, wanted)
  let best: Candidate | undefined
  for (const { shift, longer } of moves) {
    const arrival = wanted.arrival + shift
    const departure = arrival + wanted.length + longer
    if (departure <= arrival || arrival < today || nights.isBlocked(arrival, departure)) continue
    if (!hasKnownAmounts(roomRate, arrival)) continue
    const other = wantedStay({ arrival, departure }, today, parties)
    const priced = fitting.filter((room) =>
      nights.isPriced(parties.partyByRoom[room] ?? 0, arrival, departure),
    )
    const rooms = priced.slice(0, Math.min(unitsOf(days, other), priced.length))
    if (rooms.length <= (best?.rooms.length ?? 0)) continue
    if (!quoteOf(days, roomRate, { ...other, parties: someOf(parties, rooms) })) continue
    const texts = live && roomTexts(rooms.flatMap((room) => requested[room] ?? []))
    if (texts && live.soldOut(roomRate.key, { arrival, departure, rooms: texts })) continue
    best = { arrival, departure, rooms }
    if (rooms.length === requested.length) break
  }
  return best && nearestText(best, requested, wanted)
}

/**
 * Running counts of the nights in a window on which nothing can be sold, or nothing to a party, so that a
 * range takes two look-ups.
 */
class WindowNights {
  readonly #from: DayNumber
  readonly #blocked: Uint16Array
  readonly #unpriced: Uint16Array[]

  constructor(days: RoomRateDays, { arrival, departure, parties }: WantedStay) {
    this.#from = arrival - daysMovedMax
    const dayCount = departure + daysMovedMax - this.#from
    const sumsUpTo = (counts: (day: DayNumber) => boolean): Uint16Array => {
      const sums = new Uint16Array(dayCount + 1)
      for (let index = 0; index < dayCount; index++)
        sums[index + 1] = (sums[index] ?? 0) + (counts(this.#from + index) ? 1 : 0)
      return sums
    }
    this.#blocked = sumsUpTo((day) => days.unitsOn(day) <= 0 || days.isClosedOn(day))
    this.#unpriced = parties.distinct.map((party) => sumsUpTo((day) => days.priceOn(party, day) === unset))
  }

  isBlocked(arrival: DayNumber, departure: DayNumber): boolean {
    return this.#blocked[departure - this.#from] !== this.#blocked[arrival - this.#from]
  }

  isPriced(party: number, arrival: DayNumber, departure: DayNumber): boolean {
    const sums = this.#unpriced[party]
    return sums !== undefined && sums[departure - this.#from] === sums[arrival - this.#from]
  }
}

function someOf(parties: Parties, rooms: readonly number[]): Parties {
  const kept = rooms.map((room) => parties.partyByRoom[room] ?? 0)
  const used = [...new Set(kept)]
  return {
    ...parties,
    distinct: used.flatMap((party) => parties.distinct[party] ?? []),
    partyByRoom: kept.map((party) => used.indexOf(party)),
  }
}

const weekdayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const

function nearestText(
  { arrival, departure, rooms }: Candidate,
  requested: readonly RequestedRoom[],
  wanted: WantedStay,
): Nearest {
  const length = departure - arrival
  const checkin = formatNight(arrival)
  const changes: string[] = []
  if (length !== wanted.length) changes.push(`${counted(length, 'night')} instead of ${wanted.length}`)
  if (arrival !== wanted.arrival)
    changes.push(`arrive on ${weekdayNames[weekdayOf(arrival)] ?? ''} ${checkin}`)
  if (rooms.length !== requested.length)
    changes.push(`${counted(rooms.length, 'room')} instead of ${requested.length}`)
  return {
    checkin,
    checkout: formatNight(departure),
    rooms: rooms.flatMap((room) => requested[room] ?? []),
    change: changes.join(', '),
  }
}
