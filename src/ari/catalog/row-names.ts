import type { Problem } from '../../http/rejected.ts'
import type { HotelCatalog } from './catalog.ts'

/** The supplier's codes of rooms and rates, and their numbers in the store. */

export type Codes = readonly (string | undefined)[]
export type NamedRows = { roomIds?: Codes; rateIds?: Codes }

/** The numbers of the codes; undefined if none are named. */
export function numbersOf({ roomIds, rateIds }: NamedRows, catalog: HotelCatalog) {
  const problems: Problem[] = []
  const roomNos = numbers(
    roomIds,
    catalog.roomNoByCode,
    { member: 'roomIds', type: 'ROOM_NOT_FOUND', message: 'RoomID not found' },
    problems,
  )
  const rateNos = numbers(
    rateIds,
    catalog.rateNoByCode,
    { member: 'rateIds', type: 'RATE_NOT_FOUND', message: 'RateID not found' },
    problems,
  )
  return { roomNos, rateNos, problems }
}

function numbers(
  codes: Codes | undefined,
  numberByCode: ReadonlyMap<string, number>,
  named: { member: string; type: string; message: string },
  problems: Problem[],
): number[] | undefined {
  return codes?.flatMap((code, index) => {
    if (code === undefined) return []
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

export function namesOf(catalog: HotelCatalog) {
  const roomCodeByNo = new Map([...catalog.roomNoByCode].map(([code, no]) => [no, code]))
  const rateCodeByNo = new Map([...catalog.rateNoByCode].map(([code, no]) => [no, code]))
  return {
    minorDigits: catalog.minorDigits,
    roomCode: (no: number) => roomCodeByNo.get(no) ?? unknownNumber(no),
    rateCode: (no: number) => rateCodeByNo.get(no) ?? unknownNumber(no),
  }
}

function unknownNumber(no: number): never {
  throw new Error(`ARI is stored for number ${no}, which is not in the catalog`)
}
