import { minorText } from '../base/money.ts'
import { minorDigits } from '../reference/currencies.ts'
import { webhookIdOf } from './ask-supplier.ts'
import type { ListedCheck } from './contract.ts'
import { failureOf, signedText } from './shown-check.ts'
import type { CheckRow } from './store.ts'

/** A stored check as answers show it. */
export function listedCheckOf(row: CheckRow): ListedCheck {
  const { currency, reason, message, httpStatus, liveInventory, difference } = row
  const digits = minorDigits(currency) ?? 2
  const texts = (amounts: readonly number[] | null): string[] | null =>
    amounts && amounts.map((amount) => minorText(amount, digits))
  return {
    priceCheckId: row.checkId,
    webhookId: row.callId === null ? null : webhookIdOf(row.callId),
    at: new Date(Math.round(row.atMs)).toISOString(),
    hotelId: row.hotelId,
    roomId: row.roomId,
    rateId: row.rateId,
    checkin: row.checkin,
    checkout: row.checkout,
    roomCount: row.roomCount,
    adultCount: row.adultCount,
    childAges: row.childAges,
    outcome: row.outcome,
    bookable: row.bookable,
    live:
      liveInventory === null
        ? null
        : {
            currency,
            inventory: liveInventory,
            amountBeforeTax: texts(row.liveBeforeTax) ?? [],
            amountAfterTax: texts(row.liveAfterTax) ?? [],
          },
    stored: {
      currency,
      inventory: row.storedInventory,
      amountBeforeTax: texts(row.storedBeforeTax),
      amountAfterTax: texts(row.storedAfterTax),
      bookable: row.storedBookable,
      revision: row.revision,
    },
    difference: difference === null ? null : signedText(difference, digits),
    durationMs: row.durationMs,
    ...(reason === null || message === null
      ? {}
      : { failure: failureOf({ reason, message, httpStatus: httpStatus ?? undefined }) }),
  }
}
