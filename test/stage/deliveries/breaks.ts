import type { Database } from '../../../src/postgres/postgres.ts'
import { DeliverySlots } from '../../../src/deliveries/queue/slots.ts'

/** Deliberate breaks: statements of the worker, changed on their way to PostgreSQL. */

export const breaks = {
  /** A claimed delivery counts as delivered at once. */
  'settled before it is sent': {
    'claim-deliveries': [
      "set status = 'sending', attempts",
      "set status = 'delivered', delivered_at = now(), attempts",
      'leased_until = instant($6)',
      'leased_until = nullif($6::float8, $6)::text::timestamptz',
    ],
  },
  /** A delivery left by a dead worker is sent again although there is a newer version, and only after it. */
  'older versions stay': {
    'requeue-lost-deliveries': ["case when is_outdated then 'superseded' else 'queued' end", "'queued'"],
    'claim-deliveries': [
      "or (other.status = 'queued' and (other.created_at, other.id) < (delivery.created_at, delivery.id))",
      '',
    ],
  },
  /** A lease ends before the call does. */
  'leases too short': {
    'claim-deliveries': [
      'leased_until = instant($6)',
      'leased_until = instant($6::float8 - $6::float8 + $5::float8 - 1)',
    ],
  },
  /** The body contains the time at which it is sent. */
  'another body each time': {
    'select-delivery-content': ['epoch_ms(version.at)', 'epoch_ms(version.at) + round(random() * 86400000)'],
  },
  /** A missing answer counts as a good one. */
  'no answer is enough': {
    'settle-deliveries': [
      "when is_outdated and made.status <> 'delivered' then 'superseded' else made.status end",
      "when is_outdated and made.status <> 'delivered' then 'superseded' else 'delivered' end",
      "delivered_at = case when made.status = 'delivered' then instant(made.at) end",
      'delivered_at = instant(made.at)',
    ],
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
export type Break = keyof typeof breaks

export function breakable(db: Database, name: Break | undefined): Database {
  if (name === undefined) return db
  const changesByStatement = new Map<string, readonly string[]>(Object.entries(breaks[name]))
  return {
    ...db,
    query: (query, values) => {
      const statement = typeof query === 'string' ? undefined : query.name
      const changes = changesByStatement.get(statement ?? '')
      if (typeof query === 'string' || !changes) return db.query(query, values)
      let text = query.text
      for (let at = 0; at < changes.length; at += 2) {
        const [from = '', to = ''] = changes.slice(at)
        if (!text.includes(from)) {
          // If thrown here, the worker would take it for a fault of the store and retry forever.
          process.stderr.write(`the break "${name}" does not fit ${statement}\n`)
          process.exit(1)
        }
        text = text.replaceAll(from, to)
      }
      return db.query({ ...query, name: `${statement}-broken`, text }, values)
    },
  }
}

export const sharedSlotsMax = 128

/** One budget for all: the first to ask takes the rest of it. */
export function sharedSlots(): Omit<DeliverySlots, 'underWayOf'> {
  const counted = new DeliverySlots()
  return {
    allot: (wanted) => {
      let left = sharedSlotsMax - counted.underWay()
      return wanted.flatMap((one) => {
        const room = Math.min(left, sharedSlotsMax / 4)
        left -= room
        return room > 0 ? [{ ...one, room, ahead: 0 }] : []
      })
    },
    isPrompt: () => false,
    take: (endpoint, lane, nowMs) => counted.take(endpoint, lane, nowMs),
    mayBegin: (slot) => counted.mayBegin(slot),
    dropAhead: () => counted.dropAhead(),
    leave: (slot, sign, nowMs) => counted.leave(slot, sign, nowMs),
    underWay: () => counted.underWay(),
  }
}
