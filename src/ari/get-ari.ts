import { monthOf, parseNight } from '../platform/calendar.ts'
import { transaction, type Queryable } from '../platform/postgres.ts'
import { Rejected, rejectIfAny, type Problem } from '../platform/rejected.ts'
import type { BodyOf } from '../platform/route.ts'
import { answer, on } from '../platform/mount.ts'
import type { Catalogs, HotelCatalog } from './catalog.ts'
import { ariRoutes } from './contract.ts'
import { hotelNotFound, type AriNeeds } from './push-ari.ts'
import { itemsOf, runsOf } from './read-back.ts'
import { blocksReadMax, selectHotelBlocks, selectHotelState } from './store.ts'

/** As many nights as can be held: from the day before yesterday to the last that can be pushed, and a little more. */
const rangeNightsMax = 800

/** POST /push/getAri: what is held, as a push that changes nothing. */
export const getAri = (needs: AriNeeds) =>
  on(ariRoutes.getAri, async ({ body, caller }) => {
    const from = parseNight(body.startDate) ?? 0
    const to = parseNight(body.endDate) ?? 0
    rejectIfAny(rangeProblems(from, to, body))
    const { catalog, state, blocks } = await transaction(needs.db, (connection) =>
      selectHeld(connection, needs.catalogs, caller.supplierId, { body, from, to }),
    )
    const { runs, staleNights } = await runsOf(blocks, { from, to, currencyRevision: state.currencyRevision })
    const { pricingModel, ari } = itemsOf(runs, namesOf(catalog))
    return answer(200, {
      code: '200',
      message: 'ARI retrieved successfully',
      hotelId: body.hotelId,
      revision: state.revision,
      currency: catalog.currency,
      ...(pricingModel ? { pricingModel } : {}),
      ari,
      ...(staleNights > 0 ? { warnings: [formerCurrency(staleNights, catalog.currency)] } : {}),
    })
  })

type Asked = { body: BodyOf<typeof ariRoutes.getAri>; from: number; to: number }

async function selectHeld(connection: Queryable, catalogs: Catalogs, supplierId: number, asked: Asked) {
  const { body, from, to } = asked
  // One snapshot: a push between the statements would show its nights under the revision or the names before it.
  await connection.query('set transaction isolation level repeatable read read only')
  const catalog = await catalogs.current(connection, supplierId, body.hotelId)
  if (!catalog) throw hotelNotFound(body.hotelId)
  const problems: Problem[] = []
  const roomNos = numbers(
    body.roomIds,
    catalog.roomNoByCode,
    { member: 'roomIds', type: 'ROOM_NOT_FOUND', message: 'RoomID not found' },
    problems,
  )
  const rateNos = numbers(
    body.rateIds,
    catalog.rateNoByCode,
    { member: 'rateIds', type: 'RATE_NOT_FOUND', message: 'RateID not found' },
    problems,
  )
  rejectIfAny(problems, 404)
  const state = await selectHotelState(connection, catalog.hotelId)
  const blocks = await selectHotelBlocks(connection, catalog.hotelId, {
    fromMonth: monthOf(from),
    toMonth: monthOf(to),
    roomNos,
    // The room's own row belongs to whatever rate is asked for.
    rateNos: rateNos && [0, ...rateNos],
  })
  if (blocks.length > blocksReadMax) throw tooMuch()
  return { catalog, state, blocks }
}

function tooMuch(): Rejected {
  return new Rejected(400, {
    type: 'READ_TOO_LARGE',
    message: `More than ${blocksReadMax} months of rooms and rates are asked for`,
    path: '/roomIds',
    hint: 'Name fewer roomIds or rateIds, or a shorter range, and read the rest with further calls',
  })
}

function rangeProblems(from: number, to: number, body: { startDate: string; endDate: string }): Problem[] {
  if (from > to) {
    return [
      {
        type: 'DATES_REVERSED',
        message: 'startDate must not be later than endDate',
        path: '/startDate',
        value: body.startDate,
        hint: 'Both dates are included',
      },
    ]
  }
  if (to - from < rangeNightsMax) return []
  const message = `startDate to endDate must be at most ${rangeNightsMax} nights`
  return [
    {
      type: 'RANGE_TOO_LONG',
      message,
      path: '/endDate',
      value: body.endDate,
      hint: 'Read the range in parts',
    },
  ]
}

function numbers(
  codes: readonly string[] | undefined,
  numberByCode: ReadonlyMap<string, number>,
  named: { member: string; type: string; message: string },
  problems: Problem[],
): number[] | undefined {
  return codes?.flatMap((code, index) => {
    const number = numberByCode.get(code)
    if (number !== undefined) return [number]
    problems.push({
      type: named.type,
      message: named.message,
      path: `/${named.member}/${index}`,
      value: code,
      hint: 'Use a code pushed with POST /push/products',
    })
    return []
  })
}

function namesOf(catalog: HotelCatalog) {
  const roomCodeByNo = new Map([...catalog.roomNoByCode].map(([code, no]) => [no, code]))
  const rateCodeByNo = new Map([...catalog.rateNoByCode].map(([code, no]) => [no, code]))
  return {
    minorDigits: catalog.minorDigits,
    roomCode: (no: number) => roomCodeByNo.get(no) ?? unknownNumber(no),
    rateCode: (no: number) => rateCodeByNo.get(no) ?? unknownNumber(no),
  }
}

function unknownNumber(no: number): never {
  throw new Error(`ARI is held for number ${no}, which the catalog does not know`)
}

function formerCurrency(nights: number, currency: string): Problem {
  return {
    type: 'FORMER_CURRENCY',
    message: `Prices of ${nights} night${nights === 1 ? '' : 's'} were pushed before the hotel's currency changed and cannot be sold`,
    hint: `Push them again in ${currency}`,
  }
}
