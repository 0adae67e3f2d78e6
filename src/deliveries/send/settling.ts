import { Memory } from '../../postgres/memory.ts'
import type { Called } from '../../outbound/call.ts'
import { maySettle } from '../../bookings/outbox/delivery-schedule.ts'
import { isSettling, noteProvenSecret, type Callback } from '../../webhooks/store.ts'
import { throttledWarning } from '../../base/log.ts'
import type { DeliveryNeeds } from '../queue/needs.ts'

/**
 * Notes what an answer says of the secret that the call was signed with, and returns whether it may refuse the call only
 * because its endpoint doesn't have a new secret or URL yet.
 */
export type Settling = (callback: Callback, called: Called) => Promise<boolean>

const provenKept = { entriesMax: 20_000, trustedMs: 60 * 60_000 }

export function settlingOf({ db, clock, log }: Pick<DeliveryNeeds, 'db' | 'clock' | 'log'>): Settling {
  // Once for each secret, so that not every delivery writes.
  const proven = new Memory<true>(db.epoch, provenKept)
  const warn = throttledWarning(log, 'what an answer says of a signing secret could not be stored')
  return async ({ keyId, secrets }, called) => {
    if (called.kind !== 'answered') return false
    try {
      if (maySettle(called.status)) return await isSettling(db, keyId, clock.now())
      const isAccepted = called.status >= 200 && called.status <= 299
      const note = async (): Promise<true> => {
        await noteProvenSecret(db, keyId, clock.now())
        return true
      }
      if (isAccepted) await proven.get(`${keyId} ${String(secrets[0])}`, note)
    } catch (error) {
      warn(error instanceof Error ? error.message : String(error))
    }
    return false
  }
}
