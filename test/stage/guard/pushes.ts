import type { Random } from '../fuzz/random.ts'
import { addDays } from '../models/naive-ari.ts'

export type Json = Record<string, unknown>

/** Days ahead that pushes touch: more than the stays that are compared. */
const daysAhead = 14

/** Settings of a guard that hold much. */
export function randomRules(random: Random): Json {
  const action = () => random.pick(['hold', 'hold', 'hold', 'reject'])
  const all: Json[] = [
    { kind: 'priceDrop', percent: 30, action: action() },
    { kind: 'priceRise', percent: 50, action: action() },
    { kind: 'priceFloor', amount: 35, action: action() },
    { kind: 'priceCeiling', amount: 300, action: action() },
    { kind: 'inventoryJump', units: random.below(3), action: action() },
    { kind: 'massOpen', nights: random.below(4), action: action() },
    { kind: 'massClose', nights: 2, action: 'warn' },
  ]
  return {
    rules: all.filter(() => random.chance(0.6)),
    learned: random.chance(0.4),
    expiryHours: random.pick([1, 2, 72]),
    onExpiry: random.pick(['discard', 'apply']),
  }
}

/** Few items meet what is held; many meet each other. */
const items = { few: 3, many: 20 }

/** Pushes of everything that can be held or must not be. */
export function randomPush(random: Random, today: string, round: number): Json & { ari: Json[] } {
  const itemsMax = random.chance(0.5) ? items.few : items.many
  return {
    pricingModel: random.pick(['unit', 'unit', 'guest']),
    ...(random.chance(0.25) ? { atomic: true } : {}),
    // Sometimes older than what is held or stored.
    ...(random.chance(0.3) ? { sequence: 1_000 + round * 10 - random.below(40) } : {}),
    ...(random.chance(0.1) ? { mode: 'overlay' } : {}),
    ari: Array.from({ length: 1 + random.below(itemsMax) }, () => randomItem(random, today)),
  }
}

function randomItem(random: Random, today: string): Json {
  const startDate = addDays(today, random.below(daysAhead))
  const dates = { roomId: 'DBL', startDate, endDate: addDays(startDate, random.below(5)) }
  const rate = (fields: Json): Json => ({
    ...dates,
    rates: [{ rateId: random.pick(['BAR', 'NRF']), ...fields }],
  })
  switch (random.below(10)) {
    case 0:
      return { ...dates, closed: random.chance(0.2) }
    case 1:
    case 2:
      return { ...dates, inventory: randomUnits(random) }
    case 3:
      return rate({ inventory: randomUnits(random) })
    case 4:
      return rate({ closed: random.chance(0.2) })
    case 5:
      return rate(randomRestrictions(random))
    case 6:
      return { ...dates, inventory: randomUnits(random), rates: randomRates(random) }
    default:
      return rate(randomPrice(random))
  }
}

function randomRates(random: Random): Json[] {
  return ['BAR', 'NRF'].map((rateId) => ({
    rateId,
    ...randomPrice(random),
    ...(random.chance(0.3) ? { closed: random.chance(0.15) } : {}),
  }))
}

const randomUnits = (random: Random): number | null => random.pick([0, 1, 2, 3, 3, 4, 4, 6, 6, 40, null])

/** Below 30, a price can't be sold: the taxes that it includes are higher. */
function randomPrice(random: Random): Json {
  const amount = random.pick([9, 29, 31, 60, 60, 90, 90, 100, 110, 110, 160, 400, 1_000])
  switch (random.below(8)) {
    case 0:
      return { pricingModel: 'unit', price: null }
    case 1:
    case 2: {
      const guests = random.pick([[1], [2], [1, 2]])
      return {
        pricingModel: 'guest',
        prices: guests.map((adults) => ({ ageCategory: 'adult', guests: adults, amount: amount * adults })),
      }
    }
    case 3:
      return {
        pricingModel: 'guest',
        prices: [{ ageCategory: 'adult', guests: random.pick([1, 2]), amount: null }],
      }
    default:
      return { pricingModel: 'unit', price: amount }
  }
}

function randomRestrictions(random: Random): Json {
  const length = random.pick([1, 1, 2, 3, null, null])
  const name = random.pick([
    'minLengthStay',
    'maxLengthStay',
    'minStayArrival',
    'maxStayArrival',
    'minAdvanceDays',
  ])
  if (random.chance(0.3))
    return { [random.pick(['closedToArrival', 'closedToDeparture'])]: random.pick([true, false, null, null]) }
  return { [name]: length }
}
