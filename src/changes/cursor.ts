import { Rejected, reportedValue, type Problem } from '../http/rejected.ts'
import { changesKeptDays } from './contract.ts'

/** The position of a row, and of a hotel in it, within one epoch of the store. */
export type Position = { turn: number; id: number; hotels: number }

/** A position in the feed: a row, the number of its hotels already reported, and the epoch of the store. */
export type FeedPosition = Position & { epoch: string }

export function isBefore(position: Position, other: Position): boolean {
  if (position.turn !== other.turn) return position.turn < other.turn
  return position.id < other.id || (position.id === other.id && position.hotels < other.hotels)
}

/** Opaque to callers, so that the format can change. */
export function writeCursor({ epoch, turn, id, hotels }: FeedPosition): string {
  return Buffer.from(`change ${epoch} ${turn} ${id} ${hotels}`).toString('base64url')
}

const placeText = /^change ([0-9a-f]{12}) (\d{1,15}) (\d{1,15}) (\d{1,9})$/
/** The format of versions without epochs: such a cursor always belongs to another epoch. */
const formerPlaceText = /^change \d{1,15} \d{1,15} \d{1,9}$/

/** `path` is the location of the text in the request. */
export function readCursor(
  text: string | undefined,
  path: string,
  problems: Problem[],
): FeedPosition | undefined {
  if (text === undefined) return undefined
  const written = Buffer.from(text, 'base64url').toString('latin1')
  if (formerPlaceText.test(written)) throw restarted(path)
  const [, epoch = '', turn, id, hotels] = placeText.exec(written) ?? []
  const position = { epoch, turn: Number(turn), id: Number(id), hotels: Number(hotels) }
  if (writeCursor(position) === text) return position
  problems.push({
    type: 'INVALID_CURSOR',
    message: 'after is not a valid cursor',
    path,
    value: reportedValue(text),
    hint: 'Send the cursor of the previous answer unchanged, or omit after to follow from now on',
  })
  return undefined
}

const remedy = 'Request the current cursor without after, then read everything again'

export function tooOld(): Rejected {
  return new Rejected(410, {
    type: 'CURSOR_TOO_OLD',
    message: `Changes after this cursor are no longer stored: it is older than ${changesKeptDays} days`,
    path: '?after',
    hint: remedy,
  })
}

/** Changes reported up to this cursor, or after it, may never have happened in this store. */
export function restarted(path = '?after'): Rejected {
  return new Rejected(410, {
    type: 'FEED_RESTARTED',
    message: 'The feed was restarted: the database lost changes, or was replaced',
    path,
    hint: remedy,
  })
}
