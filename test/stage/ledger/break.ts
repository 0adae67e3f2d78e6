/** Deliberate breaks of what follows from a sale, preloaded into the proof of the ledger. ARI_PROOF_BREAK names which. */
import { replaceSource, type Replacement } from '../replace-source.ts'

const breaks: Readonly<Record<string, Replacement>> = {
  owedShrinks: {
    file: 'src/bookings/owed/claims.ts',
    from: 'const amount = Math.max(owedAtLeast?.amount ?? 0, due)',
    to: 'const amount = due',
  },
  goneOwesNothing: {
    file: 'src/bookings/owed/claims.ts',
    from: '{ number: numbers[index] ?? 0, roomId, rateId, cancelPolicy, ...sold, amount }',
    to: '{ number: numbers[index] ?? 0, roomId, rateId, cancelPolicy, ...sold, amount: 0 }',
  },
  chargedUnasked: {
    file: 'src/bookings/owed/consent.ts',
    from: 'return now.afterTax > then.afterTax || now.dueAtProperty > then.dueAtProperty',
    to: 'return now.dueAtProperty > then.dueAtProperty',
  },
  townTaxCharged: {
    file: 'src/taxes/compute/penalty-base.ts',
    from: 'if (entry.included && entry.isForNightsSlept) stay -= amount',
    to: '',
  },
  keptPriceLost: {
    file: 'src/bookings/sale/kept-rooms.ts',
    from: 'bookedByDay.get(night.day) ?? night',
    to: 'night',
  },
  mealPlanUnasked: {
    file: 'src/bookings/owed/consent.ts',
    from: 'if (room.mealPlan !== booked.mealPlan) return true',
    to: '',
  },
  hotelToldOtherwise: {
    file: 'src/deliveries/send/reservation-body.ts',
    from: 'forfeited: amount(forfeitedOf(content))',
    to: 'forfeited: amount(0)',
  },
}

const wanted = breaks[process.env['ARI_PROOF_BREAK'] ?? '']
if (!wanted) throw new Error('ARI_PROOF_BREAK names no break')
replaceSource([wanted])
