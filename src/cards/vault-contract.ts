/** The store's vault as a process finds it. */
export const vaultStates = [
  /** The key is the one that seals. */
  'open',
  /** It was until another came: this process has yet to be restarted with that. */
  'behind',
  /** Neither the store nor the process has one. */
  'unused',
  /** The store has one, the process has none. */
  'missing',
  /** It is none of the store's, or did not write what is kept. */
  'foreign',
] as const
export type VaultState = (typeof vaultStates)[number]
