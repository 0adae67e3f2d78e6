import { chance } from './chance.ts'

/** The suppliers and their hotels: realistic names, none of which belongs to a real hotel. */

export type Place = { city: string; country: string; zone: string; currency: string; level: number }

/** The special trait of a hotel; most have none. */
export type Fate = 'usual' | 'noProducts' | 'noAri' | 'stale' | 'endsSoon' | 'large' | 'drifts'

export type DataHotel = {
  supplier: string
  hotelId: string
  name: string
  place: Place
  fate: Fate
  rooms: readonly DataRoom[]
  rates: readonly DataRate[]
}
export type DataRoom = { roomId: string; roomType: string; roomName: string; units: number; extra: number }
export type DataRate = { rateId: string; rateName: string; mealPlan: string; factor: number }

export type DataSupplier = { name: string; channelManager: string; hotels: number; path: string | undefined }

/** One keeps sending invalid pushes, one can't be reached, one has no URLs yet. */
export const suppliers: readonly DataSupplier[] = [
  { name: 'Meridian Channel', channelManager: 'Meridian', hotels: 128, path: 'meridian' },
  { name: 'Nordlicht Hotels', channelManager: 'Nordlicht CRS', hotels: 74, path: 'nordlicht' },
  { name: 'Costa Connect', channelManager: 'Costa Connect', hotels: 60, path: 'costa' },
  { name: 'Alpenblick PMS', channelManager: 'Alpenblick', hotels: 32, path: 'alpenblick' },
  { name: 'Casa Verde Direct', channelManager: 'direct', hotels: 6, path: undefined },
]

const places: readonly Place[] = [
  { city: 'Lisbon', country: 'PT', zone: 'Europe/Lisbon', currency: 'EUR', level: 118 },
  { city: 'Porto', country: 'PT', zone: 'Europe/Lisbon', currency: 'EUR', level: 96 },
  { city: 'Barcelona', country: 'ES', zone: 'Europe/Madrid', currency: 'EUR', level: 142 },
  { city: 'Palma', country: 'ES', zone: 'Europe/Madrid', currency: 'EUR', level: 128 },
  { city: 'Nice', country: 'FR', zone: 'Europe/Paris', currency: 'EUR', level: 156 },
  { city: 'Vienna', country: 'AT', zone: 'Europe/Vienna', currency: 'EUR', level: 122 },
  { city: 'Innsbruck', country: 'AT', zone: 'Europe/Vienna', currency: 'EUR', level: 134 },
  { city: 'Hamburg', country: 'DE', zone: 'Europe/Berlin', currency: 'EUR', level: 109 },
  { city: 'Copenhagen', country: 'DK', zone: 'Europe/Copenhagen', currency: 'DKK', level: 1_240 },
  { city: 'Oslo', country: 'NO', zone: 'Europe/Oslo', currency: 'NOK', level: 1_560 },
  { city: 'Edinburgh', country: 'GB', zone: 'Europe/London', currency: 'GBP', level: 121 },
  { city: 'New York', country: 'US', zone: 'America/New_York', currency: 'USD', level: 219 },
  { city: 'Miami', country: 'US', zone: 'America/New_York', currency: 'USD', level: 176 },
  { city: 'Tokyo', country: 'JP', zone: 'Asia/Tokyo', currency: 'JPY', level: 18_400 },
  { city: 'Bangkok', country: 'TH', zone: 'Asia/Bangkok', currency: 'THB', level: 2_650 },
  { city: 'Sydney', country: 'AU', zone: 'Australia/Sydney', currency: 'AUD', level: 238 },
]
const houses = ['Hotel', 'Grand Hotel', 'Residence', 'Boutique Hotel', 'Palace', 'Inn', 'Suites', 'Lodge']
const namesOf = [
  'Miramar',
  'Belvedere',
  'Aurora',
  'Continental',
  'Astoria',
  'Central',
  'Panorama',
  'Bellevue',
  'Excelsior',
  'Imperial',
  'Garden',
  'Riverside',
  'Old Town',
  'Harbour',
  'Park',
  'Sol y Mar',
  'Edelweiss',
  'Nordstern',
  'Lindenhof',
  'Kaiserhof',
]

const rooms: readonly DataRoom[] = [
  { roomId: 'SGL', roomType: 'Single', roomName: 'Single Room', units: 4, extra: 0.78 },
  { roomId: 'DBL', roomType: 'Double', roomName: 'Double Room', units: 12, extra: 1 },
  { roomId: 'DBL-SEA', roomType: 'Double', roomName: 'Double Room with View', units: 6, extra: 1.22 },
  { roomId: 'FAM', roomType: 'Family', roomName: 'Family Room', units: 3, extra: 1.45 },
]
const rates: readonly DataRate[] = [
  { rateId: 'BAR', rateName: 'Best Available Rate', mealPlan: 'RO', factor: 1 },
  { rateId: 'BAR-BB', rateName: 'Best Available Rate with Breakfast', mealPlan: 'BB', factor: 1.14 },
  { rateId: 'NRF', rateName: 'Non-refundable', mealPlan: 'RO', factor: 0.88 },
  { rateId: 'HB', rateName: 'Half Board', mealPlan: 'HB', factor: 1.32 },
]

/** The large one: 20 rooms with 10 rates each. */
const manyRooms: readonly DataRoom[] = Array.from({ length: 20 }, (_, index) => ({
  roomId: `R${String(index + 1).padStart(2, '0')}`,
  roomType: index % 5 === 4 ? 'Family' : 'Double',
  roomName: `${['Classic', 'Superior', 'Deluxe', 'Executive', 'Family'][index % 5]} Room, Wing ${'ABCD'[Math.floor(index / 5)]}`,
  units: 3 + (index % 7),
  extra: 1 + index / 20,
}))
const manyRates: readonly DataRate[] = Array.from({ length: 10 }, (_, index) => ({
  rateId: `RATE${index + 1}`,
  rateName: `${['Flexible', 'Non-refundable', 'Early Booking', 'Members', 'Long Stay'][index % 5]}${index < 5 ? '' : ' with Breakfast'}`,
  mealPlan: index < 5 ? 'RO' : 'BB',
  factor: [1, 0.86, 0.9, 0.94, 0.82][index % 5] ?? 1,
}))

const seed = 20_270_301

export function dataHotels(): DataHotel[] {
  const dice = chance(seed)
  const hotels: DataHotel[] = []
  for (const { name: supplier, hotels: count } of suppliers) {
    for (let index = 0; index < count; index++) {
      const place = dice.of(places)
      const fate = fateOf(supplier, index)
      const isLarge = fate === 'large'
      hotels.push({
        supplier,
        hotelId: `${place.city.slice(0, 3).toUpperCase()}-${String(index + 1).padStart(4, '0')}`,
        name: isLarge ? `Grand Resort ${place.city}` : `${dice.of(houses)} ${dice.of(namesOf)} ${place.city}`,
        place,
        fate,
        rooms: isLarge ? manyRooms : rooms.slice(dice.below(2), 2 + dice.below(3)),
        rates: isLarge ? manyRates : rates.slice(0, 1 + dice.below(4)),
      })
    }
  }
  return hotels
}

function fateOf(supplier: string, index: number): Fate {
  if (supplier === 'Meridian Channel' && index === 0) return 'large'
  if (index % 29 === 7) return 'noProducts'
  if (index % 31 === 11) return 'noAri'
  if (index % 23 === 5) return 'stale'
  if (index % 27 === 9) return 'endsSoon'
  return supplier === 'Nordlicht Hotels' && index % 12 === 3 ? 'drifts' : 'usual'
}
