import type { Random } from '../fuzz/random.ts'

/** What can change while other things exist or are under way, and the pairs and triples of it. */
export const kinds = [
  'currency',
  'timeZone',
  'childAges',
  'hotelClosed',
  'hotelBack',
  'productClosed',
  'productBack',
  'occupancy',
  'mealPlan',
  'policies',
  'taxes',
  'pricingModel',
  'pricesAnew',
  'olderSequence',
  'roomUnitsSet',
  'roomUnitsRemoved',
  'guardMade',
  'guardChanged',
  'guardRemoved',
  'stopSell',
  'salesResumed',
  'keyRevoked',
  'keyRenewed',
  'webhookMoved',
  'secretRotated',
  'tolerance',
  'onFailure',
  'unknownFields',
  'testClock',
] as const
export type Kind = (typeof kinds)[number]

/** Two or three kinds, in each of their orders. */
export type Combination = { orders: Kind[][] }

/** Each kind also with itself: there and back, or the same again. */
const pairs = kinds.flatMap((one, index) => kinds.slice(index).map((other) => [one, other]))
export const pairsCount = pairs.length
/** A triple comes after so many pairs. */
const pairsPerTriple = 6
export const combinationsCount = pairs.length + Math.floor(pairs.length / pairsPerTriple)

/** Every pair of kinds once, in an order that the seed gives, and random triples between them. */
export function combinations(random: Random): Combination[] {
  const shuffled = pairs
    .map((pair) => ({ pair, place: random.fraction() }))
    .sort((one, other) => one.place - other.place)
  return shuffled.flatMap(({ pair }, index) => [
    { orders: ordersOf(pair) },
    ...(index % pairsPerTriple === pairsPerTriple - 1 ? [{ orders: ordersOf(triple(random)) }] : []),
  ])
}

function triple(random: Random): Kind[] {
  const left = [...kinds]
  return [0, 1, 2].flatMap(() => left.splice(random.below(left.length), 1))
}

function ordersOf(some: readonly Kind[]): Kind[][] {
  if (new Set(some).size < 2) return [[...some]]
  return some.flatMap((first, index) =>
    ordersOf(some.filter((_, other) => other !== index)).map((rest) => [first, ...rest]),
  )
}
