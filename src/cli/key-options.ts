import { Option, type Command } from 'commander'
import { unknownFieldsChoices, type UnknownFields } from '../http/calls/request-members.ts'
import type { KeySettings } from '../keys/key-settings.ts'
import { defaultLimits, limitRanges, type OwnLimits } from '../keys/store.ts'
import { limit } from './arguments.ts'

/** The options of `key create` and `key limits` that set a key's limits and other settings. */

type GivenLimit = number | 'default'
export type GivenLimits = {
  rateLimit?: GivenLimit
  burst?: GivenLimit
  bodyLimit?: GivenLimit
  items?: GivenLimit
  cells?: GivenLimit
  unknownFields?: UnknownFields
  echo?: Echo
}

export const echoChoices = ['off', 'on'] as const
type Echo = (typeof echoChoices)[number]

export function withLimitOptions(command: Command): Command {
  const { requestsPerMinute, requestsBurst, bodyBytesMax, ariItemsMax, ariCellsMax } = limitRanges
  const usual = defaultLimits
  return command
    .option(
      '--rate-limit <n>',
      `requests per minute, 0 for no limit (default: ${usual.requestsPerMinute})`,
      limit(requestsPerMinute),
    )
    .option(
      '--burst <n>',
      `requests in one burst (default: ${usual.requestsBurst}, or 10 seconds of the key's own rate)`,
      limit(requestsBurst),
    )
    .option(
      '--body-limit <bytes>',
      `bytes per request body (default: ${usual.bodyBytesMax})`,
      limit(bodyBytesMax),
    )
    .option('--items <n>', `items per ARI push (default: ${usual.ariItemsMax})`, limit(ariItemsMax))
    .option('--cells <n>', `changed cells per ARI push (default: ${usual.ariCellsMax})`, limit(ariCellsMax))
    .addOption(
      new Option(
        '--unknown-fields <what>',
        'what happens to requests with unknown members (default: warn)',
      ).choices(unknownFieldsChoices),
    )
    .addOption(
      new Option('--echo <what>', 'explain each field in the answers to ARI pushes (default: off)').choices(
        echoChoices,
      ),
    )
}

export function settingsGiven({ unknownFields, echo }: GivenLimits): Partial<KeySettings> {
  return {
    ...(unknownFields === undefined ? {} : { unknownFields }),
    ...(echo === undefined ? {} : { echo: echo === 'on' }),
  }
}

/** Only the limits that were given; the default is stored as null. */
export function limitsGiven(given: GivenLimits): Partial<OwnLimits> {
  const stored = (wanted: GivenLimit) => (wanted === 'default' ? null : wanted)
  return {
    ...(given.rateLimit === undefined ? {} : { requestsPerMinute: stored(given.rateLimit) }),
    ...(given.burst === undefined ? {} : { requestsBurst: stored(given.burst) }),
    ...(given.bodyLimit === undefined ? {} : { bodyBytesMax: stored(given.bodyLimit) }),
    ...(given.items === undefined ? {} : { ariItemsMax: stored(given.items) }),
    ...(given.cells === undefined ? {} : { ariCellsMax: stored(given.cells) }),
  }
}
