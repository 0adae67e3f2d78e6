import { outboundCaller } from '../../outbound/call.ts'
import { DeliveryClaims } from '../queue/claims.ts'
import { listenForBell } from '../../bookings/outbox/delivery-queue.ts'
import type { DeliveryNeeds } from '../queue/needs.ts'
import { leaseMsOf, sender, usualCallWithinMs } from '../send/send.ts'
import { settler } from '../queue/settle.ts'
import { DeliverySlots } from '../queue/slots.ts'
import { startWatch } from './watch.ts'

/**
 * Sends due deliveries: claims them with a lease, calls with no transaction open, and settles the outcome.
 * Any number of processes may do so. When a process dies, others take over its deliveries once its leases
 * expire.
 */
export type DeliveryWorker = {
  /**
   * Stops claiming, lets calls in progress finish for a while, then gives up the rest: they are sent again.
   */
  close: () => Promise<void>
}

const usualCallsFinishWithinMs = 1_500
/** More than the calls that may hang for one URL, so that other URLs of its host can still be called. */
const pool = { purpose: 'delivery', calls: 'pushBooking', connectionsPerHost: 512 } as const

export function startDeliveryWorker(needs: DeliveryNeeds): DeliveryWorker {
  const { log, deliveryBell, telemetry } = needs
  const { slots = new DeliverySlots(), callsFinishWithinMs = usualCallsFinishWithinMs } = needs
  const { callWithinMs = usualCallWithinMs } = needs
  const { leaseMs = leaseMsOf(callWithinMs) } = needs
  const caller = outboundCaller(needs.outbound, telemetry, pool)
  const underWay = new Set<Promise<void>>()
  const giveUp = new AbortController()
  const settle = settler(needs, (endpoint) => claims.hint('first', endpoint))
  const send = sender({
    ...needs,
    callWithinMs,
    slots,
    caller,
    settle,
    signal: giveUp.signal,
    onDue: (lane, endpoint) => claims.hint(lane, endpoint),
    onFreed: () => claims.pump(),
  })
  const claims = new DeliveryClaims({ ...needs, slots, leaseMs }, (groups, claimedMs) => {
    const done: Promise<void> = send(groups, claimedMs)
      // Their leases expire, and then they are sent.
      .catch((error: unknown) => log.error({ err: error }, 'claimed deliveries could not be sent'))
      .finally(() => {
        underWay.delete(done)
        for (const { slot } of groups) slots.leave(slot, 'none', performance.now())
        claims.pump()
      })
    underWay.add(done)
  })
  deliveryBell.answer((endpoint) => claims.hint('first', endpoint))
  const bellListener = listenForBell(needs, (endpoint) => claims.hint('first', endpoint))
  const watch = startWatch(needs, (due) => {
    for (const { lane, endpoint } of due) claims.hint(lane, endpoint)
  })
  telemetry.gauge('ari_delivery_calls', 'Calls of deliveries under way', () => slots.underWay())

  return {
    close: async () => {
      await Promise.all([claims.close(), watch.close(), bellListener.close()])
      slots.dropAhead()
      const giveUpTimer = setTimeout(() => giveUp.abort(), callsFinishWithinMs)
      await Promise.all(underWay)
      clearTimeout(giveUpTimer)
      await settle.close()
      caller.close()
    },
  }
}
