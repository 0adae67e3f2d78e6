import { minorText } from '../../base/money.ts'
import { Rejected } from '../../http/rejected.ts'
import type { TaxedTotal } from '../../taxes/compute/compute.ts'
import type { RefusalDetails } from '../answer-contract.ts'
import { reservationErrors } from '../errors-contract.ts'
import type { Money, RoomState } from '../state.ts'
import { feesOf, renderTotal } from './render-total.ts'

/** A total that somebody knows, in minor units. */
export type KnownTotal = Money & {
  afterTax: number
  /** Undefined: not said. */
  dueAtProperty: number | undefined
}

export type Priced = Money & { total: TaxedTotal }

export function knownTotal({
  total: { afterTax, dueAtProperty },
  currency,
  minorDigits,
}: Priced): KnownTotal {
  return { afterTax, dueAtProperty, currency, minorDigits }
}

/** The refusal of a price that nobody agreed to, with the old and the new. */
export function priceChanged(
  expected: KnownTotal,
  { total, rooms, currency, minorDigits }: Priced & { rooms: readonly Pick<RoomState, 'fees'>[] },
): Rejected {
  const { dueAtProperty } = expected
  const extra: RefusalDetails = {
    expected: {
      afterTax: minorText(expected.afterTax, expected.minorDigits),
      ...(dueAtProperty === undefined
        ? {}
        : { dueAtProperty: minorText(dueAtProperty, expected.minorDigits) }),
      currency: expected.currency,
    },
    total: renderTotal(total, feesOf(rooms), minorDigits),
    currency,
  }
  const path = `/expectedTotal/${otherMember(expected, { total, currency })}`
  return new Rejected(409, { ...reservationErrors.priceChanged, path }, { extra })
}

/** The member that is another one; where the price alone is not agreed on, its amount. */
function otherMember(
  expected: KnownTotal,
  { total, currency }: Pick<Priced, 'total' | 'currency'>,
): 'afterTax' | 'dueAtProperty' | 'currency' {
  if (expected.currency !== currency) return 'currency'
  const { afterTax, dueAtProperty = total.dueAtProperty } = expected
  return afterTax === total.afterTax && dueAtProperty !== total.dueAtProperty ? 'dueAtProperty' : 'afterTax'
}
