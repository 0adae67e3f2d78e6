import { pino, type DestinationStream, type Logger } from 'pino'

export type Log = Logger

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** Names under which secrets and cards could reach a log line, on any of the first levels. */
const secretNames = [
  'apiKey',
  'x-api-key',
  'authorization',
  'cookie',
  'token',
  'secret',
  'signingSecret',
  'password',
  'connectionString',
  'paymentcarddetail',
  'card',
  'cvv',
]

/** Structured log lines on standard output; secrets are replaced wherever a field bears such a name. */
export function openLog(level: LogLevel, destination?: DestinationStream): Log {
  const paths = secretNames.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`])
  const options = {
    level,
    base: null,
    redact: { paths, censor: '[secret]' },
    timestamp: pino.stdTimeFunctions.isoTime,
  }
  return destination ? pino(options, destination) : pino(options)
}
