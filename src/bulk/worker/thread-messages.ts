/** The messages between the service and the thread that works on first loads and exports. */

/** What a counter has gained since the last message. */
export type Gained = { name: string; labels: Readonly<Record<string, string | number>>; by: number }

export type ToThread =
  /** A job was started. */
  | { kind: 'look' }
  /** How many pushes this process has applied since its start. */
  | { kind: 'traffic'; submitted: number }
  /** End after the transactions in progress. */
  | { kind: 'close' }

export type FromThread = { kind: 'counted'; gained: readonly Gained[]; jobs: number }

// Both ends are this same program, so the kind suffices.
export function isToThread(message: unknown): message is ToThread {
  return typeof message === 'object' && message !== null && 'kind' in message
}

export function isFromThread(message: unknown): message is FromThread {
  return typeof message === 'object' && message !== null && 'kind' in message
}
