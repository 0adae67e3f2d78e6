import { answer, onEveryProblem, type Judge, type Mounted } from '../platform/mount.ts'
import type { Needs } from '../platform/needs.ts'
import {
  readableQuery,
  readCursor,
  readLimit,
  readSince,
  readUntil,
  refuseEmptyRange,
  writeCursor,
} from '../platform/query.ts'
import { minorText } from '../platform/money.ts'
import { rejectIfAny, shown } from '../platform/rejected.ts'
import { selectHotelIds } from '../push-log/store.ts'
import { minorDigits } from '../reference/currencies.ts'
import { webhookIdOf } from './ask-supplier.ts'
import type { PriceChecker } from './checker.ts'
import { checksPerPage, ownHotelNotFound, priceCheckRoutes, type ListedCheck } from './contract.ts'
import { readDrift } from './read-drift.ts'
import { failureOf, signedText } from './shown-check.ts'
import { selectChecks, type CheckRow } from './store.ts'

/** GET /push/priceChecks. */
export const listPriceChecks = (needs: Needs & { priceChecks: PriceChecker }): Mounted =>
  onEveryProblem(priceCheckRoutes.listPriceChecks, judge(needs), async ({ query, caller, read }) => {
    await needs.priceChecks.ledger.written()
    const { limit, hotel, ...place } = read
    const { roomId, rateId, outcome } = query
    const filter = { ...place, hotel, roomId, rateId, outcome }
    // One more than asked for tells whether there is another page.
    const found = await selectChecks(needs.db, caller.supplierId, filter, limit + 1)
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    const isFirstPage = place.beforeId === undefined
    const drift =
      hotel === undefined || !isFirstPage ? undefined : await readDrift(needs.db, { hotel, roomId, rateId })
    return answer(200, {
      code: '200',
      message: 'Price checks retrieved successfully',
      priceChecks: page.map(listed),
      nextCursor: last ? writeCursor(last.id) : null,
      ...(drift ? { drift } : {}),
    })
  })

type Place = {
  hotel: number | undefined
  sinceMs: number | undefined
  untilMs: number | undefined
  beforeId: number | undefined
  limit: number
}

const judge =
  ({ db }: Needs): Judge<Place> =>
  async (sent, shapeProblems, { supplierId }) => {
    const { hotelId, since, until, cursor, limit: most } = readableQuery(sent, shapeProblems)
    const wrong = [...shapeProblems]
    const sinceMs = readSince('since', since, wrong)
    const untilMs = readUntil('until', until, wrong)
    refuseEmptyRange(sinceMs, untilMs, wrong)
    const beforeId = readCursor(cursor, wrong)
    const limit = readLimit(most, checksPerPage, wrong)
    const hotel =
      hotelId === undefined ? undefined : (await selectHotelIds(db, supplierId, [hotelId])).get(hotelId)
    const isUnknown = hotelId !== undefined && hotel === undefined
    const unknown = isUnknown ? [{ ...ownHotelNotFound, path: '?hotelId', value: shown(hotelId) }] : []
    rejectIfAny([...unknown, ...wrong], wrong.length > 0 ? 400 : 404)
    return { hotel, sinceMs, untilMs, beforeId, limit }
  }

function listed(row: CheckRow): ListedCheck {
  const { currency, reason, message, httpStatus, liveInventory, difference } = row
  const digits = minorDigits(currency) ?? 2
  const texts = (amounts: readonly number[] | null): string[] | null =>
    amounts && amounts.map((amount) => minorText(amount, digits))
  return {
    priceCheckId: row.checkId,
    webhookId: row.callId === null ? null : webhookIdOf(row.callId),
    at: new Date(Math.round(row.atMs)).toISOString(),
    hotelId: row.hotelId,
    roomId: row.roomId,
    rateId: row.rateId,
    checkin: row.checkin,
    checkout: row.checkout,
    roomCount: row.roomCount,
    adultCount: row.adultCount,
    childAges: row.childAges,
    outcome: row.outcome,
    bookable: row.bookable,
    live:
      liveInventory === null
        ? null
        : {
            currency,
            inventory: liveInventory,
            amountBeforeTax: texts(row.liveBeforeTax) ?? [],
            amountAfterTax: texts(row.liveAfterTax) ?? [],
          },
    stored: {
      currency,
      inventory: row.storedInventory,
      amountBeforeTax: texts(row.storedBeforeTax),
      amountAfterTax: texts(row.storedAfterTax),
      bookable: row.storedBookable,
      revision: row.revision,
    },
    difference: difference === null ? null : signedText(difference, digits),
    durationMs: row.durationMs,
    ...(reason === null || message === null
      ? {}
      : { failure: failureOf({ reason, message, httpStatus: httpStatus ?? undefined }) }),
  }
}
