import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'

/** Every metric of the service, in one registry of its own, so that two services in one process don't meet. */
export type Telemetry = ReturnType<typeof telemetry>

const durationBucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function telemetry() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  return {
    registry,
    requests: new Histogram({
      name: 'ari_request_duration_seconds',
      help: 'Requests by route and status',
      labelNames: ['route', 'status'] as const,
      buckets: durationBucketsSeconds,
      registers,
    }),
    pushes: new Counter({
      name: 'ari_pushes_total',
      help: 'Pushes by kind and outcome',
      labelNames: ['kind', 'outcome'] as const,
      registers,
    }),
    cells: new Counter({
      name: 'ari_cells_changed_total',
      help: 'Room and room-rate nights changed by pushes',
      registers,
    }),
    groupSize: new Histogram({
      name: 'ari_commit_group_size',
      help: 'ARI pushes committed together',
      buckets: [1, 2, 4, 8, 16, 32, 64, 128],
      registers,
    }),
    groupRetries: new Counter({
      name: 'ari_commit_group_retries_total',
      help: 'Groups that failed and were tried one by one',
      registers,
    }),
    limited: new Counter({
      name: 'ari_limits_hit_total',
      help: 'Requests turned away by a limit',
      labelNames: ['limit'] as const,
      registers,
    }),
    gauge: (name: string, help: string, read: () => number) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read())
        },
      }),
  }
}
