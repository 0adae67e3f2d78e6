import { firstDay, type DayNumber } from '../../base/calendar.ts'
import type { Block } from '../blocks/block.ts'
import { unset } from '../blocks/block-codec.ts'

/** The prices of a month from today on, without those in a former currency. */
export function futurePrices(
  block: Block,
  field: number,
  { month, today, currencyRevision }: { month: number; today: DayNumber; currencyRevision: number },
): { day: DayNumber; price: number }[] {
  const values = block.values(field)
  if (!values) return []
  const revisions = currencyRevision > 0 ? block.revisions(field) : undefined
  const first = firstDay(month)
  return values.flatMap((price, night) => {
    const isFormer = revisions !== undefined && (revisions[night] ?? unset) <= currencyRevision
    return price === unset || isFormer || first + night < today ? [] : [{ day: first + night, price }]
  })
}
