import Type from 'typebox'
import { nameText, type ConstraintError } from '../http/route.ts'

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
  },
  {
    description:
      'Stored encrypted until 7 days after departure, for the supplier only; not stored if its account receives no cards',
    secret: true,
  },
)

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
