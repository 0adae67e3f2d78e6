import { asAdmin, type TestAddress } from '../test/postgres.ts'
import { expect, openClient } from './client.ts'
import { openStage, startPeer } from './stage.ts'
import { row, type Row } from './table.ts'
import type { Workload } from './workload.ts'

const workload: Workload = { hotels: 1, roomsPerHotel: 40, ratesPerRoom: 33 }
const range = { from: '2027-03-02', to: '2029-03-29' }
const runs = 7

/** The digest of a hotel with a million nights of room-rates: computed anew after a push, and from the cache. */
export async function digest(server: TestAddress): Promise<Row[]> {
  const stage = await openStage(server, workload)
  const peer = await startPeer('ours', stage)
  const client = openClient(peer.url, { 'x-api-key': stage.apiKey })
  const push = async (inventory: number): Promise<void> => {
    const rates = [
      {
        rateId: 'P0',
        minLengthStay: 2,
        prices: [1, 2].map((guests) => ({ guests, ageCategory: 'adult', amount: 60 * guests })),
      },
    ]
    const ari = [{ roomId: 'R0', startDate: range.from, endDate: range.to, inventory, rates }]
    expect(await client.post('/push/ari', JSON.stringify({ hotelId: 'H0', pricingModel: 'guest', ari })), 200)
  }
  const body = JSON.stringify({ hotelId: 'H0', ...range, level: 'hotel' })
  const answeredWithinMs = async (): Promise<number> =>
    expect(await client.post('/push/getAriDigest', body), 200).ms
  try {
    await push(1)
    await asAdmin(
      stage.address,
      `insert into ari_month (hotel_id, room_no, rate_no, month, written_at, block)
         select ari_month.hotel_id, room_rate.room_no, case when ari_month.rate_no = 0 then 0 else room_rate.rate_no end, month, written_at, block
         from ari_month join room_rate on ari_month.rate_no > 0 or room_rate.rate_no = 1
         on conflict do nothing`,
    )
    await asAdmin(stage.address, 'vacuum analyze ari_month')
    const cold: number[] = []
    const warm: number[] = []
    for (let run = 0; run < runs; run++) {
      await push(2 + run)
      cold.push(await answeredWithinMs())
      warm.push(await answeredWithinMs())
    }
    return [
      row(
        'digest of a million nights of room-rates, after a push',
        text(cold),
        '',
        middle(cold),
        { atMost: 300 },
        'ms',
      ),
      row('the same, nothing changed', text(warm), '', middle(warm), { atMost: 10 }, 'ms'),
    ]
  } finally {
    client.close()
    await peer.stop()
    await stage.drop()
  }
}

function middle(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0
}

function text(values: readonly number[]): string {
  return `${Math.round(middle(values))} ms`
}
