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
