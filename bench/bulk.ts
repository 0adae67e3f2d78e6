import { Worker } from 'node:worker_threads'
import { writeClientTypes } from '../scripts/write-client-types.ts'
import type { TestAddress } from '../test/stage/postgres.ts'
import { atRate, expect, openClient, quantile } from './stage/client.ts'
import type { Load, LinesToLoad } from './stage/bulk-lines.ts'
import { openStage, startPeer, type Peer, type Stage } from './stage/stage.ts'
import { perSecond, row, type Row } from './stage/table.ts'
import { smallPushes, type Workload } from './stage/workload.ts'

/** A year of three room-rates, roughly. */
const linesPerHotel = 1_000
const roomsPerHotel = 3
const liveHotels = 200
/** What a platform of some thousand hotels sends on an ordinary day. */
const livePerSecond = 50
/** Live pushes go on in slices of this length, so that they can end with the load. */
const sliceSeconds = 2
const aloneSeconds = 10
const warmLinesMax = 50_000

const formats = ['ndjson', 'csv'] as const

/** First loads beside live pushes to other hotels: their speed, the service's memory, and how long the pushes take. */
export async function bulk(server: TestAddress, lines: number): Promise<Row[]> {
  await writeClientTypes()
  const hotels = Math.ceil(lines / linesPerHotel)
  const warmLines = Math.min(warmLinesMax, lines)
  const warmHotels = Math.ceil(warmLines / linesPerHotel)
  const workload: Workload = { hotels: liveHotels + warmHotels + 2 * hotels, roomsPerHotel, ratesPerRoom: 1 }
  const stage = await openStage(server, workload)
  const peer = await startPeer('ours', stage)
  const live = livePushes(peer, stage)
  try {
    await loadLines(peer, stage, { format: 'ndjson', lines: warmLines, firstHotel: liveHotels })
    await live.during(aloneSeconds / 2)
    const alone: number[] = []
    const loads: Measured[] = []
    // The pushes alone are measured around every load, so that a drift of the machine affects both.
    for (const [index, format] of formats.entries()) {
      alone.push(...(await live.during(aloneSeconds)))
      const firstHotel = liveHotels + warmHotels + index * hotels
      const loading = loadLines(peer, stage, { format, lines, firstHotel })
      const liveMs = await live.until(loading)
      loads.push({ ...(await loading), format, liveMs })
      process.stderr.write(`measured: ${format}, ${liveMs.length} live pushes\n`)
    }
    alone.push(...(await live.during(aloneSeconds)))
    return loads.flatMap((load) => rowsOf(load, lines, alone))
  } finally {
    live.close()
    await peer.stop()
    await stage.drop()
  }
}

type Measured = Load & { format: LinesToLoad['format']; liveMs: number[] }

function rowsOf(load: Measured, lines: number, alone: readonly number[]): Row[] {
  const { format, liveMs, megabytes, uploadSeconds, seconds } = load
  const [first = 0] = megabytes
  const last = megabytes.at(-1) ?? Infinity
  const name = `${lines.toLocaleString('en')} lines of ${format === 'csv' ? 'CSV' : 'NDJSON'}`
  const p99 = (ms: readonly number[]): number => quantile(ms, 0.99)
  return [
    row(
      `${name}, and ${livePerSecond} live pushes a second meanwhile`,
      `${perSecond(lines / seconds)} lines, sent within ${uploadSeconds.toFixed(0)} s; pushes p99 ${p99(liveMs).toFixed(1)} ms`,
      `pushes alone p99 ${p99(alone).toFixed(1)} ms`,
      p99(liveMs) / p99(alone),
      { atMost: 2 },
    ),
    row(
      `${name}: the service's memory at the end`,
      `${last.toFixed(0)} MB resident, at most ${Math.max(...megabytes).toFixed(0)} MB`,
      `after a tenth ${first.toFixed(0)} MB`,
      last / first,
      { atMost: 1.2 },
    ),
  ]
}

function loadLines(
  { url, pid }: Peer,
  { apiKey }: Stage,
  lines: Pick<LinesToLoad, 'format' | 'lines' | 'firstHotel'>,
): Promise<Load> {
  const workerData: LinesToLoad = { url, pid, apiKey, roomsPerHotel, linesPerHotel, ...lines }
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('stage/bulk-lines.ts', import.meta.url), { workerData })
    worker.once('message', resolve).once('error', reject)
  })
}

type LivePushes = {
  /** Pushes for some time, and returns how long each took. */
  during: (seconds: number) => Promise<number[]>
  /** Pushes until something has ended. */
  until: (ended: Promise<unknown>) => Promise<number[]>
  close: () => void
}

function livePushes(peer: Peer, { apiKey }: Stage): LivePushes {
  const bodies = smallPushes({ hotels: liveHotels, roomsPerHotel, ratesPerRoom: 1 }, 5_000, 300, 1)
  const client = openClient(peer.url, { 'x-api-key': apiKey })
  let sent = 0
  const during = async (seconds: number): Promise<number[]> => {
    const all: number[] = []
    await atRate({ perSecond: livePerSecond, seconds }, async () => {
      const { ms } = expect(await client.post('/push/ari', bodies[sent++ % bodies.length] ?? ''), 200)
      all.push(ms)
    })
    return all
  }
  const until = async (ended: Promise<unknown>): Promise<number[]> => {
    const load = { isOver: false }
    const over = (): void => {
      load.isOver = true
    }
    ended.then(over, over)
    const all: number[] = []
    while (!load.isOver) all.push(...(await during(sliceSeconds)))
    return all
  }
  return { during, until, close: client.close }
}
