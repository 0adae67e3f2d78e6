import { roomRateKey } from '../products/store.ts'
import type { Tax } from './contract.ts'
import type { Scope, ScopedTaxes } from './store.ts'

/** One entry as it appears in `taxesColumn`. */
export type HeldTax = Scope &
  Omit<Tax, 'startDate' | 'endDate'> & { startDate: string | null; endDate: string | null }

/** All taxes of a hotel as one JSON value, for queries that read the hotel's row; `hotelId` is SQL. */
export function taxesColumn(hotelId: string): string {
  return `(select coalesce(json_agg(json_build_object('roomNo', room_no, 'rateNo', rate_no, 'type', type,
      'valueType', value_type, 'value', value::text, 'appliedOn', applied_on, 'appliedPer', applied_per,
      'included', included, 'payNow', pay_now, 'startDate', start_date, 'endDate', end_date)
      order by room_no, rate_no, position), '[]')
    from tax where hotel_id = ${hotelId})`
}

export function scopesOf(rows: readonly HeldTax[]): ScopedTaxes[] {
  const byScope = Map.groupBy(rows, ({ roomNo, rateNo }) => roomRateKey(roomNo, rateNo))
  return [...byScope.values()].flatMap((ofScope) => {
    const [first] = ofScope
    if (!first) return []
    const taxes = ofScope.map(({ roomNo: _roomNo, rateNo: _rateNo, startDate, endDate, ...tax }) => ({
      ...tax,
      ...(startDate === null || endDate === null ? {} : { startDate, endDate }),
    }))
    return [{ roomNo: first.roomNo, rateNo: first.rateNo, taxes }]
  })
}
