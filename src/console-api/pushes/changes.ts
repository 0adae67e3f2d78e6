import type { Queryable } from '../../postgres/postgres.ts'
import { isRecord } from '../../http/validation/validate.ts'
import type { PushKind } from '../../push-log/contract.ts'
import {
  changesShownMax,
  type ChangedMember,
  type ChangedPart,
  type PushChanges,
  type NightsOfPush,
} from './contract.ts'
import { ArchiveUnavailable, type Archive } from '../../push-log/bodies/archive.ts'
import { selectFormerPushes } from './former-pushes.ts'
import type { LoggedPush } from './store.ts'
import { setImmediate as breathe } from 'node:timers/promises'
import type { Block } from '../../ari/blocks/block.ts'
import { fieldNumber, guestBucket, isGuestPriceField } from '../../ari/fields.ts'
import { selectHotelBlocks } from '../../ari/blocks/block-range.ts'
import { dayIn, firstDay, formatNight, monthOf, parseNight, type MonthNumber } from '../../base/calendar.ts'
import { selectRates, selectRooms } from '../../products/store.ts'

/**
 * The changes of a push: nights from the blocks, which remember the revision that set each value; everything else by
 * comparing it with earlier pushes of the same kind.
 */

/** Larger bodies are not compared. */
const comparedBytesMax = 4 * 1024 * 1024
const partsShownMax = 50
const membersOfPartMax = 50
/** Deeper values are compared as a whole. */
const depthMax = 6

/** `body` is its JSON; undefined if it is not JSON. */
export async function readChanges(
  { db, archive }: { db: Queryable; archive: Archive },
  push: LoggedPush,
  body: string | undefined,
  nowMs: number,
): Promise<PushChanges> {
  const { hotelId, revision, outcome } = push
  const hasApplied = outcome === 'applied' || outcome === 'partial'
  if (!hasApplied || body === undefined || body.length > comparedBytesMax) return { kind: 'none' }
  const sent: unknown = JSON.parse(body)
  if (isOfNights(push.kind)) {
    if (hotelId === null || revision === null || push.cellsChanged === 0) return { kind: 'none' }
    return readChangedNights(db, { hotelId, revision }, sent, nowMs)
  }
  try {
    return compared(sent, push, await selectFormerPushes(db, push, archive))
  } catch (error) {
    // The push itself is shown all the same.
    if (error instanceof ArchiveUnavailable) return { kind: 'none' }
    throw error
  }
}

/** Pushes that change nights of rooms and rates. */
const kindsOfNights = ['ari', 'stopSell', 'undo', 'release'] as const
type KindOfNights = (typeof kindsOfNights)[number]

function isOfNights(kind: PushKind): kind is KindOfNights {
  return kindsOfNights.some((one) => one === kind)
}

type Parts = Map<string, unknown>

/** The parts of a push of each kind, by name. */
const partsByKind: Readonly<Record<Exclude<PushKind, KindOfNights>, (body: unknown) => Parts>> = {
  hotels: (body) => byName(body, ({ hotelId }) => codeOf(hotelId)),
  products: (body) =>
    byName(memberOf(body, 'products'), ({ roomId, rateId }) => `${codeOf(roomId)} / ${codeOf(rateId)}`),
  taxes: (body) => {
    const parts = byName(
      memberOf(body, 'products'),
      ({ roomId, rateId }) => `${codeOf(roomId)} / ${codeOf(rateId)}`,
    )
    const own = memberOf(body, 'taxes')
    return own === undefined ? parts : new Map([['taxes', own], ...parts])
  },
  availabilityWebhook: (body) => new Map([['webhook', body]]),
  pushbookWebhook: (body) => new Map([['webhook', body]]),
}

/** In a tax scope, an absent room or rate means any. */
function codeOf(code: unknown): string {
  return typeof code === 'string' ? code : '*'
}

function memberOf(body: unknown, member: string): unknown {
  return isRecord(body) ? body[member] : undefined
}

function byName(list: unknown, nameOf: (element: Record<string, unknown>) => string): Parts {
  const elements: readonly unknown[] = Array.isArray(list) ? list : []
  return new Map(elements.filter(isRecord).map((element) => [nameOf(element), element]))
}

function compared(
  sent: unknown,
  push: LoggedPush,
  formerPushes: Awaited<ReturnType<typeof selectFormerPushes>>,
): PushChanges {
  const { kind } = push
  if (isOfNights(kind)) return { kind: 'none' }
  const partsOf = partsByKind[kind]
  const formers = formerPushes.map(({ pushId, requestId, at, body }) => ({
    comparedWith: { pushId, requestId, at },
    parts: partsOf(body.length > 0 ? JSON.parse(body.toString()) : undefined),
  }))
  const changed = [...partsOf(sent)].flatMap(([part, after]): ChangedPart[] => {
    const former = formers.find(({ parts }) => parts.has(part))
    const members = differences(former?.parts.get(part), after)
    return members.length === 0 ? [] : [{ part, comparedWith: former?.comparedWith ?? null, members }]
  })
  const listed = changed.slice(0, partsShownMax)
  return {
    kind: 'members',
    parts: listed.map((part) => ({ ...part, members: part.members.slice(0, membersOfPartMax) })),
    moreParts: changed.length - listed.length,
    isUnchanged: changed.length === 0,
  }
}

function differences(before: unknown, after: unknown): ChangedMember[] {
  const [left, right] = [leaves(before), leaves(after)]
  const members = [...new Set([...left.keys(), ...right.keys()])]
  return members
    .filter((member) => JSON.stringify(left.get(member)) !== JSON.stringify(right.get(member)))
    .slice(0, changesShownMax)
    .map((member) => ({
      member,
      ...(left.has(member) ? { before: left.get(member) } : {}),
      ...(right.has(member) ? { after: right.get(member) } : {}),
    }))
}

/** Every scalar value, by its path. */
function leaves(
  value: unknown,
  at = '',
  depth = 0,
  found = new Map<string, unknown>(),
): Map<string, unknown> {
  const isParent = (isRecord(value) || Array.isArray(value)) && depth < depthMax
  const children = isParent ? Object.entries(value) : []
  if (children.length > 0) {
    for (const [name, child] of children) leaves(child, at === '' ? name : `${at}.${name}`, depth + 1, found)
  } else if (value !== undefined) found.set(at, value)
  return found
}

type ChangedCell = { roomNo: number; rateNo: number; day: number; fields: string }

const nightsOfMonthMax = 31
/** Rows processed before yielding the event loop to other requests. */
const blocksAtOnce = 100
/** For a body without dates: the whole range that suppliers can push. */
const monthsAhead = 26

/** The nights changed by a push that still have its values: blocks remember the revision of each value. */
async function readChangedNights(
  db: Queryable,
  { hotelId, revision }: { hotelId: number; revision: number },
  body: unknown,
  nowMs: number,
): Promise<Extract<PushChanges, { kind: 'nights' }>> {
  const { fromMonth, toMonth } = monthsNamed(body, monthOf(dayIn('UTC', nowMs)))
  const range = { fromMonth, toMonth, roomNos: undefined, rateNos: undefined }
  const blocks = await selectHotelBlocks(db, hotelId, range)
  const cells: ChangedCell[] = []
  let cellsHeld = 0
  for (const [index, { key, block }] of blocks.entries()) {
    if (index % blocksAtOnce === blocksAtOnce - 1) await breathe()
    const mask = block.changedBetween(revision, revision)
    if (mask === 0) continue
    const columns = revisionColumns(block)
    for (let night = 0; night < nightsOfMonthMax; night++) {
      if ((mask & (1 << night)) === 0) continue
      const fields = columns.filter(({ revisions }) => revisions[night] === revision).map(({ name }) => name)
      cells.push({
        roomNo: key.roomNo,
        rateNo: key.rateNo,
        day: firstDay(key.month) + night,
        fields: fields.join('\n'),
      })
      cellsHeld++
    }
  }
  const ranges = rangesOf(cells)
  const listed = ranges.slice(0, changesShownMax)
  return {
    kind: 'nights',
    hotelId,
    nights: await named(db, hotelId, listed),
    moreNights: ranges.length - listed.length,
    cellsHeld,
  }
}

/** The months from the first to the last date in the items. */
function monthsNamed(
  body: unknown,
  thisMonth: MonthNumber,
): { fromMonth: MonthNumber; toMonth: MonthNumber } {
  const months = itemsOf(body).flatMap((item) =>
    ['date', 'startDate', 'endDate', 'from', 'to'].flatMap((member) => {
      const date = item[member]
      const day = typeof date === 'string' ? parseNight(date) : undefined
      return day === undefined ? [] : [monthOf(day)]
    }),
  )
  let [fromMonth, toMonth] = [months[0] ?? thisMonth - 1, months[0] ?? thisMonth + monthsAhead]
  for (const month of months) {
    fromMonth = Math.min(fromMonth, month)
    toMonth = Math.max(toMonth, month)
  }
  return { fromMonth, toMonth }
}

function itemsOf(body: unknown): Record<string, unknown>[] {
  const list = isRecord(body) ? body['ari'] : undefined
  if (Array.isArray(list)) return list.filter(isRecord)
  return isRecord(body) ? [body] : []
}

const plainFields = Object.entries(fieldNumber).filter(([name]) => name !== 'anyGuestPrice')

function revisionColumns(block: Block): { name: string; revisions: readonly number[] }[] {
  const guestFields = block.fields().filter(isGuestPriceField)
  const fields: [string, number][] = [
    ...plainFields,
    ...guestFields.map((field): [string, number] => [bucketName(field), field]),
  ]
  return fields.flatMap(([name, field]) => {
    const revisions = block.revisions(field)
    return revisions ? [{ name, revisions }] : []
  })
}

function bucketName(field: number): string {
  const { ageCategory, guests } = guestBucket(field)
  return `${ageCategory} ${guests}`
}

type Range = { roomNo: number; rateNo: number; from: number; to: number; fields: string }

/** Consecutive nights with the same fields set. */
function rangesOf(cells: readonly ChangedCell[]): Range[] {
  const ranges: Range[] = []
  for (const { roomNo, rateNo, day, fields } of cells) {
    const last = ranges.at(-1)
    const goesOn =
      last?.roomNo === roomNo && last.rateNo === rateNo && last.to === day - 1 && last.fields === fields
    if (last && goesOn) last.to = day
    else ranges.push({ roomNo, rateNo, from: day, to: day, fields })
  }
  return ranges
}

async function named(db: Queryable, hotelId: number, ranges: readonly Range[]): Promise<NightsOfPush[]> {
  const codes = (list: Iterable<{ no: number; code: string }>) =>
    new Map([...list].map(({ no, code }) => [no, code]))
  const rooms = codes((await selectRooms(db, hotelId)).values())
  const rates = codes((await selectRates(db, hotelId)).values())
  return ranges.map(({ roomNo, rateNo, from, to, fields }) => ({
    roomId: rooms.get(roomNo) ?? '',
    // Number 0 is the room itself.
    rateId: rateNo === 0 ? null : (rates.get(rateNo) ?? ''),
    from: formatNight(from),
    to: formatNight(to),
    // A field without any value left in the month has no name any more.
    fields: fields === '' ? ['cleared'] : fields.split('\n'),
  }))
}
