import { createServer } from 'node:http'
import { once } from 'node:events'
import { isRecord } from '../../src/http/validation/validate.ts'
import { priceOf } from './ari.ts'
import { suppliers, type DataHotel } from './hotels.ts'
import type { Json } from './service.ts'

/** The suppliers' servers, combined in one: each has its own path, and its own faults. */
export type SuppliersServer = {
  urlOf: (path: string, kind: Kind) => string
  /** A supplier's behaviour in calls of a kind: `well` by default. */
  behave: (path: string, kind: Kind, how: 'well' | 'badly') => void
  close: () => Promise<void>
}

type Kind = 'price-check' | 'reservations'

/** The factor by which drifting prices are off. */
const driftFactor = 1.07
const vatFactor = 1.1
const units = 4

export async function startSuppliersServer(hotels: readonly DataHotel[]): Promise<SuppliersServer> {
  const hotelByCode = new Map(hotels.map((hotel) => [`${hotel.supplier} ${hotel.hotelId}`, hotel]))
  const nameByPath = new Map(suppliers.map(({ path, name }) => [path, name]))
  const bad = new Set<string>()
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const [, path = '', kind = ''] = (request.url ?? '').split('/')
      const send = (status: number, answer: Json): void => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
      }
      if (bad.has(`${path}/${kind}`))
        return send(500, { code: '500', message: 'ORA-01034: ORACLE not available' })
      if (kind === 'reservations') return send(200, { code: '200', message: 'Reservation received' })
      const parsedBody: unknown = JSON.parse(Buffer.concat(pieces).toString())
      if (!isRecord(parsedBody)) return send(400, { code: '400', message: 'Not an object' })
      const hotel = hotelByCode.get(`${nameByPath.get(path) ?? ''} ${String(parsedBody['hotelId'])}`)
      const roomRate = hotel && livePrice(hotel, parsedBody)
      return roomRate ? send(200, { roomRate }) : send(404, { code: '404', message: 'Unknown room' })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    urlOf: (path, kind) => `http://127.0.0.1:${port}/${path}/${kind}`,
    behave: (path, kind, how) =>
      void (how === 'badly' ? bad.add(`${path}/${kind}`) : bad.delete(`${path}/${kind}`)),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function livePrice(hotel: DataHotel, parsedBody: Json): Json | undefined {
  const room = hotel.rooms.find(({ roomId }) => roomId === parsedBody['roomId'])
  const rate = hotel.rates.find(({ rateId }) => rateId === parsedBody['rateId'])
  if (!room || !rate) return undefined
  const digits = hotel.place.currency === 'JPY' ? 0 : 2
  const factor = hotel.fate === 'drifts' ? driftFactor : 1
  const after: number[] = []
  const checkout = Temporal.PlainDate.from(String(parsedBody['checkout']))
  for (
    let night = Temporal.PlainDate.from(String(parsedBody['checkin']));
    Temporal.PlainDate.compare(night, checkout) < 0;
    night = night.add({ days: 1 })
  )
    after.push(Number(priceOf(hotel, room, rate, night)) * factor)
  return {
    roomId: room.roomId,
    rateId: rate.rateId,
    currency: hotel.place.currency,
    inventory: units,
    amountBeforeTax: after.map((amount) => (amount / vatFactor).toFixed(digits)),
    amountAfterTax: after.map((amount) => amount.toFixed(digits)),
  }
}
