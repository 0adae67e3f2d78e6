import Type from 'typebox'
import { text, type ConstraintError } from '../http/route.ts'

const holderCharactersMax = 100

const cardHint = 'Send the card as it is printed, digits only; nothing of it is repeated in an answer'

/** Problems with a card. Its values are never repeated. */
export const cardErrors = {
  number: {
    type: 'CARD_NUMBER_INVALID',
    message: 'Card number must be 12 to 19 digits with a right check digit',
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
    hint: 'Send a card that is valid this month at least',
  },
  cvv: { type: 'CARD_CVV_INVALID', message: 'Card cvv must be 3 or 4 digits', hint: cardHint },
  notAccepted: {
    type: 'CARDS_NOT_ACCEPTED',
    message: 'This service keeps no cards: it has no vault key',
    hint: 'Leave the card out, or have ARI_VAULT_KEY set',
  },
  vaultClosed: {
    type: 'CARDS_NOT_ACCEPTED_NOW',
    message: 'Cards are not accepted at present',
    hint: 'Nothing was booked; send the same again after Retry-After, or without the card',
  },
  elsewhere: {
    type: 'CARD_NUMBER_MISPLACED',
    message: 'The number of a card must not stand here',
    hint: 'Send a card in payment.card only, where it is sealed; nothing was kept',
  },
  removed: {
    type: 'CARD_NUMBER_REMOVED',
    message: 'The number of a card was removed from the remarks',
    hint: 'Send a card in payment.card only, where it is sealed',
  },
  notDelivered: {
    type: 'CARD_NOT_KEPT',
    message: 'The account of this hotel gets no cards: the card was not kept',
    hint: 'Leave the card out for this supplier',
  },
} as const satisfies Record<string, ConstraintError>

export const card = Type.Object(
  {
    holderName: text({ maxLength: holderCharactersMax, secret: true }),
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
        description: 'Forgotten after the first delivery that was accepted',
        secret: true,
        errors: { pattern: cardErrors.cvv },
      }),
    ),
  },
  {
    description:
      'Kept encrypted until 7 days after departure, for the supplier alone; not kept where its account gets no cards',
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
