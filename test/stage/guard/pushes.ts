import type { Random } from '../fuzz/random.ts'
import { addDays } from '../models/naive-ari.ts'

export type Json = Record<string, unknown>

/** Days ahead that pushes touch: more than the stays that are compared. */
const daysAhead = 14

/** The first is sold by the unit, the other by guests. */
export const rateIds = ['BAR', 'NRF'] as const

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

/**
 * Pushes of everything that can be held or must not be. No rate changes its pricing model: where that is held, the old
 * prices go on selling to whom the new ones would not. Nor has any a sequence, of which nothing remains once what was
 * held is discarded. Both are in `withheld.proof.ts`.
 */
export function randomPush(random: Random, today: string): Json & { ari: Json[] } {
  const itemsMax = random.chance(0.5) ? items.few : items.many
  return {
    pricingModel: 'unit',
    ...(random.chance(0.25) ? { atomic: true } : {}),
    ...(random.chance(0.1) ? { mode: 'overlay' } : {}),
    ari: Array.from({ length: 1 + random.below(itemsMax) }, () => randomItem(random, today)),
  }
}

function randomItem(random: Random, today: string): Json {
  const startDate = addDays(today, random.below(daysAhead))
  const dates = { roomId: 'DBL', startDate, endDate: addDays(startDate, random.below(5)) }
  const rate = (fields: Json): Json => ({
    ...dates,
    rates: [{ rateId: random.pick(rateIds), ...fields }],
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
    default: {
      const rateId = random.pick(rateIds)
      return rate({ rateId, ...randomPrice(random, rateId) })
    }
  }
}

function randomRates(random: Random): Json[] {
  return rateIds.map((rateId) => ({
    rateId,
    ...randomPrice(random, rateId),
    ...(random.chance(0.3) ? { closed: random.chance(0.15) } : {}),
  }))
}

const randomUnits = (random: Random): number | null => random.pick([0, 1, 2, 3, 3, 4, 4, 6, 6, 40, null])

/** Below 30, a price can't be sold in many hotels: the taxes that it includes are higher. */
function randomPrice(random: Random, rateId: string): Json {
  const amount = random.pick([9, 29, 31, 60, 60, 90, 90, 100, 110, 110, 160, 400, 1_000])
  const isCleared = random.chance(0.12)
  if (rateId === 'BAR') return { pricingModel: 'unit', price: isCleared ? null : amount }
  const guests = random.pick([[1], [2], [1, 2]])
  return {
    pricingModel: 'guest',
    prices: guests.map((adults) => ({
      ageCategory: 'adult',
      guests: adults,
      amount: isCleared ? null : amount * adults,
    })),
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
