import { Command, Option } from 'commander'
import { isoSeconds } from '../base/calendar.ts'
import { Rejected } from '../http/rejected.ts'
import { createToken, revokeToken, selectTokens } from '../keys/manage.ts'
import { changeTokenLimits, lockToken } from '../keys/token-limits.ts'
import { setTokenChannel } from '../keys/token-channel.ts'
import { limitRanges, tokenLimitNames, tokenRoles, type TokenLimits, type TokenRole } from '../keys/store.ts'
import { transaction } from '../postgres/transaction.ts'
import { futureInstant, id, limit } from './arguments.ts'
import { limitsGiven, type GivenLimits } from './key-options.ts'
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
  ari token limits 3 --rate-limit 12000
  ari token revoke 3`,
    )
  const create = token
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
  withRateOptions(create)
    .option('--json', 'no effect: the output is always JSON')
    .action((given: { role: TokenRole; name?: string; channel?: string; expires?: number } & GivenRate) =>
      withSession(async ({ db, ...session }) => {
        const limits = limitsGiven(given)
        refuseLimitsOf(given.role, limits)
        const environment = await session.environment()
        const wanted = {
          role: given.role,
          name: given.name ?? given.role,
          expiresAtMs: given.expires ?? null,
          channel: given.channel,
          limits,
        }
        const { token: made, tokenId } = await audited(db, async (connection) => {
          const result = await createToken(connection, environment, wanted)
          const { role, name, channel } = wanted
          const ofChannel = channel === undefined ? {} : { channel }
          const after = { role, name, ...ofChannel, expiresAt: isoOf(wanted.expiresAtMs), ...limits }
          return { result, action: 'token.create', subject: tokenSubject(result.tokenId), after }
        })
        printJson({ token: made })
        remark(`Token ${tokenId} for ${environment}. Keep it: it is not shown again.`)
      }),
    )
  addChannel(token)
  addList(token)
  addLimits(token)
  addRevoke(token)
  return token
}

function addRevoke(token: Command): void {
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

type GivenRate = Pick<GivenLimits, 'rateLimit' | 'burst'>

function withRateOptions(command: Command): Command {
  const { requestsPerMinute, requestsBurst } = limitRanges
  return command
    .option(
      '--rate-limit <n>',
      'requests per minute of a platform token, 0 for no limit (default: 0)',
      limit(requestsPerMinute),
    )
    .option('--burst <n>', 'requests in one burst (default: 10 seconds of its rate)', limit(requestsBurst))
}

/** Programs of operators have none. */
function refuseLimitsOf(role: TokenRole, limits: Partial<TokenLimits>): void {
  if (role === 'platform' || Object.keys(limits).length === 0) return
  throw new Rejected(400, {
    type: 'NO_LIMITS_OF_OPERATORS',
    message: 'Only tokens of the role platform have limits',
    hint: 'Leave --rate-limit and --burst out',
  })
}

function addLimits(token: Command): void {
  const limits = token
    .command('limits')
    .description("change a token's limits; without options, show them")
    .argument('<tokenId>', 'as in token list', id)
  withRateOptions(limits)
    .option('--json', 'print JSON')
    .action((tokenId: number, given: Given & GivenRate) =>
      withSession(async ({ db }) => {
        const wanted = limitsGiven(given)
        const own =
          Object.keys(wanted).length === 0
            ? (await transaction(db, (connection) => lockToken(connection, tokenId))).limits
            : await audited(db, async (connection) => {
                const { role, limits: before } = await lockToken(connection, tokenId)
                refuseLimitsOf(role, wanted)
                const after = await changeTokenLimits(connection, tokenId, wanted)
                return {
                  result: after,
                  action: 'token.limits',
                  subject: tokenSubject(tokenId),
                  before,
                  after,
                }
              })
        if (given.json) return printJson({ tokenId: String(tokenId), limits: own })
        printTable(
          ['LIMIT', 'THIS TOKEN', 'DEFAULT'],
          tokenLimitNames.map((name) => [name, own[name], 'none']),
        )
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
