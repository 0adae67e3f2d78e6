/** Pushes to one gateway, each followed by offers at the other processes, compared with what was acknowledged. */
import type { TestClient } from '../harness.ts'
import { expectOk } from '../story.ts'
import { nightAhead } from '../nights.ts'
import { gateways, type Fleet } from '../programs/fleet.ts'

const hotelsCount = 4
/** Each has a room of its own in one of the hotels. */
const writers = 8

export type OfferStage = {
  supplierName: string
  stay: { checkin: string; checkout: string }
  /** By gateway: the clients that send to this gateway only. */
  suppliers: readonly TestClient[]
  platforms: readonly TestClient[]
}

const rooms = Array.from({ length: writers }, (_, writer) => ({
  hotelId: `F${writer % hotelsCount}`,
  roomId: `R${writer}`,
}))

export async function pushOfferHotels(fleet: Fleet): Promise<OfferStage> {
  const supplier = await fleet.supplier('fresh')
  const bearer = await fleet.bearer('platform')
  for (let hotel = 0; hotel < hotelsCount; hotel++) {
    const hotelId = `F${hotel}`
    const own = rooms.filter((room) => room.hotelId === hotelId)
    const open = { isAvailable: true }
    const place = { hotelName: hotelId, currency: 'USD', timezone: 'UTC', minChildAge: 2, maxChildAge: 12 }
    expectOk(await supplier.post('/push/hotels', [{ hotelId, ...place, ...open }]))
    const products = own.map(({ roomId }) => ({
      ...open,
      roomId,
      rateId: 'BAR',
      roomType: 'Double',
      roomName: roomId,
      rateName: 'BAR',
      occupancy: { maxOccupancy: 2 },
    }))
    expectOk(await supplier.post('/push/products', { hotelId, products }))
  }
  const each = Array.from({ length: gateways }, (_, gateway) => ({ gateways: [gateway] }))
  return {
    supplierName: supplier.name,
    stay: { checkin: nightAhead(20), checkout: nightAhead(21) },
    suppliers: each.map((one) => fleet.client({ 'x-api-key': supplier.apiKey }, one)),
    platforms: each.map((one) => fleet.client(bearer, one)),
  }
}

/** The offers that were not those of the last acknowledged push, one line each. */
export async function oldOffers(stage: OfferStage, next: () => number | undefined): Promise<string[]> {
  const old: string[] = []
  const write = async (room: Room): Promise<void> => {
    let price = 100
    for (let round = next(); round !== undefined; round = next()) {
      price++
      await pushPrice(stage, round % gateways, room, price)
      // One at the other gateway, and one at any process of the same.
      for (const platform of stage.platforms) {
        const offered = await offeredPrice(platform, stage, room)
        if (offered !== price) old.push(`${room.roomId}: ${offered} after ${price} was acknowledged`)
      }
    }
  }
  await Promise.all(rooms.map(write))
  return old
}

type Room = (typeof rooms)[number]

async function pushPrice(
  { suppliers, stay }: OfferStage,
  gateway: number,
  { hotelId, roomId }: Room,
  price: number,
): Promise<void> {
  const rates = [{ rateId: 'BAR', price }]
  const ari = [{ roomId, date: stay.checkin, inventory: 5, rates }]
  const reply = await suppliers[gateway]?.post('/push/ari', { hotelId, pricingModel: 'unit', ari })
  if (!reply) throw new RangeError('no such gateway')
  expectOk(reply)
}

async function offeredPrice(
  platform: TestClient,
  { supplierName, stay }: OfferStage,
  { hotelId, roomId }: Room,
): Promise<number> {
  const hotels = [{ supplier: supplierName, hotelId }]
  const reply = expectOk(await platform.post('/booking/offers', { hotels, ...stay, rooms: [{ adults: 2 }] }))
  const [{ offers }]: [{ offers: Offer[] }] = Object(reply.body).hotels
  return Number(offers.find((offer) => offer.roomId === roomId)?.total.afterTax)
}

type Offer = { roomId: string; total: { afterTax: number } }
