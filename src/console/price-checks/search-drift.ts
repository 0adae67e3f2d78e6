import { answer, on, onEveryProblem, type Judge, type Mounted } from '../../http/mount.ts'
import { minorText } from '../../base/money.ts'
import type { Needs } from '../../postgres/needs.ts'
import { readLimit } from '../../http/query.ts'
import { rejectIfAny } from '../../http/rejected.ts'
import type { AnswerOf } from '../../http/route.ts'
import type { PriceChecker } from '../../price-check/checker.ts'
import { signedText } from '../../price-check/shown-check.ts'
import { selectAppliedPushes } from '../../push-log/store.ts'
import { minorDigits } from '../../reference/currencies.ts'
import { readNumber, readPlace, writePlace } from '../bookings/booking-query.ts'
import { readQueryOf } from '../deliveries/search.ts'
import { selectDrift, type DriftingRow, type DriftSearch } from './drift-store.ts'
import { driftPerPage, priceCheckConsoleRoutes, type DriftingNight } from './contract.ts'
import { instantOf } from '../deliveries/shown-delivery.ts'
import { readId } from '../suppliers/rules.ts'

/** GET /drift. */
export const searchDrift = (needs: Needs & { priceChecks: PriceChecker }): Mounted =>
  onEveryProblem(priceCheckConsoleRoutes.searchDrift, judge, async ({ read }) => {
    await needs.priceChecks.ledger.written()
    // One row more than shown, to learn whether there is a next page.
    const found = await selectDrift(needs.db, { ...read, limit: read.limit + 1 })
    const page = found.slice(0, read.limit)
    const last = found.length > read.limit ? page.at(-1) : undefined
    const said: AnswerOf<typeof priceCheckConsoleRoutes.searchDrift> = {
      nights: page.map(shownNight),
      nextCursor: last ? cursorOf(last) : null,
    }
    return answer(200, said)
  })

function cursorOf({ place: { share, hotelId, roomNo, rateNo, night } }: DriftingRow): string {
  return writePlace([share, hotelId, roomNo, rateNo, night])
}

const placeText = /^(\d[\d.e+-]{0,30}) (\d{1,10}) (\d{1,5}) (\d{1,5}) (\d{4}-\d\d-\d\d)$/

const judge: Judge<DriftSearch> = (sent, shapeProblems) => {
  const { query, wrong } = readQueryOf(sent, shapeProblems)
  const [share, hotel, room, rate, night] = readPlace(query, placeText, wrong) ?? []
  const after =
    night === undefined
      ? undefined
      : { share: Number(share), hotelId: Number(hotel), roomNo: Number(room), rateNo: Number(rate), night }
  const search = {
    supplierId: readNumber('supplierId', query, wrong),
    hotelId: readNumber('hotelId', query, wrong),
    after,
    limit: readLimit(query['limit'], driftPerPage, wrong),
  }
  rejectIfAny(wrong)
  return search
}

function shownNight({ place, ...row }: DriftingRow): DriftingNight {
  const { stored, live, lastAtMs, sinceAtMs, sinceRevision, largest, ...shown } = row
  const digits = minorDigits(row.currency) ?? 2
  const isCompared = stored !== null && live !== null
  return {
    ...shown,
    night: place.night,
    largest: signedText(largest, digits),
    stored: stored === null ? null : minorText(stored, digits),
    live: live === null ? null : minorText(live, digits),
    difference: isCompared ? signedText(live - stored, digits) : null,
    differencePercent: isCompared && stored > 0 ? Math.round(place.share * 1_000) / 10 : null,
    lastAt: instantOf(lastAtMs),
    since:
      sinceAtMs === null || sinceRevision === null
        ? null
        : { at: instantOf(sinceAtMs), revision: sinceRevision },
  }
}

/** GET /hotels/{hotelId}/revisions/{revision}/push. */
export const findPushOfRevision = ({ db }: Needs): Mounted =>
  on(priceCheckConsoleRoutes.findPushOfRevision, async ({ params }) => {
    const hotelId = readId(params.hotelId)
    const revision = /^\d{1,15}$/.test(params.revision) ? Number(params.revision) : undefined
    const isNone = hotelId === undefined || revision === undefined
    // Looked up only when somebody follows the link: it searches all pushes of the hotel.
    const [push] = isNone ? [] : await selectAppliedPushes(db, [{ hotelId, revision }])
    return answer(200, { pushId: push?.id ?? null })
  })
