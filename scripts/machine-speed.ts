/**
 * Measures the machine: counts answers of a server that does nothing, in two concurrent threads, each with
 * its own client. Prints how many times slower than usual it is, at least 1, for `.ci/run`; and the
 * measurement to stderr.
 */
import { once } from 'node:events'
import { Agent, createServer, get } from 'node:http'
import { parentPort, Worker } from 'node:worker_threads'

const threads = 2
const measuredMs = 6_000
const warmingUpMs = 500
const connections = 16
/** The total of both threads, on two otherwise idle cores. */
const usualPerSecond = 45_000
const slownessMax = 4

if (parentPort) {
  parentPort.postMessage(await answersPerSecond())
} else {
  const measured = await Promise.all(
    Array.from({ length: threads }, async () =>
      Number((await once(new Worker(import.meta.filename), 'message'))[0]),
    ),
  )
  const perSecond = measured.reduce((sum, one) => sum + one, 0)
  const slowness = Math.min(slownessMax, Math.max(1, usualPerSecond / perSecond))
  process.stderr.write(
    `${Math.round(perSecond)} empty answers a second, of ${usualPerSecond} on a usual machine\n`,
  )
  process.stdout.write(`${slowness.toFixed(2)}\n`)
}

async function answersPerSecond(): Promise<number> {
  const server = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const ask = () =>
    new Promise<void>((answered, failed) => {
      get({ host: '127.0.0.1', port, agent }, (response) => response.resume().once('end', answered)).once(
        'error',
        failed,
      )
    })
  const answersWithin = async (ms: number): Promise<number> => {
    let answers = 0
    const endMs = performance.now() + ms
    const client = async () => {
      for (; performance.now() < endMs; answers++) await ask()
    }
    await Promise.all(Array.from({ length: connections }, client))
    return answers
  }
  await answersWithin(warmingUpMs)
  const answers = await answersWithin(measuredMs)
  agent.destroy()
  server.close()
  return (answers * 1_000) / measuredMs
}
