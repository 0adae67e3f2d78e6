import { unset } from '../../blocks/block-codec.ts'

/** The price lines of a night by number of guests, from one on; `unset`: without a price. */
export type PriceLines = {
  adults: readonly number[]
  children: readonly number[]
  infants: readonly number[]
}

/**
 * What the party pays that pays most, of those with places for all its adults and children; `unset`: there is none.
 * Infants need no place, and are free without a price.
 */
export function dearestParty({ adults, children, infants }: PriceLines, places: number): number {
  let most = unset
  const byAdults = adults.map((price) => (most = Math.max(most, price)))
  const within = (count: number): number =>
    count < 1 ? unset : (byAdults[Math.min(count, byAdults.length) - 1] ?? unset)
  let dearest = within(places)
  for (const [index, price] of children.entries()) {
    const ofAdults = within(places - index - 1)
    if (price !== unset && ofAdults !== unset) dearest = Math.max(dearest, ofAdults + price)
  }
  return dearest === unset ? unset : dearest + Math.max(0, ...infants)
}

/** The lowest price of so many adults, or of fewer; `unset`: they have none. */
export function cheapestAdults({ adults }: PriceLines, places: number): number {
  const priced = adults.slice(0, Math.max(0, places)).filter((price) => price !== unset)
  return priced.length === 0 ? unset : Math.min(...priced)
}
