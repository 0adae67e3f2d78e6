import { type Aggregator, Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'

/** Every metric of the service, in a separate registry, so that two services in one process don't collide. */
export type Telemetry = ReturnType<typeof telemetry>

const durationBucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Of several processes, the primary writes each one's name into the label. */
export const processorSeconds = 'ari_processor_seconds_total'

export function telemetry() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  let countedSeconds = 0
  new Counter({
    name: processorSeconds,
    help: 'Processor time by process of the service: the number of a worker, or primary',
    labelNames: ['process'],
    registers,
    collect() {
      const { user, system } = process.cpuUsage()
      const seconds = (user + system) / 1_000_000
      this.inc({ process: '1' }, seconds - countedSeconds)
      countedSeconds = seconds
    },
  })
  return {
    registry,
    ...ofTheGateway(registers),
    ...ofArchive(registers),
    ...ofBulk(registers),
    ...ofChanges(registers),
    ...ofBookings(registers),
    ...ofAlerts(registers),
    /** `together` is the value for several processes: by default their sum. */
    gauge: (name: string, help: string, read: () => number | Promise<number>, together: Aggregator = 'sum') =>
      new Gauge({
        name,
        help,
        registers,
        aggregator: together,
        async collect() {
          this.set(await read())
        },
      }),
  }
}

/** Metrics of requests and of suppliers' pushes. */
function ofTheGateway(registers: Registry[]) {
  return {
    requests: new Histogram({
      name: 'ari_request_duration_seconds',
      help: 'Requests by route and status',
      labelNames: ['route', 'status'] as const,
      buckets: durationBucketsSeconds,
      registers,
    }),
    loopDelay: new Histogram({
      name: 'ari_event_loop_delay_seconds',
      help: 'How late the event loop was, sampled fifty times a second',
      buckets: durationBucketsSeconds,
      registers,
    }),
    limited: new Counter({
      name: 'ari_limits_hit_total',
      help: 'Requests turned away by a limit',
      labelNames: ['limit'] as const,
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
    handedOver: new Counter({
      name: 'ari_pushes_handed_over_total',
      help: 'ARI pushes that another process of the machine applied',
      registers,
    }),
    cacheLookups: new Counter({
      name: 'ari_cache_lookups_total',
      help: 'Look-ups in the caches of stored data, by cache and outcome: hit, miss',
      labelNames: ['cache', 'outcome'] as const,
      registers,
    }),
    pushLogDaysDropped: new Counter({
      name: 'ari_push_log_days_dropped_total',
      help: 'Days of the push log that were dropped: age, size',
      labelNames: ['reason'] as const,
      registers,
    }),
    housekeepingHeldBack: new Counter({
      name: 'ari_housekeeping_held_back_total',
      help: 'Rounds of housekeeping that deleted nothing, or less than was due: clock, ceiling',
      labelNames: ['reason'] as const,
      registers,
    }),
  }
}

/** Metrics of first loads and exports. */
function ofBulk(registers: Registry[]) {
  return {
    bulkLines: new Counter({
      name: 'ari_bulk_lines_total',
      help: 'Lines of first loads by outcome: applied, unchanged, partial, refused',
      labelNames: ['outcome'] as const,
      registers,
    }),
    bulkJobs: new Gauge({
      name: 'ari_bulk_jobs_running',
      help: 'First loads and exports under way',
      registers,
    }),
  }
}

/** Metrics of the archive of bodies. */
function ofArchive(registers: Registry[]) {
  return {
    archivedBytes: new Counter({
      name: 'ari_archive_bytes_total',
      help: 'Bytes of packed bodies that were moved to the archive',
      registers,
    }),
    archiveWaitingBytes: new Gauge({
      name: 'ari_archive_waiting_bytes',
      help: 'Packed bodies of days that are over and that the archive does not have yet',
      registers,
      aggregator: 'max',
    }),
    archiveFailures: new Counter({
      name: 'ari_archive_failures_total',
      help: 'Failed attempts to use the archive: read, write',
      labelNames: ['operation'] as const,
      registers,
    }),
  }
}

/** Metrics of alerts. */
function ofAlerts(registers: Registry[]) {
  const alertMessages = new Counter({
    name: 'ari_alert_messages_total',
    help: 'Messages about alerts by channel (webhook, email, operators) and outcome: sent, failed, given_up',
    labelNames: ['channel', 'outcome'] as const,
    registers,
  })
  // A counter that first appears with 1 has not increased, so the first message that is given up would alert nobody.
  for (const channel of ['webhook', 'email', 'operators'])
    alertMessages.inc({ channel, outcome: 'given_up' }, 0)
  return {
    alertsOpen: new Gauge({
      name: 'ari_alerts_open',
      help: 'Alerts that are not resolved, by kind',
      labelNames: ['kind'] as const,
      registers,
      aggregator: 'max',
    }),
    alertMessages,
  }
}

/** Metrics of the change feed. */
function ofChanges(registers: Registry[]) {
  return {
    changesPublished: new Counter({
      name: 'ari_changes_published_total',
      help: 'Messages of the change feed that NATS stored',
      registers,
    }),
    changesPublisherLag: new Gauge({
      name: 'ari_changes_publisher_lag_seconds',
      help: 'Age of the oldest change that is not published to NATS yet; 0 where nothing is published',
      registers,
      aggregator: 'max',
    }),
    changesTold: new Counter({
      name: 'ari_changes_told_total',
      help: 'Changes sent to followers of the feed',
      registers,
    }),
  }
}

/** Metrics of price checks, reservations and their delivery. */
function ofBookings(registers: Registry[]) {
  return {
    outbound: new Histogram({
      name: 'ari_outbound_duration_seconds',
      help: "Calls of suppliers' URLs by purpose and outcome: answered, or why they failed",
      labelNames: ['purpose', 'outcome'] as const,
      buckets: durationBucketsSeconds,
      registers,
    }),
    priceChecks: new Histogram({
      name: 'ari_price_check_duration_seconds',
      help: 'Price checks by outcome, from the question to the answer',
      labelNames: ['outcome'] as const,
      buckets: durationBucketsSeconds,
      registers,
    }),
    comparedNights: new Counter({
      name: 'ari_price_check_nights_total',
      help: 'Nights of which a live price was compared with the stored one, by what was found: same, differs, sold_out',
      labelNames: ['found'] as const,
      registers,
    }),
    circuitChanges: new Counter({
      name: 'ari_price_check_circuit_changes_total',
      help: 'Changes of the circuits that keep price checks from URLs that fail, by new state',
      labelNames: ['state'] as const,
      registers,
    }),
    priceChecksLost: new Counter({
      name: 'ari_price_checks_lost_total',
      help: 'Price checks that were answered but could not be stored',
      registers,
    }),
    bookings: new Counter({
      name: 'ari_bookings_total',
      help: 'Calls that make, modify or cancel a reservation, by outcome',
      labelNames: ['outcome'] as const,
      registers,
    }),
    deliveryAttempts: new Counter({
      name: 'ari_delivery_attempts_total',
      help: 'Attempts to deliver a reservation, by cause and outcome',
      labelNames: ['trigger', 'outcome'] as const,
      registers,
    }),
    deliveryLag: new Histogram({
      name: 'ari_delivery_lag_seconds',
      help: 'From the commit of a reservation to its delivery',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 15, 60, 300, 1_800, 7_200, 86_400, 259_200],
      registers,
    }),
    deliveryAlerts: new Counter({
      name: 'ari_delivery_alerts_total',
      help: 'Reservations that were undelivered for too long',
      labelNames: ['reason'] as const,
      registers,
    }),
  }
}
