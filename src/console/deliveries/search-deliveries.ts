import { answer, onEveryProblem, type Judge, type Mounted } from '../../http/mount.ts'
import type { Needs } from '../../postgres/needs.ts'
import { readLimit } from '../../http/query.ts'
import { rejectIfAny } from '../../http/rejected.ts'
import type { AnswerOf } from '../../http/route.ts'
import { readPlace, writePlace } from '../bookings/booking-query.ts'
import { deliveriesPerPage, deliveryConsoleRoutes } from './contract.ts'
import { readDeliverySearch, readQueryOf, type DeliverySearch } from './search.ts'
import {
  selectAllDeliveries,
  selectOpenDeliveries,
  type DeliveryPlace,
  type DeliveryRow,
  type Page,
} from './store.ts'
import { placesOf, shownListed } from './shown-delivery.ts'

/** GET /deliveries. */
export const searchDeliveries = (needs: Needs): Mounted =>
  onEveryProblem(deliveryConsoleRoutes.searchDeliveries, judge(needs), async ({ read }) => {
    const { db } = needs
    const { search, after, limit } = read
    // One row more than shown, to learn whether there is a next page.
    const page: Page = { after, limit: limit + 1 }
    const found =
      search.kind === 'open'
        ? await selectOpenDeliveries(db, search.search, page)
        : await selectAllDeliveries(db, search, page)
    const rows = found.slice(0, limit)
    const last = found.length > limit ? rows.at(-1) : undefined
    const places = await placesOf(db, rows)
    const said: AnswerOf<typeof deliveryConsoleRoutes.searchDeliveries> = {
      deliveries: rows.map((row) => shownListed(row, places)),
      nextCursor: last ? cursorOf(last) : null,
    }
    return answer(200, said)
  })

type Read = { search: DeliverySearch; after: DeliveryPlace | undefined; limit: number }

const judge =
  ({ clock }: Needs): Judge<Read> =>
  (sent, shapeProblems) => {
    const { query, wrong } = readQueryOf(sent, shapeProblems)
    const search = readDeliverySearch(query, clock.now(), wrong)
    const [createdAtMs, id] = readPlace(query, placeText, wrong) ?? []
    const limit = readLimit(query['limit'], deliveriesPerPage, wrong)
    rejectIfAny(wrong)
    const after = id === undefined ? undefined : { createdAtMs: Number(createdAtMs), id }
    return { search, after, limit }
  }

const placeText = /^(\d{1,15}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

function cursorOf({ createdAtMs, id }: DeliveryRow): string {
  return writePlace([createdAtMs, id])
}
