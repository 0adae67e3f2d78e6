/** What an account's contract says of its prices; needs no server. */

/** The prices that an account pushes: what guests pay, of which the platform keeps a commission, or what the hotel gets. */
export const pricesAres = ['sell', 'net'] as const
export type PricesAre = (typeof pricesAres)[number]

export const commissionDecimalsMax = 4

/** Whether a text is a percentage from 0 to 100; it is kept as text, so that no digit is lost. */
export function isPercent(text: string, decimalsMax: number): boolean {
  const [, decimals = ''] = text.split('.')
  return /^\d{1,3}(?:\.\d+)?$/.test(text) && decimals.length <= decimalsMax && Number(text) <= 100
}

/** What an account and the platform agreed on about money. */
export type PriceContract = {
  pricesAre: PricesAre
  /** Per cent of what guests are charged without taxes, as a decimal: `12.5`. Nothing is kept of net prices. */
  commissionPercent: string
}
