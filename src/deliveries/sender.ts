import { gather } from '../base/gather.ts'
import type { OutboundCaller } from '../outbound/call.ts'
import { Memory } from '../postgres/memory.ts'
import { selectCallbacks, type Callback } from '../webhooks/store.ts'
import type { Begun } from './claims.ts'
import { messagesOf, type Message, type Unreadable } from './content.ts'
import type { DeliveryNeeds } from './needs.ts'
import { endpointOf, noEndpoint } from '../bookings/delivery-queue.ts'
import type { Lane } from '../bookings/delivery-schedule.ts'
import { attemptsOf, logUnreadable, sendMessage, unreadableAttempt } from './send.ts'
import type { Settler } from './settler.ts'
import type { Slot } from './slots.ts'
import { readdress, type Claimed } from './store.ts'
import { deliveryTrouble, type DeliveryTrouble } from './trouble.ts'

type SenderNeeds = Pick<
  DeliveryNeeds,
  'db' | 'clock' | 'log' | 'vault' | 'callbackFaults' | 'callbackWatch' | 'crashPoint' | 'callWithinMs'
> & {
  slots: NonNullable<DeliveryNeeds['slots']>
  caller: OutboundCaller
  settle: Settler
  signal: AbortSignal
  /** Deliveries are due there now. */
  onDue: (lane: Lane, endpoint: number) => void
  /** A slot is free. */
  onFreed: () => void
}

type CallbackReader = (hotelId: number) => Promise<Callback | undefined>
type Addressed = Begun & { callback: Callback }

/**
 * Within one lease, no call begins later than this, so that it ends before other processes may claim the
 * delivery.
 */
const beginWithinMs = 5_000
const callbackTrust = { trustedMs: 500, entriesMax: 20_000 }
const callbackReads = { keysMax: 500, readsAtOnceMax: 4 }

/** Looks up the URLs and bodies of claimed deliveries, and sends them. Resolves when all are settled. */
export function sender(needs: SenderNeeds): (all: readonly Begun[], claimedMs: number) => Promise<void> {
  const callbackOf = callbackReader(needs)
  const trouble = deliveryTrouble(needs.log)
  return async (all, claimedMs) => {
    const addressed = await address(needs, callbackOf, all)
    if (addressed.length === 0) return
    const { messages, unreadable } = await messagesOf(
      needs.db,
      addressed.map(({ group }) => group),
      { vault: needs.vault, nowMs: needs.clock.now() },
    )
    settleUnreadable(needs, unreadable)
    const oneByGroup = new Map(addressed.map((one) => [one.group, one]))
    await Promise.all(
      messages.map(async (message) => {
        const one = oneByGroup.get(message.claimed)
        const isLate = performance.now() - claimedMs > beginWithinMs
        if (one && !isLate) await send({ ...needs, trouble }, message, one)
      }),
    )
  }
}

/**
 * Those whose hotel still has the URL for which they were claimed; the others are requeued for its present
 * URL.
 */
async function address(
  { db, slots, onDue }: SenderNeeds,
  callbackOf: CallbackReader,
  all: readonly Begun[],
): Promise<Addressed[]> {
  const addressed: Addressed[] = []
  const moved: { claimed: Claimed; endpoint: number }[] = []
  const found = await Promise.all(all.map(({ group }) => callbackOf(group[0].hotelId)))
  for (const [index, { group, slot }] of all.entries()) {
    const callback = found[index]
    const endpoint = callback ? endpointOf(callback.url) : noEndpoint
    if (callback && endpoint === slot.endpoint) {
      addressed.push({ group, slot, callback })
      continue
    }
    moved.push(...group.map((claimed) => ({ claimed, endpoint })))
    slots.leave(slot, 'none', performance.now())
  }
  if (moved.length > 0) await readdress(db, moved)
  for (const { claimed, endpoint } of moved) if (endpoint !== noEndpoint) onDue(claimed.lane, endpoint)
  return addressed
}

async function send(
  needs: SenderNeeds & { trouble: DeliveryTrouble },
  message: Message,
  { callback, slot }: { callback: Callback; slot: Slot },
): Promise<void> {
  const { clock, signal, slots, crashPoint, caller } = needs
  const means = { caller, faults: needs.callbackFaults, watch: needs.callbackWatch }
  crashPoint?.('before call')
  const call = { nowMs: clock.now(), signal, withinMs: needs.callWithinMs }
  const called = await sendMessage(message, callback, { ...means, ...call })
  crashPoint?.('after call')
  needs.trouble.saw(callback, message, called)
  const isGood = called.kind === 'answered' && called.status < 500
  const isOurs = called.kind === 'failed' && (called.reason === 'cancelled' || called.reason === 'busy')
  slots.leave(slot, isGood ? 'good' : isOurs ? 'none' : 'bad', performance.now())
  needs.onFreed()
  await needs.settle.add(attemptsOf(message, called, { nowMs: clock.now() }))
}

function callbackReader({ db, clock }: SenderNeeds): CallbackReader {
  const read = gather(
    (hotelIds: readonly number[]) => selectCallbacks(db, hotelIds, 'pushbook', clock.now()),
    callbackReads,
  )
  const callbacks = new Memory<Callback | undefined>(db.epoch, callbackTrust)
  return (hotelId) => callbacks.get(String(hotelId), async () => (await read([hotelId])).get(hotelId))
}

function settleUnreadable({ log, clock, settle }: SenderNeeds, unreadable: readonly Unreadable[]): void {
  for (const { claimed, error } of unreadable) {
    logUnreadable(log, claimed[0], error)
    const isOneOfSeveral = claimed.length > 1
    void settle.add(claimed.map((one) => unreadableAttempt(one, { nowMs: clock.now(), isOneOfSeveral })))
  }
}
