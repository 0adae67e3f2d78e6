import { Command, Option } from 'commander'
import { isoSeconds } from '../base/calendar.ts'
import { Rejected } from '../http/rejected.ts'
import { createToken, revokeToken, selectTokens } from '../keys/manage.ts'
import { setTokenChannel } from '../keys/token-channel.ts'
import { tokenRoles, type TokenRole } from '../keys/store.ts'
import { futureInstant, id } from './arguments.ts'
import { audited, withSession } from './session.ts'
import { printJson, printOutcome, printTable, remark } from './print.ts'

type Given = { json?: boolean }

export function tokenCommand(): Command {
  const token = new Command('token')
    .description('manage tokens for the booking platform and for programs of operators')
    .addHelpText(
      'after',
      `
Examples:
  ari token create --role platform --name "booking engine" --channel app
  ari token create --role operator --expires 2027-12-31
  ari token channel 3 app
  ari token list
  ari token revoke 3`,
    )
  token
    .command('create')
    .description('create a token; prints {"token":"…"}; it is not shown again')
    .addOption(
      new Option('--role <role>', 'what the token gives access to')
        .choices([...tokenRoles])
        .makeOptionMandatory(),
    )
    .option('--name <name>', 'the program that uses it')
    .option('--channel <name>', 'of a platform token: where it sells, for its bookings that say none')
    .option('--expires <date>', 'when it expires', futureInstant)
    .option('--json', 'no effect: the output is always JSON')
    .action((given: { role: TokenRole; name?: string; channel?: string; expires?: number }) =>
      withSession(async ({ db, ...session }) => {
        const environment = await session.environment()
        const wanted = {
          role: given.role,
          name: given.name ?? given.role,
          expiresAtMs: given.expires ?? null,
          channel: given.channel,
        }
        const { token: made, tokenId } = await audited(db, async (connection) => {
          const result = await createToken(connection, environment, wanted)
          const { role, name, channel } = wanted
          const ofChannel = channel === undefined ? {} : { channel }
          const after = { role, name, ...ofChannel, expiresAt: isoOf(wanted.expiresAtMs) }
          return { result, action: 'token.create', subject: tokenSubject(result.tokenId), after }
        })
        printJson({ token: made })
        remark(`Token ${tokenId} for ${environment}. Keep it: it is not shown again.`)
      }),
    )
  addChannel(token)
  addList(token)
  token
    .command('revoke')
    .description('revoke a token permanently')
    .argument('<tokenId>', 'as in token list', id)
    .option('--json', 'print JSON')
    .action((tokenId: number, given: Given) =>
      withSession(async ({ db, nowMs, revocations }) => {
        await audited(db, async (connection) => {
          await revokeToken(connection, tokenId, nowMs)
          await revocations.note(connection, 'token', tokenId)
          const after = { revokedAt: isoOf(nowMs) }
          return { result: undefined, action: 'token.revoke', subject: tokenSubject(tokenId), after }
        })
        const outcome = { tokenId: String(tokenId), status: 'revoked' }
        printOutcome(given, outcome, `Token ${tokenId} is revoked and stops working within a second`)
      }),
    )
  return token
}

function addChannel(token: Command): void {
  token
    .command('channel')
    .description(
      'say where the owner of a platform token sells; its bookings that say none have this channel',
    )
    .argument('<tokenId>', 'as in token list', id)
    .argument('[channel]', '1 to 64 characters')
    .option('--none', 'its bookings have no channel of the token')
    .option('--json', 'print JSON')
    .action((tokenId: number, channel: string | undefined, given: Given & { none?: boolean }) =>
      withSession(async ({ db }) => {
        if ((channel === undefined) !== (given.none === true))
          throw new Rejected(400, { type: 'CHANNEL_REQUIRED', message: 'Name a channel, or say --none' })
        const after = { channel: channel ?? null }
        await audited(db, async (connection) => {
          const before = { channel: await setTokenChannel(connection, tokenId, after.channel) }
          return { result: undefined, action: 'token.channel', subject: tokenSubject(tokenId), before, after }
        })
        const outcome = { tokenId: String(tokenId), ...after }
        const text =
          channel === undefined ? `Token ${tokenId} has no channel` : `Token ${tokenId} sells at ${channel}`
        printOutcome(given, outcome, text)
      }),
    )
}

function addList(token: Command): void {
  token
    .command('list')
    .description('list all tokens')
    .option('--json', 'print JSON')
    .action((given: Given) =>
      withSession(async ({ db, nowMs }) => {
        const tokens = await selectTokens(db, nowMs)
        if (given.json) printJson(tokens.map((one) => ({ ...one, tokenId: String(one.tokenId) })))
        else {
          printTable(
            ['TOKEN ID', 'ROLE', 'NAME', 'CHANNEL', 'STATUS', 'ENDING', 'CREATED', 'EXPIRES', 'LAST USED'],
            tokens.map((one) => [
              one.tokenId,
              one.role,
              one.name,
              one.channel,
              one.status,
              `…${one.tail}`,
              one.createdAt,
              one.expiresAt,
              one.lastUsedAt,
            ]),
          )
        }
      }),
    )
}

function tokenSubject(tokenId: number): string {
  return `token ${tokenId}`
}

function isoOf(atMs: number | null): string | null {
  return atMs === null ? null : isoSeconds(atMs)
}
