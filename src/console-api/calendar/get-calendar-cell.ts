import { decodeBefore } from '../../ari/blocks/before-values.ts'
import { unset } from '../../ari/blocks/block-codec.ts'
import type { Block } from '../../ari/blocks/block.ts'
import { fieldNumber, guestBucket, isGuestPriceField, isPriceField } from '../../ari/fields.ts'
import { historyFieldOf } from '../../ari/history/replaced-values.ts'
import { isSwitch, restrictionNames } from '../../ari/restrictions.ts'
import type { BookableRoomRate, BookingCatalog } from '../../offers/stays/booking-catalog.ts'
import type { Origin } from '../../offers/explain/revisions.ts'
import { RoomRateDays, type RowName } from '../../offers/stays/room-rate-days.ts'
import { readSetters } from '../../offers/explain/set-by.ts'
import type { HotelStay } from '../../offers/stays/stays.ts'
import { firstDay, formatNight, monthOf, parseNight, type DayNumber } from '../../base/calendar.ts'
import { minorText } from '../../base/money.ts'
import { answer, on, type Mounted } from '../../http/calls/mount.ts'
import { calendarRoutes, type CellValue, type CalendarCell, type CellPush } from './contract.ts'
import { namedSetters } from './store.ts'
import { readHotelStay, roomRateNamed } from '../hotels/store.ts'
import type { CalendarNeeds } from './get-calendar.ts'
import { setImmediate as breathe } from 'node:timers/promises'
import type { Queryable } from '../../postgres/postgres.ts'
import { workOn } from '../../push-log/bodies/body-work.ts'
import { ArchiveUnavailable, type Archive } from '../../push-log/bodies/archive.ts'
import { readItemsThatName, type NamedCell } from './items-of-cell.ts'
import { readBodiesOfPushes, selectNightPushes, type AppliedPush } from '../../push-log/read/store.ts'

/** GET /hotels/{hotelId}/calendar/cell. */
export const getCalendarCell = (needs: CalendarNeeds & { archive: Archive }): Mounted =>
  on(calendarRoutes.getCalendarCell, async ({ params, query, operator }) => {
    const night = parseNight(query.night) ?? 0
    const stay = await readHotelStay(needs.stays, params.hotelId, { firstDay: night, lastDay: night })
    const { catalog, revision } = stay
    const roomRate = roomRateNamed(catalog, { roomId: query.room, rateId: query.rate }, '?room', '?rate')
    const rows: RowName[] = query.rate === undefined ? ['room'] : ['room', 'rate']
    const cellValues = cellValuesOf(stay, roomRate, rows, night)
    const origins = cellValues.map(({ origin }) => ({ origin }))
    const setterOf = await readSetters(needs.db, [{ catalog, tested: [{ roomRate, rules: origins }] }])
    const setBy = await namedSetters(
      needs.db,
      catalog.hotelId,
      origins.map(({ origin }) => setterOf(catalog, roomRate, origin)),
      operator,
    )
    const history = await readCellHistory(needs, catalog.hotelId, {
      roomId: query.room,
      rateId: query.rate,
      rows: rows.map((row) => ({ roomNo: roomRate.roomNo, rateNo: row === 'room' ? 0 : roomRate.rateNo })),
      night,
    })
    return answer(200, {
      night: formatNight(night),
      roomId: roomRate.room.code,
      roomName: roomRate.room.name,
      rateId: query.rate ?? null,
      rateName: query.rate === undefined ? null : roomRate.rate.name,
      currency: catalog.currency,
      revision,
      values: cellValues.map(({ value }, index) => ({ ...value, setBy: setBy[index] ?? null })),
      ...history,
    })
  })

type CellContent = { value: Omit<CellValue, 'setBy'>; origin: Origin }

const plainNames = ['inventory', ...restrictionNames] as const
type PlainName = (typeof plainNames)[number]
const plainNameOf = new Map<number, PlainName>(plainNames.map((name) => [fieldNumber[name], name]))

/** The values on the night, including cleared ones. */
function cellValuesOf(
  stay: HotelStay,
  roomRate: BookableRoomRate,
  rows: readonly RowName[],
  night: DayNumber,
): CellContent[] {
  const days = new RoomRateDays(stay, { from: night, days: 1 }, [])
  days.turnTo(roomRate)
  const index = night - firstDay(monthOf(night))
  return rows.flatMap((row) => {
    const [block] = days.blocks(row)
    if (!block) return []
    return fieldsOf(block).flatMap((field): CellContent[] => {
      const revision = block.revisions(field)?.[index] ?? unset
      if (revision === unset) return []
      const value = block.values(field)?.[index] ?? unset
      return [
        {
          value: {
            of: row,
            ...fieldName(field, value, stay.catalog),
            ...formerOf(field, value, revision, stay),
            revision,
          },
          origin: { kind: 'ari', revision, row, field, day: night },
        },
      ]
    })
  })
}

function fieldsOf(block: Block): number[] {
  const fields = new Set([...plainNameOf.keys(), fieldNumber.unitPrice, ...block.fields()])
  // Prices first, by guest bucket, then the other fields by number.
  return [...fields].sort(
    (one, other) => Number(isPriceField(other)) - Number(isPriceField(one)) || one - other,
  )
}

function fieldName(
  field: number,
  value: number,
  { minorDigits }: BookingCatalog,
): Omit<CellValue, 'of' | 'revision' | 'setBy'> {
  if (isPriceField(field)) {
    const bucket = isGuestPriceField(field) ? guestBucket(field) : {}
    return { field: 'price', ...bucket, value: value === unset ? null : minorText(value, minorDigits) }
  }
  const name = plainNameOf.get(field)
  if (name === undefined) throw new RangeError(`field ${field} has no name`)
  if (value === unset) return { field: name, value: null }
  return { field: name, value: name !== 'inventory' && isSwitch(name) ? true : value }
}

function formerOf(
  field: number,
  value: number,
  revision: number,
  { currencyRevision }: HotelStay,
): { isFormerCurrency?: boolean } {
  const isFormer = isPriceField(field) && value !== unset && revision <= currencyRevision
  return isFormer ? { isFormerCurrency: true } : {}
}

/** The search ends at the first of these limits. */
const pushesFoundMax = 30
const pushesSearchedMax = 400
const bytesSearchedMax = 16 * 1024 * 1024
const pushesAtOnce = 40

type Cell = NamedCell & { rows: readonly { roomNo: number; rateNo: number }[] }

/** The pushes in the log that include a night of a room or room-rate, newest first, as far back as one request searches. */
async function readCellHistory(
  { db, archive }: { db: Queryable; archive: Archive },
  hotelId: number,
  cell: Cell,
): Promise<Pick<CalendarCell, 'history' | 'searchedBackTo' | 'archiveAwayAt' | 'isWhole'>> {
  const history: CellPush[] = []
  let searched = 0
  let bytes = 0
  let searchedBackTo: string | null = null
  let before: { id: number; at: string } | undefined
  while (history.length < pushesFoundMax && searched < pushesSearchedMax && bytes < bytesSearchedMax) {
    const pushes = await selectNightPushes(db, hotelId, { before, limit: pushesAtOnce })
    const { bodyById, isArchiveAway } = await readReachableBodies(db, pushes, archive)
    for (const push of pushes) {
      if (isArchiveAway && !bodyById.has(push.id))
        return { history, searchedBackTo, archiveAwayAt: push.at, isWhole: false }
      before = push
      searchedBackTo = push.at
      searched++
      bytes += push.bodyBytes
      const body = bodyById.get(push.id)
      const items = push.replaced
        ? fieldsUndone(push.replaced, cell)
        : body
          ? await workOn(readItemsThatName, push.supplierId, [body], cell)
          : []
      const { id: pushId, requestId, at, outcome, revision } = push
      const kind = push.kind === 'stopSell' || push.kind === 'undo' ? push.kind : 'ari'
      if (items.length > 0) history.push({ pushId, requestId, at, kind, outcome, revision, items })
      if (history.length >= pushesFoundMax || bytes >= bytesSearchedMax)
        return { history, searchedBackTo, archiveAwayAt: null, isWhole: false }
    }
    if (pushes.length < pushesAtOnce) return { history, searchedBackTo, archiveAwayAt: null, isWhole: true }
    await breathe()
  }
  return { history, searchedBackTo, archiveAwayAt: null, isWhole: false }
}

/** The fields of the night that an undo changed. */
function fieldsUndone(replaced: Buffer, { rows, night }: Cell): CellPush['items'] {
  const bit = 1 << (night - firstDay(monthOf(night)))
  const fields = decodeBefore(replaced)
    .blocks.filter(
      ({ roomNo, rateNo, month }) =>
        month === monthOf(night) && rows.some((row) => row.roomNo === roomNo && row.rateNo === rateNo),
    )
    .flatMap((block) => block.fields.filter(({ mask }) => (mask & bit) !== 0))
  const undone = [...new Set(fields.map(({ field }) => historyFieldOf(field)))]
  return undone.length === 0 ? [] : [{ item: 0, sent: { undone } }]
}

/** While the archive is away, only those in the store: the values of a night must not wait for it. */
async function readReachableBodies(
  db: Queryable,
  pushes: readonly AppliedPush[],
  archive: Archive,
): Promise<{ bodyById: ReadonlyMap<number, Buffer>; isArchiveAway: boolean }> {
  try {
    return { bodyById: await readBodiesOfPushes(db, pushes, archive), isArchiveAway: false }
  } catch (error) {
    if (!(error instanceof ArchiveUnavailable)) throw error
    return { bodyById: await readBodiesOfPushes(db, pushes), isArchiveAway: true }
  }
}
