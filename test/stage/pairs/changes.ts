import type { Random } from '../fuzz/random.ts'
import { addDays } from '../models/naive-ari.ts'
import { daysBefore, type Policy } from '../sale/terms.ts'
import { roomId } from '../withheld/lines.ts'
import type { Settings } from '../withheld/rules.ts'
import { expectOk } from '../story.ts'
import type { Account, AriSent } from './account.ts'
import { settingChanges } from './changes-of-settings.ts'
import type { Kind } from './kinds.ts'
import type { Rate } from './naive-account.ts'

/** Each kind of change, by HTTP and in the model. */

type Change = (account: Account, random: Random, first: string) => Promise<unknown>

/** Nights by their number, counted from the first day of the account. */
export const nightOf = (first: string, number: number): string => addDays(first, number)

export function nights(first: string, from: number, to: number): { startDate: string; endDate: string } {
  return { startDate: nightOf(first, from), endDate: nightOf(first, to) }
}

const hotel = async (account: Account, more: Partial<Account['model']['hotel']>): Promise<void> => {
  const { model } = account
  model.hotel = { ...model.hotel, ...more }
  await account.pushHotel()
}

const products = async (account: Account, more: (rate: Rate) => Partial<Rate>): Promise<void> => {
  const { model } = account
  model.rates = model.rates.map((rate) => ({ ...rate, ...more(rate) }))
  await account.pushProducts()
}

const ofRate =
  (of: string, more: Partial<Rate>) =>
  ({ rateId }: Rate): Partial<Rate> =>
    rateId === of ? more : {}

/** Some of the nights on which something is under way. */
function someNights(random: Random, first: string): { startDate: string; endDate: string } {
  const from = 4 + random.below(8)
  return nights(first, from, from + 2 + random.below(8))
}

const units = (account: Account, dates: ReturnType<typeof nights>, inventory: number | null) =>
  account.pushAri({ ari: [{ roomId, ...dates, inventory }] })

const guard = async (account: Account, rules: Settings['rules']): Promise<void> => {
  account.model.guard.settings = { ...account.model.guard.settings, rules }
  await account.pushGuard()
}

/** A stop-sell of some nights of a rate. */
const stopSell = async (
  account: Account,
  { startDate: from, endDate: to, rateId }: ReturnType<typeof nights> & { rateId: string },
  action: 'stop' | 'open',
): Promise<void> => {
  const { admin } = account.stage
  const body = { action, reason: 'pairs', targets: [{ roomId, rateId }], from, to }
  const reply = expectOk(await admin.post(`/hotels/${account.platformHotelId}/stop-sell`, body))
  account.note('stop-sell', reply, body)
  for (let night = from; night <= to; night = addDays(night, 1)) {
    const key = `${roomId}|${rateId}|${night}`
    if (action === 'stop') account.model.stopped.add(key)
    else account.model.stopped.delete(key)
  }
}

const changes: Record<Exclude<Kind, keyof typeof settingChanges>, Change> = {
  /** Sometimes with all amounts anew. */
  currency: async (account, random, first) => {
    const { currency: former } = account.model.hotel
    const currency = random.pick(['EUR', 'JPY', 'USD'].filter((one) => one !== former))
    account.model.changeCurrency(currency)
    await account.pushHotel()
    if (random.chance(0.5)) return
    await account.pushProducts()
    await account.pushTaxes()
    await account.pushAri(unitPrices(first, 200))
  },
  timeZone: (account, random) =>
    hotel(account, { timezone: random.pick(['Pacific/Kiritimati', 'America/New_York', 'Asia/Tokyo']) }),
  childAges: (account, random) =>
    hotel(
      account,
      random.pick([{ minChildAge: 6 }, { maxChildAge: 4 }, { minChildAge: 1, maxChildAge: 17 }]),
    ),
  hotelClosed: (account) => hotel(account, { isAvailable: false }),
  hotelBack: async (account) => {
    await hotel(account, { isAvailable: false })
    await hotel(account, { isAvailable: true })
  },
  productClosed: (account, random) => products(account, ofRate(flexible(random), { isAvailable: false })),
  productBack: async (account, random) => {
    const rateId = flexible(random)
    await products(account, ofRate(rateId, { isAvailable: false }))
    await products(account, ofRate(rateId, { isAvailable: true }))
  },
  occupancy: (account, random) =>
    products(account, () => ({
      occupancy: random.pick([
        { maxOccupancy: 2, maxAdult: 2, maxChild: 1 },
        { maxOccupancy: 3, maxAdult: 2, maxChild: 0, maxInfant: 0 },
      ]),
    })),
  mealPlan: (account, random) => products(account, ofRate(flexible(random), { mealPlan: 'BB' })),
  policies: (account, random) => {
    const policies: Record<string, Policy> = {
      BAR: { code: 'STRICT', penalties: [{ deadline: daysBefore(30), charge: { percent: 50 } }] },
      NRF: {
        code: 'LATE',
        penalties: [{ charge: { flat: 40 } }, { deadline: daysBefore(3), charge: 'stay' }],
      },
      FLX: random.pick<Policy>([
        { code: 'FREE', isListed: true, penalties: [] },
        { code: 'PNR50', isListed: true, penalties: [{ charge: { percent: 50 } }] },
        { code: 'HOUSE', penalties: undefined },
      ]),
    }
    return products(account, ({ rateId, policy }) => ({ policy: policies[rateId] ?? policy }))
  },
  taxes: async (account, random) => {
    const { model } = account
    model.taxes = random.pick([
      model.taxes.map((tax) => (tax.valueType === '%' ? { ...tax, value: '20' } : tax)),
      model.taxes.map((tax) => (tax.valueType === '%' ? tax : { ...tax, value: '7', payNow: true })),
      model.taxes.filter(({ valueType }) => valueType === '%'),
    ])
    await account.pushTaxes()
  },
  pricingModel: (account, random, first) => account.pushAri(guestPrices(someNights(random, first))),
  pricesAnew: (account, random, first) => {
    return account.pushAri(unitPrices(first, random.pick([200, 220, 300])))
  },
  olderSequence: (account, random, first) => {
    const rates = [{ rateId: 'BAR', price: 100, minLengthStay: 3 }]
    const ari = [{ roomId, ...someNights(random, first), rates }]
    return account.pushAri({ sequence: 50, pricingModel: 'unit', ari })
  },
  roomUnitsSet: (account, random, first) => units(account, someNights(random, first), random.pick([1, 2, 9])),
  roomUnitsRemoved: (account, random, first) => units(account, someNights(random, first), null),
  guardMade: (account) =>
    guard(account, [
      ...account.model.guard.settings.rules,
      { kind: 'priceRise', percent: 20, action: 'reject' },
      { kind: 'inventoryJump', units: 1, action: 'hold' },
    ]),
  guardChanged: (account) => guard(account, [{ kind: 'priceDrop', percent: 90, action: 'hold' }]),
  guardRemoved: (account) => guard(account, []),
  stopSell: (account, random, first) =>
    stopSell(account, { ...someNights(random, first), rateId: flexible(random) }, 'stop'),
  salesResumed: async (account, random, first) => {
    const dates = { ...someNights(random, first), rateId: flexible(random) }
    await stopSell(account, dates, 'stop')
    await stopSell(account, dates, 'open')
  },
}

function flexible(random: Random): string {
  return random.pick(['BAR', 'FLX'])
}

function unitPrices(first: string, price: number): AriSent {
  const rates = [
    { rateId: 'BAR', price },
    { rateId: 'NRF', price: 160 },
    { rateId: 'FLX', price: price - 20 },
  ]
  return { pricingModel: 'unit', ari: [{ roomId, ...nights(first, 3, 18), rates }] }
}

function guestPrices(dates: ReturnType<typeof nights>): AriSent {
  const prices = [
    { ageCategory: 'adult' as const, guests: 1, amount: 180 },
    { ageCategory: 'adult' as const, guests: 2, amount: 220 },
  ]
  return {
    pricingModel: 'guest',
    ari: [{ roomId, ...dates, rates: ['BAR', 'FLX'].map((rateId) => ({ rateId, prices })) }],
  }
}

const all: Record<Kind, Change> = { ...changes, ...settingChanges }

export async function change(account: Account, kind: Kind, random: Random, first: string): Promise<void> {
  account.note(`change: ${kind}`)
  await all[kind](account, random, first)
}
