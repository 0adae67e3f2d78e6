import type { Operator } from '../../http/calls/call.ts'

/**
 * An operator's name, for a reader who may know it: people of a supplier read what the platform did, and why, but not
 * which of its people did it. Null is shown as "the platform".
 */
export function nameFor({ supplier }: Operator, operator: string | null): string | null {
  return supplier === undefined ? operator : null
}
