import type { CardVault } from '../src/cards/card-vault.ts'

/** The vault of a process without a key, on a store without cards. */
export const unusedVault: CardVault = {
  status: () => ({
    state: 'unused',
    fault: undefined,
    cardsToRewrap: 0,
    cardsUnreadable: 0,
    keyAgeSeconds: undefined,
  }),
  acceptsCards: () => false,
  openableKeyIds: () => [],
  seal: () => {
    throw new Error('no card is sealed here')
  },
  open: () => undefined,
  fingerprints: () => [],
  look: async () => {},
  close: async () => {},
}
