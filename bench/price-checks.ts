import type { TestAddress } from '../test/stage/postgres.ts'
import { httpAnswer, startReceiver } from '../test/stage/servers/receiver.ts'
import { bookableNights, bookingWorkload, openBookingStage } from './stage/booking-stage.ts'
import { atRate, expect, openClient, quantile, spread } from './stage/client.ts'
import { row, type Row } from './stage/table.ts'
import { night } from './stage/workload.ts'

const perSecond = 200
const supplierMs = 50
const stayNights = 3
const warmSeconds = 3

/**
 * A live price check beside a bare call of the same supplier by the same client: from the call to the last
 * byte of the answer.
 */
export async function priceChecks(server: TestAddress, { seconds = 15 } = {}): Promise<Row[]> {
  let lastBody = ''
  const receiver = await startReceiver((socket, { body }) => {
    lastBody = body.toString()
    setTimeout(() => socket.write(httpAnswer(200, livePrice(body.toString()))), supplierMs)
  })
  const supplier = openClient(`http://127.0.0.1:${receiver.port}`, {})
  const { platform, close } = await openBookingStage(server, 'availability', receiver)
  try {
    const check = async (index: number): Promise<number> => {
      const { text, ms } = expect(await platform.post('/booking/priceCheck', question(index)), 200)
      if (!text.includes('"outcome":"available"')) throw new Error(`the supplier was not understood: ${text}`)
      return ms
    }
    const bareCall = async (): Promise<number> =>
      expect(await supplier.post('/availability', lastBody), 200).ms
    await timesOf(check, warmSeconds)
    const [checks, bare] = [await timesOf(check, seconds), await timesOf(bareCall, seconds)]
    return [
      row(
        `price check at ${perSecond}/s, p99`,
        spread(checks),
        `a bare call of the same supplier ${spread(bare)}`,
        quantile(checks, 0.99) / quantile(bare, 0.99),
        { atMost: 1.15 },
      ),
    ]
  } finally {
    supplier.close()
    await close()
    await receiver.close()
  }
}

async function timesOf(call: (index: number) => Promise<number>, seconds: number): Promise<number[]> {
  const times: number[] = []
  await atRate({ perSecond, seconds }, async (index) => {
    times.push(await call(index))
  })
  return times
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
function livePrice(requestBody: string): string {
  // oxlint-disable-next-line typescript/no-unsafe-assignment -- the service asks so; its ping has other members
  const { roomId, rateId }: { roomId?: string; rateId?: string } = JSON.parse(requestBody)
  const amounts = new Array<number>(stayNights).fill(120)
  const currency = { currency: 'USD', inventory: 9 }
  return JSON.stringify({
    roomRate: { roomId, rateId, ...currency, amountBeforeTax: amounts, amountAfterTax: amounts },
  })
}
