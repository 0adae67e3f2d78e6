import type { PriceCheckRequest } from '../price-check/callback-contract.ts'
import type { SimulatedFault } from './faults.ts'
import type { Received } from './ledger.ts'
import type { SignatureState } from './verify.ts'

/** A call that arrived and its outcome, as shown and as printed in a line by --json. Contains no card. */
export type SimulatedCall = {
  at: string
  call: 'ping' | 'priceCheck' | 'booking' | 'unreadable'
  webhookId: string
  requestId: string
  signature: SignatureState
  /** A call with this webhook-id was answered before. */
  isRepeat: boolean
  fault?: SimulatedFault
  asked?: PriceCheckRequest
  /** The price check's result, for one room; absent when there is no price. */
  price?: {
    currency: string
    inventory: number
    amountBeforeTax: readonly string[]
    amountAfterTax: readonly string[]
  }
  hotelId?: string
  reservations?: readonly Received[]
  /** The reason for the answer. */
  why?: string
  /** Absent: no answer was sent. */
  status?: number
  durationMs: number
}
