import Type from 'typebox'
import { date, decimal, nameText, type ConstraintError } from '../http/route.ts'

const holderCharactersMax = 100

const cardHint = 'Send the card as printed, digits only; answers never repeat card data'

/** Problems with a card. Its values are never repeated. */
export const cardErrors = {
  number: {
    type: 'CARD_NUMBER_INVALID',
    message: 'Card number must be 12 to 19 digits with a correct check digit',
    hint: cardHint,
  },
  expiry: {
    type: 'CARD_EXPIRY_INVALID',
    message: 'Card expiry must be a month in the form MM/YYYY',
    hint: 'For example 01/2030',
  },
  expired: {
    type: 'CARD_EXPIRED',
    message: 'The card has expired',
    hint: 'Send a card that is valid at least this month',
  },
  cvv: { type: 'CARD_CVV_INVALID', message: 'Card cvv must be 3 or 4 digits', hint: cardHint },
  virtualIncomplete: {
    type: 'CARD_VIRTUAL_INCOMPLETE',
    message: 'A virtual card needs validFrom, validTo, amount and currency',
    hint: 'Send all four, or a card without isVirtual',
  },
  notVirtual: {
    type: 'CARD_NOT_VIRTUAL',
    message: 'Only a virtual card has a validity, an amount and a currency',
    hint: 'Send isVirtual: true with validFrom, validTo, amount and currency, or omit them',
  },
  validity: {
    type: 'CARD_VALIDITY_INVALID',
    message: 'Card validFrom must not be after validTo',
    hint: 'Send the first and the last day on which the card can be charged',
  },
  amount: {
    type: 'CARD_AMOUNT_INVALID',
    message: 'Card amount must have no more decimals than its currency, and at most 12 digits',
    hint: 'For example "120.00" in EUR, "12000" in JPY',
  },
  currency: {
    type: 'CARD_CURRENCY_INVALID',
    message: 'Card currency is not valid',
    hint: 'Send an ISO 4217 code in capitals, for example USD',
  },
  otherCurrency: {
    type: 'CARD_CURRENCY_DIFFERS',
    message: 'The virtual card is in another currency than the reservation',
    hint: 'Send a card in the currency of the reservation',
  },
  notAccepted: {
    type: 'CARDS_NOT_ACCEPTED',
    message: 'This service stores no cards: it has no vault key',
    hint: 'Omit the card, or ask the operators to set ARI_VAULT_KEY',
  },
  vaultClosed: {
    type: 'CARDS_NOT_ACCEPTED_NOW',
    message: 'Cards are not accepted at present',
    hint: 'Nothing was booked; repeat the request after Retry-After, or omit the card',
  },
  elsewhere: {
    type: 'CARD_NUMBER_MISPLACED',
    message: 'A card number is not allowed here',
    hint: 'Send a card only in payment.card, where it is encrypted; nothing was stored',
  },
  removed: {
    type: 'CARD_NUMBER_REMOVED',
    message: 'A card number was removed from the remarks',
    hint: 'Send a card only in payment.card, where it is encrypted',
  },
  notDelivered: {
    type: 'CARD_NOT_KEPT',
    message: 'The account of this hotel receives no cards: the card was not stored',
    hint: 'Omit the card for this supplier',
  },
} as const satisfies Record<string, ConstraintError>

export const card = Type.Object(
  {
    holderName: nameText({ maxLength: holderCharactersMax, secret: true }),
    type: Type.String({
      pattern: '^[A-Za-z0-9 ]{1,20}$',
      description: 'As the supplier knows it, for example VI, MC or AX',
      secret: true,
    }),
    number: Type.String({
      pattern: '^[0-9]{12,19}$',
      description: 'Digits only',
      secret: true,
      errors: { pattern: cardErrors.number },
    }),
    expiry: Type.String({
      pattern: '^(?:0[1-9]|1[0-2])/20[0-9]{2}$',
      description: 'MM/YYYY',
      examples: ['01/2030'],
      secret: true,
      errors: { pattern: cardErrors.expiry },
    }),
    cvv: Type.Optional(
      Type.String({
        pattern: '^[0-9]{3,4}$',
        description: 'Destroyed after the first accepted delivery',
        secret: true,
        errors: { pattern: cardErrors.cvv },
      }),
    ),
    isVirtual: Type.Optional(
      Type.Boolean({
        description: 'true: a card for this reservation alone, with the four members below; absent: false',
        secret: true,
      }),
    ),
    validFrom: Type.Optional(
      date({ description: 'With isVirtual: the first day on which it can be charged', secret: true }),
    ),
    validTo: Type.Optional(
      date({ description: 'With isVirtual: the last day on which it can be charged', secret: true }),
    ),
    amount: Type.Optional(
      decimal({
        atLeastZero: true,
        description: 'With isVirtual: what it can be charged with',
        examples: ['120.00'],
        secret: true,
      }),
    ),
    currency: Type.Optional(
      Type.String({
        description: "With isVirtual: ISO 4217 code of its amount; the reservation's currency",
        examples: ['EUR'],
        secret: true,
      }),
    ),
  },
  {
    description:
      'Stored encrypted until 7 days after departure, for the supplier only; not stored if its account receives no cards',
    secret: true,
  },
)

/** What a virtual card can be charged with, and when. */
export type VirtualCard = {
  /** YYYY-MM-DD, both inclusive. */
  validFrom: string
  validTo: string
  /** A decimal with all of the currency's digits. */
  amount: string
  currency: string
}

/** The state of the store's vault as a process sees it. */
export const vaultStates = [
  /** This process's key is the sealing key. */
  'open',
  /**
   * This process's key was the sealing key until another replaced it: restart the process with the new key.
   */
  'behind',
  /** Neither the store nor the process has a key. */
  'unused',
  /** The store has a key, the process has none. */
  'missing',
  /** The process's key is not one of the store's, or did not seal the stored cards. */
  'foreign',
] as const
export type VaultState = (typeof vaultStates)[number]
