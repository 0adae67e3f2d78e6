import type { TestAddress } from '../test/stage/postgres.ts'
import { expect, openClient } from './stage/client.ts'
import { openStage, startPeer } from './stage/stage.ts'
import { row, type Row } from './stage/table.ts'
import { seasonPush, type Workload } from './stage/workload.ts'

const workload: Workload = { hotels: 1, roomsPerHotel: 10, ratesPerRoom: 5 }
const nights = 365
const runs = 21

/** A dry run of a year of 50 room-rates, alone and with its impact, in turns. */
export async function impact(server: TestAddress): Promise<Row[]> {
  const stage = await openStage(server, workload)
  const peer = await startPeer('ours', stage)
  const client = openClient(peer.url, { 'x-api-key': stage.apiKey })
  const year = (seed: number, more: object): string =>
    JSON.stringify({ ...Object(JSON.parse(seasonPush('H0', workload, { nights, seed }))), ...more })
  const answeredWithinMs = async (body: string): Promise<number> =>
    expect(await client.post('/push/ari', body), 200).ms
  try {
    await answeredWithinMs(year(1, {}))
    const plain = year(2, { dryRun: true })
    const compared = year(2, { dryRun: true, impact: true })
    const alone: number[] = []
    const more: number[] = []
    for (let run = 0; run < runs; run++) {
      const ms = await answeredWithinMs(plain)
      alone.push(ms)
      more.push((await answeredWithinMs(compared)) - ms)
    }
    const [usual, added] = [middle(alone), middle(more)]
    const against = `the dry run alone: ${usual.toFixed(0)} ms`
    return [
      row(
        'impact of a year of 50 room-rates, added to the dry run',
        `${added.toFixed(0)} ms`,
        against,
        added,
        { atMost: 50 },
        'ms',
      ),
      row('the same', `${added.toFixed(0)} ms`, against, added / usual, { atMost: 2 }),
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
