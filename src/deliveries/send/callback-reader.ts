import { gather } from '../../base/gather.ts'
import { Memory } from '../../postgres/memory.ts'
import { selectCallbacks, type Callback } from '../../webhooks/store.ts'
import type { DeliveryNeeds } from '../queue/needs.ts'

/** The URL for a hotel's reservations. */
export type CallbackReader = (hotelId: number) => Promise<Callback | undefined>

const callbackTrust = { trustedMs: 500, entriesMax: 20_000 }
const callbackReads = { keysMax: 500, readsAtOnceMax: 4 }

export function callbackReader({ db, clock }: Pick<DeliveryNeeds, 'db' | 'clock'>): CallbackReader {
  const read = gather(
    (hotelIds: readonly number[]) => selectCallbacks(db, hotelIds, 'pushbook', clock.now()),
    callbackReads,
  )
  const callbacks = new Memory<Callback | undefined>(db.epoch, callbackTrust)
  return (hotelId) => callbacks.get(String(hotelId), async () => (await read([hotelId])).get(hotelId))
}
