import { of, quantile, rate, type Row } from './panel.ts'

export const rowsOfPushes: readonly Row[] = [
  {
    title: 'What needs a person',
    panels: [
      {
        title: 'Oldest undelivered reservation',
        description:
          'Age of the reservation that has waited longest for its delivery. Console: Deliveries, sorted by age. Above 30 minutes an alert is open for it.',
        unit: 's',
        kind: 'stat',
        marks: [300, 1_800],
        queries: [[`max(${of('ari_delivery_oldest_seconds')})`, 'oldest']],
      },
      {
        title: 'Delivery alerts open',
        description: 'Reservations that are undelivered for too long. Console: Overview, Deliveries.',
        unit: 'short',
        kind: 'stat',
        marks: [1, 5],
        queries: [[`max(${of('ari_delivery_alerts_open')})`, 'open']],
      },
      {
        title: 'Dead letters',
        description:
          'Deliveries that were given up after 72 hours. Console: Deliveries with status dead; send again when the supplier is back.',
        unit: 'short',
        kind: 'stat',
        marks: [1, 1],
        queries: [[`max(${of('ari_deliveries_dead')})`, 'dead']],
      },
      {
        title: 'Price check circuits open',
        description:
          'URLs of suppliers that are left alone because they failed. Console: Price checks, by supplier.',
        unit: 'short',
        kind: 'stat',
        marks: [1, 5],
        queries: [[`sum(${of('ari_price_check_circuits_open')})`, 'open']],
      },
      {
        title: 'Answered with 5xx',
        description: 'Share of requests that failed by our fault or were turned away by overload.',
        unit: 'percentunit',
        kind: 'stat',
        marks: [0.001, 0.01],
        queries: [
          [
            'sum(rate(ari_request_duration_seconds_count{job=~"$job", status=~"5.."}[$__rate_interval])) / sum(rate(ari_request_duration_seconds_count{job=~"$job"}[$__rate_interval]))',
            '5xx',
          ],
        ],
      },
    ],
  },
  {
    title: 'Requests',
    panels: [
      {
        title: 'Requests by status',
        description: 'All requests, those to the console and to /docs included.',
        unit: 'reqps',
        isStacked: true,
        queries: [[rate('ari_request_duration_seconds_count', 'status'), '{{status}}']],
      },
      {
        title: 'Latency, 99th percentile by route',
        description:
          'From the last byte of the head to the answer. Long polls of /booking/changes are as long as they wait.',
        unit: 's',
        queries: [
          [
            quantile(0.99, 'ari_request_duration_seconds', 'route', ', route!="/booking/changes"'),
            '{{route}}',
          ],
        ],
      },
      {
        title: 'Latency, all routes',
        description: 'Median, 95th and 99th percentile, without long polls.',
        unit: 's',
        queries: [0.5, 0.95, 0.99].map((share) => [
          quantile(share, 'ari_request_duration_seconds', '', ', route!="/booking/changes"'),
          `p${share * 100}`,
        ]),
      },
      {
        title: 'Limits hit',
        description:
          'Requests turned away, by limit. rate: of a key (429). in_flight, commit_queue, pressure: the service is overloaded (503). Others: of a key or a hotel.',
        unit: 'reqps',
        queries: [[rate('ari_limits_hit_total', 'limit'), '{{limit}}']],
      },
      {
        title: 'In flight and held open',
        description: 'Requests being worked on, and long polls and streams that wait for changes.',
        unit: 'short',
        queries: [
          [`sum(${of('ari_requests_in_flight')})`, 'in flight'],
          [`sum(${of('ari_requests_held_open')})`, 'held open'],
        ],
      },
    ],
  },
  {
    title: 'Pushes',
    panels: [
      {
        title: 'Pushes by kind and outcome',
        description: 'applied, unchanged, partial, rejected, dryRun. Console: Pushes, filtered by outcome.',
        unit: 'ops',
        isStacked: true,
        queries: [[rate('ari_pushes_total', 'kind, outcome'), '{{kind}} {{outcome}}']],
      },
      {
        title: 'Share of pushes refused',
        description:
          'Rejected pushes of all pushes, by kind. A step up is mostly one supplier with a wrong mapping.',
        unit: 'percentunit',
        queries: [
          [
            'sum by (kind) (rate(ari_pushes_total{job=~"$job", outcome="rejected"}[$__rate_interval])) / sum by (kind) (rate(ari_pushes_total{job=~"$job"}[$__rate_interval]))',
            '{{kind}}',
          ],
        ],
      },
      {
        title: 'Nights changed',
        description: 'Room and room-rate nights that pushes changed.',
        unit: 'ops',
        queries: [[`sum(rate(${of('ari_cells_changed_total')}[$__rate_interval]))`, 'nights']],
      },
      {
        title: 'Pushes committed together',
        description:
          'Size of the commit groups of ARI: it rises with the load, and with the latency of the database.',
        unit: 'short',
        queries: [0.5, 0.95].map((share) => [quantile(share, 'ari_commit_group_size'), `p${share * 100}`]),
      },
      {
        title: 'Commit queue and retried groups',
        description:
          'ARI pushes that wait for a group, and groups that failed and were tried push by push; the latter stays near zero.',
        unit: 'short',
        queries: [
          [`sum(${of('ari_commit_queue_depth')})`, 'waiting'],
          [`sum(rate(${of('ari_commit_group_retries_total')}[$__rate_interval]))`, 'retried groups/s'],
        ],
      },
      {
        title: 'Changes told',
        description: 'Changes handed to those who follow the change feed.',
        unit: 'ops',
        queries: [[`sum(rate(${of('ari_changes_told_total')}[$__rate_interval]))`, 'changes']],
      },
    ],
  },
  {
    title: 'Price checks',
    panels: [
      {
        title: 'Price checks by outcome',
        description:
          'timeout, supplier_error, invalid_response and circuit_open are failures. Console: Price checks.',
        unit: 'ops',
        isStacked: true,
        queries: [[rate('ari_price_check_duration_seconds_count', 'outcome'), '{{outcome}}']],
      },
      {
        title: 'Price check latency, answered',
        description:
          'From the question to the outcome, for checks that a supplier answered. The budget is 2 s.',
        unit: 's',
        marks: [1.5, 2],
        queries: [0.5, 0.95, 0.99].map((share) => [
          quantile(
            share,
            'ari_price_check_duration_seconds',
            '',
            ', outcome=~"available|price_changed|sold_out"',
          ),
          `p${share * 100}`,
        ]),
      },
      {
        title: 'Drift',
        description:
          'Share of compared nights whose live price differs from the stored one, or that are sold out though stored as free. Console: Price checks, the drift ledger.',
        unit: 'percentunit',
        queries: ['differs', 'sold_out'].map((found) => [
          `sum(rate(ari_price_check_nights_total{job=~"$job", found="${found}"}[$__rate_interval])) / sum(rate(ari_price_check_nights_total{job=~"$job"}[$__rate_interval]))`,
          found,
        ]),
      },
      {
        title: 'Circuits',
        description:
          'Changes of circuits by new state, and price checks that were answered but could not be kept.',
        unit: 'ops',
        queries: [
          [rate('ari_price_check_circuit_changes_total', 'state'), 'to {{state}}'],
          [`sum(rate(${of('ari_price_checks_lost_total')}[$__rate_interval]))`, 'not kept'],
        ],
      },
    ],
  },
]
