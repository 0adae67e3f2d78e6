import { setTimeout as wait } from 'node:timers/promises'
import { throttledWarning } from '../base/log.ts'
import type { Needs, Database } from '../postgres/postgres.ts'
import { openVault, type Card, type SealedCard } from './vault.ts'
import type { VaultState } from './contract.ts'
import {
  countOtherCards,
  hasUnnamedCards,
  rewrapSome,
  selectVaultKeys,
  strikeOutKeys,
  takeOverStore,
  type VaultKeyRow,
} from './vault-keys.ts'

/**
 * The store's vault as this process sees it. A process whose key is not the store's accepts no card and
 * delivers no booking that has one; it still delivers cancellations, which carry none.
 */

export type VaultKeys = { present: Buffer | undefined; previous: readonly Buffer[] }

/** The state of the vault, for operators. */
export type VaultStatus = {
  state: VaultState
  /** The fault and its remedy; undefined: there is none. */
  fault: string | undefined
  /** Cards that the sealing key has yet to rewrap. */
  cardsToRewrap: number
  /** Cards under keys that this process does not have. */
  cardsUnreadable: number
  /** The age of the store's sealing key; undefined when there is none. */
  keyAgeSeconds: number | undefined
}

export type VaultFault = { what: string; consequence: string; remedy: string }

export type CardVault = {
  status: () => VaultStatus
  acceptsCards: () => boolean
  /**
   * Names of the keys whose cards this process can open; the empty name stands for cards from before keys had
   * names.
   */
  openableKeyIds: () => readonly string[]
  seal: (reservationId: string, card: Card) => SealedCard
  /** Delegates to the vault. Without one, no card opens. */
  open: (reservationId: string, sealed: SealedCard) => Card | undefined
  /** Empty when there is no key; see vault.ts. */
  fingerprints: (text: string) => readonly string[]
  /** Checks at once; otherwise the vault is checked every few seconds. */
  look: () => Promise<void>
  close: () => Promise<void>
}

const lookEveryMs = 10_000

export async function openCardVault(
  needs: Pick<Needs, 'db' | 'log' | 'telemetry'>,
  { present, previous }: VaultKeys,
): Promise<CardVault> {
  const { db, log } = needs
  const vault = present && openVault(present, previous)
  const warn = throttledWarning(log, 'the vault could not be checked')
  const stop = new AbortController()
  let status = await lookInto(db, vault)
  report(log, undefined, status)
  measure(needs, () => status)

  const look = async (): Promise<void> => {
    const before = status
    status = await lookInto(db, vault)
    report(log, before, status)
    if (vault && status.state === 'open') {
      while (!stop.signal.aborted && status.cardsToRewrap > 0 && (await rewrapSome(db, vault)) > 0)
        status = await lookInto(db, vault)
      await strikeOutKeys(db)
    }
  }
  let looking: Promise<void> = Promise.resolve()
  const lookInTurn = (): Promise<void> => (looking = looking.then(look, look))
  const watching = (async () => {
    for (;;) {
      await wait(lookEveryMs, undefined, { signal: stop.signal, ref: false }).catch(() => {})
      if (stop.signal.aborted) return
      await lookInTurn().catch((error: unknown) => {
        warn(error instanceof Error ? error.message : String(error))
      })
    }
  })()

  return {
    status: () => status,
    acceptsCards: () => status.state === 'open' || status.state === 'behind',
    openableKeyIds: () =>
      vault && (status.state === 'open' || status.state === 'behind') ? [...vault.keyIds, ''] : [],
    seal: (reservationId, card) => {
      if (!vault) throw new Error('there is no vault key to seal a card with')
      return vault.seal(reservationId, card)
    },
    open: (reservationId, sealed) => {
      if (vault) return vault.open(reservationId, sealed)
      if (sealed.card === null) return undefined
      throw new Error(`there is no vault key to open the card of reservation ${reservationId}`)
    },
    fingerprints: (text) => vault?.fingerprints(text) ?? [],
    look: lookInTurn,
    close: async () => {
      stop.abort()
      await watching
      await looking.catch(() => {})
    },
  }
}

type OpenedVault = ReturnType<typeof openVault>

async function lookInto(db: Database, vault: OpenedVault | undefined): Promise<VaultStatus> {
  let rows = await selectVaultKeys(db)
  if (vault && mayTakeOver(rows, vault)) {
    await takeOverStore(db, vault)
    rows = await selectVaultKeys(db)
  }
  const { fault, ...observed } = await observe(db, rows, vault)
  return { ...observed, fault: fault && faultText(fault) }
}

/** What a service with these keys will find; changes nothing. */
export async function examineVault(
  db: Database,
  { present, previous }: VaultKeys,
): Promise<{ state: VaultState | 'taken over'; fault: VaultFault | undefined }> {
  const vault = present && openVault(present, previous)
  const rows = await selectVaultKeys(db)
  // The start of a service decides, because it locks the table for that.
  if (vault && mayTakeOver(rows, vault)) return { state: 'taken over', fault: undefined }
  return observe(db, rows, vault)
}

type Observed = Omit<VaultStatus, 'fault'> & { fault: VaultFault | undefined }

async function observe(
  db: Database,
  rows: readonly VaultKeyRow[],
  vault: OpenedVault | undefined,
): Promise<Observed> {
  const current = rows.find(({ isCurrent }) => isCurrent)
  const state = await stateOf(db, rows, vault)
  const others = await countOtherCards(db, current?.id ?? '')
  let cardsToRewrap = 0
  let cardsUnreadable = 0
  for (const [keyId, cards] of others) {
    if (vault && state !== 'foreign' && (keyId === '' || vault.keyIds.includes(keyId))) cardsToRewrap += cards
    else cardsUnreadable += cards
  }
  const observed = { state, cardsToRewrap, cardsUnreadable, keyAgeSeconds: current?.ageSeconds }
  return { ...observed, fault: faultOf(observed, current?.id, vault?.keyIds[0]) }
}

function mayTakeOver(
  rows: readonly VaultKeyRow[],
  { keyIds: [presentId, ...previousIds] }: OpenedVault,
): boolean {
  const current = rows.find(({ isCurrent }) => isCurrent)
  return rows.length === 0 || (current?.id !== presentId && previousIds.includes(current?.id ?? ''))
}

async function stateOf(
  db: Database,
  rows: readonly VaultKeyRow[],
  vault: OpenedVault | undefined,
): Promise<VaultState> {
  if (!vault) return rows.length > 0 || (await hasUnnamedCards(db)) ? 'missing' : 'unused'
  const own = rows.find(({ id }) => id === vault.keyIds[0])
  if (!own) return 'foreign'
  return own.isCurrent ? 'open' : 'behind'
}

const nothing = 'no card is accepted here, and no booking that has one is delivered from here'

function faultText({ what, consequence, remedy }: VaultFault): string {
  return `${what}: ${consequence}. ${remedy}`
}

function faultOf(
  { state, cardsUnreadable }: Pick<VaultStatus, 'state' | 'cardsUnreadable'>,
  currentId: string | undefined,
  ownId: string | undefined,
): VaultFault | undefined {
  const storesKey =
    currentId === undefined ? "the key that sealed the store's cards" : `the store's key ${currentId}`
  switch (state) {
    case 'missing':
      return {
        what: 'ARI_VAULT_KEY is not set, but the store has cards',
        consequence: nothing,
        remedy: `Set ${storesKey} and restart`,
      }
    case 'foreign':
      return {
        what: `ARI_VAULT_KEY (${ownId}) is not ${storesKey}`,
        consequence: nothing,
        remedy: 'Set the right one, then restart; if it is lost, run: npx ari vault forget',
      }
    case 'behind':
      return {
        what: `ARI_VAULT_KEY (${ownId}) is an earlier key of the store, whose current key is ${currentId}`,
        consequence: 'cards will soon be refused here',
        remedy: 'Set the current key, and this one as ARI_VAULT_KEY_PREVIOUS, then restart',
      }
    case 'open':
      return cardsUnreadable === 0
        ? undefined
        : {
            what: `${cardsUnreadable} cards are under keys that are not configured here`,
            consequence: 'their bookings wait',
            remedy:
              'Set the keys as ARI_VAULT_KEY_PREVIOUS, then restart; if they are lost, run: npx ari vault forget',
          }
    case 'unused':
      return undefined
  }
}

function report(log: Needs['log'], before: VaultStatus | undefined, now: VaultStatus): void {
  if (before?.state === now.state && (before.fault === undefined) === (now.fault === undefined)) return
  const { fault, ...fields } = now
  if (fault !== undefined) log.error(fields, fault)
  else if (before) log.info(fields, 'the vault is open')
}

function measure({ telemetry }: Pick<Needs, 'telemetry'>, status: () => VaultStatus): void {
  const { gauge } = telemetry
  gauge(
    'ari_vault_closed',
    'Whether this process cannot open the cards of the store',
    () => (status().state === 'missing' || status().state === 'foreign' ? 1 : 0),
    'max',
  )
  gauge(
    'ari_vault_cards_to_rewrap',
    'Cards under an earlier vault key that still have to move to the current one',
    () => status().cardsToRewrap,
    'max',
  )
  gauge(
    'ari_vault_cards_unreadable',
    'Cards under vault keys that this process does not have',
    () => status().cardsUnreadable,
    'max',
  )
  gauge(
    'ari_vault_key_age_seconds',
    'Time since the current vault key came into use; 0 if there is none',
    () => status().keyAgeSeconds ?? 0,
    'max',
  )
}
