import type { Operator } from '../../http/call.ts'

/**
 * The name of an operator as its reader may know it: people of a supplier read what the platform did, and why, not who of
 * it. Null is shown as "the platform".
 */
export function nameFor({ supplier }: Operator, operator: string | null): string | null {
  return supplier === undefined ? operator : null
}
