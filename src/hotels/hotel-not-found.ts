import { shown, type Problem } from '../http/rejected.ts'
import { hotelFaults } from './contract.ts'

/** A hotel that the supplier never pushed, or another's: both are unknown to it. */
export function hotelNotFound(hotelId: string): Problem {
  return { ...hotelFaults.notFound, path: '/hotelId', value: shown(hotelId) }
}
