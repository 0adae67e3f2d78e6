import { asAdmin, type TestAddress } from '../test/stage/postgres.ts'
import { load, openStage, pushedToday, startPeer, type Measured, type Stage } from './stage/stage.ts'
import { perSecond, row, type Row } from './stage/table.ts'
import { smallPushes, smallPushToEach, type Workload } from './stage/workload.ts'

const connections = 64

/**
 * The cost of a push with 100,000 hotels stored, each with a year of ARI, against 1,000. Before it is measured
 * each hotel is pushed to once, as in a process that has run for days; then pushes go to all of them evenly. None
 * is its hotel's first of the day.
 */
export async function manyHotels(server: TestAddress): Promise<Row[]> {
  const few = await measured(server, 1_000)
  const many = await measured(server, 100_000)
  return [
    row(
      'cost of a push with 100,000 hotels stored',
      `${perSecond(many.perSecond)} (p99 ${many.p99Ms} ms)`,
      `with 1,000 hotels ${perSecond(few.perSecond)} (p99 ${few.p99Ms} ms)`,
      few.perSecond / many.perSecond,
      { atMost: 1.2 },
    ),
  ]
}

async function measured(server: TestAddress, hotels: number): Promise<Measured> {
  const workload: Workload = { hotels, roomsPerHotel: 2, ratesPerRoom: 2 }
  const stage = await openStage(server, workload)
  const peer = await startPeer('ours', stage)
  try {
    await copyYear(stage, peer.url)
    await pushedToday(
      stage,
      Array.from({ length: hotels }, (_, number) => `H${number}`),
    )
    await load(peer, stage, smallPushToEach(workload, 360, 4), { connections, requests: hotels })
    await load(peer, stage, smallPushes(workload, 100_000, 360, 5), { connections, seconds: 4 })
    return await load(peer, stage, smallPushes(workload, 100_000, 360, 6), { connections, seconds: 8 })
  } finally {
    await peer.stop()
    await stage.drop()
  }
}

/** Pushes one hotel's year, and copies it to the others. */
async function copyYear(stage: Stage, url: string): Promise<void> {
  const rates = ['P0', 'P1'].map((rateId) => ({
    rateId,
    prices: [{ guests: 2, ageCategory: 'adult', amount: 120 }],
  }))
  const ari = ['R0', 'R1'].map((roomId) => ({
    roomId,
    startDate: '2027-03-01',
    endDate: '2028-02-29',
    inventory: 9,
    rates,
  }))
  const response = await fetch(`${url}/v1/push/ari`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': stage.apiKey },
    body: JSON.stringify({ hotelId: 'H0', pricingModel: 'guest', ari }),
  })
  if (response.status !== 200) throw new Error(await response.text())
  await asAdmin(
    stage.address,
    `insert into ari_month (hotel_id, room_no, rate_no, month, written_at, block)
      select hotel.id, room_no, rate_no, month, written_at, block
      from hotel, ari_month where ari_month.hotel_id = (select id from hotel where code = 'H0') and hotel.code <> 'H0'`,
  )
  await asAdmin(stage.address, 'vacuum analyze ari_month')
}
