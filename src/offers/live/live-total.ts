import type { DayNumber } from '../../base/calendar.ts'
import { termsOn } from '../../products/policies/arrival-terms.ts'
import { taxAnswer } from '../../taxes/compute/answered-price.ts'
import { totalOf } from '../../taxes/compute/compute.ts'
import type { BookableRoomRate, BookingCatalog } from '../stays/booking-catalog.ts'
import { partiesOf } from '../party.ts'
import { feeLines, sumOfFees } from '../terms/fees.ts'
import { renderStayTotal, type RenderedTotal } from '../terms/stay-total.ts'
import { roomOfText, type LiveNights } from '../stays/live-answers.ts'

/**
 * The total of rooms at the supplier's own amounts, with the pushed taxes and fees, as they would be booked. Call it for
 * room-rates only whose amounts for the arrival are known.
 */
export function liveTotal(
  catalog: BookingCatalog,
  { taxes: { entries }, policies }: BookableRoomRate,
  arrival: DayNumber,
  { rooms, prices }: { rooms: readonly string[]; prices: readonly LiveNights[] },
): RenderedTotal {
  const { minorDigits } = catalog
  const taxes = entries.map(({ tax }) => tax)
  const definitions = termsOn(policies, arrival)?.fees ?? []
  const different = [...new Set(rooms)]
  let fees = 0
  const taxed = rooms.map((text) => {
    const nights = (prices[different.indexOf(text)] ?? []).map((night, index) => ({
      ...night,
      day: arrival + index,
    }))
    const persons = partiesOf([roomOfText(text)], catalog).distinct[0]?.persons ?? 0
    const { total } = taxAnswer({ taxes, nights, persons, minorDigits })
    const base = { nights: nights.length, persons, afterTax: total.afterTax }
    fees += sumOfFees(feeLines(definitions, base, minorDigits))
    return { total }
  })
  return renderStayTotal(totalOf(taxed), fees, minorDigits)
}
