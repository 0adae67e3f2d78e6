import type { Random } from '../fuzz/random.ts'
import { addDays, type ItemSent, type LineSent, type PriceSent, type PushSent } from '../models/naive-ari.ts'
import { limitNames } from '../models/naive-restrictions.ts'
import { rateIds, roomId } from './lines.ts'
import type { Rule, Settings } from './rules.ts'

/** Settings and pushes that meet each other: few nights, both pricing models, sequences that are sometimes late. */

const daysAhead = 6
const itemsMax = { few: 2, many: 12 }

export function randomSettings(random: Random): Settings {
  const action = () => random.pick(['hold', 'hold', 'hold', 'reject'] as const)
  const all: Rule[] = [
    { kind: 'priceDrop', percent: 30, action: action() },
    { kind: 'priceRise', percent: 50, action: action() },
    { kind: 'priceFloor', amount: random.pick([20, 35, 70]), action: action() },
    { kind: 'priceCeiling', amount: 300, action: action() },
    { kind: 'inventoryJump', units: random.below(3), action: action() },
    { kind: 'massOpen', nights: random.below(4), action: action() },
    { kind: 'massClose', nights: 2, action: 'warn' },
  ]
  return {
    rules: all.filter(() => random.chance(0.5)),
    learned: false,
    expiryHours: random.pick([1, 2, 20]),
    onExpiry: random.pick(['discard', 'apply']),
  }
}

export function randomPush(random: Random, hotelId: string, today: string, round: number): PushSent {
  const most = random.chance(0.6) ? itemsMax.few : itemsMax.many
  return {
    hotelId,
    pricingModel: random.pick(['unit', 'guest']),
    ...(random.chance(0.2) ? { atomic: true } : {}),
    // Sometimes older than what is held or stored.
    ...(random.chance(0.4) ? { sequence: 1_000 + round * 10 - random.below(40) } : {}),
    ...(random.chance(0.12) ? { mode: 'overlay' } : {}),
    ari: random.chance(0.15)
      ? sharedChange(random, today)
      : Array.from({ length: 1 + random.below(most) }, () => randomItem(random, today)),
  }
}

function randomItem(random: Random, today: string): ItemSent {
  const startDate = addDays(today, random.below(daysAhead))
  const dates = { roomId, startDate, endDate: addDays(startDate, random.below(4)) }
  const rate = (line: LineSent): ItemSent => ({
    ...dates,
    rates: [{ rateId: random.pick(rateIds), ...line }],
  })
  switch (random.below(12)) {
    case 0:
      return { ...dates, closed: random.chance(0.3) }
    case 1:
    case 2:
      return { ...dates, inventory: randomUnits(random) }
    case 3:
      return rate({ inventory: randomUnits(random) })
    case 4:
      return rate({ closed: random.chance(0.3) })
    case 5:
      return rate(randomRestriction(random))
    case 6:
      return {
        ...dates,
        inventory: randomUnits(random),
        rates: rateIds.map((rateId) => ({ rateId, ...randomPrices(random), closed: random.chance(0.15) })),
      }
    case 7:
      return rate({ ...randomRestriction(random), ...randomPrices(random) })
    default:
      return rate(randomPrices(random))
  }
}

/** Items that together change the model of their nights, or change it back. */
function sharedChange(random: Random, today: string): ItemSent[] {
  const rateId = random.pick(rateIds)
  const first = random.below(daysAhead)
  return Array.from({ length: 2 + random.below(3) }, () => {
    const startDate = addDays(today, first + random.below(2))
    const amount = random.pick(amounts)
    const line: LineSent = random.chance(0.25)
      ? { pricingModel: 'unit', price: amount }
      : {
          pricingModel: 'guest',
          prices: [{ ageCategory: 'adult', guests: random.pick([1, 2]), amount: amount + 10 }],
        }
    return { roomId, startDate, endDate: addDays(startDate, random.below(3)), rates: [{ rateId, ...line }] }
  })
}

const randomUnits = (random: Random): number | null => random.pick([0, 1, 2, 3, 3, 4, 4, 6, 6, 40, null])

function randomRestriction(random: Random): LineSent {
  if (random.chance(0.4))
    return { [random.pick(['closedToArrival', 'closedToDeparture'])]: random.pick([true, false, null]) }
  return { [random.pick(limitNames)]: random.pick([1, 1, 2, 3, null]) }
}

const amounts = [9, 29, 31, 60, 60, 90, 90, 100, 110, 110, 160, 400, 1_000]

function randomPrices(random: Random): LineSent {
  const amount = random.pick(amounts)
  switch (random.below(12)) {
    case 0:
      return random.pick([{ price: null }, { prices: null }])
    case 1:
      return { pricingModel: 'unit', prices: [{ amount: null }] }
    case 2:
    case 3:
    case 4:
    case 5:
    case 6:
      return { pricingModel: 'guest', prices: randomGuestPrices(random, amount) }
    default:
      return { pricingModel: 'unit', price: amount }
  }
}

function randomGuestPrices(random: Random, amount: number): PriceSent[] {
  const isNone = random.chance(0.15)
  const priced: PriceSent[] = random
    .pick([[1], [2], [1, 2], [1, 2]])
    .map((guests) => ({ ageCategory: 'adult', guests, amount: amount + 10 * guests }))
  for (const ageCategory of ['child', 'infant'] as const)
    if (random.chance(0.3))
      priced.push({ ageCategory, guests: random.pick([1, 1, 1, 2]), amount: random.pick([0, 10, 20, 60]) })
  // Of children and infants alone, beside adults whose prices stay.
  const others = priced.filter(({ ageCategory }) => ageCategory !== 'adult')
  const sent = others.length > 0 && random.chance(0.3) ? others : priced
  return sent.map((one) => ({ ...one, amount: isNone || random.chance(0.15) ? null : one.amount }))
}
