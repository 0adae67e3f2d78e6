import cluster, { type Worker } from 'node:cluster'
import type { MetricObjectWithValues, MetricValue } from 'prom-client'
import type { Grant, SharedLimits } from '../http/server/rate-limit.ts'
import type { PeerPlaces } from './peers.ts'
import type { PostgresAddress } from '../postgres/connections/connection-config.ts'

/**
 * The messages between the processes of a service (ARI_PROCESSES): a primary, which holds the store, and
 * workers, which answer requests. JSON over the channel of node:cluster; a message of a dead process is lost.
 */

export type ProcessMetrics = MetricObjectWithValues<MetricValue<string>>[]

export type Ports = { port: number; metricsPort: number | undefined }

/** `isFirst` is true for the one worker that has the work that runs once. */
export type Task = { address: PostgresAddress; isFirst: boolean; peers: PeerPlaces } & Ports

export type ToWorker =
  /** The store is ready: serve it. */
  | ({ kind: 'serve' } & Task)
  /** Grants of other workers. */
  | { kind: 'granted'; grants: readonly Grant[] }
  | { kind: 'measure'; id: number }
  /** Whether its event loop turns. */
  | { kind: 'are you there' }
  /** Without `text` it could not be made. */
  | { kind: 'metrics page'; id: number; text: string | undefined }

export type ToPrimary =
  /** This process listens. `notes` might surprise an operator, one sentence each. */
  | { kind: 'ready'; url: string; notes: readonly string[] }
  /** This process did not start, and ends. */
  | { kind: 'failed'; lines: readonly string[] }
  | { kind: 'granted'; grants: readonly Grant[] }
  | { kind: 'measured'; id: number; metrics: ProcessMetrics }
  | { kind: 'here' }
  | { kind: 'request metrics page'; id: number }

/** A worker's end. It receives from the moment it is created. */
export class PrimaryChannel implements SharedLimits {
  readonly #serve = Promise.withResolvers<Task>()
  readonly #pages = new Map<number, PromiseWithResolvers<string>>()
  #lastPage = 0
  #measure: () => Promise<ProcessMetrics> = async () => []
  #applyGrants: (grants: readonly Grant[]) => void = () => {}

  constructor() {
    // Without its primary, a worker has no store and nobody who stops it.
    cluster.worker?.on('error', () => process.exit(1))
    cluster.worker?.on('disconnect', () => process.exit(1))
    process.on('message', (message: unknown) => {
      if (isToWorker(message)) this.#receive(message)
    })
  }

  send(message: ToPrimary, sent = () => {}): void {
    // Fails if the primary has just died; node:cluster then ends this process.
    process.send?.(message, undefined, undefined, sent)
  }

  /** Resolves when the store is ready. */
  toServe(): Promise<Task> {
    return this.#serve.promise
  }

  announce(grants: readonly Grant[]): void {
    this.send({ kind: 'granted', grants })
  }

  onGranted(apply: (grants: readonly Grant[]) => void): void {
    this.#applyGrants = apply
  }

  /** Resolves to the metrics of all processes, in Prometheus' text format. */
  metricsPage(): Promise<string> {
    const id = ++this.#lastPage
    const page = Promise.withResolvers<string>()
    this.#pages.set(id, page)
    this.send({ kind: 'request metrics page', id })
    return page.promise
  }

  /** From now on the metrics pages include what `measure` gives. */
  includeInMetrics(measure: () => Promise<ProcessMetrics>): void {
    this.#measure = measure
  }

  #receive(message: ToWorker): void {
    switch (message.kind) {
      case 'serve':
        return this.#serve.resolve(message)
      case 'granted':
        return this.#applyGrants(message.grants)
      case 'measure': {
        const { id } = message
        // Without an answer the primary uses the metrics of the last page.
        this.#measure().then(
          (metrics) => this.send({ kind: 'measured', id, metrics }),
          () => {},
        )
        return
      }
      case 'are you there':
        return this.send({ kind: 'here' })
      case 'metrics page': {
        const page = this.#pages.get(message.id)
        this.#pages.delete(message.id)
        if (message.text === undefined) page?.reject(new Error('the metrics could not be added up'))
        else page?.resolve(message.text)
      }
    }
  }
}

/** The primary's end. Doesn't throw: a worker may end at any time. */
export function sendToWorker(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, undefined, () => {})
}

// The other end is this same program, so the kind suffices.
function isToWorker(message: unknown): message is ToWorker {
  return typeof message === 'object' && message !== null && 'kind' in message
}

export function isToPrimary(message: unknown): message is ToPrimary {
  return typeof message === 'object' && message !== null && 'kind' in message
}
