import type { PriceCheckRequest } from '../price-check/callback-contract.ts'
import type { SimulatedFault } from './faults.ts'
import type { Received } from './ledger.ts'
import type { SignatureState } from './verify.ts'

/** A call that arrived, and what became of it: what is shown, and what --json prints a line of. Holds no card. */
export type SimulatedCall = {
  at: string
  call: 'ping' | 'priceCheck' | 'booking' | 'unreadable'
  webhookId: string
  requestId: string
  signature: SignatureState
  /** The call was answered before under this webhook-id. */
  isRepeat: boolean
  fault?: SimulatedFault
  asked?: PriceCheckRequest
  /** Of the price check, for one room; absent where there is no price. */
  price?: {
    currency: string
    inventory: number
    amountBeforeTax: readonly string[]
    amountAfterTax: readonly string[]
  }
  hotelId?: string
  reservations?: readonly Received[]
  /** Why it was answered as it was. */
  why?: string
  /** Absent: none was sent. */
  status?: number
  durationMs: number
}
