/** A load in a thread of its own: making a million lines must not delay the pushes that are timed beside it. */
import { parentPort, workerData } from 'node:worker_threads'
import { supplierClient } from '../../packages/client/src/clients.ts'
import { loadBulkData } from '../../packages/client/src/load-data.ts'
import { residentMegabytes, type Peer } from './stage.ts'
import { night, random } from './workload.ts'

export type LinesToLoad = Pick<Peer, 'url' | 'pid'> & {
  apiKey: string
  format: 'ndjson' | 'csv'
  lines: number
  firstHotel: number
  linesPerHotel: number
  roomsPerHotel: number
}

export type Load = {
  /** After each tenth of the lines that was seen. */
  megabytes: number[]
  uploadSeconds: number
  seconds: number
}

/** Loads lines by the client, and reads the service's memory meanwhile. */
async function loadLines(what: LinesToLoad): Promise<Load> {
  const { url, apiKey, format, lines } = what
  const megabytes: Promise<number>[] = []
  let tenths = 0
  const beginMs = performance.now()
  let startedMs: number | undefined
  const job = await loadBulkData(supplierClient({ url, apiKey }), {
    kind: 'ari',
    format,
    data: fileOf(what),
    onProgress: ({ lines: done }) => {
      startedMs ??= performance.now()
      const now = Math.floor((done * 10) / lines)
      if (now > tenths) megabytes.push(residentMegabytes(what))
      tenths = now
    },
  })
  if (job.state !== 'done' || job.applied !== lines)
    throw new Error(`not all was loaded: ${JSON.stringify(job)}`)
  return {
    megabytes: await Promise.all(megabytes),
    uploadSeconds: ((startedMs ?? Infinity) - beginMs) / 1_000,
    seconds: (performance.now() - (startedMs ?? Infinity)) / 1_000,
  }
}

const csvColumns = 'hotelId,roomId,rateId,startDate,endDate,inventory,minLengthStay,a1,a2'

/** Lines hotel by hotel, night by night; each is a night of a room-rate. */
async function* fileOf(what: LinesToLoad): AsyncGenerator<string> {
  const { format, lines, firstHotel, linesPerHotel, roomsPerHotel } = what
  const next = random(lines + firstHotel)
  const below = (limit: number): number => Math.floor(next() * limit)
  if (format === 'csv') yield `${csvColumns}\n`
  let text = ''
  for (let index = 0; index < lines; index++) {
    const ofHotel = index % linesPerHotel
    const hotelId = `H${firstHotel + Math.floor(index / linesPerHotel)}`
    const roomId = `R${ofHotel % roomsPerHotel}`
    const date = night(Math.floor(ofHotel / roomsPerHotel))
    const [inventory, stay] = [below(50), 1 + below(4)]
    const [single, double] = [(5_000 + below(20_000)) / 100, (8_000 + below(20_000)) / 100]
    if (format === 'csv')
      text += `${hotelId},${roomId},P0,${date},${date},${inventory},${stay},${single},${double}\n`
    else {
      const prices = [
        { guests: 1, ageCategory: 'adult', amount: single },
        { guests: 2, ageCategory: 'adult', amount: double },
      ]
      const rates = [{ rateId: 'P0', minLengthStay: stay, prices }]
      text += `${JSON.stringify({ hotelId, pricingModel: 'guest', ari: [{ roomId, date, inventory, rates }] })}\n`
    }
    if (text.length < pieceLength) continue
    yield text
    text = ''
  }
  yield text
}

const pieceLength = 256 * 1024

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- What the bench hands over, which has this type.
parentPort?.postMessage(await loadLines(workerData as LinesToLoad))
