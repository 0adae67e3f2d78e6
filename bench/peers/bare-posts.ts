/**
 * Posts a body again and again over kept connections, and prints how many were answered in a second. It does
 * nothing else with them: the ceiling of a program that delivers.
 */
import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

const [url = '', body = '', seconds = ''] = process.argv.slice(2)
const connections = 64
const warmingUpMs = 1_000

const agent = new Agent({ keepAlive: true, maxSockets: connections })
let answered = 0
let isOver = false

const post = () =>
  new Promise<void>((done, failed) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const sent = request(url, { agent, method: 'POST', headers }, (answer) =>
      answer.resume().once('end', done),
    )
    sent.once('error', failed)
    sent.end(body)
  })

const clients = Array.from({ length: connections }, async () => {
  for (; !isOver; answered++) await post()
})
await wait(warmingUpMs)
const [before, fromMs] = [answered, performance.now()]
await wait(Number(seconds) * 1_000)
process.stdout.write(`${((answered - before) * 1_000) / (performance.now() - fromMs)}\n`)
isOver = true
await Promise.all(clients)
agent.destroy()
