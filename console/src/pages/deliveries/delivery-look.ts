import type { DeliveryState, ListedDelivery } from '../../../../src/console/deliveries/contract.ts'
import type { StatusKind } from '../../parts/status-badge.tsx'
import { deliveries } from '../../text/en/deliveries.ts'

/** The appearance of deliveries everywhere. */

export const kindByState: Readonly<Record<DeliveryState, StatusKind>> = {
  queued: 'wait',
  sending: 'wait',
  failing: 'warn',
  no_url: 'warn',
  dead: 'bad',
  delivered: 'good',
  superseded: 'idle',
}

export type KnownOutcome = keyof typeof deliveries.outcome

/** Outcomes with labels; others are shown as they are. */
export function isKnownOutcome(outcome: string): outcome is KnownOutcome {
  return Object.hasOwn(deliveries.outcome, outcome)
}

/** The states that can be sent again: a supplier must not get an older version after a newer one. */
export function maySendAgain({ state, isPresent }: Pick<ListedDelivery, 'state' | 'isPresent'>): boolean {
  return isPresent && state !== 'superseded' && state !== 'sending'
}
