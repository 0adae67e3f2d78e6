import { shown, type Problem } from '../http/rejected.ts'
import { hotelFaults } from './contract.ts'

/** A hotel that the supplier never pushed, or that belongs to another supplier: both get the same answer. */
export function hotelNotFound(
  hotelId: string,
  fault: Problem = hotelFaults.notFound,
  path = '/hotelId',
): Problem {
  return { ...fault, path, value: shown(hotelId) }
}
