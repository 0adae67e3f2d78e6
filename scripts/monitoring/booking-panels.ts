import { of, quantile, rate, type Row } from './panel.ts'

export const rowsOfBookings: readonly Row[] = [
  {
    title: 'Reservations and deliveries',
    panels: [
      {
        title: 'Bookings by outcome',
        description: 'Calls that make, modify or cancel a reservation. Console: Reservations.',
        unit: 'ops',
        isStacked: true,
        queries: [[rate('ari_bookings_total', 'outcome'), '{{outcome}}']],
      },
      {
        title: 'Delivery attempts by outcome',
        description: 'All causes together. Console: Deliveries, by supplier.',
        unit: 'ops',
        isStacked: true,
        queries: [[rate('ari_delivery_attempts_total', 'outcome'), '{{outcome}}']],
      },
      {
        title: 'Delivery attempts by cause',
        description: 'At once, retry, hourly run, by hand.',
        unit: 'ops',
        isStacked: true,
        queries: [[rate('ari_delivery_attempts_total', 'trigger'), '{{trigger}}']],
      },
      {
        title: 'From commit to delivery',
        description: 'How long reservations that were delivered have waited.',
        unit: 's',
        queries: [0.5, 0.95, 0.99].map((share) => [
          quantile(share, 'ari_delivery_lag_seconds'),
          `p${share * 100}`,
        ]),
      },
      {
        title: 'Waiting and under way',
        description: 'Deliveries that are due or will be, and calls under way.',
        unit: 'short',
        queries: [
          [`max(${of('ari_deliveries_queued')})`, 'queued'],
          [`sum(${of('ari_delivery_calls')})`, 'calls under way'],
        ],
      },
      {
        title: 'Alerts raised',
        description: 'Reservations that were undelivered for too long, by reason.',
        unit: 'ops',
        queries: [[rate('ari_delivery_alerts_total', 'reason'), '{{reason}}']],
      },
      {
        title: "Calls of suppliers' URLs",
        description: 'By purpose and outcome: answered, or why they failed.',
        unit: 'ops',
        isStacked: true,
        queries: [
          [rate('ari_outbound_duration_seconds_count', 'purpose, outcome'), '{{purpose}} {{outcome}}'],
        ],
      },
      {
        title: "Latency of suppliers' URLs",
        description: '95th percentile by purpose.',
        unit: 's',
        queries: [[quantile(0.95, 'ari_outbound_duration_seconds', 'purpose'), '{{purpose}}']],
      },
      {
        title: 'Cards and their keys',
        description:
          'Processes without the key of the cards, cards under keys that are not there, and how far a change of keys is. GET /readyz of a process says what is wrong, ari vault status what to do.',
        unit: 'short',
        queries: [
          [`sum(${of('ari_vault_closed')})`, 'processes without the key'],
          [`max(${of('ari_vault_cards_unreadable')})`, 'cards under keys not there'],
          [`max(${of('ari_vault_cards_to_rewrap')})`, 'cards to wrap anew'],
        ],
      },
      {
        title: 'Age of the vault key',
        description:
          'Cards destroyed since then are still in older backups, under this key: change it each month.',
        unit: 's',
        queries: [[`max(${of('ari_vault_key_age_seconds')})`, 'age']],
      },
    ],
  },
  {
    title: 'Process and database',
    panels: [
      {
        title: 'Event loop delay',
        description: 'Above 100 ms for long, the process has too much to do: add one.',
        unit: 's',
        marks: [0.1, 0.5],
        queries: [
          [`max by (instance) (${of('nodejs_eventloop_lag_p99_seconds')})`, '{{instance}} p99'],
          [`max by (instance) (${of('nodejs_eventloop_lag_mean_seconds')})`, '{{instance}} mean'],
          [quantile(0.999, 'ari_event_loop_delay_seconds'), 'longest of a thousand looks'],
        ],
      },
      {
        title: 'Connections of the pool',
        description: 'Queries that wait for a connection mean a slow database, or one process too few.',
        unit: 'short',
        queries: [
          [`sum by (instance) (${of('ari_pool_connections')})`, '{{instance}} open'],
          [`sum by (instance) (${of('ari_pool_idle')})`, '{{instance}} idle'],
          [`sum by (instance) (${of('ari_pool_waiting')})`, '{{instance}} waiting'],
        ],
      },
      {
        title: 'Clocks',
        description:
          "How far each machine's clock is ahead of the database's. Beyond 5 s nothing is deleted from there.",
        unit: 's',
        marks: [5, 60],
        queries: [[`max by (instance) (${of('ari_clock_ahead_seconds')})`, '{{instance}}']],
      },
      {
        title: 'Epoch of the store, housekeeping held back',
        description:
          'The epoch rises with a failover or a restore; rounds are held back by a clock or a ceiling.',
        unit: 'short',
        queries: [
          [`max(${of('ari_store_epoch')})`, 'epoch'],
          [
            `sum by (reason) (increase(${of('ari_housekeeping_held_back_total')}[1h]))`,
            'held back by {{reason}}',
          ],
        ],
      },
      {
        title: 'Memory',
        description: 'Resident memory of the process.',
        unit: 'bytes',
        queries: [[`max by (instance) (${of('process_resident_memory_bytes')})`, '{{instance}}']],
      },
      {
        title: 'CPU',
        description: 'Cores used by the process.',
        unit: 'short',
        queries: [
          [`sum by (instance) (rate(${of('process_cpu_seconds_total')}[$__rate_interval]))`, '{{instance}}'],
        ],
      },
    ],
  },
]
