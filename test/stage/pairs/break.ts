/** Deliberate breaks where two rules meet, preloaded into the proof of pairs and triples. ARI_PROOF_BREAK names which. */
import { replaceSource, type Replacement } from '../replace-source.ts'

const breaks: Readonly<Record<string, Replacement>> = {
  /** A price that changes while the supplier is asked about another is booked. */
  unconfirmedPrice: {
    file: 'src/bookings/sale/agree-price.ts',
    from: 'if (!wasChecked || agreed.total.afterTax === before.total.afterTax) return agreed',
    to: 'if (terms.expected === undefined) return agreed',
  },
  /** What waits goes to the URL of before. */
  formerUrl: {
    file: 'src/deliveries/send/callback-reader.ts',
    from: 'trustedMs: 500,',
    to: 'trustedMs: 500_000_000,',
  },
  /** Where a room has no count any more, a rate takes no units off the other rates. */
  unitsOfOneRate: {
    file: 'src/bookings/sale/units.ts',
    from: 'roomRateKey(roomNo, isRoomCounted ? rateNo : 0)',
    to: 'roomRateKey(roomNo, rateNo)',
  },
  /** Deadlines that have passed by the account's clock alone cost nothing. */
  clockOfService: {
    file: 'src/bookings/book/cancel-reservation.ts',
    from: 'const atMs = nowMs + hotel.aheadMs',
    to: 'const atMs = nowMs',
  },
  /** A room that keeps nights has its deadlines in the zone that the hotel has by now. */
  zoneByNow: {
    file: 'src/bookings/sale/kept-price.ts',
    from: 'const { timeZone = stay.timeZone } = basis',
    to: 'const { timeZone } = stay',
  },
  /** What is owed in a former currency is lost with a change. */
  owedInFormerCurrency: {
    file: 'src/bookings/book/book.ts',
    from: 'if (owed === 0) return',
    to: 'if (owed >= 0) return',
  },
  /** A night more is refused while nights that are booked already are closed. */
  bookedNightClosed: {
    file: 'src/offers/price/evaluate.ts',
    from: 'return held !== undefined && night >= held.from && night < held.to',
    to: 'return false',
  },
}

const wanted = breaks[process.env['ARI_PROOF_BREAK'] ?? '']
if (!wanted) throw new Error('ARI_PROOF_BREAK names no break')
replaceSource([wanted])
