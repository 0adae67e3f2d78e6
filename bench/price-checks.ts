import type { TestAddress } from '../test/postgres.ts'
import { httpAnswer, startReceiver } from '../test/receiver.ts'
import { bookableNights, bookingWorkload, openBookingStage } from './booking-stage.ts'
import { atRate, expect, quantile } from './client.ts'
import { row, type Row } from './table.ts'
import { night } from './workload.ts'

const perSecond = 200
const supplierMs = 50
const stayNights = 3
const warmSeconds = 3

/**
 * The time that the service adds to the supplier's own: from the platform's call to the last byte of the
 * answer, minus the time that the supplier takes to answer.
 */
export async function priceChecks(server: TestAddress, { seconds = 15 } = {}): Promise<Row[]> {
  const supplierMsById = new Map<string, number>()
  const receiver = await startReceiver((socket, { headers, body }) => {
    const from = performance.now()
    setTimeout(() => {
      socket.write(httpAnswer(200, livePrice(body.toString())))
      supplierMsById.set(headers.get('x-request-id') ?? '', performance.now() - from)
    }, supplierMs)
  })
  const { platform, close } = await openBookingStage(server, 'availability', receiver)
  try {
    const added: number[] = []
    const own: number[] = []
    const check = async (index: number): Promise<void> => {
      const id = `check-${index}`
      const answered = await platform.post('/booking/priceCheck', question(index), { 'x-request-id': id })
      const { text, ms } = expect(answered, 200)
      const ofSupplier = supplierMsById.get(id)
      if (ofSupplier === undefined || !text.includes('"outcome":"available"'))
        throw new Error(`the supplier was not asked, or not understood: ${text}`)
      added.push(ms - ofSupplier)
      own.push(ofSupplier)
    }
    await atRate({ perSecond, seconds: warmSeconds }, check)
    added.length = 0
    own.length = 0
    await atRate({ perSecond, seconds }, check)
    const [p50, p99] = [quantile(added, 0.5), quantile(added, 0.99)]
    return [
      row(
        `price check at ${perSecond}/s, beside the supplier's time`,
        `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
        `supplier p50 ${quantile(own, 0.5).toFixed(0)} ms, p99 ${quantile(own, 0.99).toFixed(0)} ms`,
        p99,
        { atMost: 10 },
        'ms',
      ),
    ]
  } finally {
    await close()
    await receiver.close()
  }
}

/** A different hotel or night each time: identical concurrent checks would share a call. */
function question(index: number): string {
  const { hotels, roomsPerHotel, ratesPerRoom } = bookingWorkload
  const checkin = 1 + (Math.floor(index / hotels) % (bookableNights - stayNights - 1))
  return JSON.stringify({
    hotel: { supplier: 'bench', hotelId: `H${index % hotels}` },
    roomId: `R${index % roomsPerHotel}`,
    rateId: `P${Math.floor(index / roomsPerHotel) % ratesPerRoom}`,
    checkin: night(checkin),
    checkout: night(checkin + stayNights),
    roomCount: 1,
    adultCount: 2,
    childAges: [],
  })
}

/** As it was pushed. */
function livePrice(asked: string): string {
  // oxlint-disable-next-line typescript/no-unsafe-assignment -- the service asks so; its ping has other members
  const { roomId, rateId }: { roomId?: string; rateId?: string } = JSON.parse(asked)
  const amounts = new Array<number>(stayNights).fill(120)
  const currency = { currency: 'USD', inventory: 9 }
  return JSON.stringify({
    roomRate: { roomId, rateId, ...currency, amountBeforeTax: amounts, amountAfterTax: amounts },
  })
}
