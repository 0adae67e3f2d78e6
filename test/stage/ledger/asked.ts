import { addDays } from '../models/naive-offers.ts'
import type { History } from './history.ts'
import { roomRates } from './naive-hotel.ts'
import type { Asked, AskedRoom, State } from '../sale/state.ts'

/** What guests ask for: stays at random, and changes of them. */

const ada = { firstName: 'Ada', lastName: 'Lovelace' }
const people = [ada, { firstName: 'Grace', lastName: 'Hopper' }, { firstName: 'Joan', lastName: 'Clarke' }]

function randomRoom({ random }: History): AskedRoom {
  const { roomId, rateId } = random.pick(roomRates)
  return { roomId, rateId, adults: 1 + random.below(3), childAges: [], guest: random.pick(people) }
}

export function randomStay(history: History): Asked {
  const { random, hotel } = history
  const checkin = addDays(hotel.today, random.pick([0, 2, 4, 5, 6, 8, 9]))
  const checkout = addDays(checkin, 1 + random.below(4))
  return { checkin, checkout, rooms: Array.from({ length: 1 + random.below(3) }, () => randomRoom(history)) }
}

export function randomChange(history: History, state: State): Asked {
  const { random, hotel } = history
  let { checkin, checkout } = state
  let rooms = state.rooms.map(({ number, roomId, rateId, adults, childAges, guest }): AskedRoom => ({
    number,
    roomId,
    rateId,
    adults,
    childAges,
    guest,
  }))
  const kinds = ['dates', 'dates', 'move', 'add', 'drop', 'rate', 'party', 'names', 'nothing'] as const
  const some = random.chance(0.3) ? [random.pick(kinds), random.pick(kinds)] : [random.pick(kinds)]
  for (const kind of some) {
    const at = random.below(rooms.length)
    const room = rooms[at] ?? randomRoom(history)
    if (kind === 'dates') {
      if (random.chance(0.5)) checkin = addDays(checkin, random.pick([-1, 1, 2]))
      else checkout = addDays(checkout, random.pick([-2, -1, 1, 2]))
    } else if (kind === 'move') {
      const by = random.pick([-4, 1, 3, 6])
      ;[checkin, checkout] = [addDays(checkin, by), addDays(checkout, by)]
    } else if (kind === 'add' && rooms.length < 4) rooms = rooms.concat(randomRoom(history))
    else if (kind === 'drop' && rooms.length > 1) rooms = rooms.filter((_, index) => index !== at)
    else if (kind === 'rate') rooms = rooms.with(at, { ...room, ...random.pick(roomRates) })
    else if (kind === 'party')
      rooms = rooms.with(at, { ...room, adults: 1 + ((room.adults + random.below(2)) % 3) })
    else if (kind === 'names') rooms = rooms.with(at, { ...room, guest: random.pick(people) })
  }
  if (checkin < hotel.today) checkin = hotel.today
  if (checkout <= checkin) checkout = addDays(checkin, 1)
  if (checkout > addDays(checkin, 8)) checkout = addDays(checkin, 8)
  // A room without a number would be matched with one that is left out.
  const free = state.rooms
    .map(({ number }) => number)
    .filter((one) => !rooms.some(({ number }) => number === one))
  for (const [index, room] of rooms.entries()) {
    const number = room.number ?? free.shift()
    if (number !== undefined) rooms[index] = { ...room, number }
  }
  return { checkin, checkout, rooms }
}
