import { Command } from 'commander'
import { isoSeconds } from '../base/calendar.ts'
import { defaultLimits, limitNames } from '../keys/store.ts'
import {
  expireKey,
  insertKey,
  keyNotFound,
  replaceSecret,
  revokeKey,
  selectKeys,
  type ListedKey,
} from '../keys/manage.ts'
import { changeKeySettings } from '../keys/key-settings.ts'
import type { AuditAction } from '../operators/contract.ts'
import { rotateSigningSecret } from '../webhooks/store.ts'
import { endsEarlier, keySubject } from '../console-api/suppliers/rules.ts'
import { lockOptionalKey, type KeySettings } from '../console-api/suppliers/store.ts'
import type { Database, Queryable } from '../postgres/postgres.ts'
import { unknownFieldsChoices } from '../http/calls/request-members.ts'
import { duration, futureInstant, id, instantOrWord } from './arguments.ts'
import { echoChoices, limitsGiven, settingsGiven, withLimitOptions, type GivenLimits } from './key-options.ts'
import { audited, withSession } from './session.ts'
import { printJson, printOutcome, printTable, remark } from './print.ts'

type Given = { json?: boolean }
const usualOverlap = '24h'
const usualOverlapMs = duration(usualOverlap)

/** Used if no channel manager is named: the supplier itself pushes. */
const noChannelManager = 'direct'

export function keyCommand(): Command {
  const key = new Command('key').description("manage suppliers' API keys").addHelpText(
    'after',
    `
Examples:
  ari key create --supplier "Sea View" --channel-manager "Acme CM"
  ari key create --supplier "Sea View" --rate-limit 0 --expires 2027-12-31
  ari key list --supplier "Sea View"
  ari key rotate 7 --overlap 48h      create a new secret; the old one works for 48 hours more
  ari key rotate-signing-secret 7     sign calls with a new secret, and with the old one for 24 hours more
  ari key expire 7 --at 2027-06-30    or --at now, or --at never
  ari key limits 7 --rate-limit 600 --items default
  ari key limits 7 --unknown-fields reject   refuse requests with misspelt members
  ari key limits 7 --echo on          explain each field in the answers to ARI pushes
  ari key revoke 7`,
  )
  addCreate(key)
  addList(key)
  addLimits(key)
  addRotate(key)
  addRotateSigningSecret(key)
  key
    .command('expire')
    .description('set when a key expires')
    .argument('<keyId>', 'as in key list', id)
    .requiredOption('--at <date>', 'a date, an instant, "now" or "never"', instantOrWord)
    .option('--json', 'print JSON')
    .action((keyId: number, given: Given & { at: number | 'never' | 'now' }) =>
      withSession(async ({ db, nowMs, revocations }) => {
        const atMs = given.at === 'never' ? null : given.at === 'now' ? nowMs : given.at
        const expiresAt = atMs === null ? null : isoSeconds(atMs)
        const isLess = await changeKey(db, keyId, async (connection, before) => {
          const result = endsEarlier(before, atMs)
          await expireKey(connection, keyId, atMs)
          if (result) await revocations.note(connection, 'key', keyId)
          const change = { before: { expiresAt: before.expiresAt }, after: { expiresAt } }
          return { result, action: 'key.expire', ...change }
        })
        if (!isLess) await revocations.noteGivenBack(db, 'key', keyId)
        const when = expiresAt === null ? 'no longer expires' : `expires at ${expiresAt}`
        printOutcome(given, { keyId: String(keyId), expiresAt }, `Key ${keyId} ${when}`)
      }),
    )
  key
    .command('revoke')
    .description('revoke a key permanently')
    .argument('<keyId>', 'as in key list', id)
    .option('--json', 'print JSON')
    .action((keyId: number, given: Given) =>
      withSession(async ({ db, nowMs, revocations }) => {
        await changeKey(db, keyId, async (connection) => {
          await revokeKey(connection, keyId, nowMs)
          await revocations.note(connection, 'key', keyId)
          return { result: undefined, action: 'key.revoke', after: { revokedAt: isoSeconds(nowMs) } }
        })
        const outcome = { keyId: String(keyId), status: 'revoked' }
        printOutcome(given, outcome, `Key ${keyId} is revoked and stops working within a second`)
      }),
    )
  return key
}

function addCreate(key: Command): void {
  const create = key
    .command('create')
    .description('create a key; prints {"apiKey":"…","keyId":"…"}; the key is not shown again')
    .requiredOption('--supplier <name>', 'owner of the key; created if there is no such supplier')
    .option('--channel-manager <name>', 'the channel manager that uses the key', noChannelManager)
  withLimitOptions(create)
    .option('--expires <date>', 'when it expires', futureInstant)
    .option('--json', 'no effect: the output is always JSON')
    .action((given: GivenLimits & { supplier: string; channelManager: string; expires?: number }) =>
      withSession(async ({ db, ...session }) => {
        const { supplier, channelManager } = given
        const expiresAtMs = given.expires ?? null
        const environment = await session.environment()
        const settings = { limits: limitsGiven(given), ...settingsGiven(given) }
        const wanted = { supplier, channelManager, expiresAtMs, ...settings }
        const { apiKey, keyId, supplierIsNew } = await audited(db, async (connection) => {
          const result = await insertKey(connection, environment, wanted)
          const after = { channelManager, expiresAt: expiresAtMs === null ? null : isoSeconds(expiresAtMs) }
          return { result, action: 'key.create', subject: keySubject(result.keyId, { supplier }), after }
        })
        printJson({ apiKey, keyId: String(keyId) })
        if (supplierIsNew) remark(`Supplier "${supplier}" did not exist and was created.`)
        remark(`Key ${keyId} for ${environment}. Keep it: it is not shown again.`)
      }),
    )
}

function addRotate(key: Command): void {
  key
    .command('rotate')
    .description('give a key a new secret; prints {"apiKey":"…","keyId":"…","oldKeyUntil":"…"}')
    .argument('<keyId>', 'as in key list', id)
    .option(
      '--overlap <duration>',
      `how long the old secret keeps working (default: ${usualOverlap})`,
      duration,
    )
    .option('--json', 'no effect: the output is always JSON')
    .action((keyId: number, given: { overlap?: number }) =>
      withSession(async ({ db, nowMs, ...session }) => {
        const environment = await session.environment()
        const oldUntilMs = nowMs + (given.overlap ?? usualOverlapMs)
        const oldKeyUntil = isoSeconds(oldUntilMs)
        const apiKey = await changeKey(db, keyId, async (connection) => {
          const result = await replaceSecret(connection, environment, keyId, { nowMs, oldUntilMs })
          await session.revocations.note(connection, 'key', keyId)
          return { result, action: 'key.rotate', after: { oldKeyUntil } }
        })
        printJson({ apiKey, keyId: String(keyId), oldKeyUntil })
        remark(`The old key works until ${oldKeyUntil}. Keep the new one: it is not shown again.`)
      }),
    )
}

function addRotateSigningSecret(key: Command): void {
  key
    .command('rotate-signing-secret')
    .description(
      'give a key a new secret for signing webhook calls; prints {"signingSecret":"…","keyId":"…","oldSecretUntil":"…"}',
    )
    .argument('<keyId>', 'as in key list', id)
    .option(
      '--overlap <duration>',
      `how long calls are signed with the old secret as well (default: ${usualOverlap})`,
      duration,
    )
    .option('--json', 'no effect: the output is always JSON')
    .action((keyId: number, given: { overlap?: number }) =>
      withSession(async ({ db, nowMs, revocations }) => {
        const oldUntilMs = nowMs + (given.overlap ?? usualOverlapMs)
        const oldSecretUntil = isoSeconds(oldUntilMs)
        const { signingSecret } = await changeKey(db, keyId, async (connection) => {
          await revocations.note(connection, 'signing secret', keyId)
          const result = await rotateSigningSecret(connection, keyId, { nowMs, oldUntilMs })
          return { result, action: 'key.rotate-signing-secret', after: { oldOneSignsUntil: oldSecretUntil } }
        })
        printJson({ signingSecret, keyId: String(keyId), oldSecretUntil })
        remark(`Calls are signed with both until ${oldSecretUntil}. Keep the new one: it is not shown again.`)
      }),
    )
}

function addList(key: Command): void {
  key
    .command('list')
    .description('list all keys; secrets are not shown')
    .option('--supplier <name>', 'only the keys of this supplier')
    .option('--json', 'print JSON')
    .action((given: Given & { supplier?: string }) =>
      withSession(async ({ db, nowMs }) => {
        const keys = await selectKeys(db, nowMs, given.supplier)
        if (given.json) printJson(keys.map((one) => ({ ...one, keyId: String(one.keyId) })))
        else printKeys(keys)
      }),
    )
}

function printKeys(keys: readonly ListedKey[]): void {
  printTable(
    ['KEY ID', 'SUPPLIER', 'CHANNEL MANAGER', 'STATUS', 'ENDING', 'CREATED', 'EXPIRES', 'LAST USED'],
    keys.map((one) => [
      one.keyId,
      one.supplier,
      one.channelManager,
      one.status,
      one.tails.map((tail) => `…${tail}`).join(' '),
      one.createdAt,
      one.expiresAt,
      one.lastUsedAt,
    ]),
  )
}

function addLimits(key: Command): void {
  withLimitOptions(
    key
      .command('limits')
      .description("change a key's limits; without options, show them")
      .argument('<keyId>', 'as in key list', id),
  )
    .option('--json', 'print JSON')
    .action((keyId: number, given: Given & GivenLimits) =>
      withSession(async ({ db }) => {
        const wanted = { ...limitsGiven(given), ...settingsGiven(given) }
        const { unknownFields, echo, ...own } =
          Object.keys(wanted).length === 0
            ? await changeKeySettings(db, keyId, wanted)
            : await changeKey(db, keyId, async (connection, before) => {
                const after = await changeKeySettings(connection, keyId, wanted)
                const previous = { ...before.limits, unknownFields: before.unknownFields, echo: before.echo }
                return { result: after, action: 'key.limits', before: previous, after }
              })
        if (given.json)
          return printJson({
            keyId: String(keyId),
            limits: own,
            defaults: defaultLimits,
            unknownFields,
            echo,
          })
        printTable(
          ['LIMIT', 'THIS KEY', 'DEFAULT'],
          [
            ...limitNames.map((name) => [name, own[name], defaultLimits[name]]),
            ['unknownFields', unknownFields, unknownFieldsChoices[0]],
            ['echo', echo ? 'on' : 'off', echoChoices[0]],
          ],
        )
      }),
    )
}

/** A change of a key and its line in the audit log. */
function changeKey<Result>(
  db: Database,
  keyId: number,
  work: (
    connection: Queryable,
    before: KeySettings,
  ) => Promise<{ result: Result; action: AuditAction; before?: object; after: object }>,
): Promise<Result> {
  return audited(db, async (connection) => {
    const before = await lockOptionalKey(connection, keyId)
    if (!before) throw keyNotFound(keyId)
    return { subject: keySubject(keyId, before), ...(await work(connection, before)) }
  })
}
