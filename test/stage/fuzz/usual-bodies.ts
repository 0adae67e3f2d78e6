import type { Random } from './random.ts'
import { nightAhead } from '../nights.ts'

/** Bodies as callers usually send them, which the shapes alone seldom give, because their members must fit each other. */

/** A push as channel managers send it. */
export function usualAriPush(random: Random): unknown {
  const model = random.pick(['unit', 'guest'])
  const line = (amount: number): object =>
    model === 'unit'
      ? { price: amount }
      : { prices: [{ guests: 1 + random.below(2), ageCategory: 'adult', amount }] }
  const item = (): object => {
    const startDate = random.below(300)
    return {
      roomId: random.pick(['DBL', 'TWN', 'DBL', 'TWN', 'NONE']),
      startDate: nightAhead(startDate),
      endDate: nightAhead(startDate + random.below(40)),
      ...(random.chance(0.5) ? { inventory: random.below(10) } : {}),
      ...(random.chance(0.3) ? { daysOfWeek: ['FRI', 'SAT', 'SUN', 'MON'] } : {}),
      rates: [
        {
          rateId: random.pick(['BAR', 'NRF']),
          ...line(50 + random.below(100)),
          ...(random.chance(0.3)
            ? { minLengthStay: 1 + random.below(5), closedToArrival: random.chance(0.5) }
            : {}),
        },
      ],
    }
  }
  return {
    hotelId: random.pick(['H1', 'H2']),
    pricingModel: model,
    ...(random.chance(0.3) ? { mode: random.pick(['delta', 'overlay']) } : {}),
    ...(random.chance(0.2) ? { atomic: random.chance(0.5) } : {}),
    ...(random.chance(0.1) ? { dryRun: true } : {}),
    ...(random.chance(0.2) ? { sequence: random.below(1_000) } : {}),
    ari: Array.from({ length: 1 + random.below(3) }, item),
  }
}

/** A search as the platform sends it, most of them for hotels of the supplier. */
export function usualSearch(random: Random, supplier: string): unknown {
  const checkin = random.below(320)
  const hotel = (): object => ({
    supplier: random.chance(0.9) ? supplier : 'nobody',
    hotelId: random.pick(['H1', 'H2', 'H9']),
  })
  const room = (): object => ({
    adults: 1 + random.below(3),
    ...(random.chance(0.5) ? { childAges: [random.below(20)] } : {}),
  })
  return {
    hotels: Array.from({ length: 1 + random.below(3) }, hotel),
    checkin: nightAhead(checkin),
    checkout: nightAhead(checkin + 1 + random.below(10)),
    rooms: Array.from({ length: 1 + random.below(2) }, room),
    ...(random.chance(0.5) ? { explain: random.chance(0.8) } : {}),
    ...(random.chance(0.3) ? { trace: true } : {}),
  }
}

/** A booking as the platform sends it, most of them in hotels of the supplier. */
export function usualBooking(random: Random, supplier: string): unknown {
  const checkin = random.below(200)
  const guest = { firstName: 'Ada', lastName: 'Lovelace' }
  const room = (): object => ({
    roomId: random.pick(['DBL', 'TWN']),
    rateId: random.pick(['BAR', 'NRF']),
    adults: 1 + random.below(2),
    childAges: random.chance(0.2) ? [random.below(20)] : [],
    guest,
  })
  const card = { holderName: 'Ada', type: 'VI', number: '4111111111111111', expiry: '01/2049', cvv: '123' }
  return {
    hotel: { supplier: random.chance(0.9) ? supplier : 'nobody', hotelId: random.pick(['H1', 'H2']) },
    checkin: nightAhead(checkin),
    checkout: nightAhead(checkin + 1 + random.below(5)),
    rooms: Array.from({ length: 1 + random.below(3) }, room),
    customer: { ...guest, email: 'ada@guest.example', countryCode: 'GB' },
    payment: { type: 'Channel Collect', ...(random.chance(0.3) ? { card } : {}) },
    ...(random.chance(0.1) ? { expectedTotal: { afterTax: '100.00' } } : {}),
  }
}

/** A test booking as a supplier orders it. */
export function usualTestBooking(random: Random): unknown {
  const checkin = random.below(200)
  const room = {
    roomId: random.pick(['DBL', 'TWN']),
    rateId: random.pick(['BAR', 'NRF']),
    adults: 1 + random.below(2),
  }
  return {
    hotelId: random.pick(['H1', 'H2']),
    checkin: nightAhead(checkin),
    checkout: nightAhead(checkin + 1 + random.below(5)),
    rooms: [room],
  }
}

/** A price check as the platform asks for it, most of them in hotels of the supplier. */
export function usualPriceCheck(random: Random, supplier: string): unknown {
  const checkin = random.below(200)
  return {
    hotel: { supplier: random.chance(0.9) ? supplier : 'nobody', hotelId: random.pick(['H1', 'H2']) },
    checkin: nightAhead(checkin),
    checkout: nightAhead(checkin + 1 + random.below(5)),
    roomId: random.pick(['DBL', 'TWN']),
    rateId: random.pick(['BAR', 'NRF']),
    adultCount: 1 + random.below(2),
    ...(random.chance(0.2) ? { roomCount: 1 + random.below(3) } : {}),
    ...(random.chance(0.2) ? { childAges: [random.below(20)] } : {}),
  }
}
