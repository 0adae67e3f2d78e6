import type { Needs } from '../postgres/needs.ts'
import type { OutboundRules } from '../outbound/vet-url.ts'
import type { CardVault } from '../cards/card-vault.ts'
import type { DeliveryBell } from '../bookings/delivery-bell.ts'
import type { DeliverySlots } from './slots.ts'
import type { CallbackFaults } from '../webhooks/callback-faults.ts'
import type { CallbackWatch } from '../webhooks/callback-watch.ts'

/** Where a test ends the process; in the order in which a delivery comes by. */
export const crashSteps = [
  'before claim',
  'after claim',
  'before call',
  'after call',
  'before settle',
  'after settle',
] as const
export type CrashStep = (typeof crashSteps)[number]

export type DeliveryNeeds = Needs & {
  outbound: OutboundRules
  deliveryBell: DeliveryBell
  vault: CardVault
  /** Both absent in production. */
  callbackFaults?: CallbackFaults | undefined
  callbackWatch?: CallbackWatch | undefined
  /** Other ones in tests of what they are good for. */
  slots?: Pick<DeliverySlots, 'allot' | 'isPrompt' | 'take' | 'leave' | 'underWay'>
  crashPoint?: (step: CrashStep) => void
  /** Shorter in tests of what happens when leases are over. */
  leaseMs?: number
  /** Longer in tests of calls that never end. */
  callWithinMs?: number
  /** Of a worker that stops. Longer in a test of calls that are awaited however long they take. */
  callsFinishWithinMs?: number
}
