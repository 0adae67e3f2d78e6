import { asAdmin, type TestAddress } from '../test/stage/postgres.ts'
import { expect, openClient } from './stage/client.ts'
import { openStage, startPeer } from './stage/stage.ts'
import { row, type Row } from './stage/table.ts'
import type { Workload } from './stage/workload.ts'

const rooms = 40
const rates = 33
const workload: Workload = { hotels: 1, roomsPerHotel: rooms, ratesPerRoom: rates }
const range = { from: '2027-03-02', to: '2029-03-29' }
const runs = 7

/**
 * The digest of a hotel with a million nights of room-rates, each with prices of its own and more at the weekend: after a
 * push, and from the cache. The bars are times on a usual machine.
 */
export async function digest(server: TestAddress, slowness: number): Promise<Row[]> {
  const stage = await openStage(server, workload)
  const peer = await startPeer('ours', stage)
  const client = openClient(peer.url, { 'x-api-key': stage.apiKey })
  const push = async (ari: object[]): Promise<void> => {
    const body = { hotelId: 'H0', pricingModel: 'guest', ari }
    expect(await client.post('/push/ari', JSON.stringify(body)), 200)
  }
  const body = JSON.stringify({ hotelId: 'H0', ...range, level: 'hotel' })
  const answeredWithinMs = async (): Promise<number> =>
    expect(await client.post('/push/getAriDigest', body), 200).ms / slowness
  try {
    for (let room = 0; room < rooms; room++) await push(yearsOf(room))
    await asAdmin(stage.address, 'vacuum analyze ari_month')
    const cold: number[] = []
    const warm: number[] = []
    for (let run = 0; run < runs; run++) {
      await push([{ roomId: 'R0', startDate: range.from, endDate: range.to, inventory: 9 + run }])
      cold.push(await answeredWithinMs())
      warm.push(await answeredWithinMs())
    }
    const what = 'digest of a million nights of room-rates, on a usual machine'
    return [
      digestRow(`${what}: after a push`, cold, slowness, 300),
      digestRow(`${what}: nothing changed`, warm, slowness, 10),
    ]
  } finally {
    client.close()
    await peer.stop()
    await stage.drop()
  }
}

/** All nights of a room and its rates. */
function yearsOf(room: number): object[] {
  const dates = { roomId: `R${room}`, startDate: range.from, endDate: range.to }
  const lines = (dearer: number): object[] =>
    Array.from({ length: rates }, (_, rate) => ({
      rateId: `P${rate}`,
      minLengthStay: 1 + (rate % 3),
      prices: [1, 2].map((guests) => ({
        guests,
        ageCategory: 'adult',
        amount: 60 * guests + rates * room + rate + dearer,
      })),
    }))
  return [
    { ...dates, inventory: 1 + (room % 5), rates: lines(0) },
    { ...dates, daysOfWeek: ['FRI', 'SAT'], rates: lines(25) },
  ]
}

function digestRow(what: string, timesMs: readonly number[], slowness: number, atMostMs: number): Row {
  const ms = middle(timesMs)
  return row(what, `${Math.round(ms * slowness)} ms here`, '', ms, { atMost: atMostMs }, 'ms')
}

function middle(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0
}
