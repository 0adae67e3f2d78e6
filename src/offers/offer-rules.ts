import { parseNight } from '../base/calendar.ts'
import { shown, type Problem } from '../http/rejected.ts'
import { isRecord } from '../http/validate.ts'
import { offerFaults, stayNightsMax } from './contract.ts'

/**
 * The problems of a search that its schema can't express. The body may have any shape: parts that the schema
 * refuses are skipped.
 */
export function offerProblems(body: unknown): Problem[] {
  if (!isRecord(body)) return []
  const hotels: unknown[] = Array.isArray(body['hotels']) ? body['hotels'] : []
  return [
    ...hotels.flatMap((reference, index) => referenceProblems(reference, `/hotels/${index}`)),
    ...stayProblems(body),
  ]
}

export function referenceProblems(reference: unknown, path: string): Problem[] {
  if (!isRecord(reference)) return []
  const { platformHotelId, supplier, hotelId } = reference
  if (platformHotelId === undefined) {
    if (supplier !== undefined && hotelId !== undefined) return []
    return [{ ...offerFaults.referenceMissing, path }]
  }
  if (supplier === undefined && hotelId === undefined) return []
  return [{ ...offerFaults.referenceAmbiguous, path }]
}

export function stayProblems({ checkin, checkout }: Record<string, unknown>): Problem[] {
  const [arrival, departure] = [checkin, checkout].map((day) =>
    typeof day === 'string' ? parseNight(day) : undefined,
  )
  if (arrival === undefined || departure === undefined) return []
  const path = '/checkout'
  const value = shown(checkout)
  if (departure <= arrival) return [{ ...offerFaults.datesReversed, path, value }]
  if (departure - arrival <= stayNightsMax) return []
  return [{ ...offerFaults.stayTooLong, path, value }]
}
