import { sumOfFees } from '../../offers/terms/fees.ts'
import { renderStayTotal } from '../../offers/terms/stay-total.ts'
import type { RoomState } from '../state.ts'

export const renderTotal = renderStayTotal

export function feesOf(rooms: readonly Pick<RoomState, 'fees'>[]): number {
  return rooms.reduce((sum, { fees = [] }) => sum + sumOfFees(fees), 0)
}
