/** The load for every peer: the same bodies, from the same seed. */

export type Workload = {
  hotels: number
  roomsPerHotel: number
  ratesPerRoom: number
  /** For services whose date can't be set. */
  firstNight?: number
}

/** Deterministic, so that every peer gets the same requests. */
export function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const firstNight = Date.UTC(2027, 2, 1)

export function night(offset: number, from = firstNight): string {
  return new Date(from + offset * 86_400_000).toISOString().slice(0, 10)
}

/** Small pushes to hotels at random. `spreadNights`: how far ahead pushes reach. */
export function smallPushes(workload: Workload, count: number, spreadNights: number, seed: number): string[] {
  const below = belowOf(seed)
  return Array.from({ length: count }, () => smallPush(below(workload.hotels), workload, spreadNights, below))
}

/** One small push to each hotel. */
export function smallPushToEach(workload: Workload, spreadNights: number, seed: number): string[] {
  const below = belowOf(seed)
  return Array.from({ length: workload.hotels }, (_, hotel) =>
    smallPush(hotel, workload, spreadNights, below),
  )
}

/** A whole random number below a limit. */
type Below = (limit: number) => number

function belowOf(seed: number): Below {
  const next = random(seed)
  return (limit) => Math.floor(next() * limit)
}

/** One room-rate, three nights: units, two prices and a minimum stay. */
function smallPush(hotel: number, workload: Workload, spreadNights: number, below: Below): string {
  const from = below(spreadNights - 3)
  return JSON.stringify({
    hotelId: `H${hotel}`,
    pricingModel: 'guest',
    ari: [
      {
        roomId: `R${below(workload.roomsPerHotel)}`,
        startDate: night(from, workload.firstNight),
        endDate: night(from + 2, workload.firstNight),
        inventory: below(50),
        rates: [
          {
            rateId: `P${below(workload.ratesPerRoom)}`,
            minLengthStay: 1 + below(4),
            prices: [
              { guests: 1, ageCategory: 'adult', amount: (5_000 + below(20_000)) / 100 },
              { guests: 2, ageCategory: 'adult', amount: (8_000 + below(20_000)) / 100 },
            ],
          },
        ],
      },
    ],
  })
}

/**
 * A year of one hotel, as one push: one item for every room and week, with a line of four prices for each of
 * its rates.
 */
export function fullYearPush(hotelId: string, workload: Workload, seed: number): string {
  const below = belowOf(seed)
  const ari = []
  for (let room = 0; room < workload.roomsPerHotel; room++) {
    for (let from = 0; from < 365; from += 7) {
      const rates = Array.from({ length: workload.ratesPerRoom }, (_, rate) => ({
        rateId: `P${rate}`,
        minLengthStay: 1 + below(4),
        prices: [
          { guests: 1, ageCategory: 'adult', amount: (5_000 + below(20_000)) / 100 },
          { guests: 2, ageCategory: 'adult', amount: (8_000 + below(20_000)) / 100 },
          { guests: 1, ageCategory: 'child', amount: (1_000 + below(2_000)) / 100 },
          { guests: 1, ageCategory: 'infant', amount: below(500) / 100 },
        ],
      }))
      ari.push({
        roomId: `R${room}`,
        startDate: night(from),
        endDate: night(Math.min(from + 6, 364)),
        inventory: below(50),
        rates,
      })
    }
  }
  return JSON.stringify({ hotelId, pricingModel: 'guest', ari })
}

/**
 * Some weeks of one hotel, as one push: one item for every room and week, with a line of four prices for each
 * of its rates. A few restrictions, so that most stays can be booked, but not all.
 */
export function seasonPush(
  hotelId: string,
  { roomsPerHotel, ratesPerRoom, firstNight: first }: Workload,
  { nights, seed }: { nights: number; seed: number },
): string {
  const below = belowOf(seed)
  const ari = []
  for (let room = 0; room < roomsPerHotel; room++) {
    for (let from = 0; from < nights; from += 7) {
      const rates = Array.from({ length: ratesPerRoom }, (_, rate) => ({
        rateId: `P${rate}`,
        closed: below(50) === 0,
        closedToArrival: below(20) === 0,
        closedToDeparture: below(20) === 0,
        minLengthStay: 1 + below(4),
        maxLengthStay: 14,
        ...(below(4) === 0 ? { minStayArrival: 1 + below(4) } : {}),
        ...(below(4) === 0 ? { minAdvanceDays: 1 + below(7) } : {}),
        prices: [
          { guests: 1, ageCategory: 'adult', amount: (5_000 + below(20_000)) / 100 },
          { guests: 2, ageCategory: 'adult', amount: (8_000 + below(20_000)) / 100 },
          { guests: 1, ageCategory: 'child', amount: (1_000 + below(2_000)) / 100 },
          { guests: 1, ageCategory: 'infant', amount: below(500) / 100 },
        ],
      }))
      ari.push({
        roomId: `R${room}`,
        startDate: night(from, first),
        endDate: night(Math.min(from + 6, nights - 1), first),
        inventory: 2 + below(50),
        rates,
      })
    }
  }
  return JSON.stringify({ hotelId, pricingModel: 'guest', ari })
}

/** Prices and more units than anybody will book, for every room-rate on every night. */
export function plentyPush(
  hotelId: string,
  { roomsPerHotel, ratesPerRoom }: Workload,
  nights: number,
): string {
  const rates = Array.from({ length: ratesPerRoom }, (_, rate) => ({
    rateId: `P${rate}`,
    prices: [
      { guests: 1, ageCategory: 'adult', amount: 90 },
      { guests: 2, ageCategory: 'adult', amount: 120 },
    ],
  }))
  const ari = Array.from({ length: roomsPerHotel }, (_, room) => ({
    roomId: `R${room}`,
    startDate: night(0),
    endDate: night(nights - 1),
    inventory: 90_000,
    rates,
  }))
  return JSON.stringify({ hotelId, pricingModel: 'guest', ari })
}
