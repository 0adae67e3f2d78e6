import { firstDay, formatNight, type MonthNumber } from '../../base/calendar.ts'
import { counted } from '../../base/counted.ts'
import type { Problem } from '../../http/rejected.ts'
import { unset } from '../blocks/block-codec.ts'
import { countNights, nightsIn, type MonthNights, type NightMask } from '../blocks/month.ts'
import type { HotelCatalog } from '../catalog/catalog.ts'
import { namesOf } from '../catalog/row-names.ts'
import { fieldNumber, type FieldValue } from '../fields.ts'

/**
 * Nights for which two items of a push state different units of one row. The last item counts. Often the units are meant as
 * those of rates: in the flat form `inventory` is the room's.
 */

/** The changes of an item, as a plan has them. */
type Item = {
  rows: readonly {
    roomNo: number
    rateNo: number
    months: readonly MonthNights[]
    sets: readonly FieldValue[]
  }[]
}

type Stated = { mask: NightMask; value: number; index: number }
type Clash = { month: MonthNumber; mask: NightMask; index: number }

/** The warnings, by the index of the item whose units count instead of an earlier one's. */
export function repeatedUnits(items: readonly Item[], catalog: HotelCatalog): [number, Problem][] {
  if (items.length < 2) return []
  const statedByRow = new Map<string, Map<MonthNumber, Stated[]>>()
  const warnings: [number, Problem][] = []
  let names: ReturnType<typeof namesOf> | undefined
  for (const [index, { rows }] of items.entries()) {
    for (const row of rows) {
      const set = row.sets.find(({ field }) => field === fieldNumber.inventory)
      if (!set) continue
      const name = `${row.roomNo}/${row.rateNo}`
      const stated = statedByRow.get(name) ?? new Map<MonthNumber, Stated[]>()
      statedByRow.set(name, stated)
      const clashes = row.months.flatMap((nights) => clashesOf(stated, nights, set.value, index))
      if (clashes.length === 0) continue
      names ??= namesOf(catalog)
      warnings.push([index, warningOf(clashes, { ...row, value: set.value }, index, names)])
    }
  }
  return warnings
}

/** Where the nights were stated with other units; then those of this item are noted. */
function clashesOf(
  statedByMonth: Map<MonthNumber, Stated[]>,
  { month, mask }: { month: MonthNumber; mask: NightMask },
  value: number,
  index: number,
): Clash[] {
  const stated = statedByMonth.get(month) ?? []
  const clashes = stated.flatMap((earlier) => {
    const both = earlier.mask & mask
    return both !== 0 && earlier.value !== value ? [{ month, mask: both, index: earlier.index }] : []
  })
  // Only the last of a night is kept: it is the one that counts so far.
  const left = stated.flatMap((earlier) => {
    const rest = earlier.mask & ~mask
    return rest === 0 ? [] : [{ ...earlier, mask: rest }]
  })
  statedByMonth.set(month, [...left, { mask, value, index }])
  return clashes
}

const datesListedMax = 5

function warningOf(
  clashes: readonly Clash[],
  { roomNo, rateNo, value }: { roomNo: number; rateNo: number; value: number },
  index: number,
  names: ReturnType<typeof namesOf>,
): Problem {
  const room = names.roomCode(roomNo)
  const row = rateNo === 0 ? room : `${room} / ${names.rateCode(rateNo)}`
  const count = clashes.reduce((sum, { mask }) => sum + countNights(mask), 0)
  const more = count > datesListedMax ? `, and ${count - datesListedMax} more` : ''
  const earlier = [...new Set(clashes.map((clash) => `/ari/${clash.index}`))].slice(0, datesListedMax)
  const counts = value === unset ? 'none' : String(value)
  return {
    type: 'INVENTORY_TWICE',
    message: `${row} has another inventory earlier in this push for ${counted(count, 'night')} (${datesOf(clashes).join(', ')}${more}): the last one, ${counts}, counts`,
    path: `/ari/${index}`,
    hint: `The other is at ${earlier.join(', ')}. An item's inventory is that of the room, for all its rates; a rate's own share goes into its entry of rates`,
  }
}

function datesOf(clashes: readonly Clash[]): string[] {
  return clashes
    .flatMap(({ month, mask }) => nightsIn(mask).map((night) => firstDay(month) + night))
    .sort((one, other) => one - other)
    .slice(0, datesListedMax)
    .map(formatNight)
}
