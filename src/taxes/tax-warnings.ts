import { counted } from '../base/counted.ts'
import type { Problem } from '../http/rejected.ts'
import type { BodyOf, ConstraintError } from '../http/route.ts'
import type { HotelRow } from '../hotels/store.ts'
import type { Needs, Queryable } from '../postgres/postgres.ts'
import type { Tax, taxRoutes } from './contract.ts'
import { exactDecimal } from './decimals.ts'
import { priceFloors, type PriceFloor } from './price-floor.ts'

/** What an accepted push of taxes is told: what is stored as sent, but is probably not meant. */

/** Of accepted pushes, which are stored as sent; messages name what there is. */
export const taxWarnings = {
  exceedPrice: {
    type: 'TAXES_EXCEED_PRICE',
    message: 'Stored nights can no longer be sold: a price is below the taxes that it includes',
    hint: 'Taxes marked included are part of the pushed price; send a smaller value, or push higher prices',
  },
  onSaleAgain: {
    type: 'PRICES_ON_SALE_AGAIN',
    message: 'Stored nights can be sold again: a price was below the taxes that it included',
    hint: 'Nobody could buy at these prices until now; push them again if they are not what is meant',
  },
  typeRepeated: {
    type: 'TAX_TYPE_REPEATED',
    message: 'A type of tax is charged twice on the same nights',
    hint: 'Both are charged; if the later one replaces the former, send only that one',
  },
  percentHigh: {
    type: 'TAX_PERCENT_HIGH',
    message: 'A percentage is more than the price',
    hint: 'Stored as sent; send 10 for 10 %',
  },
} as const satisfies Record<string, ConstraintError>

export type TaxNeeds = Needs & {
  /** The stored nights with a price that only the taxes of `after` exceed. Prices belong to ARI, which taxes don't depend on. */
  countNightsBelow: (
    connection: Queryable,
    hotel: HotelRow,
    floors: { before: PriceFloor | undefined; after: PriceFloor },
  ) => Promise<{ count: number; isWhole: boolean }>
}

type Body = Pick<BodyOf<typeof taxRoutes.pushTaxes>, 'taxes' | 'products'>

/** Of the taxes alone: percentages above 100, and types that come twice in one scope for one night. */
export function oddTaxes({ taxes, products = [] }: Body): Problem[] {
  const lists = [
    { list: taxes ?? [], path: '/taxes' },
    ...products.map((scope, index) => ({ list: scope.taxes, path: `/products/${index}/taxes` })),
  ]
  return lists.flatMap(({ list, path }) =>
    list.flatMap((tax, index) => [
      ...(tax.valueType === '%' && Number(tax.value) > 100
        ? [
            {
              ...taxWarnings.percentHigh,
              message: `${tax.type} of ${exactDecimal(tax.value)} % is more than the price`,
              path: `${path}/${index}/value`,
              value: tax.value,
            },
          ]
        : []),
      ...repeatedType(list, index, path),
    ]),
  )
}

function repeatedType(list: readonly Tax[], index: number, path: string): Problem[] {
  const tax = list[index]
  const first = list.findIndex((other, place) => place < index && tax !== undefined && meets(tax, other))
  if (first === -1) return []
  return [
    {
      ...taxWarnings.typeRepeated,
      message: `${tax?.type} is charged twice on the same nights: ${path}/${first} applies to them too`,
      path: `${path}/${index}`,
    },
  ]
}

/** Whether both are of one type and apply to a night in common. Dates sort as text. */
function meets(one: Tax, other: Tax): boolean {
  const isBefore = ({ endDate }: Tax, { startDate }: Tax): boolean =>
    endDate !== undefined && startDate !== undefined && endDate < startDate
  return one.type === other.type && !isBefore(one, other) && !isBefore(other, one)
}

/** The lowest prices that cover the hotel's stored taxes. */
export async function readPriceFloor(
  connection: Queryable,
  hotelId: number,
  minorDigits: number,
): Promise<PriceFloor | undefined> {
  const { rows } = await connection.query<{ stored: unknown }>(
    `select ${priceFloors.column('$1::int')} as stored`,
    [hotelId],
  )
  return priceFloors.of(rows[0]?.stored ?? null, minorDigits)
}

/**
 * How many stored nights the new taxes take off sale, and bring back to it: a price that nobody could buy was held back by
 * no guard.
 */
export async function exceededWarnings(
  { countNightsBelow }: TaxNeeds,
  connection: Queryable,
  hotel: HotelRow,
  { before, after }: { before: PriceFloor | undefined; after: PriceFloor | undefined },
): Promise<Problem[]> {
  const nightsBelow = async (floor?: PriceFloor, other?: PriceFloor): Promise<string | undefined> => {
    if (!floor) return undefined
    const { count, isWhole } = await countNightsBelow(connection, hotel, { before: other, after: floor })
    return count === 0 ? undefined : `${isWhole ? '' : 'At least '}${counted(count, 'stored night')}`
  }
  const exceeded = await nightsBelow(after, before)
  const onSaleAgain = await nightsBelow(before, after)
  const warning = (nights: string | undefined, fault: ConstraintError, what: string): Problem[] =>
    nights === undefined ? [] : [{ ...fault, message: `${nights} can ${what}`, path: '' }]
  return [
    ...warning(
      exceeded,
      taxWarnings.exceedPrice,
      'no longer be sold: a price is below the taxes that it includes',
    ),
    ...warning(
      onSaleAgain,
      taxWarnings.onSaleAgain,
      'be sold again: a price was below the taxes that it included',
    ),
  ]
}
