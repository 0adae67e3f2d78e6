import type { Needs } from '../../postgres/postgres.ts'
import type { OutboundRules } from '../../outbound/vet-url.ts'
import type { CardVault } from '../../cards/card-vault.ts'
import type { DeliveryBell } from '../../bookings/outbox/delivery-queue.ts'
import type { DeliverySlots } from './slots.ts'
import type { CallbackFaults } from '../../webhooks/callback-faults.ts'
import type { CallbackWatch } from '../../webhooks/callback-watch.ts'

/** The points where a test ends the process, in the order in which a delivery passes them. */
export const crashSteps = [
  'before claim',
  'after claim',
  'before call',
  'after call',
  'before settle',
  'before times',
  'after settle',
] as const
export type CrashStep = (typeof crashSteps)[number]

export type DeliveryNeeds = Needs & {
  outbound: OutboundRules
  deliveryBell: DeliveryBell
  vault: CardVault
  /** Both are absent in production. */
  callbackFaults?: CallbackFaults | undefined
  callbackWatch?: CallbackWatch | undefined
  /** Replaced in tests that show what the slots achieve. */
  slots?: Omit<DeliverySlots, 'underWayOf'>
  crashPoint?: (step: CrashStep) => void
  /** Shorter in tests of expired leases. */
  leaseMs?: number
  /** The time limit of a call. Absent: the usual ten seconds. */
  callWithinMs?: number | undefined
  /** How long a stopping worker waits. Longer in a test of calls that must finish however long they take. */
  callsFinishWithinMs?: number
}
