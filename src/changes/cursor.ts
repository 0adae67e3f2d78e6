import { Rejected, shown, type Problem } from '../platform/rejected.ts'
import { changesKeptDays } from './contract.ts'

/** A place in the feed: in the row of these numbers, behind so many of its hotels. */
export type Place = { turn: number; id: number; hotels: number }

export function isBefore(place: Place, other: Place): boolean {
  if (place.turn !== other.turn) return place.turn < other.turn
  return place.id < other.id || (place.id === other.id && place.hotels < other.hotels)
}

/** Opaque outside, so that it may change. */
export function writePlace({ turn, id, hotels }: Place): string {
  return Buffer.from(`change ${turn} ${id} ${hotels}`).toString('base64url')
}

const placeText = /^change (\d{1,15}) (\d{1,15}) (\d{1,9})$/

/** `path` says where the text was sent. */
export function readPlace(text: string | undefined, path: string, wrong: Problem[]): Place | undefined {
  if (text === undefined) return undefined
  const match = placeText.exec(Buffer.from(text, 'base64url').toString('latin1'))
  const place = match && { turn: Number(match[1]), id: Number(match[2]), hotels: Number(match[3]) }
  if (place && writePlace(place) === text) return place
  wrong.push({
    type: 'INVALID_CURSOR',
    message: 'after is not a cursor',
    path,
    value: shown(text),
    hint: 'Send cursor of the answer before as it came, or none to follow from now on',
  })
  return undefined
}

const remedy = 'Ask without after for the cursor of now, then read everything again'

export function tooOld(): Rejected {
  return new Rejected(410, {
    type: 'CURSOR_TOO_OLD',
    message: `Changes after this cursor are not kept any more: it is older than ${changesKeptDays} days`,
    path: '?after',
    hint: remedy,
  })
}

/** As after a restore: what was told since the backup never happened here. */
export function ofAnotherStore(): Rejected {
  return new Rejected(410, {
    type: 'CURSOR_UNKNOWN',
    message: 'This cursor was not given by the database as it is now',
    path: '?after',
    hint: remedy,
  })
}
