import { Command } from 'commander'
import { openVault, vaultKeyId, type Vault } from '../cards/vault.ts'
import {
  countCardsByKey,
  forgetCards,
  selectVaultKeys,
  unknownKeyId,
  type VaultKeyRow,
} from '../cards/vault-keys.ts'
import { audited, withSession, type Session } from './session.ts'
import { printJson, printLine, printOutcome, printTable } from './print.ts'

export function vaultCommand(): Command {
  const vault = new Command('vault').description('manage the keys that encrypt payment cards').addHelpText(
    'after',
    `
Examples:
  ari vault status          list the store's keys, the cards under each, and whether an earlier key can be destroyed
  ari vault forget --yes    destroy the cards that no configured key can open, after a key was lost

A key is shown by its name: 16 hexadecimal digits that are derived from the key and do not reveal it.`,
  )
  addStatus(vault)
  addForget(vault)
  return vault
}

type KeyRow = {
  key: string
  /** `current` seals; `earlier` keys are being replaced. Null: the store neither knows nor needs the key. */
  role: 'current' | 'earlier' | null
  since: string | null
  /** The number of cards sealed with it. */
  cards: number
  setting: 'ARI_VAULT_KEY' | 'ARI_VAULT_KEY_PREVIOUS' | null
}

function addStatus(vault: Command): void {
  vault
    .command('status')
    .description("show the store's keys and the configured ones")
    .option('--json', 'print JSON')
    .action((given: { json?: boolean }) =>
      withSession(async (session) => {
        const keys = await keyRows(session)
        const advice = adviceFor(keys)
        if (given.json) return printJson({ keys, advice })
        if (keys.length > 0) {
          printTable(
            ['KEY', 'ROLE', 'SINCE', 'CARDS', 'SETTING'],
            keys.map(({ key, role, since, cards, setting }) => [key, role, since, cards, setting]),
          )
        }
        printLine(advice)
      }),
    )
}

async function keyRows({ db, vaultKeys: { present, previous } }: Session): Promise<KeyRow[]> {
  const [rows, cardsByKey] = [await selectVaultKeys(db), await countCardsByKey(db)]
  const settingById = new Map<string, KeyRow['setting']>()
  for (const key of previous) settingById.set(vaultKeyId(key), 'ARI_VAULT_KEY_PREVIOUS')
  if (present) settingById.set(vaultKeyId(present), 'ARI_VAULT_KEY')
  const rowById = new Map<string, VaultKeyRow>(rows.map((row) => [row.id, row]))
  const ids = new Set([...rowById.keys(), ...cardsByKey.keys(), ...settingById.keys()])
  return [...ids].map((id) => {
    const row = rowById.get(id)
    return {
      // Sealed before keys had names. The service assigns these cards to the key when it first checks.
      key: id === '' ? 'unnamed' : id,
      role: row ? (row.isCurrent ? 'current' : 'earlier') : null,
      since: row?.since ?? null,
      cards: cardsByKey.get(id) ?? 0,
      setting: settingById.get(id) ?? null,
    }
  })
}

function adviceFor(keys: readonly KeyRow[]): string {
  const current = keys.find(({ role }) => role === 'current')
  const present = keys.find(({ setting }) => setting === 'ARI_VAULT_KEY')
  const earlier = keys.filter(({ role, key }) => role === 'earlier' && key !== unknownKeyId)
  const lost = keys.filter(({ cards, setting, key }) => cards > 0 && setting === null && key !== 'unnamed')
  const spent = keys.filter(({ role, setting }) => role === null && setting === 'ARI_VAULT_KEY_PREVIOUS')
  if (!current && !present) return 'The store has no vault, and ARI_VAULT_KEY is not set'
  if (!current) return 'The store has no vault key yet: a service that starts with ARI_VAULT_KEY sets it'
  if (!present) return 'ARI_VAULT_KEY is not set for this command'
  if (present.role === null) return "ARI_VAULT_KEY is not one of the store's keys: set the right one"
  if (present.role === 'earlier')
    return 'ARI_VAULT_KEY is an earlier key: set the current one, with this one as ARI_VAULT_KEY_PREVIOUS'
  if (lost.length > 0)
    return 'There are cards under keys that are not configured: set those as ARI_VAULT_KEY_PREVIOUS, or run: ari vault forget'
  if (earlier.length > 0)
    return 'The earlier key is still needed: its cards are moved to the current key, and processes have a quarter of an hour to be restarted with it'
  if (spent.length > 0)
    return 'ARI_VAULT_KEY_PREVIOUS is no longer needed: remove it everywhere, and destroy the key'
  return 'All cards are under ARI_VAULT_KEY'
}

function addForget(vault: Command): void {
  vault
    .command('forget')
    .description('destroy the cards that no configured key can open, and make ARI_VAULT_KEY the current key')
    .option('--yes', 'really destroy them: the cards cannot be recovered')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Use it when a key is lost, or after restoring a backup whose vault key has since been destroyed. Bookings that were
waiting because of such a card are delivered without it. Without ARI_VAULT_KEY, all cards are destroyed, and the store no longer
has a vault.`,
    )
    .action((given: { yes?: boolean; json?: boolean }) =>
      withSession(async ({ db, vaultKeys: { present, previous } }) => {
        const opened: Vault | undefined = present && openVault(present, previous)
        if (given.yes !== true) {
          const all = [...(await countCardsByKey(db))]
          const openableIds: readonly string[] = opened ? [...opened.keyIds, ''] : []
          let count = 0
          for (const [keyId, cards] of all) if (!openableIds.includes(keyId)) count += cards
          throw new Error(
            `This would destroy ${count} cards, and any others that name no key and cannot be opened: add --yes to confirm`,
          )
        }
        const key = opened?.keyIds[0] ?? null
        // Record this before and after: an interrupted command has destroyed cards, too.
        await audited(db, async (connection) => {
          const cards = Object.fromEntries(await countCardsByKey(connection))
          const change = { before: { cardsByKey: cards }, after: { key } }
          return { result: undefined, action: 'vault.forget', subject: 'vault', ...change }
        })
        const destroyed = await forgetCards(db, opened)
        await audited(db, async () => {
          const after = { destroyed, key }
          return { result: undefined, action: 'vault.forgotten', subject: 'vault', after }
        })
        const sentence = `Cards destroyed: ${destroyed}. ${key === null ? 'The store has no vault' : `The current key is ${key}`}; running services follow within seconds`
        printOutcome(given, { destroyed, key }, sentence)
      }),
    )
}
