import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { AggregatorRegistry } from 'prom-client'
import { WrongSettings, type Settings } from '../settings/config.ts'
import type { Log } from '../base/log.ts'
import { processorSeconds, type Telemetry } from '../base/telemetry.ts'
import type { PostgresAddress } from '../postgres/connections/connection-config.ts'
import {
  isToPrimary,
  sendToWorker,
  type Ports,
  type ProcessMetrics,
  type ToPrimary,
} from './process-channel.ts'

/** The workers of a service with several processes, from their primary's point of view. */
export type Processes = {
  /** Resolves when every worker listens. Rejects with the first reason that one doesn't. */
  serve: (store: Served) => Promise<{ url: string; notes: readonly string[] }>
  /** Lets all workers finish the requests in progress, and resolves when they are gone. */
  stop: () => Promise<void>
}

type Served = { address: PostgresAddress } & Ports

type Process = {
  slot: number
  worker: Worker
  startedMs: number
  metrics: ProcessMetrics
  isReady: boolean
  /** Questions in a row that it has not answered. */
  unanswered: number
}

/** A worker that dies earlier than this after its start is started again only after a delay. */
const soonMs = 5_000
const restartDelaysMs = [250, 500, 1_000, 2_000, 5_000]
/**
 * A worker that hangs (a loop that never turns, a process that was stopped) is ended after so many unanswered questions: a
 * minute. Questions are counted, not seconds: while the whole machine is suspended, nobody asks.
 */
export const aliveCheck = { everyMs: 5_000, unansweredMax: 12 } as const
/** A worker that doesn't give its metrics within this time is shown with its last ones. */
const measuredWithinMs = 1_000

/**
 * Starts `settings.processes` workers, which load their modules while the caller prepares the store, and
 * replaces each one that dies. Only one at a time has the work that runs once.
 */
export function startProcesses(settings: Settings, log: Log, telemetry: Telemetry): Processes {
  return new Cluster(settings.processes, log, telemetry)
}

class Cluster implements Processes {
  readonly #log: Log
  readonly #telemetry: Telemetry
  readonly #slots: (Process | undefined)[]
  /** By slot: how often in a row its worker ended soon after it was started. */
  readonly #crashes = new Map<number, number>()
  #served: Served | undefined
  /** Of the sockets between the workers; only this user can open it. */
  readonly #folder = mkdtempSync(join(tmpdir(), 'ari-'))
  readonly #stop = new AbortController()
  readonly #alive = setInterval(() => this.#endSilent(), aliveCheck.everyMs).unref()
  readonly #serving = Promise.withResolvers<{ url: string; notes: readonly string[] }>()
  /** Counters of dead workers, added up: the sum over all processes must not fall. */
  #deadMetrics: Promise<ProcessMetrics> = Promise.resolve([])
  readonly #measurements = new Map<number, (metrics: ProcessMetrics) => void>()
  #lastMeasurement = 0
  /** Undefined unless one is being made; resolves to undefined if that fails. */
  #page: Promise<string | undefined> | undefined

  constructor(count: number, log: Log, telemetry: Telemetry) {
    this.#log = log
    this.#telemetry = telemetry
    this.#slots = Array.from({ length: count }, (_, slot) => this.#start(slot))
    this.#serving.promise.catch(() => {})
  }

  serve(served: Served): Promise<{ url: string; notes: readonly string[] }> {
    this.#served = served
    for (const [slot, process] of this.#slots.entries()) if (process) this.#tellToServe(slot, process.worker)
    return this.#serving.promise
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    clearInterval(this.#alive)
    const ended = this.#slots.map(async (process) => {
      if (!process || process.worker.isDead()) return
      const { promise, resolve } = Promise.withResolvers<void>()
      process.worker.once('exit', () => resolve())
      process.worker.process.kill('SIGTERM')
      await promise
    })
    await Promise.all(ended)
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #start(slot: number): Process {
    const worker = cluster.fork()
    const startedMs = performance.now()
    const process: Process = { slot, worker, startedMs, metrics: [], isReady: false, unanswered: 0 }
    worker.on('message', (message: unknown) => {
      if (isToPrimary(message)) this.#receive(process, message)
    })
    worker.on('exit', (code, signal) => void this.#replace(process, { code, signal }))
    // Mostly a message to a worker that has just died: its exit is what counts. One that could not be started has none.
    worker.on('error', (error) => {
      if (worker.process.pid === undefined && this.#slots[slot] === process)
        void this.#replace(process, { err: error })
    })
    this.#tellToServe(slot, worker)
    return process
  }

  #tellToServe(slot: number, worker: Worker): void {
    if (!this.#served) return
    const peers = { folder: this.#folder, slot, count: this.#slots.length }
    sendToWorker(worker, { kind: 'serve', ...this.#served, peers, isFirst: slot === 0 })
  }

  #receive(process: Process, message: ToPrimary): void {
    switch (message.kind) {
      case 'ready': {
        process.isReady = true
        const { url, notes } = message
        if (this.#slots.every((one) => one?.isReady)) this.#serving.resolve({ url, notes })
        return
      }
      case 'here':
        process.unanswered = 0
        return
      case 'failed':
        this.#serving.reject(new WrongSettings(message.lines))
        if (this.#slots.some((one) => one?.isReady))
          this.#log.error({ why: message.lines }, 'a process did not start')
        return
      case 'granted':
        for (const other of this.#slots)
          if (other && other !== process)
            sendToWorker(other.worker, { kind: 'granted', grants: message.grants })
        return
      case 'measured':
        process.metrics = ofProcess(String(process.slot + 1), message.metrics)
        this.#measurements.get(message.id)?.(process.metrics)
        this.#measurements.delete(message.id)
        return
      case 'request metrics page': {
        const { id } = message
        // Concurrent requests share one page: each page is work for every process.
        this.#page ??= this.#metricsPage()
          .catch((error: unknown) => {
            this.#log.error({ err: error }, 'the metrics of the processes could not be added up')
            return undefined
          })
          .finally(() => (this.#page = undefined))
        void this.#page.then((text) => sendToWorker(process.worker, { kind: 'metrics page', id, text }))
      }
    }
  }

  /** A worker that hangs would go on getting its share of the connections. What it had leased ends as after a crash. */
  #endSilent(): void {
    for (const process of this.#slots) {
      if (!process?.isReady) continue
      if (process.unanswered >= aliveCheck.unansweredMax) {
        this.#log.error(
          { process: process.slot },
          'a process of the service has not answered for a minute, and is ended',
        )
        process.worker.process.kill('SIGKILL')
      } else {
        process.unanswered++
        sendToWorker(process.worker, { kind: 'are you there' })
      }
    }
  }

  /** Replaces a worker that ended, unless the whole service ends. */
  async #replace({ slot, startedMs, metrics }: Process, why: object): Promise<void> {
    this.#slots[slot] = undefined
    const counted = metrics.filter(({ type }) => isCounted(String(type)))
    this.#deadMetrics = this.#deadMetrics.then((dead) => sumOf([dead, counted]))
    if (this.#isStopping()) return
    this.#log.error({ process: slot, ...why }, 'a process of the service ended, and is started again')
    const isSoon = performance.now() - startedMs < soonMs
    const crashes = isSoon ? 1 + (this.#crashes.get(slot) ?? 0) : 0
    this.#crashes.set(slot, crashes)
    if (crashes > 0) await wait(restartDelaysMs[crashes - 1] ?? restartDelaysMs.at(-1))
    if (!this.#isStopping()) this.#slots[slot] = this.#start(slot)
  }

  #isStopping(): boolean {
    return this.#stop.signal.aborted
  }

  async #metricsPage(): Promise<string> {
    const own = this.#telemetry.registry
      .getMetricsAsJSON()
      .then((metrics: ProcessMetrics) => ofProcess('primary', metrics))
    const measured = this.#slots.flatMap((process) => (process ? [this.#measure(process)] : []))
    const all = await Promise.all([own, this.#deadMetrics, ...measured])
    return AggregatorRegistry.aggregate(all).metrics()
  }

  #measure(process: Process): Promise<ProcessMetrics> {
    const id = ++this.#lastMeasurement
    const { promise, resolve } = Promise.withResolvers<ProcessMetrics>()
    const late = setTimeout(() => {
      this.#measurements.delete(id)
      resolve(process.metrics)
    }, measuredWithinMs)
    this.#measurements.set(id, (metrics) => {
      clearTimeout(late)
      resolve(metrics)
    })
    sendToWorker(process.worker, { kind: 'measure', id })
    return promise
  }
}

/**
 * A port that no other program listens on: `port`, or a free one for 0. Workers listen with SO_REUSEPORT, which
 * would also share it with another service of the same user.
 */
export async function claimPort(host: string, port: number): Promise<number> {
  const server = createServer().listen({ host, port })
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : port
}

/** The metrics with the name of their process in the one that tells processes apart. */
function ofProcess(name: string, metrics: ProcessMetrics): ProcessMetrics {
  return metrics.map((metric) =>
    metric.name === processorSeconds
      ? { ...metric, values: metric.values.map((value) => ({ ...value, labels: { process: name } })) }
      : metric,
  )
}

function isCounted(type: string): boolean {
  return type === 'counter' || type === 'histogram'
}

async function sumOf(metrics: readonly ProcessMetrics[]): Promise<ProcessMetrics> {
  return AggregatorRegistry.aggregate([...metrics]).getMetricsAsJSON()
}
