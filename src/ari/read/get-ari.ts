import { counted } from '../../base/counted.ts'
import { parseNight } from '../../base/calendar.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { problemAt, rejectIfAny, type Problem } from '../../http/rejected.ts'
import type { BodyOf } from '../../http/route.ts'
import { answer, onEveryProblem, type Judge } from '../../http/calls/mount.ts'
import { readTransaction } from '../../postgres/transaction.ts'
import { wellFormedPart } from '../../http/validation/validate.ts'
import { guestsMaxOf } from '../../products/store.ts'
import { ariRoutes } from '../contract.ts'
import { hotelNotFound } from '../../hotels/hotel-rules.ts'
import type { CatalogNeeds } from '../catalog/catalog.ts'
import { inOrder, momentOf, momentProblems, pastBlocks, putBack, walkBackTo } from '../history/history.ts'
import type { MomentBody } from '../history/history-contract.ts'
import { itemErrors } from '../item-contract.ts'
import { readPresent } from '../history/read-present.ts'
import { namesOf, numbersOf, type Codes } from '../catalog/row-names.ts'
import { itemsOf, runsOf, type LeftOut } from './read-back.ts'
import { isIn, rangeNightsMax } from '../blocks/block-range.ts'

/** POST /push/getAri: the stored ARI, as a push that changes nothing. */
export const getAri = (needs: CatalogNeeds) =>
  onEveryProblem(ariRoutes.getAri, judge(needs), async ({ body, caller }) => {
    const from = parseNight(body.startDate) ?? 0
    const to = parseNight(body.endDate) ?? 0
    const { catalog, state, blocks } = await readTransaction(needs.db, (connection) =>
      selectStored(connection, needs, caller.supplierId, { body, from, to }),
    )
    const { runs, leftOut } = await runsOf(blocks, {
      from,
      to,
      currencyRevision: state.currencyRevision,
      guestsMaxOf: (roomNo, rateNo) => {
        const product = catalog.productOf(roomNo, rateNo)
        return product && guestsMaxOf(product)
      },
    })
    const { pricingModel, ari } = itemsOf(runs, namesOf(catalog))
    const warnings = warningsOf(leftOut, catalog.currency)
    return answer(200, {
      code: '200',
      message: 'ARI retrieved successfully',
      hotelId: body.hotelId,
      revision: state.revision,
      currency: catalog.currency,
      ...(pricingModel ? { pricingModel } : {}),
      ari,
      ...(warnings.length > 0 ? { warnings } : {}),
    })
  })

/** The handler reports unknown codes, from its own snapshot; here only alongside other problems. */
const judge =
  ({ catalogs }: CatalogNeeds): Judge<void, 'supplier'> =>
  async (sent, shapeProblems, { caller: { supplierId } }) => {
    const { hotelId, startDate, endDate, asOf, ...codes } = readable(sent, shapeProblems)
    const problems = [
      ...shapeProblems,
      ...rangeProblems(startDate, endDate),
      ...momentProblems(asOf, '/asOf', shapeProblems),
    ]
    if (problems.length === 0) return
    const catalog = hotelId === undefined ? undefined : await catalogs.of({ supplierId, hotelCode: hotelId })
    const unknown = hotelId === undefined || catalog ? [] : [hotelNotFound(hotelId)]
    rejectIfAny([...unknown, ...problems, ...(catalog ? numbersOf(codes, catalog).problems : [])])
  }

type ReadableBody = {
  hotelId?: string
  roomIds?: Codes
  rateIds?: Codes
  startDate?: string
  endDate?: string
  asOf?: MomentBody
}

function readable(sent: unknown, problems: readonly Problem[]): ReadableBody {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: what has not this shape is left out.
  return (problems.length === 0 ? sent : (wellFormedPart(sent, problems) ?? {})) as ReadableBody
}

type Requested = { body: BodyOf<typeof ariRoutes.getAri>; from: number; to: number }

async function selectStored(
  connection: Queryable,
  needs: CatalogNeeds,
  supplierId: number,
  { body, from, to }: Requested,
) {
  const { catalog, hotel, range, blocks } = await readPresent(
    connection,
    needs,
    { supplierId, hotelCode: body.hotelId },
    { rows: body, from, to, isHistory: body.asOf !== undefined },
  )
  if (!body.asOf) return { catalog, state: hotel, blocks }
  const moment = momentOf(body.asOf)
  const past = pastBlocks(blocks, isIn(range))
  const reached = await walkBackTo(connection, hotel, moment, {
    path: '/asOf',
    visit: (change) => {
      putBack(past, catalog.hotelId, change)
      return 'go on'
    },
  })
  const state = { ...hotel, revision: moment.revision ?? reached }
  return { catalog, state, blocks: inOrder(past) }
}

function rangeProblems(startDate: string | undefined, endDate: string | undefined): Problem[] {
  if (startDate === undefined || endDate === undefined) return []
  const from = parseNight(startDate) ?? 0
  const to = parseNight(endDate) ?? 0
  if (from > to) return [problemAt(itemErrors.datesReversed, '/startDate', startDate)]
  if (to - from < rangeNightsMax) return []
  const message = `startDate to endDate must span at most ${rangeNightsMax} nights`
  return [
    {
      type: 'RANGE_TOO_LONG',
      message,
      path: '/endDate',
      value: endDate,
      hint: 'Read the range in parts',
    },
  ]
}

function warningsOf({ formerCurrency, beyondOccupancy }: LeftOut, currency: string): Problem[] {
  const warnings: Problem[] = []
  if (formerCurrency > 0) {
    warnings.push({
      type: 'FORMER_CURRENCY',
      message: `Prices of ${counted(formerCurrency, 'night')} were pushed before the hotel's currency changed and cannot be sold`,
      hint: `Push them again in ${currency}`,
    })
  }
  if (beyondOccupancy > 0) {
    warnings.push({
      type: 'BEYOND_OCCUPANCY',
      message: `Prices of ${counted(beyondOccupancy, 'night')} are for more guests than the product allows and cannot be sold`,
      hint: 'Nothing to do, unless the occupancy is wrong: they can be sold again once it allows them',
    })
  }
  return warnings
}
