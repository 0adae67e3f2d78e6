import { guestPriceField, guestsMax } from '../ari/fields.ts'
import { type Occupancy, guestsMaxOf } from '../products/store.ts'

/** The guests in one room, as requested. */
export type RequestedRoom = { adults: number; childAges: readonly number[] }

/** The same guests by a hotel's age categories, with the guest-model price fields that apply to them. */
export type Party = {
  adults: number
  children: number
  infants: number
  /** Number of guests that pay taxes per person: infants don't. */
  persons: number
  /** 0 for more adults than a price line has: older children count as adults. */
  adultPrice: number
  /** 0 without children. */
  childPrice: number
  /** 0 without infants. */
  infantPrice: number
}

/** The requested rooms, grouped by party: rooms with the same party are sold alike. */
export type Parties = {
  distinct: readonly Party[]
  /** Index of the party in each requested room. */
  partyByRoom: readonly number[]
  /** Every guest price that one of the parties needs. */
  priceFields: readonly number[]
}

export type ChildAges = { minChildAge: number; maxChildAge: number }

/** Infants are younger than `minChildAge`, children up to `maxChildAge`; older guests are adults. */
export function partiesOf(rooms: readonly RequestedRoom[], ages: ChildAges): Parties {
  const distinct: Party[] = []
  const indexByText = new Map<string, number>()
  const partyByRoom = rooms.map((room) => {
    const party = partyOf(room, ages)
    const text = `${party.adults}/${party.children}/${party.infants}`
    const index = indexByText.get(text) ?? distinct.push(party) - 1
    indexByText.set(text, index)
    return index
  })
  const fields = distinct.flatMap(({ adultPrice, childPrice, infantPrice }) => [
    adultPrice,
    childPrice,
    infantPrice,
  ])
  return { distinct, partyByRoom, priceFields: [...new Set(fields)].filter((field) => field > 0) }
}

function partyOf({ adults, childAges }: RequestedRoom, { minChildAge, maxChildAge }: ChildAges): Party {
  const grown = childAges.filter((age) => age > maxChildAge).length
  const infants = childAges.filter((age) => age < minChildAge).length
  const children = childAges.length - grown - infants
  const adultsInAll = adults + grown
  return {
    adults: adultsInAll,
    children,
    infants,
    persons: adultsInAll + children,
    adultPrice: adultsInAll > guestsMax ? 0 : guestPriceField('adult', adultsInAll),
    childPrice: children > 0 ? guestPriceField('child', children) : 0,
    infantPrice: infants > 0 ? guestPriceField('infant', infants) : 0,
  }
}

/** Infants don't count towards `maxOccupancy`; their limit is that of prices that can be pushed. */
export function fits({ adults, children, infants }: Party, occupancy: Occupancy): boolean {
  const most = guestsMaxOf(occupancy)
  return (
    adults + children <= occupancy.maxOccupancy &&
    adults <= most.adult &&
    children <= most.child &&
    infants <= most.infant
  )
}
